"""Further screens of the settings: with something in their lists, their forms open, and what goes wrong in them."""

import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMessageBox, QWidget

from core.domain.ids import MemoryId
from core.domain.memory import Memory, MemoryType
from core.domain.model import ModelChoice
from core.domain.template import ValidationMode
from core.errors import StorageFailed
from core.services.outcome import Ok
from desktop.settings.dialog import SettingsDialog
from desktop.settings.general.about_page import LicenceRow
from desktop.settings.keys.keys_page import KeysPage
from desktop.settings.memory.memory_page import MemoryPage
from desktop.settings.models.agents_page import AgentsPage
from desktop.settings.models.models_page import ModelsPage
from desktop.settings.parts.page import PageId
from desktop.settings.prompts.prompts_page import PromptsPage
from desktop.settings.servers.server_row import ServerRow
from desktop.settings.servers.servers_page import ServersPage
from tests.gui.screens.tour import Screen, drawn, failure_screen, holds, settled
from tests.gui.window.rig import App
from tests.support.mcp_rig import HOSTILE

RECORDED = (
    {"call": "calculator", "arguments": {"expression": "1200 * 7"}},
    {"call": "run_code", "arguments": {"code": "export default (i) => i.n", "input": {"n": 8400}}},
    {"say": "done"},
)
PASTED = '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server", "."], "env": {"TOKEN": "abc"}}}}'
DOUBT: dict[str, Any] = {
    "folder": "/data/store",
    "reason": "older",
    "choices": ["keep", "backup", "salvage", "empty"],
    "seen": {"run": 18},
    "found": {"run": 3},
    "backup": {"created_at": "2026-01-02T03:04:05+00:00", "runs": 17},
}
FAILURES = ("in_use", "storage_full", "storage_not_writable")


async def filled_screens(app: App) -> AsyncIterator[Screen]:
    """Each of them, shown and drawn. Nothing needs to be there before."""
    for part in (_models, _agents, _servers, _texts, _validation, _others, _review, _failures):
        async for screen in part(app):
            yield screen


async def _dialog(app: App, page: PageId) -> SettingsDialog:
    app.content.preferences.open_at(page)
    found = app.content.preferences._dialog
    assert found is not None
    await settled(found)
    return found


async def _models(app: App) -> AsyncIterator[Screen]:
    kept = await app.core.providers.add_model(
        ModelChoice(base_url="http://127.0.0.1:9/v1", model="a-model-with-a-very-long-name-of-its-own:70b-instruct-q4")
    )
    assert isinstance(kept, Ok), kept
    dialog = await _dialog(app, PageId.MODELS)
    yield "settings with a model", dialog
    page = dialog.findChild(ModelsPage)
    assert isinstance(page, ModelsPage)
    page._edit(kept.data)
    await settled(dialog)
    page._form._test_button.click()
    await settled(dialog)
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    await drawn()
    yield "settings model form", dialog


async def _agents(app: App) -> AsyncIterator[Screen]:
    made = await app.core.agents.save(name="Code reviewer", system_prompt="Read what changed, and say what is wrong.")
    assert isinstance(made, Ok), made
    dialog = await _dialog(app, PageId.AGENTS)
    page = dialog.findChild(AgentsPage)
    assert isinstance(page, AgentsPage)
    page._open(made.data)
    await settled(dialog)
    yield "settings agent form", dialog
    page.close_form()


async def _servers(app: App) -> AsyncIterator[Screen]:
    dialog = await _dialog(app, PageId.SERVERS)
    page = dialog.findChild(ServersPage)
    assert isinstance(page, ServersPage)
    page._edit(None)
    await settled(dialog)
    yield "settings server form", dialog
    page.close_form()
    page._open_paste()
    QTest.keyClicks(app.focused(), PASTED)
    page._paste._read_button.click()
    await settled(dialog)
    yield "settings server paste", dialog
    page.close_form()
    good = {"command": sys.executable, "args": (str(HOSTILE), "good"), "start_timeout_s": 60.0}
    for name, confirmed, fields in (("Files", True, good), ("Not agreed to", False, good), ("Gone", True, _gone())):
        added = await app.core.servers.save(name=name, confirmed=confirmed, **fields)
        assert isinstance(added, Ok), added
    await holds(lambda: app.core.servers.named("Files").state == "running")
    await settled(dialog)
    yield "settings with servers", dialog
    row = next(one for one in page.rows.values() if isinstance(one, ServerRow) and one.name == "Files")
    row._fold_tools()
    row._fold_log()
    await settled(dialog)
    yield "settings server tools", dialog


