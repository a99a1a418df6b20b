"""The storage's in-memory twin: the same results, at once, without a disk.

Simulations run on it. A commit takes effect when its coroutine first runs, so it is never half done; committed rows
survive the engine, and `copy` returns what a crash would leave at that moment.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from core.domain.agent import Agent
from core.domain.audit import AuditEntry
from core.domain.events import Event
from core.domain.ids import AgentId, AuditId, MessageId, RunId, TemplateId, WorkflowId
from core.domain.interruption import Interruption
from core.domain.mcp_server import StoredServer
from core.domain.messages import Message, QueuedMessage
from core.domain.prompt import Prompt
from core.domain.run import Run, RunStatus, Snapshot, StepKey, StepResult, StepStatus
from core.domain.task import TaskList
from core.domain.text.json_text import decode
from core.domain.toast import Toast
from core.domain.tool import ToolCall
from core.domain.workflow import Workflow
from core.errors import StorageFailed
from core.persistence.event_rows import ordered_events, restore_event
from core.persistence.keys import UNFINISHED, by_call, by_checkpoint, by_name, by_sequence, by_stream, by_time, by_title
from core.persistence.unreadable import as_unreadable, placeholder, unreadable_error
from core.ports.storage import PAGE_ROWS, Chunk, StoredTemplate, Write
from tests.support.in_memory.memories import InMemoryMemories
from tests.support.in_memory.tables import Tables


class InMemoryStorage:
    """A storage, empty unless it is given `tables`. Its rows survive `close`, for another engine."""

    def __init__(self, tables: Tables | None = None) -> None:
        self._tables = tables or Tables()
        self._memories = InMemoryMemories(lambda: self._tables)

    def copy(self) -> Self:
        """Return a separate storage with all that is committed now."""
        return type(self)(self._tables.copy())

    def spoil_run(self, run_id: RunId) -> None:
        """Make the run's row unreadable."""
        self._tables.broken.add(("row", run_id))

    def spoil_snapshot(self, run_id: RunId) -> None:
        self._tables.broken.add(("snapshot", run_id))

    def spoil_step_results(self, run_id: RunId) -> None:
        self._tables.broken.add(("step results", run_id))

    def spoil_events(self, run_id: RunId) -> None:
        self._tables.broken.add(("events", run_id))

    def spoil_interruptions(self, run_id: RunId) -> None:
        self._tables.broken.add(("interruptions", run_id))

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        return self._tables.apply(writes)

    async def workflow(self, workflow_id: WorkflowId) -> Workflow | None:
        found = self._tables.workflows.get(workflow_id)
        return found[1] if found and workflow_id not in self._tables.discarded else None

    async def workflows(self) -> list[Workflow]:
        rows = sorted(self._tables.workflows.values(), key=_order_key, reverse=True)
        return [workflow for _, workflow in rows if workflow.id not in self._tables.discarded]

    async def discarded_workflows(self) -> list[WorkflowId]:
        return sorted(self._tables.discarded, key=self._tables.discarded.__getitem__)

    async def archived_workflows(self) -> set[WorkflowId]:
        return {one.id for _, one in self._tables.workflows.values() if one.is_archived}

    async def delete_workflow(self, workflow_id: WorkflowId) -> None:
        self._tables.delete_workflow(workflow_id)

    async def messages(self, workflow_id: WorkflowId) -> list[Message]:
        rows = (row for row in self._tables.messages.values() if row[1].workflow_id == workflow_id)
        return [message for _, message in sorted(rows, key=_order_key)]

    async def attached_texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        of_message = (workflow_id, message_id)
        rows = sorted((key, text) for key, text in self._tables.attached.items() if key[:2] == of_message)
        return [text for _, text in rows]

    async def queued_messages(self) -> list[QueuedMessage]:
        rows = sorted(self._tables.queued.values(), key=lambda row: (row[1].workflow_id, row[0]))
        return [message for _, message in rows]

    async def newest_messages(self, workflow_id: WorkflowId, limit: int) -> list[Message]:
        return (await self.messages(workflow_id))[-limit:]

    async def template(self, template_id: TemplateId, version: int | None = None) -> StoredTemplate | None:
        versions = self._tables.templates.get(template_id, {})
        return versions.get(max(versions, default=0) if version is None else version)

    async def templates(self) -> list[StoredTemplate]:
        return sorted((versions[max(versions)] for versions in self._tables.templates.values()), key=by_title)

    async def agent(self, agent_id: AgentId) -> Agent | None:
        return self._tables.agents.get(agent_id)

    async def agents(self) -> list[Agent]:
        return sorted(self._tables.agents.values(), key=by_name)

    async def prompts(self) -> list[Prompt]:
        return sorted(self._tables.prompts.values(), key=by_name)

    async def notices(self) -> list[Toast]:
        return sorted(self._tables.notices.values(), key=by_time)

    async def servers(self) -> list[StoredServer]:
        lists = self._tables.tool_lists
        stored = (StoredServer(one, lists.get(one.id)) for one in self._tables.servers.values())
        return sorted(stored, key=lambda one: by_name(one.server))

    async def run(self, run_id: RunId) -> Run | None:
        run = self._tables.runs.get(run_id)
        return self._shown(run[1]) if run else None

    async def runs(
        self,
        *,
        status: RunStatus | None = None,
        workflow_id: WorkflowId | None = None,
        limit: int = 50,
        before: RunId | None = None,
    ) -> list[Run]:
        rows: Iterable[tuple[tuple[datetime, int], Run]] = self._tables.runs.values()
        rows = (row for row in rows if row[1].root is None)
        if before is not None:
            end = self._tables.runs.get(before)
            rows = (row for row in rows if end is not None and _order_key(row) < _order_key(end))
        if workflow_id is not None:
            rows = (row for row in rows if row[1].workflow_id == workflow_id)
        if status is not None:
            asking = self._asking() if status is RunStatus.WAITING else set()
            rows = (row for row in rows if row[1].id in asking or self._has_status(row[1], status))
        page = sorted(rows, key=_order_key, reverse=True)[: max(0, min(limit, PAGE_ROWS))]
        return [replace(self._shown(run), output_json=None) for _, run in page]

    async def run_of_message(self, message_id: MessageId) -> Run | None:
        runs = self._tables.runs.values()
        rows = [row for row in runs if row[1].message_id == message_id and row[1].parent is None]
        return self._shown(max(rows, key=_order_key)[1]) if rows else None

    async def unfinished_runs(self) -> list[Run]:
        rows = [row for row in self._tables.runs.values() if any(self._has_status(row[1], one) for one in UNFINISHED)]
        return [replace(run, output_json=None) for _, run in sorted(rows, key=_order_key)]

    async def children(self, run_id: RunId) -> list[Run]:
        rows = [row for row in self._tables.runs.values() if row[1].parent == run_id]
        return [replace(self._shown(run), output_json=None) for _, run in sorted(rows, key=_order_key)]

    async def interruptions(self, run_id: RunId) -> list[Interruption]:
        if ("interruptions", run_id) in self._tables.broken:
            raise unreadable_error(run_id, "interruptions")
        return sorted((asked for _, asked in self._tables.interruptions.get(run_id, {}).values()), key=by_sequence)

    async def open_interruptions(self) -> list[Interruption]:
        rows = [row for row in self._open() if ("interruptions", row[1].run_id) not in self._tables.broken]
        return [asked for _, asked in sorted(rows, key=_order_key)]

    async def snapshot(self, run_id: RunId) -> Snapshot:
        snapshot = self._tables.snapshots.get(run_id)
        if snapshot is None or ("snapshot", run_id) in self._tables.broken:
            raise unreadable_error(run_id, "definition")
        return snapshot

    async def step_results(self, run_id: RunId, *, iterations: bool = True) -> list[StepResult]:
        if ("step results", run_id) in self._tables.broken:
            raise unreadable_error(run_id, "step results")
        found = sorted(self._tables.results.get(run_id, {}).values(), key=by_checkpoint)
        return found if iterations else [result for result in found if not result.key.is_part]

    async def tool_calls(self, run_id: RunId) -> list[ToolCall]:
        return sorted(self._tables.calls.get(run_id, {}).values(), key=by_call)

    async def events(self, run_id: RunId) -> list[Event]:
        if ("events", run_id) in self._tables.broken:
            raise unreadable_error(run_id, "events")
        events = list(ordered_events(row for _, row in sorted(self._tables.events.get(run_id, {}).items())))
        results = self._tables.results.get(run_id, {})
        outputs: dict[StepKey, Any] = {}
        texts: dict[MessageId, str] = {}
        for one in events:
            if isinstance(one.elsewhere, StepKey):
                result = results.get(one.elsewhere)
                if result is not None and result.status is StepStatus.COMPLETED:
                    outputs[one.elsewhere] = decode(result.output_json or "null")
            elif one.elsewhere is not None and one.elsewhere in self._tables.messages:
                texts[one.elsewhere] = self._tables.messages[one.elsewhere][1].text
        return [restore_event(one, outputs, texts) for one in events]

    async def events_of(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        found: dict[RunId, list[Event]] = {}
        for run_id in run_ids:
            try:
                found[run_id] = await self.events(run_id)
            except StorageFailed as error:
                if error.code != "unreadable":
                    raise
        return found

    async def chunks(self, run_id: RunId) -> list[Chunk]:
        return sorted(self._tables.chunks.get(run_id, {}).values(), key=by_stream)

    async def allowed_files(self, run_id: RunId) -> list[str]:
        return sorted(self._tables.allowed_files.get(run_id, {}))

    async def tasks(self, workflow_id: WorkflowId) -> TaskList:
        return self._tables.tasks.get(workflow_id, TaskList({}))

    @property
    def memories(self) -> InMemoryMemories:
        return self._memories

    async def settings(self) -> Mapping[str, Any]:
        found = {}
        for name, text in self._tables.settings.items():
            try:
                found[name] = decode(text)
            except ValueError:
                continue
        return found

    async def audit(self, *, limit: int = PAGE_ROWS, before: AuditId | None = None) -> list[AuditEntry]:
        rows = sorted(self._tables.audit.values(), key=_order_key, reverse=True)
        if before is not None:
            end = self._tables.audit.get(before)
            rows = [row for row in rows if end is not None and _order_key(row) < _order_key(end)]
        return [entry for _, entry in rows[: max(0, min(limit, PAGE_ROWS))]]

    async def drop_audit(self, before: datetime) -> None:
        kept = {name: row for name, row in self._tables.audit.items() if row[1].at >= before}
        self._tables.audit = kept

    async def close(self) -> None:
        """Keep the rows; there is nothing to release."""

    def _open(self) -> list[tuple[tuple[datetime, int], Interruption]]:
        return [row for rows in self._tables.interruptions.values() for row in rows.values() if row[1].is_open]

    def _asking(self) -> set[RunId]:
        """Return the readable roots of the runs that have an open interruption."""
        below = (self._tables.runs[asked.run_id][1] for _, asked in self._open() if asked.run_id in self._tables.runs)
        tops = (self._tables.runs.get(run.root or run.id) for run in below)
        return {top[1].id for top in tops if top is not None and self._is_sound(top[1])}

    def _has_status(self, run: Run, status: RunStatus) -> bool:
        if run.id in self._tables.marks:
            return status is RunStatus.ERROR
        return run.status is status and self._is_sound(run)

    def _is_sound(self, run: Run) -> bool:
        return run.id not in self._tables.marks and ("row", run.id) not in self._tables.broken

    def _shown(self, run: Run) -> Run:
        reason = self._tables.marks.get(run.id)
        if ("row", run.id) in self._tables.broken:
            return placeholder(run.id, run.workflow_id, run.message_id, run.created_at, reason)
        return run if reason is None else as_unreadable(run, reason)


def _order_key(row: tuple[tuple[datetime, int], Any]) -> tuple[datetime, int]:
    return row[0]
