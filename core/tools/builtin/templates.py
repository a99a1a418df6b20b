"""`COLLECTION_WORKFLOW_{LIST,GET,CREATE,UPDATE,DELETE}`: templates, for agents and steps (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.events import iso_time
from core.domain.ids import TemplateId
from core.domain.risk import Risk
from core.ports import CallContext, TemplateDetails, TemplateEntry, TemplateLibrary
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
    collection_tool,
    summary_of,
)
from core.tools.measure import format_count
from core.tools.registry import Arguments, Tool
from core.tools.schema import of_result

_ID = an_id("The id of the template.")
_TEMPLATE = {
    "type": "object",
    "description": (
        'The template: {"title", "steps": [{"name", "action", "input"?, "when"?, "forEach"?, …}], "description"?, '
        '"inputSchema"?, …}. An action is {"toolName"}, {"code": "export default function (input) { … }"}, '
        '{"agent": {"prompt"}}, {"set": true}, {"return": true} or {"workflow": {"templateId"}}. Steps read the input '
        'with "@input.field" and each other with "@step.field".'
    ),
}
_DRAFT = schema.flag("Save it even if it has errors; it cannot start until they are fixed.")
_ENTRY = {
    "id": TEXT,
    "title": TEXT,
    "description": TEXT_OR_NULL,
    "version": {**COUNT_OR_NULL, "description": "null: it ships with the app and cannot be changed."},
    "updated_at": TEXT_OR_NULL,
}
_SAVED = of_result({"id": TEXT, "title": TEXT, "version": {"type": "integer"}, "problems": PROBLEMS})


def tools(book: TemplateLibrary) -> list[Tool]:
    """Return the tools. Errors: `not_found`, `title_taken`, `invalid_template` with all `problems`, `conflict`,
    `not_allowed`.
    """

    async def list_(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        after = arguments.get("cursor")
        page = await book.page(
            arguments.get("query"),
            limit=arguments.get("limit", PAGE),
            after=TemplateId(after) if after is not None else None,
        )
        return {"items": [_fields(entry) for entry in page.entries], "next_cursor": page.next_cursor}

    async def get(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        whole = await book.get(TemplateId(arguments["id"]), arguments.get("version"))
        return {**_fields(whole.entry), "template": whole.template, "problems": list(whole.problems)}

    async def create(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        return _saved(await book.create(arguments["template"], draft=arguments.get("draft", False)))

    async def update(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        template_id, draft = TemplateId(arguments["id"]), arguments.get("draft", False)
        based_on = arguments.get("version")
        return _saved(await book.update(template_id, arguments["template"], based_on=based_on, draft=draft))

    async def delete(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        deleted, runs = await book.delete(TemplateId(arguments["id"]))
        return {"id": deleted.id, "title": deleted.title, "active_runs": list(runs)}

    def version_summary(arguments: Arguments, value: Any) -> str:
        return f"{value['title']}, version {value['version']}"

    return [
        collection_tool(
            f"{TEMPLATES}LIST",
            "List templates",
            "Lists the templates that can be run, by title: {items, next_cursor}.",
            list_,
            {},
            {
                "query": schema.text("A part of the title or the description.", 256, can_be_empty=True),
                "limit": LIMIT,
                "cursor": CURSOR,
            },
            output=a_page(of_result(_ENTRY)),
            read_only=True,
            summary=lambda _, value: format_count(len(value["items"]), "template"),
        ),
        collection_tool(
            f"{TEMPLATES}GET",
            "Read a template",
            "Returns a whole template with its problems: {id, title, version, template, problems, …}.",
            get,
            {"id": _ID},
            {"version": schema.number("An earlier version; the newest if absent.", 1, kind="integer")},
            output=of_result({**_ENTRY, "template": {}, "problems": PROBLEMS}),
            read_only=True,
            summary=summary_of("title"),
        ),
        collection_tool(
            f"{TEMPLATES}CREATE",
            "Save a new template",
            "Saves a new template as version 1 and returns {id, title, version, problems}. A template with errors is"
            " refused with all its problems, unless it is to be a draft. No two templates have the same title.",
            create,
            {"template": _TEMPLATE},
            {"draft": _DRAFT},
            output=_SAVED,
            risk=Risk.MEDIUM,
            summary=version_summary,
        ),
        collection_tool(
            f"{TEMPLATES}UPDATE",
            "Save a new version",
            "Saves a template as its next version and returns {id, title, version, problems}. Pass the whole template:"
            " it replaces the previous version. Active runs keep the version that they started with.",
            update,
            {"id": _ID, "template": _TEMPLATE},
            {
                "version": schema.number(
                    "The version that was edited; if there is a newer version, nothing is saved.", 1, kind="integer"
                ),
                "draft": _DRAFT,
            },
            output=_SAVED,
            risk=Risk.MEDIUM,
            summary=version_summary,
        ),
        collection_tool(
            f"{TEMPLATES}DELETE",
            "Delete a template",
            "Deletes a template with all its versions and returns {id, title, active_runs}. Its runs are kept, and"
            " active runs continue with their own copy.",
            delete,
            {"id": _ID},
            output=of_result({"id": TEXT, "title": TEXT, "active_runs": {"type": "array", "items": TEXT}}),
            risk=Risk.HIGH,
            summary=summary_of("title"),
        ),
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
