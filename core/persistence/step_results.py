"""Rows of step results, and the claims that precede them.

A key begins with the run and whether the row is a part (an iteration, a round), so that whole steps can be read without
their thousands of iterations.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from core.domain.ids import RunId
from core.domain.run import StepKey, StepResult, StepStatus
from core.domain.text.json_text import decode
from core.persistence import codec
from core.persistence.keys import key_number, record_id, text_key
from core.persistence.repository import Repository
from core.persistence.statements import Row, Statement, batched, batched_statements, lost_positions
from core.ports import Claim, ReleaseClaim

WHOLE, PART = 0, 1

# A claim shares its transaction with those of other runs. A CREATE of an existing row, or a THROW, would discard the
# whole transaction; IGNORE skips the row instead, and the keys that come back are won. The filter is part of the claim,
# so no step of a run starts after the write that ends the run.
_CLAIM = """INSERT IGNORE INTO step_result
    $argument.filter(|$claim| type::record('run', $claim.id[0]).status = 'running') RETURN VALUE record::id(id)"""
# A step that completed before its process died keeps its result.
_RELEASE = "DELETE $argument WHERE status = 'running' RETURN NONE"
_PUT = """INSERT INTO step_result $argument ON DUPLICATE KEY UPDATE
    status = $input.status, output = $input.output, data = $input.data RETURN NONE"""
_STORED = "SELECT *, type::record('run', record::id(id)[0]).status AS run_status FROM $ids"
_SELECT_OUTPUTS = "SELECT id, status, output FROM $range"
_SELECT_OUTPUTS_OF = "SELECT id, status, output FROM $ids"


class StepResultRepository(Repository):
    """The checkpoints of runs."""

    def release(self, releases: Iterable[ReleaseClaim]) -> list[Statement]:
        ids = [record_id("step_result", _result_key(release.run_id, release.key)) for release in releases]
        return [Statement(_RELEASE, batch) for batch in batched(ids)]

    def claim(self, claims: Iterable[tuple[int, Claim]]) -> list[Statement]:
        """Return statements that lose the positions of claims whose row exists or whose run is not running."""
        rows = [(position, _encode_result(claim.result)) for position, claim in claims]
        return [_claim_statement(batch) for batch in batched(rows)]

    def put(self, results: Iterable[StepResult]) -> list[Statement]:
        return batched_statements(_PUT, map(_encode_result, results))

    async def already_written(self, claims: Sequence[tuple[int, Claim]]) -> set[int]:
        """Return the positions of claims that are stored exactly as written, in a running run."""
        rows = [(position, _encode_result(claim.result)) for position, claim in claims]
        ids = [record_id("step_result", row["id"]) for _, row in rows]
        stored: dict[tuple[Any, ...], Row] = {}
        async for page in self._pages_by_id(ids, text=_STORED):
            stored |= {tuple(row["id"].id): row for row in page if row["run_status"] == "running"}
        return {
            position
            for position, row in rows
            if (other := stored.get(tuple(row["id"])))
            and all(other.get(column) == row[column] for column in ("status", "output", "data"))
        }

    async def of_run(self, run_id: RunId, *, iterations: bool = True) -> list[StepResult]:
        """Return whole steps, then their parts. Raises StorageFailed `unreadable`."""
        prefix = (text_key(run_id),) if iterations else (text_key(run_id), WHOLE)
        pages = self._pages_in_range("step_result", *prefix)
        with codec.raising_unreadable(run_id, "step results"):
            return [_decode_result(row) async for page in pages for row in page]

    async def outputs(self, run_id: RunId) -> dict[StepKey, Any]:
        """Return the outputs of a run's completed checkpoints. Raises StorageFailed `unreadable`."""
        pages = self._pages_in_range("step_result", text_key(run_id), text=_SELECT_OUTPUTS)
        with codec.raising_unreadable(run_id, "outputs"):
            return {
                _decode_key(row): _decode_output(row)
                async for page in pages
                for row in page
                if row["status"] == StepStatus.COMPLETED
            }

    async def outputs_of(self, keys: Iterable[tuple[RunId, StepKey]]) -> dict[tuple[RunId, StepKey], Any]:
        """Return the outputs of these completed checkpoints, of any runs. Raises as `outputs`."""
        named = {tuple(_result_key(*key)): key for key in keys}
        records = [record_id("step_result", list(key)) for key in named]
        outputs: dict[tuple[RunId, StepKey], Any] = {}
        async for page in self._pages_by_id(records, text=_SELECT_OUTPUTS_OF):
            for row in page:
                run_id, key = named[tuple(row["id"].id)]
                with codec.raising_unreadable(run_id, "outputs"):
                    if row["status"] == StepStatus.COMPLETED:
                        outputs[run_id, key] = _decode_output(row)
        return outputs


def _claim_statement(rows: Sequence[tuple[int, Row]]) -> Statement:
    keys = [(position, row["id"]) for position, row in rows]
    return Statement(_CLAIM, [row for _, row in rows], lambda taken: lost_positions(taken, keys))


def _result_key(run_id: RunId, key: StepKey) -> list[str | int]:
    part = PART if key.is_part else WHOLE
    return [text_key(run_id), part, key.step, key_number(key.index), key_number(key.round)]


def _decode_key(row: Row) -> StepKey:
    _, _, step, index, round_ = row["id"].id
    return StepKey(step, None if index < 0 else index, None if round_ < 0 else round_)


def _decode_output(row: Row) -> Any:
    """Decode the output. Raises any of codec.DECODE_ERRORS."""
    return decode(codec.decode_text(row.get("output") or "null"))


def _encode_result(result: StepResult) -> Row:
    return {
        "id": _result_key(result.run_id, result.key),
        "status": result.status,
        "output": codec.optional(codec.encode_text, result.output_json),
        "data": codec.encode_fields(
            attempt=result.attempt,
            skipped=result.skipped or None,
            error=codec.optional(codec.encode_error, result.error),
            started_at=codec.optional(codec.to_microseconds, result.started_at),
            finished_at=codec.optional(codec.to_microseconds, result.finished_at),
            active_ms=result.active_ms,
            attempt_errors=[codec.encode_error(error) for error in result.attempt_errors] or None,
        ),
    }


def _decode_result(row: Row) -> StepResult:
    fields = codec.decode_data(row)
    return StepResult(
        RunId(row["id"].id[0]),
        _decode_key(row),
        StepStatus(row["status"]),
        attempt=fields["attempt"],
        output_json=codec.optional(codec.decode_text, row.get("output")),
        skipped=fields.get("skipped", False),
        error=codec.optional(codec.decode_error, fields.get("error")),
        started_at=codec.optional(codec.from_microseconds, fields.get("started_at")),
        finished_at=codec.optional(codec.from_microseconds, fields.get("finished_at")),
        active_ms=fields["active_ms"],
        attempt_errors=tuple(codec.decode_error(error) for error in fields.get("attempt_errors", ())),
    )
