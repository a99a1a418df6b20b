"""Rows of messages that wait for the end of a turn."""

from collections.abc import Iterable

from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import QueuedMessage, attachment_fields, attachments_of
from core.persistence import codec
from core.persistence.files import release_statements
from core.persistence.keys import key_range, record_id, text_key
from core.persistence.repository import LONG_TEXTS_PER_PAGE, OrderedRepository, decode_pages
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports import OrderQueued, UnqueueMessage

_PUT = "INSERT IGNORE INTO queued_message $argument RETURN NONE"
_PUT_TEXT = "INSERT IGNORE INTO queued_text $argument RETURN NONE"
_ORDER = "FOR $row IN $argument { UPDATE type::record('queued_message', $row.id) SET place = $row.place RETURN NONE }"


class QueuedMessageRepository(OrderedRepository):
    """The queue of each workflow."""

    def put(self, messages: Iterable[QueuedMessage]) -> list[Statement]:
        queued = list(messages)
        texts = [{"id": _queue_key(message), "text": codec.encode_text(message.text)} for message in queued]
        # a statement per text: together they may have many megabytes
        return [*(Statement(_PUT_TEXT, [text]) for text in texts), *batched_statements(_PUT, map(self._encode, queued))]

    def order(self, orders: Iterable[OrderQueued]) -> list[Statement]:
        statements: list[Statement] = []
        for order in orders:
            rows = [
                {"id": [text_key(order.workflow_id), text_key(message_id)], "place": place}
                for place, message_id in enumerate(order.ids)
            ]
            statements += batched_statements(_ORDER, rows)
        return statements

    def remove(self, removals: Iterable[UnqueueMessage]) -> list[Statement]:
        rows: list[object] = []
        uses: list[object] = []
        for removal in removals:
            key = [text_key(removal.workflow_id), text_key(removal.message_id)]
            rows += [record_id("queued_message", [*key]), record_id("queued_text", [*key])]
            if removal.with_texts:
                rows.append(key_range("attached_text", *key))
                uses.append(key_range("file_use", *key))
        return [*delete_statements(rows), *release_statements(uses)]

    async def all(self) -> list[QueuedMessage]:
        """Return the readable queued messages in order, grouped by workflow."""
        pages = self._pages_in_range("queued_message")
        rows = [row async for page in pages for row in page]
        ids = [record_id("queued_text", row["id"].id) for row in rows]
        texts = dict(
            await decode_pages(
                self._pages_by_id(ids, rows=LONG_TEXTS_PER_PAGE),
                lambda row: (tuple(row["id"].id), codec.decode_text(row["text"])),
            )
        )
        whole = [{**row, "text": texts.get(tuple(row["id"].id))} for row in rows]
        return [message for _, message in sorted(codec.decode_rows(whole, _decode_queued), key=lambda row: row[0])]

    def _encode(self, message: QueuedMessage) -> Row:
        return {
            "id": _queue_key(message),
            "place": self._order_keys.number(),
            "data": codec.encode_fields(
                created_at=codec.to_microseconds(message.created_at),
                attachments=attachment_fields(message.attachments),
                is_held=message.is_held or None,
            ),
        }


def _queue_key(message: QueuedMessage) -> list[str | int]:
    return [text_key(message.workflow_id), text_key(message.id)]


def _decode_queued(row: Row) -> tuple[tuple[str, int], QueuedMessage]:
    workflow_id, message_id = row["id"].id
    fields = codec.decode_data(row)
    message = QueuedMessage(
        MessageId(message_id),
        WorkflowId(workflow_id),
        codec.decode_text(row["text"]),
        codec.from_microseconds(fields["created_at"]),
        attachments_of(fields.get("attachments")),
        bool(fields.get("is_held")),
    )
    return (workflow_id, int(row["place"])), message
