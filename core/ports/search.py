"""The full-text index: documents to search, and hits.

It is derived from the store and can be rebuilt from it at any time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.text.search import Span, Term

GROUP_HITS = 3  # of each workflow, at first
PAGE_GROUPS = 20
PAGE_HITS = 50


class HitKind(StrEnum):
    """The origin of a text: a workflow's title, a message of the user or the agent, a tool call with its result, or a
    step's output.
    """

    TITLE = "title"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    STEP = "step"


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """A searchable text. `message_id` is the message that shows it, `label` its tool or step."""

    kind: HitKind
    message_id: MessageId
    at: datetime
    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class RunDocuments:
    """All texts of a run. `status` is the run's status when they were read; a different status makes them stale."""

    run_id: RunId
    status: str
    documents: Sequence[SearchDocument]


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching text. `snippet` is one line of it, with the matches at `marks`. Titles have no message."""

    workflow_id: WorkflowId
    kind: HitKind
    message_id: MessageId | None
    at: datetime | None
    label: str
    snippet: str
    marks: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class HitGroup:
    """The first hits of a workflow: its title, then the newest. `total` counts all hits."""

    workflow_id: WorkflowId
    hits: tuple[Hit, ...]
    total: int


@dataclass(frozen=True, slots=True)
class HitPage:
    """Workflows with matching titles, then by the time of the newest hit.

    `is_cut`: there were too many hits, and the oldest are left out.
    """

    groups: tuple[HitGroup, ...]
    has_more: bool
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class IndexedState:
    """The content of an index: title digests by workflow, statuses by run.

    Digests (`core.domain.searching.digest`), since a title may contain a secret.
    """

    titles: Mapping[WorkflowId, str]
    runs: Mapping[RunId, str]


class SearchIndex(Protocol):
    """The index. Its work runs in threads; a cancelled search ends at once.

    All methods raise SearchFailed: `search_broken` if the index must be rebuilt, otherwise `search_unavailable`.
    """

    async def open(self) -> None:
        """Open the index. A missing, broken or outdated index is replaced with an empty one."""

    async def reset(self) -> None:
        """Replace the index with an empty one."""

    async def indexed(self) -> IndexedState: ...

    async def put_title(self, workflow_id: WorkflowId, title: str) -> None: ...

    async def put_runs(self, workflow_id: WorkflowId, runs: Sequence[RunDocuments]) -> None:
        """Replace the texts of these runs, in one transaction."""

    async def remove_runs(self, run_ids: Sequence[RunId]) -> None: ...

    async def remove_workflow(self, workflow_id: WorkflowId) -> None:
        """Remove the workflow from all results. `purge_deleted` then purges its words from the file."""

    async def purge_deleted(self) -> bool:
        """Purge some deleted words from the file. Returns whether more may remain."""

    async def find(self, terms: Sequence[Term], skip: int = 0) -> HitPage:
        """Return workflows whose texts contain all terms, at most PAGE_GROUPS after the skipped ones."""

    async def find_in(self, workflow_id: WorkflowId, terms: Sequence[Term], skip: int = 0) -> tuple[Hit, ...]:
        """Return matching texts of one workflow, at most PAGE_HITS after the skipped ones."""

    async def close(self) -> None: ...
