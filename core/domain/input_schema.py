"""The JSON Schema of the input of a template or a tool: its properties, which of them are places, and formats."""

import os
import re
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

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


_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


def has_format(text: str, text_format: str) -> bool:
    """Return whether the text has the format `email`, `uri`, `date` or `date-time`; any other format is not checked."""
    try:
        match text_format:
            case "email":
                return _EMAIL.fullmatch(text) is not None
            case "uri":
                parts = urlsplit(text)
                return bool(parts.scheme) and bool(parts.netloc or parts.path) and not re.search(r"\s", text)
            case "date":
                return date.fromisoformat(text).isoformat() == text
            case "date-time":
                return "T" in text.upper() and datetime.fromisoformat(text.upper()).tzinfo is not None
    except ValueError:
        return False
    return True


def misformatted_properties(schema: Any, value: Any) -> dict[str, str]:
    """Return the format of each property whose text does not have it, by name."""
    given = value if isinstance(value, Mapping) else {}
    formats = {name: inner.get("format") for name, inner in properties_of(schema).items() if name in given}
    return {
        name: text_format
        for name, text_format in formats.items()
        if isinstance(text_format, str) and isinstance(given[name], str) and not has_format(given[name], text_format)
    }
