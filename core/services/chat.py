"""Chat: a message of the user becomes a run with a single agent step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.domain.agent import AgentSelection
from core.domain.ids import MessageId, RunId, WorkflowId, new_id
from core.domain.messages import AttachedFile, QueuedMessage, with_input
from core.domain.model import ModelChoice
from core.domain.run import ACTIVE_STATUSES, Run, RunKind
from core.domain.template import AgentAction, AgentCall, Step, Template, ValidationMode
from core.domain.text.graphemes import truncate
from core.domain.workflow import Workflow, normalized_title
from core.engine.runs.engine import Engine
from core.engine.runs.start_request import StartRequest, creation_records
from core.errors import Refused, workflow_busy
from core.ports import Clock, Storage, UnqueueMessage, Write
from core.recording.recordings import RecordingRegistry
from core.services.agents import OFFLINE, AgentService
from core.services.attachments import attachment_writes, require_within_limits
from core.services.key_check import KeyCheck, key_missing, refusal
from core.services.lookup import ignore_unreadable, new_workflow, require_workflow
from core.services.outcome import returns_outcome

ANSWER = "answer"
TEXT_CHARACTERS = 1_000_000
TITLE_CHARACTERS = 60
_SCANNED_CHARACTERS = 1000
"""So much of a message has its first words; a message of a million characters takes 200 ms to be looked through."""


class ChatService:
    """Sends messages of the user to agents."""

    def __init__(
        self,
        engine: Engine,
        recordings: RecordingRegistry,
        storage: Storage,
        clock: Clock,
        access: KeyCheck,
        agents: AgentService,
    ) -> None:
        self._engine = engine
        self._recordings = recordings
        self._storage = storage
        self._clock = clock
        self._access = access
        self._agents = agents

    @returns_outcome
    async def send(
        self,
        text: str,
        workflow_id: WorkflowId | None = None,
        *,
        agent: str | None = None,
        mode: ValidationMode = ValidationMode.AUTO,
        allow: Sequence[str] = (),
        base: str | None = None,
        folders: Sequence[str] = (),
        script: Sequence[Mapping[str, Any]] = (),
        gated: bool = False,
        queued: bool = False,
        model: ModelChoice | None = None,
        answering: AgentSelection | None = None,
        record: bool = False,
        record_input: Mapping[str, Any] | None = None,
        attached: Sequence[AttachedFile] = (),
        queued_message: QueuedMessage | None = None,
    ) -> Run:
        """Start a turn in a workflow, or in a new workflow titled after the first words.

        `answering` selects agent and model; the default is that of the last turn, in a new workflow the default agent.
        `agent` overrides the agent by name, `model` the model; a `script` or the name `offline` selects the offline
        agent. `gated`: the user sends it in the window; `queued`: it may wait for a slot (StartRequest).

        Fails with `bad_input` (empty, or over 1 000 000 characters), `not_found`, `workflow_busy` or `limit_reached`.
        If the model's key is missing the run stays enqueued; a `gated` run fails with `key_missing`.

        `allow` defaults to the folders of the workflow, which are `folders` in a new one.

        `record`: the calls of this turn and of later turns become steps of a recording with `record_input` as its input
        (ENGINE §11); an open recording continues.

        `attached` texts are sent with the message; they fail it with `too_many_files` or `files_too_large`. `waited` is
        the queued message that is sent, whose texts are stored already; it leaves the queue in the transaction that
        creates the run, and starts at most one run.
        """
        require_message(text, attached)
        if workflow_id is not None:
            workflow = await require_workflow(self._storage, workflow_id)
        else:
            first_words = text if text.strip() else attached[0].about.name
            workflow = new_workflow(title_from(first_words), OFFLINE, self._clock, folders)
        selection = answering or await self.answering(workflow)
        if agent is not None:
            selection = selection.model_copy(update=self._selection_of(agent))
        if model is not None or script:
            selection = selection.model_copy(update={"model": model, "is_offline": model is None})
        profile, model = self._agents.resolve(selection)
        granted = await self._access.check(model) if model is not None else None
        if model is not None and granted is None and gated:
            raise refusal(key_missing(model))
        step = Step(name=ANSWER, action=AgentAction(agent=AgentCall(prompt="@input.text")))
        name = OFFLINE if model is None else profile.name
        request = StartRequest(
            replace(workflow, agent=name, answering=self._agents.as_stored(selection, granted or model)),
            Template(title=workflow.title, steps=[step]),
            with_input({"text": text}, attached),
            RunKind.CHAT,
            prompt=text,
            mode=mode,
            allow=tuple(allow) or workflow.folders,
            base=base,
            script=tuple(script),
            gated=gated,
            queued=queued,
            in_new_workflow=workflow_id is None,
            model=granted or model,
            profile=profile,
            **message_fields(workflow.id, attached, queued_message),
        )
        # without a window the run is stored, and waits for a start that finds the key
        must_wait = model is not None and granted is None
        if not record:
            return await (self._store_enqueued(request) if must_wait else self._engine.start(request))
        # the recording is opened in the same transaction as the run, and undone if that fails
        beginning = await self._recordings.begin(request.workflow, record_input, request.snapshot())
        request = replace(request, companion=beginning.companion)
        try:
            run = await (self._store_enqueued(request) if must_wait else self._engine.start(request))
        except BaseException:
            beginning.discard()
            raise
        beginning.confirm()
        return run

    async def _store_enqueued(self, request: StartRequest) -> Run:
        """Store the run as enqueued, for the next recovery that finds its key. Raises the errors of a start."""
        workflow = request.workflow
        newest = await self._engine.newest(workflow.id)
        if newest is not None and newest.status in ACTIVE_STATUSES:
            raise workflow_busy(workflow.id, workflow.title)
        run = request.run(RunId(new_id("run")), self._clock.now())
        facts, writes = creation_records(request, run, request.snapshot())

        # a commit may succeed though its answer is lost
        async def is_ours() -> bool:
            return await self._storage.runs.get(run.id) is not None

        log = self._engine.journal.open(run.id, run.workflow_id, run.message_id)
        await log.create(*facts, writes=writes, is_ours=is_ours, companion=request.companion)
        return run

    def _selection_of(self, agent: str) -> dict[str, Any]:
        """Return the fields of `Answering` that select the agent of that name. Raises NotFound."""
        if agent == OFFLINE:
            return {"model": None, "is_offline": True}
        return {"agent": self._agents.named(agent).id, "model": None, "is_offline": False}

    async def answering(self, workflow: Workflow) -> AgentSelection:
        """Return the answering of the next turn: as chosen, else that of the last turn."""
        if workflow.answering is not None:
            return workflow.answering
        newest = await self._engine.newest(workflow.id)
        if newest is None:
            return AgentSelection()
        with ignore_unreadable():
            model = (await self._storage.snapshots.of_run(newest.id)).model
            return AgentSelection(model=model, is_offline=model is None)
        return AgentSelection()


def require_message(text: str, attached: Sequence[AttachedFile]) -> None:
    """Raise Refused if this cannot be a message: `bad_input`, `too_many_files`, `files_too_large`."""
    if not text.strip() and not attached:
        raise Refused("bad_input", "there is nothing to send")
    if len(text) > TEXT_CHARACTERS:
        raise Refused("bad_input", f"a message has at most {TEXT_CHARACTERS:,} characters", limit=TEXT_CHARACTERS)
    require_within_limits(attached)


def message_fields(
    workflow_id: WorkflowId, attached: Sequence[AttachedFile], queued_message: QueuedMessage | None = None
) -> dict[str, Any]:
    """Return the fields of a StartRequest that describe the user's message."""
    # the message's id is the run's key: sending it again after a crash finds the run that exists
    if queued_message is not None:
        unqueue: tuple[Write, ...] = (UnqueueMessage(workflow_id, queued_message.id),)
        return {
            "message_id": queued_message.id,
            "attachments": queued_message.attachments,
            "writes": unqueue,
            "key": queued_message.key,
        }
    message_id = MessageId(new_id("msg"))
    texts = attachment_writes(workflow_id, message_id, attached)
    return {"message_id": message_id, "attachments": tuple(file.about for file in attached), "writes": texts}


def title_from(text: str) -> str:
    """Return a title for a message: its first words, at most 60 characters."""
    line = normalized_title(text.lstrip()[:_SCANNED_CHARACTERS]) or "…"
    if len(line) <= TITLE_CHARACTERS:
        return line
    cut = truncate(line, TITLE_CHARACTERS)
    return (cut.rpartition(" ")[0] or cut) + "…"
