"""What the tools `COLLECTION_*` share: names, parts of schemas, errors as results (AGENTS_AND_TOOLS §5)."""

import functools
from typing import Any

from core.errors import MetierError, StepFailed, ToolFailed
from core.ports.tools import CallContext
from core.tools.registry import Arguments, Handler

TEMPLATES = "COLLECTION_WORKFLOW_"
EXECUTIONS = "COLLECTION_WORKFLOW_EXECUTION_"

MCP_TOOLS = frozenset(
    [TEMPLATES + name for name in ("LIST", "GET", "CREATE", "UPDATE", "DELETE")]
    + [EXECUTIONS + name for name in ("LIST", "GET", "CREATE", "CANCEL", "RESUME")]
)
"""What the app offers through MCP (AGENTS_AND_TOOLS §7)."""

ID_CHARACTERS = 256
PAGE, MOST = 50, 200

LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST, "description": f"At most so many, {PAGE} if absent."}
CURSOR = {
    "type": "string",
    "minLength": 1,
    "maxLength": ID_CHARACTERS,
    "description": "The next_cursor of the page before.",
}
TEXT = {"type": "string"}
TEXT_OR_NULL = {"type": ["string", "null"]}
COUNT_OR_NULL = {"type": ["integer", "null"]}
ANY_OBJECT = {"type": "object"}
NEXT_CURSOR = {"type": ["string", "null"], "description": "Leads to the next page; null: there is none."}
PROBLEMS = {
    "type": "array",
    "description": "What is wrong with the template: errors, because of which it cannot start, and warnings.",
    "items": {
        "type": "object",
        "properties": {
            "code": TEXT,
            "step": TEXT_OR_NULL,
            "path": {"type": "string", "description": "A JSON pointer into the template."},
            "message": TEXT,
            "severity": {"type": "string", "enum": ["error", "warning"]},
        },
        "required": ["code", "message", "severity"],
    },
}


def an_id(description: str) -> dict[str, Any]:
    """Return the schema of an id."""
    return {"type": "string", "minLength": 1, "maxLength": ID_CHARACTERS, "description": description}


def of_result(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of a result: an object with these fields, to which later versions may add others."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


def a_page(item: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a page of a listing."""
    return of_result({"items": {"type": "array", "items": item}, "next_cursor": NEXT_CURSOR})


def errors_as_failures(handler: Handler) -> Handler:
    """Convert Metier's errors to results that a model can act on, with code, message and parameters."""

    @functools.wraps(handler)
    async def handling(arguments: Arguments, context: CallContext) -> Any:
        try:
            return await handler(arguments, context)
        except StepFailed:
            raise
        except MetierError as error:
            raise ToolFailed(error.code, error.message, **error.parameters) from error

    return handling
