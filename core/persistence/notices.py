"""Rows of notices: toasts that tell of no run."""

from collections.abc import Iterable

from core.domain.ids import WorkflowId
from core.domain.toast import Toast, ToastId, ToastType
from core.persistence.codec import decode_data, decode_rows, encode_fields, from_microseconds, optional, to_microseconds
from core.persistence.connection import Connection
from core.persistence.keys import by_time, record_id, text_key
from core.persistence.pages import pages_of_table
from core.persistence.statements import Row, Statement, batched_statements

_PUT = "INSERT INTO notice $given ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE"
_REMOVE = "DELETE $given RETURN NONE"


class Notices:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, notices: Iterable[Toast]) -> list[Statement]:
        return batched_statements(_PUT, map(_row, notices))

    def remove(self, notice_ids: Iterable[ToastId]) -> list[Statement]:
        ids = [record_id("notice", text_key(one)) for one in notice_ids]
        return [Statement(_REMOVE, ids)] if ids else []

    async def all(self) -> list[Toast]:
        """The oldest first."""
        found: list[Toast] = []
        async for page in pages_of_table(self._connection, "SELECT * FROM $range", "notice"):
            found.extend(decode_rows(page, _notice))
        return sorted(found, key=by_time)


def _row(notice: Toast) -> Row:
    fields = encode_fields(
        type=notice.type,
        code=notice.code,
        title=notice.title,
        message=notice.message,
        at=to_microseconds(notice.created_at),
        workflow=notice.workflow_id,
        duration_s=notice.duration_s,
        repeated=notice.repeated,
        parameters=[list(pair) for pair in notice.parameters],
    )
    return {"id": text_key(notice.id), "data": fields}


def _notice(row: Row) -> Toast:
    told = decode_data(row)
    return Toast(
        ToastId(row["id"].id),
        ToastType(told["type"]),
        str(told["code"]),
        str(told["title"]),
        str(told["message"]),
        from_microseconds(told["at"]),
        optional(WorkflowId, told.get("workflow")),
        optional(float, told.get("duration_s")),
        int(told["repeated"]),
        tuple((str(name), value) for name, value in told["parameters"]),
    )
