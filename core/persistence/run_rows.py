"""What the row of a run holds, and how it is shown: as it is, marked, or broken."""

from typing import Any

from core.domain.ids import MessageId, RunId, TemplateId, WorkflowId
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus
from core.persistence.codec import (
    BROKEN,
    data,
    data_of,
    error_fields,
    error_of,
    fields_of,
    microseconds,
    optional,
    text,
    text_of,
    time_of,
    time_of_place,
)
from core.persistence.keys import text_key
from core.persistence.statements import Row
from core.persistence.unreadable import marked, placeholder


def run_row(run: Run, place: str) -> Row:
    """The row of a new run. Its output and error are its `outcome`."""
    return {
        "id": text_key(run.id),
        "workflow": text_key(run.workflow_id),
        "message": text_key(run.message_id),
        "place": place,
        "status": run.status,
        "started_at": optional(microseconds, run.started_at),
        "finished_at": optional(microseconds, run.finished_at),
        "active_ms": run.active_ms,
        "parent": optional(text_key, run.parent),
        "root": optional(text_key, run.root),
        "unclean_ends": run.unclean_ends,
        "results_then": run.results_then,
        "data": data(
            kind=run.kind,
            title=run.title,
            template_id=run.template_id,
            template_version=run.template_version,
            depth=run.depth or None,
            awaited=run.awaited or None,
        ),
    }


def outcome(output_json: str | None, error: ErrorInfo | None) -> dict[str, Any]:
    """What there is of an outcome."""
    output = {"output": text(output_json)} if output_json is not None else {}
    return output | ({"error": data(**error_fields(error))} if error is not None else {})


def place_of(row: Row) -> str:
    return str(row.get("place"))


def shown(row: Row) -> Run:
    """The run, marked if it is; a placeholder if the row is broken."""
    reason = row.get("fault")
    try:
        run = _run(row)
        return run if reason is None else marked(run, text_of(reason))
    except BROKEN:
        return _placeholder(row)


def is_sound(row: Row) -> bool:
    """Whether the row can be read and is not marked: it is shown with the status that it has."""
    if row.get("fault") is not None:
        return False
    try:
        _run(row)
    except BROKEN:
        return False
    return True


def _run(row: Row) -> Run:
    """Rows of version 1 have no parent, root, unclean ends nor results then."""
    found = data_of(row)
    return Run(
        RunId(row["id"].id),
        WorkflowId(row["workflow"]),
        RunKind(found["kind"]),
        found["title"],
        RunStatus(row["status"]),
        MessageId(row["message"]),
        time_of_place(row["place"]),
        optional(TemplateId, found.get("template_id")),
        found.get("template_version"),
        optional(time_of, row.get("started_at")),
        optional(time_of, row.get("finished_at")),
        optional(text_of, row.get("output")),
        optional(lambda error: error_of(fields_of(error)), row.get("error")),
        row["active_ms"],
        optional(RunId, row.get("parent")),
        optional(RunId, row.get("root")),
        found.get("depth", 0),
        found.get("awaited", False),
        row.get("unclean_ends", 0),
        row.get("results_then", 0),
    )


def _placeholder(row: Row) -> Run:
    """What the fields tell that a broken row still has."""
    try:
        created_at = time_of_place(row["place"])
    except BROKEN:
        created_at = time_of(0)
    return placeholder(
        RunId(row["id"].id),
        WorkflowId(str(row.get("workflow", ""))),
        MessageId(str(row.get("message", ""))),
        created_at,
        optional(text_of, row.get("fault")),
    )
