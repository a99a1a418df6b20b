"""Recording in the window: the banner while it is on, and the review that makes a template of it."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.recording.review_dialog import ReviewDialog
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.waiting import until

SCRIPT = (
    {"call": "calculator", "arguments": {"expression": "1200 * 7"}},
    {"call": "run_code", "arguments": {"code": "export default (i) => i.n", "input": {"n": 8400}}},
    {"call": "calculator", "arguments": {"expression": "1 / 0"}},
    {"say": "done"},
)


async def record(app: App) -> None:
    sent = await app.core.chat.send("go", mode=ValidationMode.AUTO, script=SCRIPT, record=True)
    assert isinstance(sent, Ok)
    await app.core.engine.wait(sent.data.id)
    app.content.workflow_actions.show(sent.data.workflow_id)


async def review(app: App) -> ReviewDialog:
    place = app.content.recording
    await until(place.banner.isVisible)
    (button,) = place.banner.findChildren(QPushButton)
    button.click()
    await until(lambda: place.dialog is not None)
    assert place.dialog is not None
    return place.dialog


async def test_a_recording_is_reviewed_and_saved_as_a_template(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        await record(app)
        dialog = await review(app)
        assert "3 steps" in app.content.recording.banner.text
        (row,) = dialog.rows
        assert not row.box.isChecked()
        dialog.title.setText("Folder report")
        QTest.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        await until(lambda: "already" in dialog.failure)
        row.box.setChecked(True)
        dialog.title.setText("Seven times")
        QTest.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        await until(lambda: app.content.recording.dialog is None)
        await until(lambda: not app.content.recording.banner.isVisible())
        found = await app.core.templates.find("Seven times")
        assert isinstance(found, Ok)
        assert found.data.template.steps[1].input["input"] == {"n": "@calculator_1.result"}


async def test_a_recording_is_shown_again_after_a_restart_and_can_end_without_a_template(
    tmp_path: Path, qapp: QApplication
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        await record(app)
        viewed = app.viewed
    async with an_app(tmp_path, qapp, storage) as app:
        app.content.workflow_actions.show(viewed)
        dialog = await review(app)
        assert "3 steps" in app.content.recording.banner.text
        dialog.end_requested.emit()
        await until(lambda: not app.content.recording.banner.isVisible())
        assert [run.status for run in await storage.runs.page()] == ["success"] * 2


async def test_the_command_begins_a_recording_of_what_follows(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.content.recording.toggle()
        assert app.core.stores.recordings.get(app.viewed) is None
        run = await app.say("say 2 words")
        await app.core.engine.wait(run.id)
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: app.core.stores.view.workflow_id == run.workflow_id)
        app.content.recording.toggle()
        await until(app.content.recording.banner.isVisible)
        assert "each tool call" in app.content.recording.banner.text
