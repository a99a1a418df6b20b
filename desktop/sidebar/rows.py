"""Derives the items of the list from the stores: headers and rows, in order.

Pure. A workflow stands in exactly one section, and no section is empty; workflows that wait for the user are repeated
on top. Archived workflows have a list of their own.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum, auto
from operator import attrgetter

from core.domain.ids import WorkflowId
from core.domain.interruption import InterruptionKind
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.execution import Doing, Execution
from core.stores.workflows import ListedWorkflow, Workflows


class Section(Enum):
    """In the order of the list. Not a StrEnum, so that no section equals a workflow's id."""

    NEEDS_YOU = auto()
    RUNNING = auto()
    RECENT = auto()
    WORKFLOWS = auto()
    ARCHIVED = auto()


class RowState(StrEnum):
    """The state of a workflow. INTERRUPTED: its newest run did not end, and is not active."""

    NEW = "new"
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a section, with the number of its rows; a folded section shows nothing else."""

    section: Section
    count: int
    is_folded: bool = False

    @property
    def key(self) -> Section:
        return self.section


@dataclass(frozen=True, slots=True)
class Row:
    """A workflow.

    `at` is when its run began (section *Running*), when it ended (*Recently finished*), when it was archived
    (*Archived*), or when the workflow was last changed. `since` and `until` are the bounds of the run: None where no
    run is shown, or where it continues. `progress` are completed and total steps of a template's run; `mode` is that of
    the run where it differs from the settings. `waiting` is the number of open requests to the user. In *Needs you* the
    row is repeated: `asked` is the kind of the oldest request, `asked_about` its tool, `since` when it was made.
    `doing` is the call in flight of a running row. `is_unread`: it has finished, and the user has not looked at it
    since.
    """

    id: WorkflowId
    title: str
    section: Section
    state: RowState
    at: datetime
    since: datetime | None = None
    until: datetime | None = None
    progress: tuple[int, int] | None = None
    error: str = ""
    slot: int | None = None
    mode: ValidationMode | None = None
    waiting: int = 0
    asked: InterruptionKind | None = None
    asked_about: str = ""
    doing: Doing | None = None
    is_unread: bool = False

    @property
    def key(self) -> Hashable:
        """The id, or a separate key for a repeated row."""
        return (self.section, self.id) if self.is_repeated else self.id

    @property
    def is_repeated(self) -> bool:
        """Whether the workflow has its own row further down."""
        return self.section is Section.NEEDS_YOU

    @property
    def is_archived(self) -> bool:
        return self.section is Section.ARCHIVED

    @property
    def is_live(self) -> bool:
        """Whether its run is active."""
        return self.section in (Section.NEEDS_YOU, Section.RUNNING)


Item = Header | Row

# Returns the mode of a workflow's run where it differs from the settings, else None.
ModeOf = Callable[[WorkflowId], ValidationMode | None]

# Returns the rows of inactive workflows.
RowsOf = Callable[[Iterable[ListedWorkflow]], list[Row]]

_STATES = {
    RunStatus.ENQUEUED: RowState.QUEUED,
    RunStatus.RUNNING: RowState.RUNNING,
    RunStatus.WAITING: RowState.WAITING,
    RunStatus.PAUSED: RowState.PAUSED,
    RunStatus.SUCCESS: RowState.COMPLETED,
    RunStatus.ERROR: RowState.FAILED,
    RunStatus.CANCELLED: RowState.STOPPED,
}


class IdleRowCache:
    """Caches the rows of inactive workflows from one list to the next: of thousands few change."""

    def __init__(self) -> None:
        self._cached: dict[WorkflowId, tuple[ListedWorkflow, Row]] = {}

    def __call__(self, listed: Iterable[ListedWorkflow]) -> list[Row]:
        """Return the rows; a row is the same object as before if its workflow is."""
        before, self._cached = self._cached, {}
        for entry in listed:
            row = before.get(entry.workflow.id)
            self._cached[entry.workflow.id] = row if row is not None and row[0] is entry else (entry, _idle_row(entry))
        return [row for _, row in self._cached.values()]


def sidebar_items(
    background: BackgroundWorkflows,
    workflows: Workflows,
    query: str = "",
    mode_of: ModeOf | None = None,
    *,
    folded: Collection[Section] = (),
    rows_of: RowsOf | None = None,
) -> list[Item]:
    """Return the items: workflows that wait for the user, the longest waiting first; running workflows in the order of
    their start; finished workflows, the last first; all others, the last changed first.

    `query` filters by title, ignoring case; then nothing is folded.
    """
    executions = [*background.running_workflows, *background.recently_completed_workflows]
    sections: dict[Section, Sequence[Row]] = {
        Section.NEEDS_YOU: sorted(
            (_attention_row(execution) for execution in executions if execution.has_pending_question),
            key=attrgetter("at"),
        ),
        Section.RUNNING: [
            _running_row(execution, mode_of(execution.workflow_id) if mode_of else None)
            for execution in background.running_workflows
        ],
        Section.RECENT: [
            _finished_row(execution, workflows.get(execution.workflow_id))
            for execution in background.recently_completed_workflows
        ],
        # workflows with a run in the sections above are left out here
        Section.WORKFLOWS: (rows_of or _idle_rows)(
            entry for entry in workflows.rows if background.get_execution(entry.workflow.id) is None
        ),
    }
    return _in_sections(sections, query, folded)


def archived_items(workflows: Workflows, query: str = "", *, rows_of: RowsOf | None = None) -> list[Item]:
    """Return the archived workflows, the last archived first."""
    return _in_sections({Section.ARCHIVED: (rows_of or _idle_rows)(workflows.archived)}, query, ())


def first_page(items: list[Item], limit: int, shown: WorkflowId | None) -> list[Item]:
    """Return at most `limit` items, or as many as needed to include `shown`."""
    if len(items) <= limit:
        return items
    at = next((number for number, item in enumerate(items) if item.key == shown), 0) if shown is not None else 0
    return items[: max(limit, at + 1)]


def _in_sections(sections: dict[Section, Sequence[Row]], query: str, folded: Collection[Section]) -> list[Item]:
    query = query.strip().casefold()
    items: list[Item] = []
    for section, rows in sections.items():
        shown = [row for row in rows if query in row.title.casefold()] if query else rows
        is_folded = section in folded and not query
        if shown:
            items += [Header(section, len(shown), is_folded), *(() if is_folded else shown)]
    return items


def _attention_row(execution: Execution) -> Row:
    _, oldest = execution.open_interruptions[0]
    return Row(
        execution.workflow_id,
        execution.workflow_name,
        Section.NEEDS_YOU,
        RowState.WAITING,
        at=oldest.created_at,
        since=oldest.created_at,
        slot=execution.slot,
        waiting=len(execution.open_interruptions),
        asked=oldest.request.kind,
        asked_about=oldest.request.tool or "",
    )


def _running_row(execution: Execution, mode: ValidationMode | None) -> Row:
    is_running = execution.status is RunStatus.RUNNING
    return Row(
        execution.workflow_id,
        execution.workflow_name,
        Section.RUNNING,
        _STATES[execution.status],
        at=execution.started_at,
        since=execution.started_at,
        progress=execution.progress,
        slot=execution.slot,
        mode=mode,
        doing=execution.doing if is_running else None,
        waiting=len(execution.open_interruptions),
    )


def _finished_row(execution: Execution, listed: ListedWorkflow | None) -> Row:
    ended = execution.completed_at or execution.started_at
    return Row(
        execution.workflow_id,
        execution.workflow_name,
        Section.RECENT,
        _STATES[execution.status],
        at=ended,
        since=execution.started_at,
        until=ended,
        error=str(execution.error.get("message", "")) if execution.error else "",
        slot=execution.slot,
        waiting=len(execution.open_interruptions),
        is_unread=listed is not None and listed.is_unread,
    )


def _idle_rows(listed: Iterable[ListedWorkflow]) -> list[Row]:
    return [_idle_row(entry) for entry in listed]


def _idle_row(entry: ListedWorkflow) -> Row:
    workflow = entry.workflow
    section = Section.ARCHIVED if workflow.is_archived else Section.WORKFLOWS
    at = workflow.archived_at or workflow.updated_at
    is_unread = entry.is_unread and not workflow.is_archived
    return Row(workflow.id, workflow.title, section, _idle_state(entry.status), at=at, is_unread=is_unread)


def _idle_state(status: RunStatus | None) -> RowState:
    if status is None:
        return RowState.NEW
    return _STATES[status] if status.is_final else RowState.INTERRUPTED
