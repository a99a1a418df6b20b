"""What the user sends to the core: messages, and starts of templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.messages import AttachedFile
from core.ports import ResolvedTemplate


class StartSource(StrEnum):
    """Where the user makes a start, which is also where a refused one is made again."""

    COMPOSER = "composer"
    FORM = "form"
    COMMAND = "command"
    """Neither text nor input belongs to it: sending again, a fork, a summary, a template without input."""


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A text with attachments. `interrupts`: it stops the active turn; `queued`: its turn may wait for a free slot."""

    text: str
    attached: tuple[AttachedFile, ...] = ()
    interrupts: bool = False
    queued: bool = False
    source: StartSource = StartSource.COMPOSER

    @property
    def hashes(self) -> Sequence[str]:
        """The hashes by which the composer recognizes the attachments."""
        return [attached.about.hash for attached in self.attached]


@dataclass(frozen=True, slots=True)
class TemplateStart:
    """A request to start a template in a workflow, or in a new one where `workflow_id` is None.

    `prompt` is the message that named the template, if any. `viewed` is the workflow on the screen at the time of the
    request: a new workflow takes its place only if it is still viewed. `queued`: the run may wait for a free slot.
    """

    resolved: ResolvedTemplate
    given: Mapping[str, Any]
    workflow_id: WorkflowId | None
    prompt: str | None
    answering: AgentSelection | None
    viewed: WorkflowId | None
    attached: tuple[AttachedFile, ...] = ()
    source: StartSource = StartSource.COMPOSER
    queued: bool = False

    def is_same(self, other: "TemplateStart") -> bool:
        """Return whether both start the same template from the same message, whatever the input."""
        return self.resolved is other.resolved and (self.workflow_id, self.prompt) == (other.workflow_id, other.prompt)
