"""Rows of the consent audit log."""

from collections.abc import Iterable
from datetime import datetime

from core.domain.audit import AuditEntry, Decider, Decision
from core.domain.ids import AuditId, CallId, RunId, WorkflowId
from core.domain.risk import Risk
from core.persistence.codec import (
    OrderKeys,
    decode_data,
    decode_rows,
    decode_text,
    encode_fields,
    encode_text,
    from_microseconds,
    optional,
    time_of_order_key,
    to_microseconds,
)
from core.persistence.connection import Connection
from core.persistence.keys import record_id, text_key
from core.persistence.pages import PAGE_SIZE
from core.persistence.statements import Row, Statement, batched_statements
from core.ports.storage import PAGE_ROWS
from core.ports.writes import PutAudit

_PUT = "INSERT IGNORE INTO audit $given RETURN NONE"
_ORDER_KEY = "SELECT VALUE place FROM ONLY $id"
_PAGE = "SELECT * FROM audit WHERE place < $place ORDER BY place DESC LIMIT $limit"
_EXPIRED = "SELECT VALUE id FROM audit WHERE place < $place LIMIT $limit"
_AFTER_ALL = "a"  # places are digits


class AuditRepository:
    """The audit log, ordered by time."""

    def __init__(self, connection: Connection, places: OrderKeys) -> None:
        self._connection = connection
        self._places = places

    def put(self, puts: Iterable[PutAudit]) -> list[Statement]:
        return batched_statements(_PUT, (_encode_entry(put.entry, self._places.next(put.entry.at)) for put in puts))

    async def page(self, *, limit: int = PAGE_ROWS, before: AuditId | None = None) -> list[AuditEntry]:
        """Return the readable entries, newest first."""
        place: str | None = _AFTER_ALL
        if before is not None:
            place = await self._connection.read(_ORDER_KEY, {"id": record_id("audit", text_key(before))})
        if place is None:
            return []
        given = {"place": place, "limit": max(0, min(limit, PAGE_ROWS))}
        return list(decode_rows(await self._connection.read(_PAGE, given), _decode_entry))

    async def drop(self, before: datetime) -> None:
        """Delete older entries in batches, so that other commits get a turn."""
        some = {"place": f"{to_microseconds(before):017d}", "limit": PAGE_SIZE}
        while ids := await self._connection.read(_EXPIRED, some):
            await self._connection.commit([Statement("DELETE $given RETURN NONE", ids)])


def _encode_entry(entry: AuditEntry, place: str) -> Row:
    return {
        "id": text_key(entry.id),
        "place": place,
        "arguments": encode_text(entry.arguments_json),
        "data": encode_fields(
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
            asked_at=optional(to_microseconds, entry.asked_at),
        ),
    }


def _decode_entry(row: Row) -> AuditEntry:
    found = decode_data(row)
    return AuditEntry(
        AuditId(row["id"].id),
        time_of_order_key(row["place"]),
        WorkflowId(found["workflow_id"]),
        RunId(found["run_id"]),
        found["title"],
        found["step"],
        found.get("index"),
        optional(CallId, found.get("call_id")),
        found["tool"],
        optional(Risk, found.get("risk")),
        Decision(found["decision"]),
        Decider(found["decider"]),
        decode_text(row["arguments"]),
        scope=found.get("scope"),
        reason=found.get("reason"),
        asked_at=optional(from_microseconds, found.get("asked_at")),
    )
