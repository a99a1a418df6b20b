"""The results of a search, row by row. Without Qt."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.domain.ids import WorkflowId
from core.domain.text.search import Span, find_spans, parse_query, terms_pattern
from core.ports import Hit, HitGroup, HitKind, HitPage
from desktop.widgets import Indicator


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A workflow with `total` hits, including hits that are not shown yet. Activating it opens the workflow. `marks`
    are the matches in its title.
    """

    workflow_id: WorkflowId
    label: "WorkflowLabel"
    total: int
    marks: tuple[Span, ...] = ()

    @property
    def title(self) -> str:
        return self.label.title


@dataclass(frozen=True, slots=True)
class HitRow:
    """A hit. Activating it opens the workflow at that place."""

    hit: Hit


@dataclass(frozen=True, slots=True)
class MoreRow:
    """`count` hits of the workflow are not shown yet; without a workflow there are more workflows. Activating it loads
    more.
    """

    workflow_id: WorkflowId | None
    count: int = 0


ResultRow = GroupRow | HitRow | MoreRow


@dataclass(frozen=True, slots=True)
class WorkflowLabel:
    """The title of a workflow, whether it is archived, the sign of its state, and whether it has finished and was not
    looked at since.
    """

    title: str
    is_archived: bool = False
    sign: Indicator = Indicator.IDLE
    is_unread: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a query so far. `skip` is the number of workflows before the next page."""

    query: str
    groups: tuple[HitGroup, ...] = ()
    skip: int = 0
    has_more: bool = False
    is_cut: bool = False
    named: dict[WorkflowId, WorkflowLabel] = field(default_factory=dict)

    def with_page(self, page: HitPage, named: dict[WorkflowId, WorkflowLabel]) -> "Results":
        """Return these results and the next page, without workflows that have no label: they were deleted."""
        known = {group.workflow_id for group in self.groups}
        new = (group for group in page.groups if group.workflow_id in named and group.workflow_id not in known)
        return replace(
            self,
            groups=(*self.groups, *new),
            skip=self.skip + len(page.groups),
            has_more=page.has_more,
            is_cut=page.is_cut,
            named={**self.named, **named},
        )

    def with_hits(self, workflow_id: WorkflowId, hits: Sequence[Hit]) -> "Results":
        """Return the results with more hits of a workflow."""
        return replace(
            self,
            groups=tuple(
                replace(group, hits=(*group.hits, *hits), total=group.total if hits else len(group.hits))
                if group.workflow_id == workflow_id
                else group
                for group in self.groups
            ),
        )

    def shown(self, workflow_id: WorkflowId) -> int:
        """Return how many hits of a workflow are loaded."""
        return sum(len(group.hits) for group in self.groups if group.workflow_id == workflow_id)

    @property
    def total(self) -> int:
        return sum(group.total for group in self.groups)

    def rows(self) -> Iterable[ResultRow]:
        pattern = terms_pattern(parse_query(self.query))
        for group in self.groups:
            named = self.named[group.workflow_id]
            marks = tuple(find_spans(pattern, named.title)) if pattern is not None else ()
            below = [hit for hit in group.hits if hit.kind is not HitKind.TITLE]
            total = group.total - (len(group.hits) - len(below))
            yield GroupRow(group.workflow_id, named, total, marks)
            yield from map(HitRow, below)
            hidden = group.total - len(group.hits)
            if hidden > 0:
                yield MoreRow(group.workflow_id, hidden)
        if self.has_more:
            yield MoreRow(None)
