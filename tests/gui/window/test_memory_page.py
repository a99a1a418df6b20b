"""The settings page of memories in the real window, driven by keyboard."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMessageBox, QPlainTextEdit

from core.domain.ids import MemoryId
from core.domain.memory import Memory, MemoryType
from core.services.memories import PAGE_SIZE
from desktop.settings.memory.memory_page import MemoryPage
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.page import PageId
from tests.gui.window.rig import App, an_app
from tests.gui.window.settings_rig import choose, control, dialog, notice, press, settings, texts, undo, write

pytestmark = [pytest.mark.usefixtures("bare"), pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]

Until = Callable[..., Awaitable[None]]
ODD = "<b>&x</b> \u202e مرحبا\x00 no\u00a0break 🙂\n\nlast"


async def add(app: App, name: str, content: str, made_s: float = 0, **fields: object) -> None:
    at = datetime.now(UTC) + timedelta(seconds=made_s - 100_000)
    given = {"type": MemoryType.KNOWLEDGE, "workflow_id": None, **fields}
    memory = Memory(MemoryId(name), content=content, length=len(content), created_at=at, **given)  # type: ignore[arg-type]
    await app.core.storage.memories.add(memory)


def shown(app: App) -> list[str]:
    page = dialog(app).findChild(MemoryPage)
    assert isinstance(page, MemoryPage)
    return list(page.rows)


async def content_of(app: App, name: str) -> str | None:
    kept = await app.core.storage.memories.get(MemoryId(name), datetime.now(UTC))
    return None if kept is None else kept.content


async def test_memories_are_found_read_whole_changed_and_deleted_with_undo(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        long = "Tea at five. " + "x" * 3000
        await add(app, "m1", long, 1, type=MemoryType.USER_PREF)
        await add(app, "m2", ODD, 2)
        await add(app, "m3", "Coffee", 3, type=MemoryType.CONTEXT, expires_at=datetime.now(UTC) + timedelta(days=2))
        await settings(app, PageId.MEMORY, until)
        await until(lambda: shown(app) == ["m3", "m2", "m1"])
        assert "3 memories, about " in texts(app)
        write(app, "Search memories", "tea")
        await until(lambda: shown(app) == ["m1"])
        (row,) = (widget for widget in dialog(app).findChildren(ItemRow) if widget.isVisible())
        assert row.name.startswith("Tea at five. xxx")
        press(app, f"Edit {row.name}")
        await until(lambda: isinstance(app.focused(), QPlainTextEdit))
        box = app.focused()
        assert isinstance(box, QPlainTextEdit)
        assert box.toPlainText() == long
        box.selectAll()
        QTest.keyClicks(box, "Tea at four.")
        choose(app, "Type", "Decision")
        press(app, "Save memory")
        await until(lambda: notice(app) == "The memory is saved.")
        assert await content_of(app, "m1") == "Tea at four."
        await until(lambda: "Decision · for all conversations" in texts(app))
        write(app, "Search memories", "nothing like it")
        await until(lambda: "No memory is like this." in texts(app))
        write(app, "Search memories", " ")
        choose(app, "Type of memory", "Knowledge")
        await until(lambda: shown(app) == ["m2"])
        name = next(widget.name for widget in dialog(app).findChildren(ItemRow) if widget.isVisible())
        press(app, f"Edit {name}")
        await until(lambda: isinstance(app.focused(), QPlainTextEdit))
        press(app, "Save memory")
        await until(lambda: notice(app) == "The memory is saved.")
        assert await content_of(app, "m2") == ODD  # untouched, whatever a field can hold
        press(app, f"Remove {name}")
        await until(lambda: shown(app) == [])
        assert await content_of(app, "m2") is None
        undo(app)
        await until(lambda: shown(app) == ["m2"])
        assert await content_of(app, "m2") == ODD
        QTest.keyClick(control(app, "Type of memory"), Qt.Key.Key_Home)
        await until(lambda: shown(app) == ["m3", "m2", "m1"])
        call = {"action": "add", "type": "decision", "content": "new"}
        await app.say("go", script=({"call": "memory", "arguments": call}, {"say": "so"}))
        await until(lambda: len(shown(app)) == 4, 30)
        await app.core.storage.memories.remove(MemoryId("m3"))
        press(app, "Edit Coffee")
        await until(lambda: notice(app) == "It is not there any more.")
        await until(lambda: "m3" not in shown(app))


async def test_thousands_are_turned_page_by_page_and_deleted_once_asked(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        for number in range(3_000):
            await add(app, f"m{number}", f"entry {number}", number)
        await settings(app, PageId.MEMORY, until)
        await until(lambda: len(shown(app)) == PAGE_SIZE)
        assert "3,000 memories" in texts(app)
        assert not control(app, "Newer").isEnabled()
        press(app, "Older")
        await until(lambda: shown(app)[0] == f"m{2_999 - PAGE_SIZE}")
        rows = [widget for widget in dialog(app).findChildren(ItemRow) if widget.isVisible()]
        assert len(rows) <= PAGE_SIZE
        await until(lambda: all(row.height() >= row.minimumSizeHint().height() for row in rows))
        tops = [row.mapTo(dialog(app), row.rect().topLeft()).y() for row in rows]
        assert all(after - before >= rows[0].minimumSizeHint().height() for before, after in pairwise(sorted(tops)))
        press(app, "Newer")
        await until(lambda: shown(app)[0] == "m2999")
        for answer, left in (("Keep", 3_000), ("Delete all", 0)):
            press(app, "Delete all…")
            (box,) = dialog(app).findChildren(QMessageBox)
            assert box.text() == "Delete all 3,000 memories?"
            button = next(each for each in box.buttons() if each.text() == answer)
            QTest.keyClick(button, Qt.Key.Key_Space)
            await until(lambda left=left: not dialog(app).findChildren(QMessageBox))
            if not left:
                await until(lambda: notice(app) == "3,000 memories are deleted.")
            assert (await app.core.storage.memories.usage()).count == left
        await until(lambda: "Agents remember nothing yet." in texts(app))
        page = dialog(app).findChild(MemoryPage)
        assert isinstance(page, MemoryPage)
        offered = [each.text() for each in page.findChildren(QAbstractButton) if each.isVisible()]
        assert not {"Newer", "Older", "Delete all…"} & set(offered)  # of nothing there is nothing to do
