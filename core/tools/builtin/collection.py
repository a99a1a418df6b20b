"""What the tools `COLLECTION_*` share: names, parts of schemas, and the shape of a tool (AGENTS_AND_TOOLS §5)."""

from collections.abc import Callable
from typing import Any

from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.tools import schema
from core.tools.registry import Arguments, Handler, Tool, errors_as_failures
from core.tools.schema import Fields, Schema, of_result

TEMPLATES = "COLLECTION_WORKFLOW_"
EXECUTIONS = "COLLECTION_WORKFLOW_EXECUTION_"

MCP_TOOLS = frozenset(
    [TEMPLATES + name for name in ("LIST", "GET", "CREATE", "UPDATE", "DELETE")]
    + [EXECUTIONS + name for name in ("LIST", "GET", "CREATE", "CANCEL", "RESUME")]
)
"""What the app offers through MCP (AGENTS_AND_TOOLS §7)."""

ID_CHARACTERS = 256
PAGE, MAX_PAGE = 50, 200

LIMIT = schema.number(f"The size of the page, {PAGE} if absent.", 1, MAX_PAGE, kind="integer")
CURSOR = schema.text("The next_cursor of the page before.", ID_CHARACTERS)
TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
COUNT_OR_NULL: Schema = {"type": ["integer", "null"]}
ANY_OBJECT: Schema = {"type": "object"}
OBJECTS: Schema = {"type": "array", "items": ANY_OBJECT}
NEXT_CURSOR: Schema = {"type": ["string", "null"], "description": "Leads to the next page; null: there is none."}
PROBLEMS: Schema = {
    "type": "array",
    "description": "What is wrong with the template: errors, because of which it cannot start, and warnings.",
    "items": of_result(
        {"code": TEXT, "message": TEXT, "severity": {"type": "string", "enum": ["error", "warning"]}},
        {"step": TEXT_OR_NULL, "path": {"type": "string", "description": "A JSON pointer into the template."}},
    ),
}


def an_id(description: str) -> Schema:
    """Return the schema of an id of a template, a run or a part of it."""
    return schema.an_id(description, ID_CHARACTERS)


def a_page(item: Schema) -> Schema:
    """Return the schema of a page of a listing."""
    return of_result({"items": {"type": "array", "items": item}, "next_cursor": NEXT_CURSOR})


def collection_tool(
    name: str,
    title: str,
    description: str,
    handler: Handler,
    required: Fields,
    optional: Fields | None = None,
    *,
    output: Schema | None = None,
    risk: Risk = Risk.LOW,
    is_scoped: bool = False,
    **traits: Any,
) -> Tool:
    """Return a tool for templates or runs. Metier's errors are its results; `traits` are fields of `Tool`."""
    inputs = schema.of_object(required, optional)
    category = Category.DATABASE
    info = ToolInfo(name, title, description, inputs, output, risk=risk, category=category, is_scoped=is_scoped)
    return Tool(info, server=errors_as_failures(handler), **traits)


def summary_of(field: str) -> Callable[[Arguments, Any], str]:
    """Return a summary that shows a field of the result."""
    return lambda _, value: str(value[field])
