"""Encoding of a run's row, and the run to show for it: intact, marked as unreadable, or broken."""

from typing import Any

from core.domain.ids import MessageId, RunId, TemplateId, WorkflowId
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus
from core.persistence.codec import (
    DECODE_ERRORS,
    decode_data,
    decode_error,
    decode_fields,
    decode_text,
    encode_error,
    encode_fields,
    encode_text,
    from_microseconds,
    optional,
    time_of_order_key,
    to_microseconds,
)
from core.persistence.keys import text_key
from core.persistence.statements import Row
from core.persistence.unreadable import as_unreadable, placeholder


def encode_run(run: Run, place: str) -> Row:
    """Encode a new run. Its output and error are in its `outcome`."""
    return {
        "id": text_key(run.id),
        "workflow": text_key(run.workflow_id),
        "message": text_key(run.message_id),
        "place": place,
        "status": run.status,
        "started_at": optional(to_microseconds, run.started_at),
        "finished_at": optional(to_microseconds, run.finished_at),
        "active_ms": run.active_ms,
        "parent": optional(text_key, run.parent),
        "root": optional(text_key, run.root),
        "unclean_ends": run.unclean_ends,
        "results_then": run.results_then,
        "data": encode_fields(
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
    output = {"output": encode_text(output_json)} if output_json is not None else {}
    return output | ({"error": encode_fields(**encode_error(error))} if error is not None else {})


def order_key_of(row: Row) -> str:
    return str(row.get("place"))


def decode_run(row: Row) -> Run:
    """Return the run, as unreadable if it is marked, or a placeholder if its row is broken."""
    reason = row.get("fault")
    try:
        run = _decode(row)
        return run if reason is None else as_unreadable(run, decode_text(reason))
    except DECODE_ERRORS:
        return _decode_broken(row)


def is_readable(row: Row) -> bool:
    """Return whether the row is readable and not marked, so that its status is shown."""
    if row.get("fault") is not None:
        return False
    try:
        _decode(row)
    except DECODE_ERRORS:
        return False
    return True


def _decode(row: Row) -> Run:
    """Decode the run. Rows of version 1 have no parent, root, unclean ends nor earlier results."""
    found = decode_data(row)
    return Run(
        RunId(row["id"].id),
        WorkflowId(row["workflow"]),
        RunKind(found["kind"]),
        found["title"],
        RunStatus(row["status"]),
        MessageId(row["message"]),
        time_of_order_key(row["place"]),
        optional(TemplateId, found.get("template_id")),
        found.get("template_version"),
        optional(from_microseconds, row.get("started_at")),
        optional(from_microseconds, row.get("finished_at")),
        optional(decode_text, row.get("output")),
        optional(lambda error: decode_error(decode_fields(error)), row.get("error")),
        row["active_ms"],
        optional(RunId, row.get("parent")),
        optional(RunId, row.get("root")),
        found.get("depth", 0),
        found.get("awaited", False),
        row.get("unclean_ends", 0),
        row.get("results_then", 0),
    )


def _decode_broken(row: Row) -> Run:
    """Return a placeholder with the intact fields of a broken row."""
    try:
        created_at = time_of_order_key(row["place"])
    except DECODE_ERRORS:
        created_at = from_microseconds(0)
    return placeholder(
        RunId(row["id"].id),
        WorkflowId(str(row.get("workflow", ""))),
        MessageId(str(row.get("message", ""))),
        created_at,
        optional(decode_text, row.get("fault")),
    )
