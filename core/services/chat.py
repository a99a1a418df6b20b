"""Chat: what a person writes becomes a run with one agent step."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.domain.ids import WorkflowId, new_id
from core.domain.run import Run, RunKind
from core.domain.template import AgentAction, AgentCall, Step, Template, ValidationMode
from core.domain.workflow import Workflow
from core.engine.engine import Engine
from core.engine.starting import StartRequest
from core.errors import NotFound, Refused
from core.ports.clock import Clock
from core.ports.storage import Storage
from core.services.outcome import answers
from core.services.runs import OFFLINE

ANSWER = "answer"
TEXT_CHARACTERS = 1_000_000
TITLE_CHARACTERS = 60


class ChatService:
    def __init__(self, engine: Engine, storage: Storage, clock: Clock) -> None:
        self._engine = engine
        self._storage = storage
        self._clock = clock

    @answers
    async def send(
        self,
        text: str,
        workflow_id: WorkflowId | None = None,
        *,
        agent: str | None = None,
        mode: ValidationMode = ValidationMode.AUTO,
        allow: Sequence[str] = (),
        base: str | None = None,
        script: Sequence[Mapping[str, Any]] = (),
        gated: bool = False,
        queued: bool = False,
    ) -> Run:
        """Say something in a workflow, or in a new one named after the first words.

        `gated`: a person says it in the window; `queued`: it may wait for a place (StartRequest). Fails with
        `bad_input` (nothing said, over 1 000 000 characters), `not_found`, `workflow_busy` or `limit_reached`.
        """
        if not text.strip():
            raise Refused("bad_input", "there is nothing to send")
        if len(text) > TEXT_CHARACTERS:
            raise Refused("bad_input", f"a message has at most {TEXT_CHARACTERS:,} characters", limit=TEXT_CHARACTERS)
        if agent not in (None, OFFLINE):
            raise NotFound("agent", agent)
        workflow = await self._workflow(workflow_id, text)
        step = Step(name=ANSWER, action=AgentAction(agent=AgentCall(prompt="@input.text")))
        return await self._engine.start(
            StartRequest(
                workflow,
                Template(title=workflow.title, steps=[step]),
                {"text": text},
                RunKind.CHAT,
                prompt=text,
                mode=mode,
                allow=tuple(allow),
                base=base,
                script=tuple(script),
                gated=gated,
                queued=queued,
                in_new_workflow=workflow_id is None,
            )
        )

    async def _workflow(self, workflow_id: WorkflowId | None, text: str) -> Workflow:
        if workflow_id is None:
            now = self._clock.now()
            return Workflow(WorkflowId(new_id("wf")), first_words(text), OFFLINE, now, now)
        found = await self._storage.workflow(workflow_id)
        if found is None:
            raise NotFound("workflow", workflow_id)
        return found


def first_words(text: str) -> str:
    """A title from a message: its first words, at most 60 characters."""
    line = " ".join(text.split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    cut = line[:TITLE_CHARACTERS]
    return (cut.rpartition(" ")[0] or cut) + "…"
