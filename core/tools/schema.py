"""The shape of a built-in tool's arguments: JSON schemas, and which arguments go with which `action`.

Schemas hold no alternatives, since some providers reject them. What such a schema cannot express about the arguments of
an action is checked here, with messages in the words of the schema (AGENTS_AND_TOOLS §5).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.domain.tool import ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.tools.registry import Arguments, Handler, Tool, errors_as_failures

Schema = dict[str, Any]
Fields = Mapping[str, Schema]

ID_CHARACTERS = 100


def of_object(required: Fields, optional: Fields | None = None) -> Schema:
    """Return the schema of an object with exactly these properties."""
    return {**of_result(required, optional), "additionalProperties": False}


def of_result(required: Fields, optional: Fields | None = None) -> Schema:
    """Return the schema of a result: an object with these fields, to which later versions may add others."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


def text(description: str, most: int, *, can_be_empty: bool = False) -> Schema:
    """Return the schema of a text of at most `most` characters."""
    least = {} if can_be_empty else {"minLength": 1}
    return {"type": "string", **least, "maxLength": most, "description": description}


def an_id(description: str, most: int = ID_CHARACTERS) -> Schema:
    """Return the schema of an id."""
    return text(description, most)


def path(description: str) -> Schema:
    """Return the schema of a path that `core.tools.file_access` resolves."""
    rule = "Absolute, or relative to the run's folder or else the first allowed folder; it must lie in an allowed one."
    return text(f"{description} {rule}", 4096)


def number(description: str, least: float, most: float | None = None, *, kind: str = "number") -> Schema:
    """Return the schema of a number, or of an `integer`, in these bounds."""
    bound = {} if most is None else {"maximum": most}
    return {"type": kind, "minimum": least, **bound, "description": description}


def flag(description: str, *, default: bool | None = None) -> Schema:
    """Return the schema of a boolean."""
    return {"type": "boolean", **({} if default is None else {"default": default}), "description": description}


def choice(description: str, values: Iterable[str], **more: Any) -> Schema:
    """Return the schema of a text among `values`."""
    return {"enum": list(values), **more, "description": description}


def array(description: str, items: Schema, most: int, **more: Any) -> Schema:
    """Return the schema of a list of at most `most` items."""
    return {"type": "array", "maxItems": most, "items": items, **more, "description": description}


@dataclass(frozen=True, slots=True)
class Action:
    """The arguments that an action requires and accepts. At least one of `changes` is required too.

    `is_read_only` and `is_dangerous` are the properties of its calls.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    is_read_only: bool = False
    is_dangerous: bool = False

    def violations(self, name: str, arguments: Arguments) -> list[tuple[str, str]]:
        """Return the path and the message of each violation."""
        accepted = (*self.required, *self.optional, *self.changes)
        missing = [(f"/{field}", f"{name} needs {field}") for field in self.required if field not in arguments]
        if self.changes and not any(field in arguments for field in self.changes):
            missing.append(("", f"{name} needs at least one of {', '.join(self.changes)}"))
        unknown = (field for field in arguments if field not in accepted and field != "action")
        takes = ", ".join(accepted) or "nothing"
        return [*missing, *((f"/{field}", f"{name} does not take {field}; it takes {takes}") for field in unknown)]


def violations_error(code: str, message: str, violations: Iterable[tuple[str, str]]) -> ToolFailed:
    """Return the failure that lists the path and the message of each violation."""
    return ToolFailed(code, message, violations=[{"path": path, "message": message} for path, message in violations])


def action_tool(
    info: ToolInfo, actions: Mapping[str, Action], handler: Handler, summary: Callable[[Arguments, Any], str]
) -> Tool:
    """Return an idempotent tool with several actions. Its arguments are checked before `handler` is called."""

    @errors_as_failures
    async def call(arguments: Arguments, context: CallContext) -> Any:
        name = arguments["action"]
        if violations := actions[name].violations(name, arguments):
            raise violations_error("invalid_arguments", "; ".join(message for _, message in violations), violations)
        return await handler(arguments, context)

    # The arguments of a call whose properties are asked for need not fit the schema: `action` may be of any type.
    def has(names: frozenset[str]) -> Callable[[Arguments], bool]:
        return lambda arguments: any(arguments.get("action") == name for name in names)

    return Tool(
        info,
        server=call,
        read_only=has(frozenset(name for name, action in actions.items() if action.is_read_only)),
        idempotent=True,
        is_dangerous=has(frozenset(name for name, action in actions.items() if action.is_dangerous)),
        summary=summary,
    )
