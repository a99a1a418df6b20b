"""The JSON Schema of the input of a template or a tool: its properties, and which of them are places."""

import os
from collections.abc import Mapping
from pathlib import PurePath
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


def named_places(schema: Any, given: Mapping[str, Any]) -> list[str]:
    """Return the absolute paths that the input gives for the properties whose format is a folder or a file."""
    named = [given.get(name) for name, inner in properties_of(schema).items() if inner.get("format") in PLACE_FORMATS]
    return [os.path.normpath(path) for path in named if isinstance(path, str) and PurePath(path).is_absolute()]


def with_folder(schema: Mapping[str, Any], folder: str | None) -> Mapping[str, Any]:
    """Return the schema with `folder` as the default of the folders that it asks for and has no default of."""
    properties = properties_of(schema)
    wanted = [name for name, inner in properties.items() if inner.get("format") == FOLDER_FORMAT]
    if folder is None or not wanted:
        return schema
    filled = {name: {"default": folder, **properties[name]} for name in wanted}
    return {**schema, "properties": {**schema["properties"], **filled}}
