"""The JSON Schema of the input of a template or a tool: its properties, and which of them are places."""

from collections.abc import Mapping
from typing import Any

FOLDER_FORMAT, FILE_FORMAT = "folder", "file"
PLACE_FORMATS = (FOLDER_FORMAT, FILE_FORMAT)
"""The formats that mark a text as the path of a folder or a file."""


def properties_of(schema: Any) -> dict[str, Mapping[str, Any]]:
    """Return the properties of a schema, each with its own schema; {} for what is none."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return {}
    return {name: inner if isinstance(inner, Mapping) else {} for name, inner in properties.items()}
