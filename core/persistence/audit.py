"""Rows of the consent audit log."""

from collections.abc import Iterable
from datetime import datetime

from core.domain.audit import AuditEntry, Decider, Decision
from core.domain.ids import AuditId, CallId, RunId, WorkflowId
from core.domain.risk import Risk
from core.persistence import codec
from core.persistence.keys import record_id, text_key
from core.persistence.repository import PAGE_SIZE, OrderedRepository
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports import PAGE_ROWS, PutAudit

_PUT = "INSERT IGNORE INTO audit $argument RETURN NONE"
_ORDER_KEY = "SELECT VALUE place FROM ONLY $id"
_PAGE = "SELECT * FROM audit WHERE place < $place ORDER BY place DESC LIMIT $limit"
_EXPIRED = "SELECT VALUE id FROM audit WHERE place < $place LIMIT $limit"
_AFTER_ALL = "a"  # order keys are digits


class AuditRepository(OrderedRepository):
    """The audit log, ordered by time."""

    def put(self, puts: Iterable[PutAudit]) -> list[Statement]:
        return batched_statements(_PUT, (_encode_entry(put.entry, self._order_keys.next(put.entry.at)) for put in puts))

    async def page(self, *, limit: int = PAGE_ROWS, before: AuditId | None = None) -> list[AuditEntry]:
        """Return the readable entries, newest first."""
        place: str | None = _AFTER_ALL
        if before is not None:
            place = await self._connection.read(_ORDER_KEY, {"id": record_id("audit", text_key(before))})
        if place is None:
            return []
        rows = await self._connection.read(_PAGE, {"place": place, "limit": max(0, min(limit, PAGE_ROWS))})
        return list(codec.decode_rows(rows, _decode_entry))

    async def drop(self, before: datetime) -> None:
        """Delete older entries in batches, so that other commits get a turn."""
        batch = {"place": f"{codec.to_microseconds(before):017d}", "limit": PAGE_SIZE}
        while ids := await self._connection.read(_EXPIRED, batch):
            await self._connection.commit(delete_statements(ids))


def _encode_entry(entry: AuditEntry, place: str) -> Row:
    return {
        "id": text_key(entry.id),
        "place": place,
        "arguments": codec.encode_text(entry.arguments_json),
        "data": codec.encode_fields(
            workflow_id=entry.workflow_id,
            run_id=entry.run_id,
            title=entry.title,
            step=entry.step,
            index=entry.index,
            call_id=entry.call_id,
            tool=entry.tool,
            risk=entry.risk,
            decision=entry.decision,
            decider=entry.decider,
            scope=entry.scope,
            reason=entry.reason,
            asked_at=codec.optional(codec.to_microseconds, entry.asked_at),
        ),
    }


def _decode_entry(row: Row) -> AuditEntry:
    fields = codec.decode_data(row)
    return AuditEntry(
        AuditId(row["id"].id),
        codec.time_of_order_key(row["place"]),
        WorkflowId(fields["workflow_id"]),
        RunId(fields["run_id"]),
        fields["title"],
        fields["step"],
        fields.get("index"),
        codec.optional(CallId, fields.get("call_id")),
        fields["tool"],
        codec.optional(Risk, fields.get("risk")),
        Decision(fields["decision"]),
        Decider(fields["decider"]),
        codec.decode_text(row["arguments"]),
        scope=fields.get("scope"),
        reason=fields.get("reason"),
        asked_at=codec.optional(codec.from_microseconds, fields.get("asked_at")),
    )
