"""Rows of messages that wait for the end of a turn."""

from collections.abc import Iterable

from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import QueuedMessage, attachment_fields, attachments_of
from core.persistence.codec import (
    OrderKeys,
    decode_data,
    decode_rows,
    decode_text,
    encode_fields,
    encode_text,
    from_microseconds,
    to_microseconds,
)
from core.persistence.connection import Connection
from core.persistence.keys import key_range, record_id, text_key
from core.persistence.pages import LONG_TEXTS_PER_PAGE, pages_by_id, pages_in_range
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports.writes import OrderQueued, UnqueueMessage

_PUT = "INSERT IGNORE INTO queued_message $given RETURN NONE"
_PUT_QUEUED_TEXT = "INSERT IGNORE INTO queued_text $given RETURN NONE"
_ORDER = "FOR $one IN $given { UPDATE type::record('queued_message', $one.id) SET place = $one.place RETURN NONE }"


class QueuedMessageRepository:
    """The queue of each workflow."""

    def __init__(self, connection: Connection, places: OrderKeys) -> None:
        self._connection = connection
        self._places = places

    def put(self, messages: Iterable[QueuedMessage]) -> list[Statement]:
        queued = list(messages)
        texts = [
            Statement(_PUT_QUEUED_TEXT, [{"id": _queue_key(one), "text": encode_text(one.text)}]) for one in queued
        ]
        return [*texts, *batched_statements(_PUT, map(self._row, queued))]

    def order(self, orders: Iterable[OrderQueued]) -> list[Statement]:
        statements: list[Statement] = []
        for one in orders:
            rows = [
                {"id": [text_key(one.workflow_id), text_key(message_id)], "place": place}
                for place, message_id in enumerate(one.ids)
            ]
            statements += batched_statements(_ORDER, rows)
        return statements

    def remove(self, removed: Iterable[UnqueueMessage]) -> list[Statement]:
        gone: list[object] = []
        for one in removed:
            key = [text_key(one.workflow_id), text_key(one.message_id)]
            gone += [record_id("queued_message", [*key]), record_id("queued_text", [*key])]
            if one.with_texts:
                gone.append(key_range("attached_text", *key))
        return delete_statements(gone)

    async def all(self) -> list[QueuedMessage]:
        """Return the readable queued messages in order, grouped by workflow."""
        rows: list[Row] = []
        async for page in pages_in_range(self._connection, "SELECT * FROM $range", "queued_message"):
            rows.extend(page)
        records = [record_id("queued_text", row["id"].id) for row in rows]
        texts: dict[tuple[str, str], str] = {}
        async for page in pages_by_id(self._connection, "SELECT * FROM $ids", records, rows=LONG_TEXTS_PER_PAGE):
            texts.update(decode_rows(page, lambda row: (tuple(row["id"].id), decode_text(row["text"]))))
        whole = [{**row, "text": texts.get(tuple(row["id"].id))} for row in rows]
        return [message for _, message in sorted(decode_rows(whole, _decode_queued), key=lambda one: one[0])]

    def _row(self, message: QueuedMessage) -> Row:
        return {
            "id": _queue_key(message),
            "place": self._places.number(),
            "data": encode_fields(
                created_at=to_microseconds(message.created_at),
                attachments=attachment_fields(message.attachments),
            ),
        }


def _queue_key(message: QueuedMessage) -> list[str | int]:
    return [text_key(message.workflow_id), text_key(message.id)]


def _decode_queued(row: Row) -> tuple[tuple[str, int], QueuedMessage]:
    workflow_id, message_id = row["id"].id
    found = decode_data(row)
    message = QueuedMessage(
        MessageId(message_id),
        WorkflowId(workflow_id),
        decode_text(row["text"]),
        from_microseconds(found["created_at"]),
        attachments_of(found.get("attachments")),
    )
    return (workflow_id, int(row["place"])), message
