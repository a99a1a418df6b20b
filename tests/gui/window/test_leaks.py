"""A window that stays open for days: what is not shown any more is not held."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from core.domain.ids import WorkflowId
from desktop.widgets import announcement_queue
from tests.gui.window.rig import App, an_app
from tests.support.held import Held, held
from tests.support.world import a_step, tool_step

Until = Callable[..., Awaitable[None]]
TEXT = "# Title\n\nSome **words**.\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


async def test_views_that_were_opened_and_left_hold_nothing(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        shown = await conversations(app)
        await look(app, [*shown, *shown, *shown], until)
        before = await counts(app)
        await look(app, shown * 20, until)
        after = await counts_again(app, before)
        assert after[0].grown(before[0]) == {}
        assert after[1] == before[1]


async def test_a_deleted_workflow_leaves_nothing_in_the_window(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await app.say("say 2 words")  # one stays, so that the chat is never hidden
        await look_at_new_ones_and_delete_them(app, until)
        before = await counts(app)
        for _ in range(3):
            await look_at_new_ones_and_delete_them(app, until)
        after = await counts_again(app, before)
        assert after[0].grown(before[0]) == {}
        assert after[1] == before[1]


async def look_at_new_ones_and_delete_them(app: App, until: Until) -> None:
    shown = await conversations(app)
    await look(app, [*shown, *shown], until)
    for workflow_id in shown:
        app.delete(workflow_id)
    await until(lambda: len(app.core.stores.workflows.rows) == 1)
    app.core.stores.toasts.clear()


async def conversations(app: App) -> list[WorkflowId]:
    """Return a chat with a call, a long one, a template's run, a run with a pending request, and an empty view."""
    script: tuple[dict[str, object], ...] = (
        {"say": TEXT},
        {"call": "calculator", "arguments": {"expression": "1 + 1"}},
        {"say": TEXT},
    )
    asking = {**a_step("asked"), "interrupt": {"kind": "input-review", "prompt": "Go on?"}}
    runs = [
        await app.say("say 5 words"),
        await app.say("go", script=script),
        await app.start(
            "Steps", a_step("one", input={"a": [1, 2]}), tool_step("sum", "calculator", "one", expression="2*3")
        ),
        await app.start("Asking", asking, given={"n": 1}),
    ]
    for run in runs:
        await app.core.engine.wait(run.id)
    app.core.stores.toasts.clear()
    for _ in range(2):  # texts are released, then rows leave the section
        app.core.stores.background.tick(app.core.clock.monotonic() + 700)
    return [run.workflow_id for run in runs]


async def look(app: App, workflows: Sequence[WorkflowId], until: Until) -> None:
    view = app.core.stores.view
    for workflow_id in workflows:
        app.content.workflow_actions.show(workflow_id)
        await until(lambda: view.is_loaded)
        await app.drawn()
    app.content.workflow_actions.show(None)
    await app.drawn()


async def counts(app: App) -> tuple[Held, int]:
    # all threads of the pool, else a busier moment has one more
    await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.02) for _ in range(64)))
    await asyncio.sleep(0.5)
    announcement_queue(app.window)._waiting.clear()  # what waits to be announced is bounded, and goes with time
    found = held()
    found.objects.pop("core.domain.toast.Toast", None)  # the last five hundred stay to be read again
    return found, len(app.window.findChildren(QObject))


async def counts_again(app: App, before: tuple[Held, int]) -> tuple[Held, int]:
    """As soon as they are those of before: what is about to go is no leak. After a while as they are."""
    after = await counts(app)
    for _ in range(20):
        if not after[0].grown(before[0]) and after[1] == before[1]:
            break
        after = await counts(app)
    return after
