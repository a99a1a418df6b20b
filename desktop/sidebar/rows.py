"""What the list shows, derived from the stores: headers and rows, in order.

Pure: same stores, same list. A workflow stands in exactly one section, and no header stands over an empty one; what
needs the person is repeated on top. What is archived has a list of its own.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum, auto

from core.domain.ids import WorkflowId
from core.domain.interruption import InterruptionKind
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.execution import Execution
from core.stores.workflows import ListedWorkflow, Workflows


class Section(Enum):
    """In the order of the list. No StrEnum, so that none equals a workflow's id."""

    NEEDS_YOU = auto()
    RUNNING = auto()
    RECENT = auto()
    WORKFLOWS = auto()
    ARCHIVED = auto()


class RowState(StrEnum):
    """How a workflow stands. `interrupted`: its newest run did not come to an end, and is not at work."""

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
    """The title of a section, with the number of its rows; of a folded one it is all that is seen."""

    section: Section
    count: int
    is_folded: bool = False

    @property
    def key(self) -> Section:
        return self.section


@dataclass(frozen=True, slots=True)
class Row:
    """One workflow.

    `at` is when its run began (section *Running*), when it ended (*Recently finished*), when it was put away
    (*Archived*), or when the workflow was last changed. `since` and `until` are the bounds of the run: None where no
    run is shown, or where it goes on. `progress` are steps done and in all, of a template's run; `mode` the run's where
    it is not that of the settings. `waiting` is how many requests wait for the person. In *Needs you* the row is
    repeated: `asked` is what the oldest of these asks, `since` is when it did.
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

    @property
    def key(self) -> Hashable:
        """The id, or one of its own for the row that repeats another."""
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
        """Whether its run goes on."""
        return self.section in (Section.NEEDS_YOU, Section.RUNNING)


Item = Header | Row

ModeOf = Callable[[WorkflowId], ValidationMode | None]
"""The mode of a workflow's run where it is not that of the settings, else None."""

RowsOf = Callable[[Iterable[ListedWorkflow]], list[Row]]
"""Makes the rows of workflows in which nothing is at work."""

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
    """The rows of workflows in which nothing is at work, kept from one list to the next: of thousands few change."""

    def __init__(self) -> None:
        self._kept: dict[WorkflowId, tuple[ListedWorkflow, Row]] = {}

    def __call__(self, listed: Iterable[ListedWorkflow]) -> list[Row]:
        """The rows of these; the same as before where they are the same."""
        before, self._kept = self._kept, {}
        for one in listed:
            kept = before.get(one.workflow.id)
            self._kept[one.workflow.id] = kept if kept is not None and kept[0] is one else (one, _idle_row(one))
        return [row for _, row in self._kept.values()]


def sidebar_items(
    background: BackgroundWorkflows,
    workflows: Workflows,
    wanted: str = "",
    mode_of: ModeOf | None = None,
    *,
    folded: Collection[Section] = (),
    rows_of: RowsOf | None = None,
) -> list[Item]:
    """Those that need the person, the longest waiting first; running ones in the order of their start; finished ones,
    the last first; the others, the last changed first.

    `wanted` leaves those with this text in their title, in whatever case; then nothing is folded.
    """
    known = [*background.running_workflows, *background.recently_completed_workflows]
    sections: dict[Section, Sequence[Row]] = {
        Section.NEEDS_YOU: sorted((_attention_row(one) for one in known if one.has_pending_question), key=_by_since),
        Section.RUNNING: [
            _running_row(one, mode_of(one.workflow_id) if mode_of else None) for one in background.running_workflows
        ],
        Section.RECENT: [_finished_row(one) for one in background.recently_completed_workflows],
        Section.WORKFLOWS: (rows_of or _idle_rows)(
            one for one in workflows.rows if background.get_execution(one.workflow.id) is None
        ),
    }
    return _in_sections(sections, wanted, folded)


def archived_items(workflows: Workflows, wanted: str = "", *, rows_of: RowsOf | None = None) -> list[Item]:
    """What is archived, the last put away first."""
    return _in_sections({Section.ARCHIVED: (rows_of or _idle_rows)(workflows.archived)}, wanted, ())


def first_page(items: list[Item], most: int, shown: WorkflowId | None) -> list[Item]:
    """The list as far as it is looked at: at most so many items, or as many as it takes to have `shown` in it."""
    if len(items) <= most:
        return items
    at = next((place for place, item in enumerate(items) if item.key == shown), 0) if shown is not None else 0
    return items[: max(most, at + 1)]


def _in_sections(sections: dict[Section, Sequence[Row]], wanted: str, folded: Collection[Section]) -> list[Item]:
    wanted = wanted.strip().casefold()
    items: list[Item] = []
    for section, rows in sections.items():
        found = [row for row in rows if wanted in row.title.casefold()] if wanted else rows
        is_folded = section in folded and not wanted
        if found:
            items += [Header(section, len(found), is_folded), *(() if is_folded else found)]
    return items


def _attention_row(one: Execution) -> Row:
    _, oldest = one.open_interruptions[0]
    return Row(
        one.workflow_id,
        one.workflow_name,
        Section.NEEDS_YOU,
        RowState.WAITING,
        at=oldest.created_at,
        since=oldest.created_at,
        slot=one.slot,
        waiting=len(one.open_interruptions),
        asked=oldest.asked.kind,
    )


def _by_since(row: Row) -> datetime:
    return row.at


def _running_row(one: Execution, mode: ValidationMode | None) -> Row:
    return Row(
        one.workflow_id,
        one.workflow_name,
        Section.RUNNING,
        _STATES[one.status],
        at=one.started_at,
        since=one.started_at,
        progress=one.progress,
        slot=one.slot,
        mode=mode,
        waiting=len(one.open_interruptions),
    )


def _finished_row(one: Execution) -> Row:
    ended = one.completed_at or one.started_at
    return Row(
        one.workflow_id,
        one.workflow_name,
        Section.RECENT,
        _STATES[one.status],
        at=ended,
        since=one.started_at,
        until=ended,
        error=str(one.error.get("message", "")) if one.error else "",
        slot=one.slot,
        waiting=len(one.open_interruptions),
    )


def _idle_rows(listed: Iterable[ListedWorkflow]) -> list[Row]:
    return [_idle_row(one) for one in listed]


def _idle_row(one: ListedWorkflow) -> Row:
    workflow = one.workflow
    section = Section.ARCHIVED if workflow.is_archived else Section.WORKFLOWS
    at = workflow.archived_at or workflow.updated_at
    return Row(workflow.id, workflow.title, section, _idle_state(one.status), at=at)


def _idle_state(status: RunStatus | None) -> RowState:
    if status is None:
        return RowState.NEW
    return _STATES[status] if status.is_final else RowState.INTERRUPTED
