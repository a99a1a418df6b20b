"""Tools that do several things, told apart by `action`: which arguments go with which (AGENTS_AND_TOOLS §5).

Models are not given alternatives in a schema, since some providers take none; so what the schema cannot say is
checked here, in its words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import ToolFailed
from core.tools.registry import Arguments


@dataclass(frozen=True, slots=True)
class Action:
    """The arguments that an action needs, and those that it takes beside them. `changes`: one of these at least."""

    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        return frozenset((*self.needs, *self.takes, *self.changes))


Actions = Mapping[str, Action]


def require_fitting(actions: Actions, arguments: Arguments) -> None:
    """Raises ToolFailed `invalid_arguments` that lists everything wrong. The arguments fit the schema."""
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


def is_one_of(arguments: Arguments, *names: str) -> bool:
    """Whether the action is one of these, for arguments that need not fit the schema."""
    return any(arguments.get("action") == name for name in names)


def id_schema(what: str) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": 100, "description": what}
