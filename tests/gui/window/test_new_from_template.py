"""Starting a template in a workflow of its own: by the palette, its key and the start page."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from core.domain.ids import TemplateId
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.ports import Put, StoredTemplate
from desktop.attention.place_field import PlaceField
from tests.gui.window.rig import App, an_app
from tests.support.command_line import template
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
SHIFT_CONTROL = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def titles(app: App) -> list[str]:
    return [entry.title for entry in app.content.command_palette.shown()]


async def begin(app: App, title: str, words: str, until: Until) -> None:
    """Choose a template by words of its title, and wait for its form."""
    app.key(Key.Key_N, SHIFT_CONTROL)
    await until(lambda: title in titles(app))
    QTest.keyClicks(app.focused(), words)
    app.key(Key.Key_Return)
    await until(app.content.chat.inputs.isVisible)


async def keep(app: App, title: str, mode: str) -> None:
    made = {**template(tool_step("a", "calculator", expression="1"), title=title), "mode": mode}
    one = StoredTemplate(TemplateId("tpl_1"), 1, title, encode(made), app.core.clock.now())
    await app.core.storage.commit([Put(one)])


async def test_a_template_is_found_by_its_name_and_runs_in_a_workflow_of_its_own(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        first = await app.say("say 1 word")
        await app.core.engine.wait(first.id)
        app.content.workflow_actions.show(first.workflow_id)
        app.write("kept")
        await keep(app, "Sums", ValidationMode.MANUAL)  # after the window has looked
        app.control(Key.Key_K)
        QTest.keyClicks(app.focused(), "#")
        await until(lambda: "Sums" in titles(app))
        assert "Ask around" in titles(app)
        QTest.keyClicks(app.focused(), "sum")
        assert titles(app) == ["Sums"]
        app.key(Key.Key_Return)
        await until(lambda: app.viewed not in (None, first.workflow_id))
        composer = app.content.chat.composer
        assert app.focused() is composer.text_box
        assert composer.draft().text == ""
        newest = (await app.core.storage.runs.page(limit=1))[0]
        assert (newest.title, newest.workflow_id) == ("Sums", app.viewed)
        assert (
            await app.core.storage.snapshots.of_run(newest.id)
        ).mode is ValidationMode.MANUAL  # it asks for more than set
        await app.core.engine.cancel(newest.id)
        app.content.workflow_actions.show(first.workflow_id)
        assert composer.draft().text == "kept"


async def test_its_input_is_asked_first_and_esc_starts_nothing(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        inputs = app.content.chat.inputs
        await begin(app, "Ask around", "ask", until)
        app.key(Key.Key_Escape)
        assert not inputs.isVisible()
        assert await app.core.storage.workflows.all() == []
        app.key(Key.Key_N, SHIFT_CONTROL)
        QTest.keyClicks(app.focused(), "ask")
        app.key(Key.Key_Return)
        await until(inputs.isVisible)
        QTest.keyClicks(app.focused(), "say 2 words")
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        assert not inputs.isVisible()
        assert app.focused() is app.content.chat.composer.text_box
        (run,) = await app.core.storage.runs.page(limit=5)
        assert (await app.core.storage.snapshots.of_run(run.id)).input == {"question": "say 2 words"}
        await app.core.engine.wait(run.id)


async def test_at_the_limit_nothing_starts_and_the_form_keeps_what_was_written_until_it_can(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, mode=ValidationMode.SELECTIVE) as app:
        busy = await app.say("a long one", script=({"say": "a b c", "delay_ms": 120_000},))
        inputs = app.content.chat.inputs
        await begin(app, "Ask around", "ask", until)
        QTest.keyClicks(app.focused(), "say 2 words")
        app.key(Key.Key_Return)
        await until(app.content.chat.footer.limit.isVisible)
        assert inputs.isVisible()
        await app.core.engine.cancel(busy.id)
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        assert not inputs.isVisible()


async def test_the_start_page_leads_to_the_templates(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        buttons = {button.text(): button for button in app.content.start.findChildren(QPushButton)}
        page = app.content.start
        assert all(page.rect().contains(button.geometry()) for button in buttons.values())
        buttons["New from template"].click()
        await until(lambda: "Ask around" in titles(app))
        app.key(Key.Key_Escape)
        assert page.isAncestorOf(app.focused())


async def test_the_folder_that_the_form_names_is_allowed_for_that_run(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("water the plants\n")
    async with an_app(tmp_path, qapp) as app:
        inputs = app.content.chat.inputs
        await begin(app, "Folder report", "folder rep", until)
        assert inputs.form is not None
        (field,) = inputs.form.fields
        assert isinstance(field, PlaceField)
        field.button.click()
        dialog = app.content.window().findChild(QFileDialog, "choose_place")
        assert isinstance(dialog, QFileDialog)
        dialog.selectFile(str(folder))
        dialog.accept()
        await until(lambda: field.raw_value == str(folder))
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        (run,) = await app.core.storage.runs.page(limit=5)
        ended = await app.core.engine.wait(run.id)
        assert ended.status == "success"
        assert "1 files, 1 lines, 3 words" in (folder / "report.md").read_text()
        workflow = await app.core.storage.workflows.get(run.workflow_id)
        assert workflow is not None
        assert workflow.folders == ()
