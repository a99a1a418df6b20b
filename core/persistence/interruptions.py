"""Rows of interruptions. What is asked and what was answered lie apart: the row between them is written again."""

from collections.abc import Iterable, Sequence

from core.domain.ids import RunId
from core.domain.interruption import Interruption
from core.persistence.codec import BROKEN, Places, readable
from core.persistence.connection import Connection
from core.persistence.interruption_rows import (
    Written,
    answer_rows,
    ask_row,
    closed,
    closed_row,
    closing,
    interruption_of,
    interruption_row,
    key,
    raised,
    raising,
)
from core.persistence.keys import record, text_key
from core.persistence.order import by_asking
from core.persistence.pages import by_ids, by_place, in_range
from core.persistence.statements import Statement, parts, positions_not_in
from core.persistence.unreadable import unreadable
from core.ports.storage import CloseInterruption, RaiseInterruption

PAGE = 20  # what is asked may have megabytes

_RAISE = """{
    LET $new = (INSERT IGNORE INTO interruption $given.rows RETURN VALUE record::id(id));
    INSERT IGNORE INTO interruption_ask $given.asks RETURN NONE;
    INSERT IGNORE INTO interruption_answer $given.answers RETURN NONE;
    $new
}"""
# The rows that are left exist, so each of them is updated.
_CLOSE = """{
    LET $open = $given.filter(|$one| type::record('interruption', $one.row.id).is_open = true);
    INSERT INTO interruption $open.row ON DUPLICATE KEY UPDATE
        status = $input.status, is_open = $input.is_open, closed_at = $input.closed_at RETURN NONE;
    INSERT INTO interruption_answer array::flatten($open.answers) RETURN NONE;
    $open.row.id
}"""
_WHOLE = """*, type::record('interruption_ask', record::id(id)).data AS ask,
    type::record('interruption_answer', record::id(id)).data AS answer"""
_OF_RUN = f"SELECT {_WHOLE} FROM $range"
_STANDING = f"SELECT {_WHOLE} FROM $ids"
_OPEN = f"""SELECT {_WHOLE} FROM interruption
    WHERE is_open = true AND place > $place ORDER BY place LIMIT $limit"""


class Interruptions:
    def __init__(self, connection: Connection, places: Places) -> None:
        self._connection = connection
        self._places = places

    def put(self, raises: Iterable[tuple[int, RaiseInterruption]]) -> list[Statement]:
        """Statements that lose the positions of those whose row exists."""
        return [self._put(some) for some in parts(list(raises))]

    def close(self, closes: Iterable[tuple[int, CloseInterruption]]) -> list[Statement]:
        """Statements that lose the positions of those that are not open."""
        return [_close(some) for some in parts(list(closes))]

    async def ours(
        self, raises: Sequence[tuple[int, RaiseInterruption]], closes: Sequence[tuple[int, CloseInterruption]]
    ) -> set[int]:
        """The positions of those that stand raised, or closed, exactly as written."""
        asked = {at: write.interruption for at, write in raises}
        keys = {at: key(one.run_id, one.id) for at, one in asked.items()}
        keys |= {at: key(one.run_id, one.id) for at, one in closes}
        stand: dict[tuple[str | int, ...], tuple[Written, Written]] = {}
        ids = [record("interruption", one) for one in keys.values()]
        async for page in by_ids(self._connection, _STANDING, ids, rows=PAGE):
            stand |= {tuple(row["id"].id): (raised(row), closed(row)) for row in page}
        found = {at: stand[tuple(one)] for at, one in keys.items() if tuple(one) in stand}
        mine = {at for at, one in asked.items() if at in found and found[at][0] == raising(one)}
        return mine | {at for at, write in closes if at in found and found[at][1] == closing(write)}

    async def of_run(self, run_id: RunId) -> list[Interruption]:
        """In the order of asking. Raises StorageFailed `unreadable`."""
        found: list[Interruption] = []
        try:
            async for page in in_range(self._connection, _OF_RUN, "interruption", text_key(run_id), rows=PAGE):
                found.extend(map(interruption_of, page))
        except BROKEN as error:
            raise unreadable(run_id, "interruptions") from error
        return sorted(found, key=by_asking)

    async def open(self) -> list[Interruption]:
        """Oldest first, of those that can be read."""
        found: list[Interruption] = []
        async for page in by_place(self._connection, _OPEN, {}, rows=PAGE):
            found.extend(readable(page, interruption_of))
        return found

    def _put(self, placed: Sequence[tuple[int, RaiseInterruption]]) -> Statement:
        asked = [write.interruption for _, write in placed]
        given = {
            "rows": [interruption_row(one, self._places.next(one.created_at)) for one in asked],
            "asks": [ask_row(one) for one in asked],
            "answers": [row for one in asked for row in answer_rows(one)],
        }
        keys = [(at, key(write.interruption.run_id, write.interruption.id)) for at, write in placed]
        return Statement(_RAISE, given, lambda new: positions_not_in(new, keys))


def _close(placed: Sequence[tuple[int, CloseInterruption]]) -> Statement:
    """Of two of one id in the statement the first is tried."""
    keys = [(at, key(write.run_id, write.id)) for at, write in placed]
    first = {tuple(key(write.run_id, write.id)): write for _, write in reversed(placed)}
    given = [{"row": closed_row(write), "answers": answer_rows(write)} for write in first.values()]
    return Statement(_CLOSE, given, lambda taken: positions_not_in(taken, keys))
