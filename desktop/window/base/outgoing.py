"""What the user sends to the core: messages, and starts of templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.messages import AttachedText
from core.ports import ResolvedTemplate


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A text with attachments. `interrupts`: it stops the active turn."""

    text: str
    attached: tuple[AttachedText, ...] = ()
    interrupts: bool = False

    @property
    def hashes(self) -> Sequence[str]:
        """The hashes by which the composer recognizes the attachments."""
        return [attached.about.hash for attached in self.attached]


@dataclass(frozen=True, slots=True)
class TemplateStart:
    """A request to start a template in a workflow, or in a new one where `workflow_id` is None.

    `prompt` is the message that named the template, if any. `viewed` is the workflow on the screen at the time of the
    request: a new workflow takes its place only if it is still viewed.
    """

    resolved: ResolvedTemplate
    given: Mapping[str, Any]
    workflow_id: WorkflowId | None
    prompt: str | None
    answering: AgentSelection | None
    viewed: WorkflowId | None
    attached: tuple[AttachedText, ...] = ()

    def is_same(self, other: "TemplateStart") -> bool:
        """Return whether both start the same template from the same message, whatever the input."""
        return self.resolved is other.resolved and (self.workflow_id, self.prompt) == (other.workflow_id, other.prompt)
