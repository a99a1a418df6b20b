"""Switching workflows by key: each keeps its own state, and nothing of a run shows in another workflow."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.messages import MessageState, Role
from core.domain.run import Run, RunStatus
from desktop.sidebar.list_view import SidebarList
from desktop.window.conversation.drafts import SAVE_DELAY_MS
from tests.gui.chat.sight import texts
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import asking, card_of, waits
from tests.gui.window.test_attention import texts as words_of
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_interruptions

Until = Callable[..., Awaitable[None]]
Key = Qt.Key


def drawn(app: App) -> list[str]:
    """What is read in the conversation, from the top down."""
    return texts(app.content.chat.transcript)


def go(app: App, slot: int) -> None:
    app.control(Key(Key.Key_0 + slot))


def written(app: App) -> str:
    return app.content.chat.composer.draft().text


async def all_said(app: App, *texts: str) -> list[Run]:
    runs = []
    for text in texts:
        runs.append(await app.say(text))
        await app.core.engine.wait(runs[-1].id)
    app.core.stores.toasts.clear()
    return runs


async def test_an_answer_goes_on_while_another_workflow_is_looked_at(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """Forty chunks, 50 ms apart; after the tenth, another workflow is viewed for a second."""
    pieces = [f"w{n}" for n in range(40)]
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        await all_said(app, "say 2 words")
        run = await app.say("go", script=({"say": " ".join(pieces), "delay_ms": 50},))
        app.content.chat.focus_composer()
        go(app, 2)

        def read() -> list[str]:
            return drawn(app)[-1].split() if len(drawn(app)) == 2 else []

        await until(lambda: len(read()) >= 10)
        go(app, 1)
        await until(lambda: drawn(app) == ["say 2 words", "a workflow"])
        await asyncio.sleep(1)
        assert drawn(app) == ["say 2 words", "a workflow"]
        go(app, 2)
        now = read()
        assert len(now) >= 25
        while len(now) < 40:
            assert now == pieces[: len(now)]
            await asyncio.sleep(0.02)
            now = read()
        await until(lambda: app.core.stores.view.messages[-1].state is MessageState.FINAL)
        assert read() == pieces
        assert (await storage.messages.of_workflow(run.workflow_id))[-1].text == " ".join(pieces)


async def test_what_waits_in_one_workflow_is_shown_there_once_and_seen_nowhere_else(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        await all_said(app, "say 2 words")
        run = await app.say("say 40 words")
        app.content.chat.focus_composer()
        go(app, 2)
        app.write("say 3 words")
        app.key(Key.Key_Return)
        strip = app.content.chat.queue
        await until(lambda: [message.text for message in strip.messages] == ["say 3 words"])
        assert "say 3 words" not in drawn(app)
        go(app, 1)
        assert (strip.isVisible(), written(app)) == (False, "")
        seen = list[str]()

        def is_sent() -> bool:
            seen.extend(drawn(app))
            return not app.core.stores.queues.get(run.workflow_id).messages

        await until(is_sent)
        assert "say 3 words" not in seen
        await asyncio.sleep(0.2)
        assert drawn(app) == ["say 2 words", "a workflow"]
        assert app.turn_texts() == ["say 2 words", "a workflow"]
        go(app, 2)
        await until(lambda: drawn(app).count("say 3 words") == 1)
        assert not strip.isVisible()
        await until(lambda: drawn(app)[-1] == "a workflow is")
        copy = storage.copy()
    async with an_app(tmp_path, qapp, copy) as app:
        app.content.opener.open(run.workflow_id)
        await until(lambda: drawn(app).count("say 3 words") == 1)
        said = [message.text for message in app.core.stores.view.messages if message.role is Role.USER]
        assert said == ["say 40 words", "say 3 words"]


async def test_each_workflow_keeps_its_draft_and_cursor_and_a_crash_costs_two_seconds_of_typing(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one, two = await all_said(app, "say 1 words", "say 2 words")
        go(app, 1)
        app.write("draft A")
        app.key(Key.Key_Left)
        go(app, 2)
        QTest.keyClicks(app.focused(), "draft B")
        go(app, 1)
        assert written(app) == "draft A"
        QTest.keyClicks(app.focused(), "!")
        assert written(app) == "draft !A"  # the cursor stood there
        kept = {one.workflow_id: "draft !A", two.workflow_id: "draft B"}

        def on_disk() -> dict[str, str]:
            files = {run: tmp_path / "drafts" / f"of-{run}" / "draft.json" for run in kept}
            return {run: json.loads(file.read_text())["text"] for run, file in files.items() if file.exists()}

        await until(lambda: on_disk() == kept)
        assert SAVE_DELAY_MS < 2000


async def test_five_workflows_are_reached_by_one_chord_each(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        names = ("apples", "cherries", "plums", "melons")
        runs = [*await all_said(app, *(f"say 2 words about {name}" for name in names))]
        runs.append(await app.start("Letters", asking("send", prompt="Send them?")))
        await waits(app, runs[-1])
        app.content.chat.focus_composer()
        for number, run in enumerate(runs, 1):
            row = app.row(run.workflow_id)
            assert row is not None
            assert row.slot == number
            go(app, number)
            assert app.viewed == run.workflow_id
        go(app, 1)
        go(app, 3)
        await until(lambda: drawn(app)[:1] == ["say 2 words about plums"])
        app.control(Key.Key_Tab)
        QTest.keyRelease(app.focused(), Key.Key_Control)
        await until(lambda: drawn(app)[:1] == ["say 2 words about apples"])
        app.control(Key.Key_K)
        QTest.keyClicks(app.focused(), "melo")
        app.key(Key.Key_Return)
        await until(lambda: drawn(app)[:1] == ["say 2 words about melons"])
        app.control(Key.Key_J)
        assert (app.viewed, card_of(app).has_focus) == (runs[-1].workflow_id, True)


async def test_requests_of_two_workflows_outlive_every_switch_and_are_answered_once_each(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        a = await app.start("A", asking("send", prompt="Send A?"))
        b = await app.start("B", asking("send", prompt="Send B?"))
        for run in (a, b):
            await waits(app, run)
        await all_said(app, "say 1 word")
        app.content.chat.focus_composer()
        (listed,) = app.content.sidebar.findChildren(SidebarList)
        for _ in range(10):
            for slot in (1, 2, 1, 3, 2):
                go(app, slot)
        for _ in range(2):
            app.control(Key.Key_B)
            app.key(Key.Key_B, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        assert listed.isVisible()
        assert sum(app.core.stores.questions.count(run.workflow_id) for run in (a, b)) == 2
        for run, prompt in ((a, "Send A?"), (b, "Send B?")):
            app.control(Key.Key_J)
            await until(lambda run=run: app.viewed == run.workflow_id and card_of(app).has_focus)
            assert prompt in words_of(card_of(app))
            await until(lambda: not card_of(app).guard.is_on)
            app.key(Key.Key_Tab)
            app.key(Key.Key_Return)
            await until(lambda run=run: not app.core.stores.questions.count(run.workflow_id))
            (asked,) = await stored_interruptions(app.core.storage, run.id)
            assert str(asked.status) == "approved"
            assert (await app.core.engine.wait(run.id)).status is RunStatus.SUCCESS
