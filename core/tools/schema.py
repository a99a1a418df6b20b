"""The shape of a built-in tool's arguments: JSON schemas, and which arguments go with which `action`.

Schemas hold no alternatives, since some providers reject them. What such a schema cannot express about the arguments of
an action is checked here, with messages in the words of the schema (AGENTS_AND_TOOLS §5).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import ToolFailed
from core.tools.registry import Arguments


def of_object(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def of_path(what: str) -> dict[str, Any]:
    """Return the schema of a path that `core.tools.file_access` resolves."""
    rule = (
        "Absolute, or relative to the folder of the run or else the first allowed one; it must lie in an allowed one."
    )
    return {"type": "string", "minLength": 1, "maxLength": 4096, "description": f"{what} {rule}"}


@dataclass(frozen=True, slots=True)
class Action:
    """The arguments that an action requires and accepts. At least one of `changes` is required too."""

    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        return frozenset((*self.needs, *self.takes, *self.changes))


Actions = Mapping[str, Action]


def check_action_arguments(actions: Actions, arguments: Arguments) -> None:
    """Raise ToolFailed `invalid_arguments` that lists every violation. The arguments fit the schema."""
    name = arguments["action"]
    action = actions[name]
    found = [(f"/{one}", f"{name} needs {one}") for one in action.needs if one not in arguments]
    if action.changes and not any(one in arguments for one in action.changes):
        found.append(("", f"{name} needs at least one of {', '.join(action.changes)}"))
    for one in arguments:
        if one not in action.known and one != "action":
            takes = ", ".join((*action.needs, *action.takes, *action.changes)) or "nothing"
            found.append((f"/{one}", f"{name} does not take {one}; it takes {takes}"))
    if found:
        listed = [{"path": path, "message": message} for path, message in found]
        raise ToolFailed("invalid_arguments", "; ".join(message for _, message in found), violations=listed)


def has_action(arguments: Arguments, *names: str) -> bool:
    """Return whether the action is among `names`. The arguments need not fit the schema."""
    return any(arguments.get("action") == name for name in names)


def id_schema(what: str) -> dict[str, Any]:
    """Return the schema of an id."""
    return {"type": "string", "minLength": 1, "maxLength": 100, "description": what}
