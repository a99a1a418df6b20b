"""How the input schemas of the built-in tools are written down."""

from collections.abc import Mapping
from typing import Any


def of_object(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def of_path(what: str) -> dict[str, Any]:
    """The schema of a path that goes through `core.tools.folders`."""
    rule = (
        "Absolute, or relative to the folder of the run or else the first allowed one; it must lie in an allowed one."
    )
    return {"type": "string", "minLength": 1, "maxLength": 4096, "description": f"{what} {rule}"}
