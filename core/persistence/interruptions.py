"""Rows of open interruptions, so that they are found without reading their runs. The facts of the runs remain."""

from collections.abc import Iterable

from core.domain.checkpoint_items import interruption_item, interruption_of
from core.domain.ids import InterruptionId, RunId, WorkflowId
from core.domain.interruption import Interruption
from core.persistence import codec
from core.persistence.keys import by_sequence, record_id, text_key
from core.persistence.repository import OrderedRepository, decode_pages
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports import CloseInterruption, RaiseInterruption

INTERRUPTIONS_PER_PAGE = 20  # a question may have megabytes

_RAISE = """INSERT INTO interruption $argument ON DUPLICATE KEY UPDATE
    workflow = $input.workflow, place = $input.place, data = $input.data RETURN NONE"""
_OPEN = "SELECT * FROM interruption WHERE place > $place ORDER BY place LIMIT $limit"


class InterruptionRepository(OrderedRepository):
    """The open interruptions of runs."""

    def put(self, raises: Iterable[RaiseInterruption], closes: Iterable[CloseInterruption]) -> list[Statement]:
        """Return statements that create the rows of what is asked, then remove the rows of what is closed."""
        ids = (record_id("interruption", interruption_key(close.run_id, close.id)) for close in closes)
        rows = (self._encode(write.interruption) for write in raises)
        return [*batched_statements(_RAISE, rows), *delete_statements(ids)]

    async def open(self, run_id: RunId | None = None) -> list[Interruption]:
        """Return the readable open interruptions, oldest first."""
        if run_id is None:
            return await decode_pages(self._pages_by_order_key(_OPEN, {}, rows=INTERRUPTIONS_PER_PAGE), _decode)
        pages = self._pages_in_range("interruption", text_key(run_id), rows=INTERRUPTIONS_PER_PAGE)
        return sorted(await decode_pages(pages, _decode), key=by_sequence)

    def _encode(self, interruption: Interruption) -> Row:
        return encode_interruption(interruption, self._order_keys.next(interruption.created_at))


def interruption_key(run_id: RunId, interruption_id: InterruptionId) -> list[str | int]:
    return [text_key(run_id), text_key(interruption_id)]


def encode_interruption(interruption: Interruption, place: str) -> Row:
    return {
        "id": interruption_key(interruption.run_id, interruption.id),
        "workflow": text_key(interruption.workflow_id),
        "place": place,
        "data": codec.encode_json(interruption_item(interruption)),
    }


def _decode(row: Row) -> Interruption:
    run_id, _ = row["id"].id
    return interruption_of(RunId(run_id), WorkflowId(row["workflow"]), codec.decode_data(row))
