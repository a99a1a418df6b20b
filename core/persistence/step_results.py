"""Rows of step results, and the claims that precede them.

A key begins with the run and whether the row is a part (an iteration, a round), so that whole steps can be read without
their thousands of iterations.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from core.domain.ids import RunId
from core.domain.run import StepKey, StepResult, StepStatus
from core.domain.text.json_text import decode
from core.persistence.codec import (
    DECODE_ERRORS,
    decode_data,
    decode_error,
    decode_text,
    encode_error,
    encode_fields,
    encode_text,
    from_microseconds,
    optional,
    to_microseconds,
)
from core.persistence.connection import Connection
from core.persistence.keys import key_number, record_id, text_key
from core.persistence.pages import pages_by_id, pages_in_range
from core.persistence.statements import Row, Statement, batched, batched_statements, lost_positions
from core.persistence.unreadable import unreadable_error
from core.ports.writes import Claim, ReleaseClaim

WHOLE, PART = 0, 1

_CLAIM = """INSERT IGNORE INTO step_result
    $given.filter(|$claim| type::record('run', $claim.id[0]).status = 'running') RETURN VALUE record::id(id)"""
_RELEASE = "DELETE $given WHERE status = 'running' RETURN NONE"
_PUT = """INSERT INTO step_result $given ON DUPLICATE KEY UPDATE
    status = $input.status, output = $input.output, data = $input.data RETURN NONE"""
_STORED = "SELECT *, type::record('run', record::id(id)[0]).status AS run_status FROM $ids"
_SELECT = "SELECT * FROM $range"
_SELECT_OUTPUTS = "SELECT id, status, output FROM $range"
_SELECT_OUTPUTS_OF = "SELECT id, status, output FROM $ids"


class StepResultRepository:
    """The checkpoints of runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def release(self, releases: Iterable[ReleaseClaim]) -> list[Statement]:
        ids = [record_id("step_result", _result_key(one.run_id, one.key)) for one in releases]
        return [Statement(_RELEASE, some) for some in batched(ids)]

    def claim(self, claims: Iterable[tuple[int, Claim]]) -> list[Statement]:
        """Return statements that lose the positions of claims whose row exists or whose run is not running."""
        placed = [(position, _encode_result(claim.result)) for position, claim in claims]
        return [_claim_statement(some) for some in batched(placed)]

    def put(self, results: Iterable[StepResult]) -> list[Statement]:
        return batched_statements(_PUT, map(_encode_result, results))

    async def ours(self, claims: Sequence[tuple[int, Claim]]) -> set[int]:
        """Return the positions of claims that are stored exactly as written, in a running run."""
        placed = [(position, _encode_result(claim.result)) for position, claim in claims]
        standing: dict[tuple[Any, ...], Row] = {}
        async for page in pages_by_id(
            self._connection, _STORED, [record_id("step_result", row["id"]) for _, row in placed]
        ):
            standing |= {tuple(row["id"].id): row for row in page if row["run_status"] == "running"}
        names = ("status", "output", "data")
        return {
            position
            for position, row in placed
            if (found := standing.get(tuple(row["id"]))) and all(found.get(name) == row[name] for name in names)
        }

    async def of_run(self, run_id: RunId, *, iterations: bool = True) -> list[StepResult]:
        """Return whole steps, then their parts. Raises StorageFailed `unreadable`."""
        found: list[StepResult] = []
        prefix = (text_key(run_id),) if iterations else (text_key(run_id), WHOLE)
        try:
            async for page in pages_in_range(self._connection, _SELECT, "step_result", *prefix):
                found.extend(map(_decode_result, page))
        except DECODE_ERRORS as error:
            raise unreadable_error(run_id, "step results") from error
        return found

    async def outputs(self, run_id: RunId) -> dict[StepKey, Any]:
        """Return the outputs of a run's completed checkpoints. Raises StorageFailed `unreadable`."""
        found: dict[StepKey, Any] = {}
        try:
            async for page in pages_in_range(self._connection, _SELECT_OUTPUTS, "step_result", text_key(run_id)):
                for row in page:
                    if row["status"] == StepStatus.COMPLETED:
                        found[_decode_key(row)] = _decode_output(row)
        except DECODE_ERRORS as error:
            raise unreadable_error(run_id, "outputs") from error
        return found

    async def outputs_of(self, keys: Iterable[tuple[RunId, StepKey]]) -> dict[tuple[RunId, StepKey], Any]:
        """Return the outputs of these completed checkpoints, of any runs. Raises as `outputs`."""
        named = {tuple(_result_key(*key)): key for key in keys}
        records = [record_id("step_result", list(key)) for key in named]
        found: dict[tuple[RunId, StepKey], Any] = {}
        async for page in pages_by_id(self._connection, _SELECT_OUTPUTS_OF, records):
            for row in page:
                run_id, key = named[tuple(row["id"].id)]
                try:
                    if row["status"] == StepStatus.COMPLETED:
                        found[run_id, key] = _decode_output(row)
                except DECODE_ERRORS as error:
                    raise unreadable_error(run_id, "outputs") from error
        return found


def _claim_statement(placed: Sequence[tuple[int, Row]]) -> Statement:
    keys = [(position, row["id"]) for position, row in placed]
    return Statement(_CLAIM, [row for _, row in placed], lambda taken: lost_positions(taken, keys))


def _result_key(run_id: RunId, key: StepKey) -> list[str | int]:
    part = PART if key.is_part else WHOLE
    return [text_key(run_id), part, key.step, key_number(key.index), key_number(key.round)]


def _decode_key(row: Row) -> StepKey:
    _, _, step, index, round_ = row["id"].id
    return StepKey(step, None if index < 0 else index, None if round_ < 0 else round_)


def _decode_output(row: Row) -> Any:
    """Decode the output. Raises any of DECODE_ERRORS."""
    return decode(decode_text(row.get("output") or "null"))


def _encode_result(result: StepResult) -> Row:
    return {
        "id": _result_key(result.run_id, result.key),
        "status": result.status,
        "output": optional(encode_text, result.output_json),
        "data": encode_fields(
            attempt=result.attempt,
            skipped=result.skipped or None,
            error=optional(encode_error, result.error),
            started_at=optional(to_microseconds, result.started_at),
            finished_at=optional(to_microseconds, result.finished_at),
            active_ms=result.active_ms,
            attempt_errors=[encode_error(error) for error in result.attempt_errors] or None,
        ),
    }


def _decode_result(row: Row) -> StepResult:
    found = decode_data(row)
    return StepResult(
        RunId(row["id"].id[0]),
        _decode_key(row),
        StepStatus(row["status"]),
        attempt=found["attempt"],
        output_json=optional(decode_text, row.get("output")),
        skipped=found.get("skipped", False),
        error=optional(decode_error, found.get("error")),
        started_at=optional(from_microseconds, found.get("started_at")),
        finished_at=optional(from_microseconds, found.get("finished_at")),
        active_ms=found["active_ms"],
        attempt_errors=tuple(decode_error(error) for error in found.get("attempt_errors", ())),
    )
