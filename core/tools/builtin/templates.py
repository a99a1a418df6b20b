"""`COLLECTION_WORKFLOW_{LIST,GET,CREATE,UPDATE,DELETE}`: templates, for agents and steps (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.events import iso_time
from core.domain.ids import TemplateId
from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.ports.templates import TemplateDetails, TemplateEntry, TemplateLibrary
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.builtin.collection import (
    COUNT_OR_NULL,
    CURSOR,
    LIMIT,
    PAGE,
    PROBLEMS,
    TEMPLATES,
    TEXT,
    TEXT_OR_NULL,
    a_page,
    an_id,
    errors_as_failures,
    of_result,
)
from core.tools.measure import format_count
from core.tools.registry import Arguments, Tool

_TEMPLATE = {
    "type": "object",
    "description": (
        'The template: {"title", "steps": [{"name", "action", "input"?, "when"?, "forEach"?, …}], "description"?, '
        '"inputSchema"?, …}. An action is {"toolName"}, {"code": "export default function (input) { … }"}, '
        '{"agent": {"prompt"}}, {"set": true}, {"return": true} or {"workflow": {"templateId"}}. Steps read the input '
        'with "@input.field" and each other with "@step.field".'
    ),
}
_DRAFT = {"type": "boolean", "description": "Save it even if it has errors; it cannot start until they are mended."}
_VERSION = {"type": "integer", "minimum": 1}
_ENTRY = {
    "id": TEXT,
    "title": TEXT,
    "description": TEXT_OR_NULL,
    "version": {**COUNT_OR_NULL, "description": "null: it comes with the app, and stays as it is."},
    "updated_at": TEXT_OR_NULL,
}
_SAVED = of_result({"id": TEXT, "title": TEXT, "version": {"type": "integer"}, "problems": PROBLEMS})


def tools(book: TemplateLibrary) -> list[Tool]:
    """Return the tools. Errors: `not_found`, `title_taken`, `invalid_template` with all `problems`, `conflict`,
    `not_allowed`.
    """

    @errors_as_failures
    async def list_(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        after = arguments.get("cursor")
        page = await book.listed(
            arguments.get("query"),
            limit=arguments.get("limit", PAGE),
            after=TemplateId(after) if after is not None else None,
        )
        return {"items": [_fields(one) for one in page.entries], "next_cursor": page.next_cursor}

    @errors_as_failures
    async def get(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        found = await book.get(TemplateId(arguments["id"]), arguments.get("version"))
        return {**_fields(found.entry), "template": found.template, "problems": list(found.problems)}

    @errors_as_failures
    async def create(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        return _saved(await book.create(arguments["template"], draft=arguments.get("draft", False)))

    @errors_as_failures
    async def update(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        return _saved(
            await book.update(
                TemplateId(arguments["id"]),
                arguments["template"],
                based_on=arguments.get("version"),
                draft=arguments.get("draft", False),
            )
        )

    @errors_as_failures
    async def delete(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        gone, runs = await book.delete(TemplateId(arguments["id"]))
        return {"id": gone.id, "title": gone.title, "active_runs": list(runs)}

    def a_title(arguments: Arguments, value: Any) -> str:
        return str(value["title"])

    def a_version(arguments: Arguments, value: Any) -> str:
        return f"{value['title']}, version {value['version']}"

    def how_many(arguments: Arguments, value: Any) -> str:
        return format_count(len(value["items"]), "template")

    return [
        Tool(_LIST, server=list_, read_only=True, summary=how_many),
        Tool(_GET, server=get, read_only=True, summary=a_title),
        Tool(_CREATE, server=create, summary=a_version),
        Tool(_UPDATE, server=update, summary=a_version),
        Tool(_DELETE, server=delete, summary=a_title),
    ]


def _fields(entry: TemplateEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "title": entry.title,
        "description": entry.description,
        "version": entry.version,
        "updated_at": iso_time(entry.updated_at) if entry.updated_at is not None else None,
    }


def _saved(saved: TemplateDetails) -> dict[str, Any]:
    entry = saved.entry
    return {"id": entry.id, "title": entry.title, "version": entry.version, "problems": list(saved.problems)}


_LIST = ToolInfo(
    name=f"{TEMPLATES}LIST",
    title="List templates",
    description="Lists the templates that can be run, by title: {items, next_cursor}.",
    input_schema=schema.of_object(
        {},
        {
            "query": {"type": "string", "maxLength": 256, "description": "A part of the title or the description."},
            "limit": LIMIT,
            "cursor": CURSOR,
        },
    ),
    output_schema=a_page(of_result(_ENTRY)),
    category=Category.DATABASE,
)
_GET = ToolInfo(
    name=f"{TEMPLATES}GET",
    title="Read a template",
    description="Gives a template whole, with what is wrong with it: {id, title, version, template, problems, …}.",
    input_schema=schema.of_object(
        {"id": an_id("The id of the template.")},
        {"version": {**_VERSION, "description": "An earlier version; the newest if absent."}},
    ),
    output_schema=of_result({**_ENTRY, "template": {}, "problems": PROBLEMS}),
    category=Category.DATABASE,
)
_CREATE = ToolInfo(
    name=f"{TEMPLATES}CREATE",
    title="Save a new template",
    description=(
        "Saves a new template as version 1 and gives {id, title, version, problems}. One with errors is refused with"
        " all its problems, unless it is to be a draft. No two templates have the same title."
    ),
    input_schema=schema.of_object({"template": _TEMPLATE}, {"draft": _DRAFT}),
    output_schema=_SAVED,
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
)
_UPDATE = ToolInfo(
    name=f"{TEMPLATES}UPDATE",
    title="Save a new version",
    description=(
        "Saves a template as its next version and gives {id, title, version, problems}. Give it whole: it takes the"
        " place of the version before. Runs that have begun go on with the version that they have."
    ),
    input_schema=schema.of_object(
        {"id": an_id("The id of the template."), "template": _TEMPLATE},
        {
            "version": {
                **_VERSION,
                "description": "The version that was changed; if there is a newer one, nothing is saved.",
            },
            "draft": _DRAFT,
        },
    ),
    output_schema=_SAVED,
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
)
_DELETE = ToolInfo(
    name=f"{TEMPLATES}DELETE",
    title="Delete a template",
    description=(
        "Deletes a template with all its versions and gives {id, title, active_runs}. Its runs stay, and those that"
        " are active go on: they have a copy of their own."
    ),
    input_schema=schema.of_object({"id": an_id("The id of the template.")}),
    output_schema=of_result({"id": TEXT, "title": TEXT, "active_runs": {"type": "array", "items": TEXT}}),
    risk=Risk.HIGH,
    category=Category.DATABASE,
)
