"""Chat: what a person writes becomes a run with one agent step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.domain.ids import RunId, WorkflowId, new_id
from core.domain.model import ModelChoice
from core.domain.run import ACTIVE, Run, RunKind
from core.domain.settings import Settings
from core.domain.template import AgentAction, AgentCall, Step, Template, ValidationMode
from core.domain.workflow import Workflow
from core.engine.engine import Engine
from core.engine.starting import StartRequest, creation
from core.errors import NotFound, Refused, StorageFailed, workflow_busy
from core.ports.clock import Clock
from core.ports.storage import Storage
from core.services.access import Access, key_missing, refused
from core.services.outcome import answers
from core.services.runs import OFFLINE

ANSWER = "answer"
TEXT_CHARACTERS = 1_000_000
TITLE_CHARACTERS = 60


class ChatService:
    def __init__(
        self, engine: Engine, storage: Storage, clock: Clock, access: Access, settings: Callable[[], Settings]
    ) -> None:
        self._engine = engine
        self._storage = storage
        self._clock = clock
        self._access = access
        self._settings = settings

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
        model: ModelChoice | None = None,
    ) -> Run:
        """Say something in a workflow, or in a new one named after the first words.

        `model` answers; without one that of the conversation so far, else that of the settings, else the offline agent,
        which a `script` or the `agent` of that name asks for anyway. `gated`: a person says it in the window; `queued`:
        it may wait for a place (StartRequest). Fails with `bad_input` (nothing said, over 1 000 000 characters),
        `not_found`, `workflow_busy` or `limit_reached`.

        Where the model needs a key and there is none, the run stays enqueued; a `gated` one fails with `key_missing`.
        """
        if not text.strip():
            raise Refused("bad_input", "there is nothing to send")
        if len(text) > TEXT_CHARACTERS:
            raise Refused("bad_input", f"a message has at most {TEXT_CHARACTERS:,} characters", limit=TEXT_CHARACTERS)
        if agent not in (None, OFFLINE):
            raise NotFound("agent", agent)
        workflow = await self._workflow(workflow_id, text)
        if model is None and agent is None and not script:
            model = await self._usual_model(workflow_id)
        granted = await self._access.granted(model) if model is not None else None
        if model is not None and granted is None and gated:
            raise refused(key_missing(model))
        step = Step(name=ANSWER, action=AgentAction(agent=AgentCall(prompt="@input.text")))
        request = StartRequest(
            replace(workflow, agent=OFFLINE if model is None else model.label),
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
            model=granted or model,
        )
        return await (self._leave(request) if model is not None and granted is None else self._engine.start(request))

    async def _leave(self, request: StartRequest) -> Run:
        """Write the run down, enqueued, and leave it to the next recovery that finds its key. Raises as a start."""
        workflow = request.workflow
        newest = await self._storage.runs(workflow_id=workflow.id, limit=1)
        if newest and newest[0].status in ACTIVE:
            raise workflow_busy(workflow.id, workflow.title)
        run = request.run(RunId(new_id("run")), self._clock.now())
        facts, writes = creation(request, run, request.snapshot())

        async def is_ours() -> bool:
            return await self._storage.run(run.id) is not None

        log = self._engine.journal.open(run.id, run.workflow_id, run.message_id)
        await log.create(*facts, writes=writes, is_ours=is_ours)
        return run

    async def _usual_model(self, workflow_id: WorkflowId | None) -> ModelChoice | None:
        """The model that answered last in the workflow; in a new one that of the settings."""
        newest = await self._storage.runs(workflow_id=workflow_id, limit=1) if workflow_id is not None else []
        if not newest:
            return self._settings().model
        try:
            return (await self._storage.snapshot(newest[0].id)).model
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
            return self._settings().model

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
