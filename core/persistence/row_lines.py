"""The text of a row, one line of JSON: what a backup file holds of it, and what two copies are compared by.

A line is `["table", key, {field: value}]`, UTF-8, with sorted fields. Values that JSON does not have are objects with a
single field: `{"$bytes": base64}`, `{"$record": ["table", key]}`, and `{"$object": {…}}` for an object that has a field
whose name begins with `$`. A field that is null is left out, as the database has no such field either.
"""

import json
from base64 import b64decode, b64encode
from typing import Any

from core.errors import StorageFailed
from core.persistence.driver import Null, RecordID, SurrealError
from core.persistence.statements import Row

_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
_PLAIN = (str, int, float, bool)


def encode_row(row: Row) -> str:
    """Return the line of a row, without a line end. Raises StorageFailed for a value that no row of ours has."""
    record = row["id"]
    fields = {name: value for name, value in row.items() if name != "id"}
    try:
        return _WRITER.encode([record.table_name, _encode(record.id), _encode_fields(fields)])
    except (TypeError, ValueError, RecursionError) as error:
        raise StorageFailed("storage_failed", f"the row {record} cannot be copied: {error}") from error


def decode_row(line: str) -> tuple[str, Row]:
    """Return the table and the row of such a line. Raises ValueError for anything else."""
    try:
        table, key, fields = json.loads(line, parse_constant=_refuse_constant)
        return table, {**_decode_fields(fields), "id": RecordID(table, _decode(key))}
    except (TypeError, ValueError, AttributeError, RecursionError, SurrealError) as error:
        raise ValueError("the line is not the text of a row") from error


def _encode(value: Any) -> Any:
    if value is None or value is Null:
        return None
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, dict):
        fields = _encode_fields(value)
        return {"$object": fields} if any(name.startswith("$") for name in fields) else fields
    if isinstance(value, bytes):
        return {"$bytes": b64encode(value).decode("ascii")}
    if isinstance(value, RecordID):
        return {"$record": [value.table_name, _encode(value.id)]}
    raise TypeError(f"a value of type {type(value).__name__}")


def _encode_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _encode(value) for name, value in fields.items() if value is not None and value is not Null}


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    match list(value.items()):
        case [("$bytes", str(text))]:
            return b64decode(text, validate=True)
        case [("$record", [str(table), key])]:
            return RecordID(table, _decode(key))
        case [("$object", dict(fields))]:
            return _decode_fields(fields)
    if any(name.startswith("$") for name in value):
        raise ValueError("an unknown kind of value")
    return _decode_fields(value)


def _decode_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _decode(value) for name, value in fields.items()}


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
