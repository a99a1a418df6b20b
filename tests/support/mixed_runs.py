"""A little of everything that the product runs, and a person who looks at it: for long runs that must leave nothing."""

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from core.app import Core
from core.domain.events import Event, StepStarted
from core.domain.ids import RunId, TemplateId, WorkflowId
from core.domain.interruption import Action, Answer
from core.domain.run import Run, RunStatus
from core.domain.template import Template
from core.domain.toast import ToastType
from core.ports import Put, ResolvedTemplate, StoredTemplate
from core.services.outcome import Ok, Outcome
from core.stores.activity import Activity
from core.stores.activity_items import count_by_filter
from core.stores.background_workflows import RECENT_S, SWEEP_INTERVAL_S
from core.stores.toasts import MAX_HISTORY
from tests.support.command_line import template
from tests.support.held import Held, children, held, timers

T = TypeVar("T")

AT_ONCE = 20
CHILD = "A part of it"
WORKERS = 3  # two for code, one for schemas
TRIES = 10
NEAR_S = 2.0
THREADS = 32  # more than any executor of ours has


class MixedRuns:
    """Starts runs of each kind in turn, `AT_ONCE` at a time, on a core whose files may go into `folder`."""

    def __init__(self, core: Core, folder: Path) -> None:
        self._core = core
        self._folder = str(folder)
        self._standing: set[asyncio.Task[Any]] = set()
        self._others = children()
        self.has_begun = asyncio.Event()
        self.workflows: list[WorkflowId] = []
        self._kinds: Sequence[Callable[[], Awaitable[None]]] = (
            self._chain,
            self._tools,
            self._list,
            self._code,
            self._question,
            self._cancelled,
            self._chat,
            self._failing,
            self._child,
            self._checked,
        )

    async def begin(self) -> None:
        """Keep the template that others run, and let everything that is bounded be as full as it can be. To be called
        once."""
        text = json.dumps(template(_set("one", n="@input.n"), title=CHILD))
        stored = StoredTemplate(TemplateId("tpl_part"), 1, CHILD, text, self._core.clock.now())
        await self._core.storage.commit([Put(stored)])
        toasts = self._core.stores.toasts
        for number in range(MAX_HISTORY):
            toasts.dismiss(toasts.add(ToastType.INFO, "said", title=str(number)))
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.05) for _ in range(THREADS)))
        self._standing = asyncio.all_tasks()

    async def run(self, number: int) -> None:
        """So many runs, each to its end."""
        kinds = (self._kinds[one % len(self._kinds)] for one in range(number))

        async def some() -> None:
            for kind in kinds:
                await kind()

        await asyncio.gather(*(some() for _ in range(AT_ONCE)))

    async def rest(self) -> Held:
        """What is held when everything has come to rest: eleven minutes later, with all workers at hand."""
        stores = self._core.stores
        for _ in range(TRIES):
            await self._use_all_workers()
            while passing := asyncio.all_tasks() - self._standing:
                await asyncio.wait(passing)
            if len(children() - self._others) in (0, WORKERS):  # 0: the system does not tell
                break  # else a worker had answered often enough, and nobody followed it
        for _ in range(2):  # first texts are released, then rows leave
            stores.background.tick(self._core.clock.monotonic() + RECENT_S + SWEEP_INTERVAL_S)
        stores.toasts.clear()
        while near := [due_s for due_s in timers() if due_s < NEAR_S]:
            await asyncio.sleep(max(near))
            await asyncio.sleep(0.05)  # what they set going
        return held()

    async def delete_all(self) -> None:
        """Delete the workflows of all runs so far."""
        for workflow_id in self.workflows:
            _ok(await self._core.workflows.delete(workflow_id))
        self.workflows.clear()
        self.has_begun.clear()

    # The kinds

    async def _chain(self) -> None:
        await self._finish(*(_set(f"s{n}", *([f"s{n - 1}"] if n else []), n=n) for n in range(6)))

    async def _tools(self) -> None:
        path = {"path": "note.txt"}
        await self._finish(
            _tool("sum", "calculator", expression="6 * 7"),
            _tool("write", "write_file", **path, content="@sum.result\n"),
            _tool("read", "read_file", "write", **path),
        )

    async def _list(self) -> None:
        each = {"forEach": {"ref": "@input.items", "concurrency": 4}}
        await self._finish(
            {**_set("many", n="@item"), **each},
            {**_tool("sums", "calculator", expression="@item + 1"), **each},
            given={"items": list(range(8))},
        )

    async def _code(self) -> None:
        code = "export default (input: {n: number}) => ({ n: input.n + 1, text: 'x'.repeat(1000) })"
        await self._finish({"name": "code", "action": {"code": code}, "input": {"n": 1}})

    async def _question(self) -> None:
        asking = {
            **_set("asked", n="@input"),
            "interrupt": {"kind": "approval", "prompt": "Go on?", "timeoutMs": 60_000},
        }
        run = await self._start(asking, _set("after", "asked"), given={"n": 1})
        assert (await self._core.engine.wait(run.id)).status is RunStatus.WAITING
        _ok(await self._core.runs.answer(run.id, Answer(Action.APPROVE)))
        await self._ended(run, RunStatus.SUCCESS)

    async def _cancelled(self) -> None:
        begun: set[RunId] = set()
        moved = asyncio.Event()

        def hear(event: Event) -> None:
            if isinstance(event.fact, StepStarted):
                begun.add(event.run_id)
                moved.set()

        with self._core.bus.subscribe(Event, hear):
            run = await self._start(_tool("wait", "wait", seconds=60))
            while run.id not in begun:
                await moved.wait()
                moved.clear()
        _ok(await self._core.runs.cancel(run.id))
        await self._ended(run, RunStatus.CANCELLED)

    async def _chat(self) -> None:
        script = ({"say": "I count. "}, {"call": "calculator", "arguments": {"expression": "2 + 2"}}, {"say": "Four."})
        run = _ok(await self._core.chat.send("How many?", script=script))
        self._list_workflow(run)
        await self._ended(run, RunStatus.SUCCESS)
        run = _ok(await self._core.chat.send("say 30 words", run.workflow_id))
        await self._ended(run, RunStatus.SUCCESS)

    async def _failing(self) -> None:
        retried = {**_tool("sum", "calculator", expression="1 / 0"), "config": {"maxAttempts": 2, "backoffMs": 100}}
        run = await self._start(retried, _set("after", "sum"), timeoutMs=60_000)
        await self._ended(run, RunStatus.ERROR)

    async def _child(self) -> None:
        await self._finish({"name": "part", "action": {"workflow": {"title": CHILD}}, "input": {"n": 3}})

    async def _checked(self) -> None:
        schema = {"type": "object", "properties": {"n": {"type": "string", "pattern": "^[0-9]+$"}}}
        await self._finish({**_set("checked", n="12"), "outputSchema": schema})

    async def _use_all_workers(self) -> None:
        code = "export default () => { const end = Date.now() + 50; while (Date.now() < end); return 1 }"
        await self._finish(*({"name": f"busy{n}", "action": {"code": code}} for n in range(2)))
        await self._checked()

    # Their parts

    async def _finish(self, *steps: dict[str, Any], given: dict[str, Any] | None = None) -> None:
        await self._ended(await self._start(*steps, given=given), RunStatus.SUCCESS)

    async def _start(self, *steps: dict[str, Any], given: dict[str, Any] | None = None, **fields: Any) -> Run:
        found = ResolvedTemplate(Template.model_validate(template(*steps, title="Mixed", **fields)))
        run = _ok(await self._core.runs.start(found, given or {}, allow=(self._folder,), base=self._folder))
        self._list_workflow(run)
        return run

    def _list_workflow(self, run: Run) -> None:
        self.workflows.append(run.workflow_id)
        self.has_begun.set()

    async def _ended(self, run: Run, status: RunStatus) -> None:
        ended = await self._core.engine.wait(run.id)
        assert ended.status is status, ended


