"""Workflows for the sidebar and the chat pane: listed, opened, renamed, archived, deleted."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.bus import Bus, WorkflowChanged, WorkflowDeleted
from core.domain.agent import AgentSelection
from core.domain.fold import replay
from core.domain.grants import FolderGrant
from core.domain.ids import RunId, WorkflowId
from core.domain.live_run import LiveRun
from core.domain.messages import Message, Role
from core.domain.run import Run, RunKind
from core.domain.workflow import Workflow, normalized_title
from core.engine.runs.engine import Engine
from core.errors import NotFound, Refused
from core.ports import PAGE_ROWS, ArchiveWorkflow, Clock, PutWorkflow, Storage
from core.services.agents import AgentService
from core.services.folders import checked_folders, gone_folders, require_few
from core.services.key_check import KeyCheck
from core.services.lookup import require_workflow
from core.services.outcome import returns_outcome
from core.stores.workflows import UNREAD_STATUS, ListedWorkflow
from core.tools.builtin import executions
from core.tools.own_places import NO_PLACES, OwnPlaces

TITLE_CHARACTERS = 256
MAX_RUNS_READ = 2_000
RUNS_AT_ONCE = 20
"""Read together, when a conversation is opened."""


@dataclass(frozen=True, slots=True)
class WorkflowListing:
    """Every workflow, last changed first, and the runs read for the list, newest first: all, or the newest 2,000,
    without those of discarded workflows.
    """

    workflows: Sequence[ListedWorkflow]
    newest_runs: Sequence[Run]


@dataclass(frozen=True, slots=True)
class OpenedWorkflow:
    """A workflow with its messages, oldest first, the states of their runs, and the states of the descendants of these
    (`below`). `is_whole`: the messages are complete.
    """

    workflow: Workflow
    messages: Sequence[Message]
    runs: Sequence[LiveRun]
    below: Sequence[LiveRun] = ()
    is_whole: bool = True


class WorkflowService:
    """Manages workflows."""

    def __init__(
        self,
        engine: Engine,
        storage: Storage,
        bus: Bus,
        clock: Clock,
        access: KeyCheck,
        agents: AgentService,
        own: OwnPlaces = NO_PLACES,
    ) -> None:
        self._engine = engine
        self._storage = storage
        self._bus = bus
        self._clock = clock
        self._access = access
        self._agents = agents
        self._own = own
        self._adding = asyncio.Lock()

    @returns_outcome
    async def all(self) -> WorkflowListing:
        """Return every workflow with the status of its newest run, and whether the user has not looked at that."""
        runs: list[Run] = []
        for _ in range(MAX_RUNS_READ // PAGE_ROWS):
            page = await self._storage.runs.page(limit=PAGE_ROWS, before=runs[-1].id if runs else None)
            runs += page
            if len(page) < PAGE_ROWS:
                break
        newest: dict[WorkflowId, Run] = {}
        for run in runs:
            if run.parent is None and run.kind is not RunKind.RECORDING:
                newest.setdefault(run.workflow_id, run)
        workflows = await self._storage.workflows.all()
        looked_at = await self._storage.workflows.looked_at()
        existing = {workflow.id for workflow in workflows}
        return WorkflowListing(
            [_listed(workflow, newest.get(workflow.id), looked_at.get(workflow.id)) for workflow in workflows],
            [run for run in runs if run.workflow_id in existing],
        )

    @returns_outcome
    async def newest(self, workflow_id: WorkflowId, count: int) -> OpenedWorkflow:
        """Return the end of a conversation, about `count` messages, as `opened` does: what the user sees first."""
        workflow = await require_workflow(self._storage, workflow_id)
        if count > PAGE_ROWS:
            messages = await self._storage.messages.of_workflow(workflow_id)
        else:
            messages = await self._storage.messages.newest(workflow_id, count)
        shown = messages[-count:]
        is_whole = len(messages) < count
        runs = await self._runs_of(shown, _always)
        return OpenedWorkflow(workflow, shown, runs, await self._descendants(runs) if is_whole else (), is_whole)

    @returns_outcome
    async def open(self, workflow_id: WorkflowId, is_wanted: Callable[[], bool] | None = None) -> OpenedWorkflow:
        """Return what the chat pane shows of a workflow. The message of an unreadable run has no details.

        A long conversation takes time: `is_wanted` is polled, and fails the call with `overtaken` once it returns
        False.
        """
        workflow = await require_workflow(self._storage, workflow_id)
        messages = await self._storage.messages.of_workflow(workflow_id)
        runs = await self._runs_of(messages, is_wanted or _always)
        return OpenedWorkflow(workflow, messages, runs, await self._descendants(runs))

    async def _runs_of(self, messages: Sequence[Message], is_wanted: Callable[[], bool]) -> list[LiveRun]:
        shown = list(
            dict.fromkeys(message.run_id for message in messages if message.role is Role.ASSISTANT and message.run_id)
        )
        runs: list[LiveRun] = []
        for start in range(0, len(shown), RUNS_AT_ONCE):
            # the user has switched on: reading a long conversation to its end would delay the next
            if not is_wanted():
                raise Refused("overtaken", "something else was asked for meanwhile")
            runs += await self._replayed(shown[start : start + RUNS_AT_ONCE])
        return runs

    async def _replayed(self, run_ids: Sequence[RunId]) -> list[LiveRun]:
        """Return the states of runs from their stored events, without unreadable runs."""
        states = []
        for events in (await self._storage.events.of_runs(run_ids)).values():
            # replaying hundreds of runs takes long, so that the loop runs in between
            states.append(replay(events))
            await asyncio.sleep(0)
        return [run for run in states if run is not None]

    async def _descendants(self, runs: Sequence[LiveRun]) -> list[LiveRun]:
        """Return the states of all descendants of these runs."""
        below: list[LiveRun] = []
        seen = {run.run_id for run in runs}
        parents = [run for run in runs if _may_have_children(run)]
        while parents:
            children = [child for parent in parents for child in await self._storage.runs.children(parent.run_id)]
            replayed = await self._replayed([child.id for child in children if child.id not in seen])
            seen.update(child.id for child in children)
            below += replayed
            parents = [run for run in replayed if _may_have_children(run)]
        return below

    @returns_outcome
    async def rename(self, workflow_id: WorkflowId, title: str) -> Workflow:
        """Change the title. Fails with `bad_input` if it is empty or over 256 characters."""
        title = normalized_title(title)
        if not title or len(title) > TITLE_CHARACTERS:
            raise Refused("bad_input", f"a title has 1 to {TITLE_CHARACTERS} characters")
        workflow = await require_workflow(self._storage, workflow_id)
        # never backwards, even if the clock was set back
        renamed = replace(workflow, title=title, updated_at=max(self._clock.now(), workflow.updated_at))
        await self._storage.commit([PutWorkflow(renamed)])
        self._bus.publish(WorkflowChanged(renamed))
        return renamed

    @returns_outcome
    async def select_agent(self, workflow_id: WorkflowId | None, answering: AgentSelection) -> AgentSelection:
        """Set agent and model of the next turns; an active run keeps its own. Without a workflow only check that they
        could answer.

        Fails with `not_found`, also for the agent, and with `key_missing` if the model's key is missing.
        """
        if answering.agent is not None and self._agents.get(answering.agent) is None:
            raise NotFound("agent", answering.agent)
        _, model = self._agents.resolve(answering)
        if model is not None:
            await self._access.require(model)
        if workflow_id is not None:
            chosen = replace(await require_workflow(self._storage, workflow_id), answering=answering)
            await self._storage.commit([PutWorkflow(chosen)])
            self._bus.publish(WorkflowChanged(chosen))
        return answering

    @returns_outcome
    async def set_folders(self, workflow_id: WorkflowId | None, folders: Sequence[str]) -> tuple[str, ...]:
        """Set the folders and files that the next runs in the workflow may access, each written as `FolderGrant`; an
        active run keeps its own. Without a workflow only check them. Returns them in the order that is stored.

        Fails with `not_found`, and as `checked_folders`.
        """
        checked = await checked_folders(folders, self._own)
        if workflow_id is not None:
            changed = replace(await require_workflow(self._storage, workflow_id), folders=checked)
            await self._storage.commit([PutWorkflow(changed)])
            self._bus.publish(WorkflowChanged(changed))
        return checked

    async def add_folders(self, workflow_id: WorkflowId, grants: Sequence[FolderGrant]) -> None:
        """Let the next runs in the workflow access these places too, which the user was shown as they are.

        Raises NotFound, StorageFailed and Refused `too_many_folders`.
        """
        async with self._adding:  # two requests may be answered at once
            workflow = await require_workflow(self._storage, workflow_id)
            folders = {FolderGrant.parse(text).path: text for text in workflow.folders}
            folders |= {grant.path: str(grant) for grant in grants}
            require_few(folders)
            changed = replace(workflow, folders=tuple(folders.values()))
            await self._storage.commit([PutWorkflow(changed)])
        self._bus.publish(WorkflowChanged(changed))

    @returns_outcome
    async def gone_folders(self, folders: Sequence[str]) -> frozenset[str]:
        """Return which of these folders and files, each written as `FolderGrant`, do not exist any more."""
        return await gone_folders(folders)

    @returns_outcome
    async def archive(self, workflow_id: WorkflowId) -> Workflow:
        """Cancel active runs, then archive the workflow: it is kept whole and listed as archived.

        A new run in it restores it. Does nothing if it is archived already. Fails with `not_found`.
        """
        if (await require_workflow(self._storage, workflow_id)).is_archived:
            return await require_workflow(self._storage, workflow_id)
        await self._engine.cancel_workflow(workflow_id, keep_recording=True)
        return await self._set_archived(workflow_id, self._clock.now())

    @returns_outcome
    async def restore(self, workflow_id: WorkflowId) -> Workflow:
        """Restore an archived workflow to its place. Fails with `not_found`."""
        return await self._set_archived(workflow_id, None)

    async def _set_archived(self, workflow_id: WorkflowId, at: datetime | None) -> Workflow:
        await self._storage.commit([ArchiveWorkflow(workflow_id, at)])
        changed = await require_workflow(self._storage, workflow_id)
        self._bus.publish(WorkflowChanged(changed))
        return changed

    @returns_outcome
    async def delete(self, workflow_id: WorkflowId) -> None:
        """Cancel active runs, then delete the workflow with all its data."""
        await self.remove(workflow_id)

    async def remove(self, workflow_id: WorkflowId) -> None:
        """`delete` for other services. Raises NotFound, StorageFailed."""
        await require_workflow(self._storage, workflow_id)
        await self._engine.cancel_workflow(workflow_id)
        await self._storage.delete_workflow(workflow_id)
        self._bus.publish(WorkflowDeleted(workflow_id))


def _listed(workflow: Workflow, newest: Run | None, looked_at: datetime | None) -> ListedWorkflow:
    if newest is None:
        return ListedWorkflow(workflow)
    ended = newest.finished_at if newest.status in UNREAD_STATUS else None
    # rows from before this was stored have no time, and count as looked at
    is_unread = ended is not None and looked_at is not None and ended > looked_at
    return ListedWorkflow(workflow, newest.status, is_unread)


def _always() -> bool:
    return True


def _may_have_children(run: LiveRun) -> bool:
    """Return whether the run may have children: most have none, and cost no query."""
    return any(step.has_child for step in run.steps.values()) or any(
        call.tool == executions.CREATE for call in run.calls.values()
    )
