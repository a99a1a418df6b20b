"""Rows of templates: every version that was saved, and which one is the newest."""

from collections.abc import Iterable

from core.domain.ids import TemplateId
from core.persistence.codec import (
    DECODE_ERRORS,
    decode_data,
    decode_rows,
    decode_text,
    encode_fields,
    encode_text,
    from_microseconds,
    to_microseconds,
)
from core.persistence.connection import Connection
from core.persistence.keys import by_title, key_range, record_id, text_key
from core.persistence.pages import pages_by_id, pages_of_table
from core.persistence.statements import Row, Statement, batched_statements
from core.ports.storage import StoredTemplate

PAGE = 10  # a text may have 5 MB

_PUT = """INSERT INTO template $given
    ON DUPLICATE KEY UPDATE text = $input.text, data = $input.data RETURN NONE"""
_PUT_HEAD = """INSERT INTO template_head $given ON DUPLICATE KEY UPDATE
    version = IF $input.version > version { $input.version } ELSE { version } RETURN NONE"""

_REMOVE = "DELETE $given RETURN NONE"


class Templates:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, templates: Iterable[StoredTemplate]) -> list[Statement]:
        saved = list(templates)
        heads = [{"id": text_key(one.id), "version": one.version} for one in saved]
        return [*batched_statements(_PUT, map(_row, saved)), *batched_statements(_PUT_HEAD, heads)]

    def remove(self, template_ids: Iterable[TemplateId]) -> list[Statement]:
        keys = [text_key(one) for one in template_ids]
        gone = [*(record_id("template_head", key) for key in keys), *(key_range("template", key) for key in keys)]
        return [Statement(_REMOVE, gone)] if gone else []

    async def get(self, template_id: TemplateId, version: int | None = None) -> StoredTemplate | None:
        """That version, or the newest."""
        key = text_key(template_id)
        if version is None:
            head = await self._connection.read("SELECT * FROM ONLY $id", {"id": record_id("template_head", key)})
            if head is None:
                return None
            version = head["version"]
        row = await self._connection.read("SELECT * FROM ONLY $id", {"id": record_id("template", [key, version])})
        try:
            return _template(row) if row else None
        except DECODE_ERRORS:
            return None

    async def newest(self) -> list[StoredTemplate]:
        """The newest version of each, by title."""
        ids = []
        async for heads in pages_of_table(self._connection, "SELECT * FROM $range", "template_head"):
            ids += [record_id("template", [head["id"].id, head["version"]]) for head in heads]
        found: list[StoredTemplate] = []
        async for page in pages_by_id(self._connection, "SELECT * FROM $ids", ids, rows=PAGE):
            found.extend(decode_rows(page, _template))
        return sorted(found, key=by_title)


def _row(template: StoredTemplate) -> Row:
    return {
        "id": [text_key(template.id), template.version],
        "text": encode_text(template.text),
        "data": encode_fields(title=template.title, updated_at=to_microseconds(template.updated_at)),
    }


def _template(row: Row) -> StoredTemplate:
    found = decode_data(row)
    template_id, version = row["id"].id
    return StoredTemplate(
        TemplateId(template_id),
        version,
        found["title"],
        decode_text(row["text"]),
        from_microseconds(found["updated_at"]),
    )
