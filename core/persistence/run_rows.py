"""Encoding of a run's row, and the run to show for it: intact, marked as unreadable, or broken."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from core.domain.ids import MessageId, RunId, TemplateId, WorkflowId
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus
from core.persistence import codec
from core.persistence.keys import text_key
from core.persistence.statements import Row

BROKEN_ROW = "the row of the run cannot be read"


def encode_run(run: Run, place: str) -> Row:
    """Encode a new run. Its output and error are in its `outcome`."""
    return {
        "id": text_key(run.id),
        "workflow": text_key(run.workflow_id),
        "message": text_key(run.message_id),
        "place": place,
        "status": run.status,
        "started_at": codec.optional(codec.to_microseconds, run.started_at),
        "finished_at": codec.optional(codec.to_microseconds, run.finished_at),
        "active_ms": run.active_ms,
        "parent": codec.optional(text_key, run.parent),
        "root": codec.optional(text_key, run.root),
        "unclean_ends": run.unclean_ends,
        "results_then": run.results_then,
        "data": codec.encode_fields(
            kind=run.kind,
            title=run.title,
            template_id=run.template_id,
            template_version=run.template_version,
            depth=run.depth or None,
            awaited=run.awaited or None,
        ),
    }


def encode_outcome(output_json: str | None, error: ErrorInfo | None) -> dict[str, Any]:
    """Encode the output and the error, if any."""
    output = {"output": codec.encode_text(output_json)} if output_json is not None else {}
    return output | ({"error": codec.encode_fields(**codec.encode_error(error))} if error is not None else {})


def order_key_of(row: Row) -> str:
    return str(row.get("place"))


def decode_run(row: Row) -> Run:
    """Return the run, as unreadable if it is marked, or a placeholder if its row is broken."""
    reason = row.get("fault")
    try:
        run = _decode(row)
        return run if reason is None else as_unreadable(run, codec.decode_text(reason))
    except codec.DECODE_ERRORS:
        return _decode_broken(row)


def is_readable(row: Row) -> bool:
    """Return whether the row is readable and not marked, so that its status is shown."""
    if row.get("fault") is not None:
        return False
    try:
        _decode(row)
    except codec.DECODE_ERRORS:
        return False
    return True


def _decode(row: Row) -> Run:
    """Decode the run. Rows of version 1 have no parent, root, unclean ends nor earlier results."""
    fields = codec.decode_data(row)
    return Run(
        RunId(row["id"].id),
        WorkflowId(row["workflow"]),
        RunKind(fields["kind"]),
        fields["title"],
        RunStatus(row["status"]),
        MessageId(row["message"]),
        codec.time_of_order_key(row["place"]),
        codec.optional(TemplateId, fields.get("template_id")),
        fields.get("template_version"),
        codec.optional(codec.from_microseconds, row.get("started_at")),
        codec.optional(codec.from_microseconds, row.get("finished_at")),
        codec.optional(codec.decode_text, row.get("output")),
        codec.optional(lambda error: codec.decode_error(codec.decode_fields(error)), row.get("error")),
        row["active_ms"],
        codec.optional(RunId, row.get("parent")),
        codec.optional(RunId, row.get("root")),
        fields.get("depth", 0),
        fields.get("awaited", False),
        row.get("unclean_ends", 0),
        row.get("results_then", 0),
    )


def _decode_broken(row: Row) -> Run:
    """Return a placeholder with the intact fields of a broken row."""
    try:
        created_at = codec.time_of_order_key(row["place"])
    except codec.DECODE_ERRORS:
        created_at = codec.from_microseconds(0)
    return placeholder(
        RunId(row["id"].id),
        WorkflowId(str(row.get("workflow", ""))),
        MessageId(str(row.get("message", ""))),
        created_at,
        codec.optional(codec.decode_text, row.get("fault")),
    )


def as_unreadable(run: Run, reason: str) -> Run:
    """Return the run as an `unreadable` error."""
    return replace(run, status=RunStatus.ERROR, output_json=None, error=_unreadable_info(reason))


def placeholder(
    run_id: RunId, workflow_id: WorkflowId, message_id: MessageId, created_at: datetime, reason: str | None
) -> Run:
    """Return the run to show for a broken row; `reason` is its mark's, if any."""
    return Run(
        run_id,
        workflow_id,
        RunKind.WORKFLOW,
        "",
        RunStatus.ERROR,
        message_id,
        created_at,
        error=_unreadable_info(reason or BROKEN_ROW),
    )


def _unreadable_info(reason: str) -> ErrorInfo:
    return ErrorInfo(codec.UNREADABLE, reason, failed_during="storage")
