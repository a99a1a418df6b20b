"""Finding in the conversation that is shown, by key, in the real window."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import Message, Role
from core.domain.workflow import Workflow
from core.ports import PutMessage, PutWorkflow
from desktop.chat.transcript.find_bar import FindBar
from desktop.chat.views.text_view import TextView
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
SHIFT = Qt.KeyboardModifier.ShiftModifier
START = datetime(2026, 1, 1, tzinfo=UTC)
TITLE = "Said before"


def a_store(*texts: str) -> InMemoryStorage:
    """Return storage with a workflow in which user and agent alternate with these texts."""
    return a_store_of({"wf_1": texts})


def a_store_of(said: Mapping[str, tuple[str, ...]]) -> InMemoryStorage:
    storage = InMemoryStorage()
    writes: list[PutWorkflow | PutMessage] = []
    for name, texts in said.items():
        workflow = Workflow(WorkflowId(name), TITLE, "offline", START, START)
        writes.append(PutWorkflow(workflow))
        for n, text in enumerate(texts):
            role = Role.ASSISTANT if n % 2 else Role.USER
            at = START + timedelta(seconds=n)
            writes.append(PutMessage(Message(MessageId(f"msg_{name}_{n:05}"), workflow.id, role, text, at)))
    storage._tables.apply(writes)
    return storage


async def shown(app: App, until: Until, name: str = "wf_1") -> None:
    app.content.workflow_actions.show(WorkflowId(name))
    await until(lambda: app.core.stores.view.is_loaded)
    app.content.chat.focus_composer()


def bar(app: App) -> FindBar:
    return app.content.find_controller.bar


def count(app: App) -> str:
    return bar(app)._count.text()


def is_whole(app: App) -> bool:
    """Return whether the count has all the width that it needs."""
    label = bar(app)._count
    return label.width() >= label.sizeHint().width()


def find(app: App, text: str) -> None:
    app.control(Qt.Key.Key_F)
    QTest.keyClicks(app.focused(), text)


def marked(app: App) -> list[str]:
    """What is marked on the screen."""
    views = app.content.chat.transcript.viewport().findChildren(TextView)
    return [mark.cursor.selectedText() for view in views if view.isVisible() for mark in view.extraSelections()]


def current(app: App) -> list[str]:
    views = app.content.chat.transcript.viewport().findChildren(TextView)
    marks = [mark for view in views if view.isVisible() for mark in view.extraSelections()]
    return [mark.cursor.selectedText() for mark in marks if mark.format.fontUnderline()]


async def test_all_places_are_counted_and_marked_and_gone_through(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = a_store("Un été", "L’ÉTÉ, *é*té!\n\n```python\nete = 1\n```\n", "rien")
    async with an_app(tmp_path, qapp, storage) as app:
        await shown(app, until)
        find(app, "ete")
        await until(lambda: count(app) == "1 of 4")
        assert sorted(marked(app)) == ["ete", "ÉTÉ", "été", "été"]
        assert current(app) == ["été"]
        app.key(Qt.Key.Key_Return)
        assert (count(app), current(app)) == ("2 of 4", ["ÉTÉ"])
        app.key(Qt.Key.Key_F3)
        app.key(Qt.Key.Key_F3)
        assert (count(app), current(app)) == ("4 of 4", ["ete"])
        app.key(Qt.Key.Key_F3)
        assert count(app) == "1 of 4"
        app.key(Qt.Key.Key_F3, SHIFT)
        assert count(app) == "4 of 4"
        app.key(Qt.Key.Key_Return, SHIFT)
        assert count(app) == "3 of 4"
        app.key(Qt.Key.Key_Escape)
        assert marked(app) == []
        assert not bar(app).isVisible()
        app.key(Qt.Key.Key_F3)
        await until(lambda: bar(app).isVisible() and count(app).endswith("of 4"))


async def test_what_is_missing_is_reported_and_the_next_text_is_found(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, a_store("one two", "a **bold** [link](http://secret.example/x) & more")) as app:
        await shown(app, until)
        for text, told in (
            ("absent", "Not found"),
            ("bold link", "1 of 1"),
            ("secret", "Not found"),
            ("& MORE", "1 of 1"),
            (".*", "Not found"),
            ("", ""),
        ):
            app.control(Qt.Key.Key_F)
            app.key(Qt.Key.Key_Backspace)
            QTest.keyClicks(app.focused(), text)
            await until(lambda told=told: count(app) == told)
            app.key(Qt.Key.Key_F3)


async def test_what_is_selected_is_looked_for_and_stays_selected(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, a_store("a needle here", "a needle there")) as app:
        await shown(app, until)

        def there() -> list[TextView]:
            views = app.content.chat.transcript.viewport().findChildren(TextView)
            return [view for view in views if view.isVisible() and view.toPlainText() == "a needle there"]

        await until(there)
        (view,) = there()
        view.setFocus()
        cursor = view.textCursor()
        cursor.setPosition(2)
        cursor.setPosition(8, cursor.MoveMode.KeepAnchor)
        view.setTextCursor(cursor)
        app.control(Qt.Key.Key_F)
        await until(lambda: count(app).endswith("of 2"))
        assert bar(app).text == "needle"
        app.key(Qt.Key.Key_Escape)
        assert view.textCursor().selectedText() == "needle"
        assert app.focused() is view


async def test_esc_closes_the_bar_first_and_stops_nothing(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    """Case UX031."""
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 400 words 5")
        app.content.workflow_actions.show(run.workflow_id)
        app.write("kept")
        find(app, "say")
        await until(lambda: count(app) != "")
        app.content.chat.focus_composer()
        app.key(Qt.Key.Key_Escape)
        assert not bar(app).isVisible()
        assert app.content.chat.composer.draft().text == "kept"
        execution = app.core.stores.background.get_execution(run.workflow_id)
        assert execution is not None
        assert execution.is_active
        await app.core.engine.cancel(run.id)


async def test_esc_of_an_input_method_closes_no_bar(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp, a_store("one", "two")) as app:
        await shown(app, until)
        app.control(Qt.Key.Key_F)
        QApplication.sendEvent(app.focused(), QInputMethodEvent("べ", []))
        app.key(Qt.Key.Key_Escape)
        assert bar(app).isVisible()
        QApplication.sendEvent(app.focused(), QInputMethodEvent())
        app.key(Qt.Key.Key_Escape)
        assert not bar(app).isVisible()


async def test_esc_closes_the_bar_before_the_card_that_asks(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    ask = {**tool_step("ask", "calculator", expression="1"), "interrupt": {"kind": "approval"}}
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Publish", ask)
        await app.core.engine.wait(run.id)
        app.content.workflow_actions.show(run.workflow_id)
        find(app, "x")
        assert app.content.chat.focus_card()
        app.key(Qt.Key.Key_Escape)
        assert not bar(app).isVisible()
        assert app.content.chat.card.isAncestorOf(app.focused())
        app.key(Qt.Key.Key_Escape)
        assert not app.content.chat.card.isAncestorOf(app.focused())


async def test_what_is_found_grows_while_an_answer_comes_in(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    script = ({"say": "needle " * 40, "delay_ms": 10},)
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("go", script=script)
        app.content.workflow_actions.show(run.workflow_id)
        find(app, "needle")
        await app.core.engine.wait(run.id)
        await until(lambda: count(app) == "1 of 40")
        assert is_whole(app)
        bar(app).show_count(1_000, 2_000, is_at_work=True)
        assert is_whole(app)  # at once, not a frame later


async def test_what_is_looked_for_belongs_to_its_workflow(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    said = {"wf_1": ("needle needle", "needle"), "wf_2": ("needle", "other")}
    async with an_app(tmp_path, qapp, a_store_of(said)) as app:
        await shown(app, until)
        find(app, "needle")
        await until(lambda: count(app) == "1 of 3")
        app.key(Qt.Key.Key_F3)
        await shown(app, until, "wf_2")
        assert not bar(app).isVisible()
        find(app, "other")
        await until(lambda: count(app) == "1 of 1")
        await shown(app, until, "wf_1")
        await until(lambda: count(app) == "2 of 3")
        assert bar(app).text == "needle"
        await shown(app, until, "wf_2")
        await until(lambda: (bar(app).text, count(app)) == ("other", "1 of 1"))


async def test_a_place_in_a_folded_line_is_unfolded(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say('/tool calculator {"expression": "1234 * 2"}')
        await app.core.engine.wait(run.id)
        await shown_run(app, until, run.workflow_id)
        find(app, '"expression": "1234')
        await until(lambda: count(app).endswith("of 2") or count(app).endswith("of 3"))
        app.key(Qt.Key.Key_F3)
        app.key(Qt.Key.Key_F3)
        await until(lambda: current(app) != [])


async def shown_run(app: App, until: Until, workflow_id: str) -> None:
    app.content.workflow_actions.show(WorkflowId(workflow_id))
    await until(lambda: app.core.stores.view.is_loaded)


async def test_ten_thousand_messages_are_searched_without_holding_the_loop(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    texts = [f"message {n} about things in general, *emphatically* so" for n in range(10_000)]
    texts[7_777] += " and one needle"
    texts[9_001] = "long " * 20_000 + "needle " + "line " * 20_000
    async with an_app(tmp_path, qapp, a_store(*texts)) as app:
        await shown(app, until)
        await app.drawn()
        find(app, "absent")
        gc.disable()  # the app keeps the collector away from its heap; a test cannot
        busy = await longest_pause(20, lambda: count(app) == "Not found")
        gc.enable()
        assert count(app) == "Not found"
        assert busy < 0.1
        app.control(Qt.Key.Key_F)
        QTest.keyClicks(app.focused(), "needle")
        await until(lambda: count(app) in ("1 of 2", "2 of 2"))
        for _ in range(2):
            app.key(Qt.Key.Key_F3)
            assert current(app) == ["needle"]


async def longest_pause(seconds: float, is_over: Callable[[], bool] = lambda: False) -> float:
    """Return the longest time for which this thread blocked the loop; other threads do not count."""
    longest, began = 0.0, time.perf_counter()
    while time.perf_counter() - began < seconds and not is_over():
        asked = time.thread_time()
        await asyncio.sleep(0)
        longest = max(longest, time.thread_time() - asked)
    return longest
