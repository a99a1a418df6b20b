"""The folders of a workflow: chosen by the keyboard alone, kept with it, and reached by what runs in it."""

from html import unescape
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu

from core.domain.template import ValidationMode
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import ended, take_card
from tests.gui.window.test_import_export import drop
from tests.support.waiting import until
from tests.support.world import tool_step

Key = Qt.Key
SHIFT_CONTROL = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def a_menu(app: App) -> QMenu:
    """Open the menu of folders by its key."""
    app.key(Key.Key_O, SHIFT_CONTROL)
    menu = app.content.header.findChild(QMenu, "folders")
    assert menu is not None
    assert menu.isVisible()
    return menu


def texts(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def press(menu: QMenu, text: str) -> None:
    """Go down to the entry and press Enter."""
    for _ in menu.actions():
        active = menu.activeAction()
        if active is not None and active.text() == text:
            break
        QTest.keyClick(menu, Key.Key_Down)
    QTest.keyClick(menu, Key.Key_Return)


async def pick(app: App, place: Path) -> None:
    """Choose the folder or file in the dialog that opens."""
    await until(lambda: app.window.findChild(QFileDialog, "choose_folder") is not None)
    dialog = app.window.findChild(QFileDialog, "choose_folder")
    assert isinstance(dialog, QFileDialog)
    name = dialog.findChild(QLineEdit, "fileNameEdit")
    assert name is not None
    name.setText(str(place))  # typed, a list of completions would take the Enter
    dialog.accept()
    await until(lambda: place.name in tip(app))
    app.window.activateWindow()
    await until(app.window.isActiveWindow)


def tip(app: App) -> str:
    return unescape(app.content.header._folder.toolTip())


async def test_a_new_workflow_works_in_the_chosen_folder(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "invoices"
    folder.mkdir()
    (folder / "a.txt").write_text("hello from the folder")
    async with an_app(tmp_path, qapp) as app:
        press(a_menu(app), "Choose folder…")
        await pick(app, folder)
        assert "invoices" in app.header_texts()
        app.write('/tool read_file {"path": "a.txt"}')
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        assert app.viewed is not None
        await until(lambda: "hello from the folder" in app.turn_texts()[-1])
        row = app.core.stores.workflows.get(app.viewed)
        assert row is not None
        assert row.workflow.folders == (str(folder),)


async def test_folders_are_added_changed_and_taken_away_by_the_menu(tmp_path: Path, qapp: QApplication) -> None:
    first, second, file = tmp_path / "in & out", tmp_path / "second", tmp_path / "b.txt"
    first.mkdir()
    second.mkdir()
    file.write_text("b")
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:

        def granted() -> tuple[str, ...]:
            listed = app.core.stores.workflows.get(run.workflow_id)
            return () if listed is None else listed.workflow.folders

        run = await app.say("say 1 word")
        await app.core.engine.wait(run.id)
        app.content.workflow_actions.show(run.workflow_id)
        await app.drawn()
        for entry, place in (("Choose folder…", first), ("Add folder…", second), ("Add file…", file)):
            press(a_menu(app), entry)
            await pick(app, place)
        assert granted() == (str(first), str(second), str(file))
        menu = a_menu(app)
        assert texts(menu)[0].startswith("in && out — ")
        inner = menu.actions()[1].menu()
        assert isinstance(inner, QMenu)
        assert texts(inner) == [
            "Read and write",
            "Read only",
            "Start relative paths here",
            "Show in file manager",
            "Remove",
        ]
        inner.actions()[1].trigger()
        await until(lambda: granted()[1] == f"ro:{second}")
        menu.close()
        await until(lambda: "(read only)" in tip(app))
        press(a_menu(app), "No folder")
        await until(lambda: not granted())
        assert "No folder" in tip(app)
        app.control(Key.Key_N)  # a new workflow is offered what was chosen last
        await until(lambda: app.viewed is None)
        assert first.name in tip(app)
        first.rename(tmp_path / "elsewhere")
        menu = a_menu(app)
        await until(lambda: "in & out" not in tip(app))
        menu.close()


async def test_a_folder_that_is_gone_is_told(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 1 word")
        await app.core.engine.wait(run.id)
        await app.core.workflows.set_folders(run.workflow_id, [str(folder)])
        folder.rmdir()
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: "notes is missing" in app.header_texts())
        assert "does not exist any more" in tip(app)
        many = [tmp_path / f"folder {number}" for number in range(21)]
        for each in many:
            each.mkdir()
        drop(app.content.chat, *many)
        await until(lambda: any("at most 20 folders" in toast.message for toast in app.core.stores.toasts.visible))


async def test_the_start_page_leads_to_a_folder(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        for _ in range(3):
            app.key(Key.Key_Tab)
        app.key(Key.Key_Return)
        await pick(app, folder)
        assert app.content.header.isVisible()
        assert app.core.settings.current.last_folders == (str(folder),)


async def test_dropped_folders_are_added_and_files_attached(tmp_path: Path, qapp: QApplication) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    for folder in (first, second, third):
        folder.mkdir()
    (third / "reports").mkdir()
    (third / "readme.txt").write_text("read me")
    async with an_app(tmp_path, qapp) as app:
        await app.core.settings.change(last_folders=(str(first),))
        drop(app.content, second, third / "readme.txt")  # on the start page
        await until(lambda: app.core.settings.current.last_folders == (str(second),))
        assert app.content.header.isVisible()
        drop(app.content.chat, third / "readme.txt", third, first)
        await until(lambda: app.core.settings.current.last_folders == (str(second), str(third), str(first)))
        await until(lambda: [file.name for file in app.content.chat.composer.files] == ["readme.txt"])

        await app.core.settings.change(last_folders=(str(third),))
        app.write("@rep")
        mentions = app.content.chat.mentions
        await until(mentions.isVisible)
        app.key(Key.Key_Return)
        assert app.content.chat.composer.draft().text.endswith(f"@{third}/reports/")


async def test_a_run_that_is_retried_gets_the_folder_that_was_chosen_meanwhile(
    tmp_path: Path, qapp: QApplication
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("water the plants")
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Read", tool_step("read", "read_file", path="a.txt"))
        await app.core.engine.wait(run.id)
        app.content.workflow_actions.show(run.workflow_id)
        press(a_menu(app), "Choose folder…")
        await pick(app, tmp_path / "notes")
        app.key(Key.Key_R, SHIFT_CONTROL)
        await until(lambda: app.viewed != run.workflow_id)
        (again,) = await app.core.storage.runs.page(limit=1)
        assert (await app.core.engine.wait(again.id)).status == "success"
        assert "notes" in app.header_texts()


async def test_a_newcomer_gets_the_report_of_a_folder_by_the_keyboard_alone(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("water the plants\n")
    async with an_app(tmp_path, qapp, mode=ValidationMode.SELECTIVE, size=(800, 600)) as app:
        press(a_menu(app), "Choose folder…")
        await pick(app, folder)
        app.key(Key.Key_N, SHIFT_CONTROL)
        await until(lambda: any(each.title == "Folder report" for each in app.content.command_palette.shown()))
        QTest.keyClicks(app.focused(), "folder rep")
        app.key(Key.Key_Return)
        inputs = app.content.chat.inputs
        await until(inputs.isVisible)
        assert inputs.form is not None
        assert [field.raw_value for field in inputs.form.fields] == [str(folder)]
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        (run,) = await app.core.storage.runs.page(limit=5)
        await until(lambda: app.core.stores.questions.count(run.workflow_id) == 1)
        assert not (folder / "report.md").exists()
        await app.drawn()
        await take_card(app)
        app.control(Key.Key_Return)  # approves write_file
        await ended(app, run)
        assert "1 files, 1 lines, 3 words" in (folder / "report.md").read_text()
        await until(lambda: "report.md" in app.turn_texts()[-1])
        assert "notes" in tip(app)