def _gone() -> dict[str, Any]:
    return {"command": "no-such-program-anywhere", "args": ("--stdio",)}


async def _texts(app: App) -> AsyncIterator[Screen]:
    saved = await app.core.prompts.save(name="Sum up well", content="Sum up {{text}} in {{count}} words.")
    assert isinstance(saved, Ok), saved
    dialog = await _dialog(app, PageId.PROMPTS)
    page = dialog.findChild(PromptsPage)
    assert isinstance(page, PromptsPage)
    page._open(saved.data)
    await settled(dialog)
    yield "settings prompt form", dialog
    page.close_form()
    now = datetime.now(UTC)
    for number, kind in enumerate(MemoryType):
        text = f"Invoices of the quarter number {number} are sent on a Monday. " * (1 + 4 * number)
        ends = now + timedelta(days=2) if kind is MemoryType.CONTEXT else None
        memory = Memory(MemoryId(f"m{number}"), kind, None, text, len(text), now - timedelta(hours=number), ends)
        await app.core.storage.memories.add(memory)
    dialog = await _dialog(app, PageId.MEMORY)
    yield "settings with memories", dialog
    memories = dialog.findChild(MemoryPage)
    assert isinstance(memories, MemoryPage)
    memories._open(MemoryId("m1"))
    await settled(dialog)
    yield "settings memory form", dialog
    memories.close_form()
    await settled(dialog)
    memories._deletion._button.click()
    await holds(lambda: _open_box(dialog))
    box = _open_box(dialog)
    assert box is not None
    yield "memory question", box
    box.reject()


def _open_box(dialog: QWidget) -> QMessageBox | None:
    return next((one for one in dialog.findChildren(QMessageBox) if one.isVisible()), None)


async def _validation(app: App) -> AsyncIterator[Screen]:
    await app.core.settings.change(validation_mode=ValidationMode.SELECTIVE)
    dialog = await _dialog(app, PageId.VALIDATION)
    bar = dialog._page().verticalScrollBar()
    for number in range(1, 4):
        bar.setValue(bar.maximum() * number // 3)
        await drawn()
        yield f"settings validation further {number}", dialog
    await app.core.settings.change(validation_mode=ValidationMode.AUTO)


async def _others(app: App) -> AsyncIterator[Screen]:
    dialog = await _dialog(app, PageId.KEYS)
    keys = dialog.findChild(KeysPage)
    assert isinstance(keys, KeysPage)
    fields = [one for one in keys.findChildren(QLineEdit) if one.isVisible()]
    fields[1].setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(fields[1], Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    await settled(dialog)
    yield "settings key that is taken", dialog
    dialog = await _dialog(app, PageId.ABOUT)
    licence = next(one for one in dialog.findChildren(LicenceRow) if one.isVisible())
    licence._toggle()
    await settled(dialog)
    yield "settings licence", dialog
    dialog._search.setText("no such setting")
    await drawn()
    yield "settings nothing found", dialog
    dialog._search.clear()
    dialog.hide()
    app.window.activateWindow()


async def _review(app: App) -> AsyncIterator[Screen]:
    content = app.content
    sent = await app.core.chat.send("go", mode=ValidationMode.AUTO, script=RECORDED, record=True)
    assert isinstance(sent, Ok)
    await app.core.engine.wait(sent.data.id)
    content.opener.open(sent.data.workflow_id)
    app.core.stores.toasts.clear()
    await holds(content.recording.banner.isVisible)
    await settled(content.toasts)
    yield "recording", app.window
    content.recording.review()
    await holds(lambda: content.recording.dialog)
    review = content.recording.dialog
    assert review is not None
    await settled(review)
    yield "review with values", review
    review.close()


async def _failures(app: App) -> AsyncIterator[Screen]:
    for code in FAILURES:
        error = StorageFailed(code, "what the database says about it, which may be rather long")
        async for screen in failure_screen(app, f"failure {code}", error):
            yield screen
    async for screen in failure_screen(app, "doubt", StorageFailed("store_doubtful", "older", **DOUBT)):
        yield screen