class Person:
    """Looks at workflows as the window does: what is stored is loaded, what runs is watched, and then left."""

    def __init__(self, core: Core, seed: int) -> None:
        self._core = core
        self._rng = random.Random(seed)
        self._activity = Activity(core.stores.view)

    def close(self) -> None:
        self._activity.close()

    async def look(self, mixed: MixedRuns, number: int) -> None:
        """Open and leave so many, one after the other; the newest, which may be at work, more often than others."""
        for _ in range(number):
            await mixed.has_begun.wait()
            newest = mixed.workflows[-AT_ONCE:] if self._rng.random() < 0.5 else mixed.workflows
            await self._open(self._rng.choice(newest))
            if self._rng.random() < 0.5:
                self._core.stores.background.set_viewed(None)
        self._core.stores.background.set_viewed(None)

    async def _open(self, workflow_id: WorkflowId) -> None:
        stores = self._core.stores
        stores.background.set_viewed(workflow_id)
        load = stores.view.begin_load()
        assert load is not None
        opened = _ok(await self._core.workflows.open(workflow_id))
        stores.view.show(workflow_id, opened.messages, opened.runs, load=load)
        run = stores.view.run
        if run is not None and not run.is_released:  # somebody else follows it too
            with stores.background.attach(run.run_id) as viewer:
                await asyncio.sleep(0)
                assert viewer.is_open
        assert all(message.id for message in stores.view.messages)
        assert count_by_filter(self._activity.items)


def _ok(outcome: Outcome[T]) -> T:
    assert isinstance(outcome, Ok), outcome
    return outcome.data


def _set(name: str, *after: str, **given: Any) -> dict[str, Any]:
    return {"name": name, "action": {"set": True}, "dependsOn": list(after), "input": given}


def _tool(name: str, tool: str, *after: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "action": {"toolName": tool}, "dependsOn": list(after), "input": arguments}
