"""Export and import in the window: by row, menu and key, by dropping a file, and from the settings."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QProgressDialog, QPushButton

from core.domain.ids import WorkflowId
from core.services.import_export.exporting import Kind
from core.services.import_export.library import OnConflict
from core.services.import_export.service import ALL_KINDS
from core.services.outcome import Ok
from desktop.settings.data.data_page import TransferSection
from desktop.settings.parts.page import PageId
from desktop.sidebar.row_menu import RowAction
from desktop.transfer.import_dialog import ImportDialog
from desktop.window.content import Content
from tests.gui.window.rig import App, an_app
from tests.support.waiting import until

Until = Callable[..., Awaitable[None]]


async def a_talk(app: App, title: str) -> WorkflowId:
    run = await app.say("say 2 words")
    await app.core.engine.wait(run.id)
    assert isinstance(await app.core.workflows.rename(run.workflow_id, title), Ok)
    return run.workflow_id


async def save_as(app: App, path: Path) -> None:
    """Name the file in the dialog that asks for it."""

    def dialogs() -> list[QFileDialog]:
        return [each for each in app.window.findChildren(QFileDialog) if each.isVisible()]

    await until(lambda: len(dialogs()) == 1)
    (dialog,) = dialogs()
    dialog.setDirectory(str(path.parent))
    (name,) = dialog.findChildren(QLineEdit, "fileNameEdit")
    name.setText(path.name)
    dialog.accept()


async def preview_of(app: App, path: Path) -> ImportDialog:
    app.content.transfer.preview(path)
    await until(lambda: app.content.transfer.import_dialog is not None)
    dialog = app.content.transfer.import_dialog
    assert dialog is not None
    return dialog


def toasts(app: App) -> list[str]:
    return [toast.code for toast in app.core.stores.toasts.visible]


async def test_a_workflow_is_exported_from_its_row_and_imported_into_another_window(
    tmp_path: Path, qapp: QApplication
) -> None:
    file = tmp_path / "talk.json"
    async with an_app(tmp_path / "first", qapp) as app:
        talk = await a_talk(app, "Plan the garden")
        app.content.sidebar.row_requested.emit(RowAction.EXPORT, talk)
        await save_as(app, file)
        await until(lambda: "exported" in toasts(app))
    assert json.loads(file.read_text())["workflows"][0]["title"] == "Plan the garden"
    async with an_app(tmp_path / "second", qapp) as app:
        dialog = await preview_of(app, file)
        assert dialog.kinds[Kind.WORKFLOWS].text() == "Workflows · 1 new"
        assert not any(button.isVisible() for button in dialog.choices.values())
        await until(lambda: app.focused() is dialog.confirm)
        app.key(Qt.Key.Key_Return)
        await until(lambda: app.content.transfer.import_dialog is None)
        assert "imported" in toasts(app)
        await until(lambda: app.row(talk) is not None)
        app.content.workflow_actions.show(talk)
        await until(lambda: "say 2 words" in app.turn_texts())


async def test_the_viewed_workflow_is_exported_as_markdown_by_its_command(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        assert not app.content.menus.is_enabled("workflow.export")
        talk = await a_talk(app, "Talk")
        app.content.workflow_actions.show(talk)
        await until(lambda: app.content.menus.is_enabled("workflow.export"))
        app.content.menus.trigger("workflow.export")
        await save_as(app, tmp_path / "talk.md")
        await until(lambda: "exported" in toasts(app))
        assert (tmp_path / "talk.md").read_text().startswith("# Talk\n")


async def test_several_workflows_and_kinds_are_chosen(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        for title in ("One", "Two", "Three"):
            await a_talk(app, title)
        app.content.menus.trigger("data.export")
        await until(lambda: app.content.transfer.export_dialog is not None)
        dialog = app.content.transfer.export_dialog
        assert dialog is not None
        assert (len(dialog.chosen), dialog.chosen_kinds) == (3, ALL_KINDS - {Kind.WORKFLOWS})
        for box in dialog.kinds.values():
            box.setChecked(False)
        (none,) = [button for button in dialog.findChildren(QPushButton) if button.text() == "None"]
        none.click()
        assert not dialog.confirm.isEnabled()
        for row in range(dialog.list.count()):
            item = dialog.list.item(row)
            if item.text() != "Two":
                item.setCheckState(Qt.CheckState.Checked)
        QTest.mouseClick(dialog.confirm, Qt.MouseButton.LeftButton)
        await save_as(app, tmp_path / "two.json")
        await until(lambda: "exported" in toasts(app))
        document = json.loads((tmp_path / "two.json").read_text())
        assert sorted(each["title"] for each in document["workflows"]) == ["One", "Three"]
        assert "agents" not in document


async def test_conflicts_are_shown_and_the_choice_is_followed(tmp_path: Path, qapp: QApplication) -> None:
    file = tmp_path / "all.json"
    async with an_app(tmp_path, qapp) as app:
        talk = await a_talk(app, "Talk")
        assert isinstance(await app.core.import_export.export(file, kinds=ALL_KINDS), Ok)
        assert isinstance(await app.core.workflows.rename(talk, "Talk, renamed"), Ok)
        assert isinstance(await app.core.settings.change(validation_mode="manual"), Ok)
        dialog = await preview_of(app, file)
        assert dialog.kinds[Kind.WORKFLOWS].text() == "Workflows · 1 left as they are"
        assert all(button.isVisible() for button in dialog.choices.values())
        assert not dialog._consent.isVisible()
        dialog.choices[OnConflict.OVERWRITE].click()
        await until(lambda: dialog.kinds[Kind.WORKFLOWS].text() == "Workflows · 1 replaced")
        assert "validation mode" in dialog._consent.text
        assert dialog._consent.isVisible()
        dialog.kinds[Kind.SETTINGS].setChecked(False)
        await until(lambda: not dialog._consent.isVisible())
        dialog.choices[OnConflict.RENAME].click()
        await until(lambda: dialog.kinds[Kind.WORKFLOWS].text() == "Workflows · 1 as a copy")
        QTest.mouseClick(dialog.confirm, Qt.MouseButton.LeftButton)
        await until(lambda: app.content.transfer.import_dialog is None)
        listed = await app.core.workflows.all()
        assert isinstance(listed, Ok)
        assert sorted(each.workflow.title for each in listed.data.workflows) == ["Talk (2)", "Talk, renamed"]
        assert app.core.settings.current.validation_mode == "manual"


async def test_a_file_that_is_no_export_is_refused_in_a_sentence(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        for name, text in (
            ("cut.json", '{"format": "metier.export/1",'),
            ("new.json", '{"format": "metier.export/9"}'),
        ):
            (tmp_path / name).write_text(text)
            app.content.transfer.preview(tmp_path / name)
        await until(lambda: {"bad_export", "newer_export"} <= set(toasts(app)))
        assert app.content.transfer.import_dialog is None


def drop(target: QPushButton | Content | object, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPoint(5, 5), copy, data, left, none)
    target.dropEvent(event)  # type: ignore[union-attr]  # a widget that takes files


async def test_a_dropped_export_is_previewed_and_any_other_file_is_attached(tmp_path: Path, qapp: QApplication) -> None:
    file = tmp_path / "all.json"
    async with an_app(tmp_path, qapp) as app:
        talk = await a_talk(app, "Talk")
        assert isinstance(await app.core.import_export.export(file, [talk]), Ok)
        drop(app.content, file)
        await until(lambda: app.content.transfer.import_dialog is not None)
        dialog = app.content.transfer.import_dialog
        assert dialog is not None
        dialog.reject()
        await until(lambda: app.content.transfer.import_dialog is None)
        drop(app.content.chat, file)
        await until(lambda: app.content.transfer.import_dialog is not None)
        assert app.content.chat.composer.files == ()
        (tmp_path / "notes.json").write_text('{"a": 1}')
        drop(app.content.chat, tmp_path / "notes.json")
        await until(lambda: len(app.content.chat.composer.files) == 1)


async def test_the_settings_open_export_and_import(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.content.preferences.open_at(PageId.DATA)
        dialog = app.content.preferences._dialog
        assert dialog is not None
        (section,) = dialog.findChildren(TransferSection)
        section.export.click()
        await until(lambda: app.content.transfer.export_dialog is not None)
        section.import_.click()
        await until(lambda: any(each.objectName() == "import_from" for each in app.window.findChildren(QFileDialog)))
        for each in app.window.findChildren(QFileDialog):
            each.reject()


async def test_a_failed_import_is_told_in_the_dialog_and_can_be_tried_again(tmp_path: Path, qapp: QApplication) -> None:
    file = tmp_path / "all.json"
    async with an_app(tmp_path, qapp) as app:
        talk = await a_talk(app, "Talk")
        assert isinstance(await app.core.import_export.export(file, [talk]), Ok)
        assert isinstance(await app.core.workflows.delete(talk), Ok)
        dialog = await preview_of(app, file)
        text = file.read_text()
        file.write_text(text[:100])
        dialog.confirm.click()
        await until(lambda: "cut or damaged" in dialog.failure)
        assert dialog.confirm.isEnabled()
        file.write_text(text)
        dialog.confirm.click()
        await until(lambda: app.content.transfer.import_dialog is None)
        assert app.core.stores.workflows.get(talk) is not None


async def test_a_long_export_can_be_cancelled(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await a_talk(app, "Talk")
        release = asyncio.Event()

        async def wait(*_: object) -> None:
            await release.wait()

        monkeypatch.setattr(app.core.import_export._exporter, "write", wait)
        app.content.menus.trigger("data.export")
        await until(lambda: app.content.transfer.export_dialog is not None)
        dialog = app.content.transfer.export_dialog
        assert dialog is not None
        dialog.confirm.click()
        await save_as(app, tmp_path / "all.zip")
        await until(lambda: app.window.findChild(QProgressDialog, "exporting") is not None)
        progress = app.window.findChild(QProgressDialog, "exporting")
        assert progress is not None
        (cancel,) = progress.findChildren(QPushButton)
        cancel.click()
        await until(lambda: app.window.findChild(QProgressDialog, "exporting") is None)
        assert "exported" not in toasts(app)
        assert not (tmp_path / "all.zip").exists()
