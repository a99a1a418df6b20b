"""The index of all texts: what can be looked for, and what is found.

It is derived from the store and can be made anew from it at any time: whoever cannot use what is there begins with an
empty one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.text.search import Span, Term

GROUP_HITS = 3
"""As many are shown of each workflow at first."""
PAGE_GROUPS = 20
PAGE_HITS = 50


class HitKind(StrEnum):
    """What a text is: a title, something that a person or an agent said, a tool's call with its result, a step's
    output."""

    TITLE = "title"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    STEP = "step"


@dataclass(frozen=True, slots=True)
class Document:
    """A text that can be found. `message_id` is the message that it shows in, `label` the tool or the step."""

    kind: HitKind
    message_id: MessageId
    at: datetime
    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class RunDocuments:
    """All texts of a run. `status` is that of the run when they were read: another one means they are old."""

    run_id: RunId
    status: str
    documents: Sequence[Document]


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that was found. `snippet` is the place in it, on one line; `marks` say where in that. A title has no
    message."""

    workflow_id: WorkflowId
    kind: HitKind
    message_id: MessageId | None
    at: datetime | None
    label: str
    snippet: str
    marks: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class HitGroup:
    """The first hits of a workflow, the newest first, its title before all; `total` is how many there are."""

    workflow_id: WorkflowId
    hits: tuple[Hit, ...]
    total: int


@dataclass(frozen=True, slots=True)
class HitPage:
    """Workflows whose title was found first, then those with the newest hits. `is_cut`: there were so many hits that
    the oldest were left out."""

    groups: tuple[HitGroup, ...]
    has_more: bool
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class IndexedState:
    """What an index holds: each workflow with the digest of its title (`core.domain.text.search.text_digest`: it may
    hold a secret), and each run with the status that it had then.
    """

    titles: Mapping[WorkflowId, str]
    runs: Mapping[RunId, str]


class SearchIndex(Protocol):
    """Every method raises SearchFailed: `search_broken` where the index has to be made anew, else
    `search_unavailable`. Work runs in threads; a search that is cancelled ends at once."""

    async def open(self) -> None:
        """Have it ready; one that is missing, broken or of another version is an empty one now."""
        ...

    async def begin_anew(self) -> None:
        """Throw away what is there, and have an empty one ready."""
        ...

    async def indexed(self) -> IndexedState: ...

    async def put_title(self, workflow_id: WorkflowId, title: str) -> None: ...

    async def put_runs(self, workflow_id: WorkflowId, runs: Sequence[RunDocuments]) -> None:
        """The texts of these runs are these, in the place of those that they had, in one step."""
        ...

    async def forget_runs(self, run_ids: Sequence[RunId]) -> None: ...

    async def forget_workflow(self, workflow_id: WorkflowId) -> None:
        """Nothing of it can be found any more. Its words leave the file when it is tidied."""
        ...

    async def tidy(self) -> bool:
        """Take some of the words of what was deleted out of the file; true while there may be more of them."""
        ...

    async def find(self, terms: Sequence[Term], skip: int = 0) -> HitPage:
        """Workflows with texts that have all the terms, PAGE_GROUPS at most, after as many as are skipped."""
        ...

    async def find_in(self, workflow_id: WorkflowId, terms: Sequence[Term], skip: int = 0) -> tuple[Hit, ...]:
        """Such texts of one workflow, PAGE_HITS at most, after as many as are skipped."""
        ...

    async def close(self) -> None: ...
