"""Rows of the audit log."""

from collections.abc import Iterable
from datetime import datetime

from core.domain.audit import AuditEntry, Decider, Decision
from core.domain.ids import AuditId, CallId, RunId, WorkflowId
from core.domain.risk import Risk
from core.persistence.codec import (
    Places,
    data,
    data_of,
    microseconds,
    optional,
    readable,
    text,
    text_of,
    time_of,
    time_of_place,
)
from core.persistence.connection import Connection
from core.persistence.keys import record, text_key
from core.persistence.pages import ROWS
from core.persistence.statements import Row, Statement, each
from core.ports.storage import PAGE_ROWS, PutAudit

_PUT = "INSERT IGNORE INTO audit $given RETURN NONE"
_PLACE = "SELECT VALUE place FROM ONLY $id"
_PAGE = "SELECT * FROM audit WHERE place < $place ORDER BY place DESC LIMIT $limit"
_OLD = "SELECT VALUE id FROM audit WHERE place < $place LIMIT $limit"
_AFTER_ALL = "a"  # places are digits


class Audit:
    def __init__(self, connection: Connection, places: Places) -> None:
        self._connection = connection
        self._places = places

    def put(self, puts: Iterable[PutAudit]) -> list[Statement]:
        return each(_PUT, (_row(put.entry, self._places.next(put.entry.at)) for put in puts))

    async def page(self, limit: int, before: AuditId | None) -> list[AuditEntry]:
        """Newest first, of those that can be read."""
        place: str | None = _AFTER_ALL
        if before is not None:
            place = await self._connection.read(_PLACE, {"id": record("audit", text_key(before))})
        if place is None:
            return []
        given = {"place": place, "limit": max(0, min(limit, PAGE_ROWS))}
        return list(readable(await self._connection.read(_PAGE, given), _entry))

    async def drop(self, before: datetime) -> None:
        """In pieces, so that others can write meanwhile."""
        some = {"place": f"{microseconds(before):017d}", "limit": ROWS}
        while ids := await self._connection.read(_OLD, some):
            await self._connection.commit([Statement("DELETE $given RETURN NONE", ids)])


def _row(entry: AuditEntry, place: str) -> Row:
    return {
        "id": text_key(entry.id),
        "place": place,
        "arguments": text(entry.arguments_json),
        "data": data(
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
            asked_at=optional(microseconds, entry.asked_at),
        ),
    }


def _entry(row: Row) -> AuditEntry:
    found = data_of(row)
    return AuditEntry(
        AuditId(row["id"].id),
        time_of_place(row["place"]),
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
        text_of(row["arguments"]),
        scope=found.get("scope"),
        reason=found.get("reason"),
        asked_at=optional(time_of, found.get("asked_at")),
    )
