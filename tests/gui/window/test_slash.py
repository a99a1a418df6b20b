"""Templates and prompts named by a slash, in the real window."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.ids import TemplateId
from core.domain.run import RunKind
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.ports import Put, StoredTemplate
from core.services.outcome import Ok
from tests.gui.window.rig import App, an_app
from tests.support.command_line import template
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
TEXT = {"type": "string"}


def written(app: App) -> str:
    return app.content.chat.composer.draft().text


def titles(app: App) -> list[str]:
    return [each.title for each in app.content.chat.completion.shown()]


async def keep_template(app: App, title: str, *steps: dict[str, Any], **more: Any) -> None:
    made = {**template(*(steps or (tool_step("a", "calculator", expression="1"),)), title=title), **more}
    one = StoredTemplate(TemplateId(f"tpl_{title}"), 1, title, encode(made), app.core.clock.now())
    await app.core.storage.commit([Put(one)])


async def keep_prompt(app: App, name: str, content: str, description: str = "") -> None:
    assert isinstance(await app.core.prompts.save(name=name, content=content, description=description), Ok)


async def begin(app: App, until: Until, text: str) -> None:
    """Type in the composer of a new workflow, and wait for the list."""
    app.control(Key.Key_N)
    app.write(text)
    await until(lambda: app.content.input.slash_commands._titles is not None)


async def test_a_slash_in_an_empty_composer_lists_what_it_can_name_and_typing_narrows_it(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await keep_prompt(app, "Sum up", "Sum up {{text}}.", description="<b>Short</b>")
        await keep_template(app, "Sum totals")
        await keep_template(app, "Été 🙂 مرحبا")
        await begin(app, until, "/")
        await until(lambda: "Ask around" in titles(app))
        assert {"Sum up", "Sum totals", "Été 🙂 مرحبا"} <= set(titles(app))
        assert app.content.chat.completion.objectName() == "completion"
        box = app.focused()
        QTest.keyClicks(box, "sum")
        assert titles(app) == ["Sum totals", "Sum up"]
        shown = app.content.chat.completion.shown()
        assert [(each.kind, each.about) for each in shown] == [("template", ""), ("prompt", "<b>Short</b>")]
        app.key(Key.Key_Down)
        app.key(Key.Key_Down)  # it stays at the last
        app.key(Key.Key_Tab)
        assert app.focused() is box
        assert written(app) == '/"Sum up" '
        assert titles(app) == []
        app.control(Key.Key_A)
        app.key(Key.Key_Backspace)
        QTest.keyClicks(box, "/ete")
        await until(lambda: titles(app) == ["Été 🙂 مرحبا"])
        QTest.keyClicks(box, "zz")
        assert titles(app) == []
        app.key(Key.Key_Backspace)
        app.key(Key.Key_Backspace)
        app.key(Key.Key_Escape)
        assert (titles(app), written(app), app.focused()) == ([], "/ete", box)
        QTest.keyClicks(box, " ")
        assert titles(app) == []  # it was not wanted


async def test_the_list_stays_away_while_an_input_method_composes_and_from_other_texts(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await begin(app, until, "/")
        await until(lambda: bool(titles(app)))
        QApplication.sendEvent(app.focused(), QInputMethodEvent("ni", []))
        assert titles(app) == []
        app.key(Key.Key_Return)
        assert written(app) == "/"
        done = QInputMethodEvent("", [])
        done.setCommitString("Ask")
        QApplication.sendEvent(app.focused(), done)
        assert titles(app) == ["Ask around"]
        app.control(Key.Key_A)
        QTest.keyClicks(app.focused(), "a /")
        assert titles(app) == []
        run = await app.say("say 1 word")
        await app.core.engine.wait(run.id)
        app.control(Key.Key_A)
        QTest.keyClicks(app.focused(), "/")
        await until(lambda: bool(titles(app)))
        app.content.workflow_actions.show(run.workflow_id)
        assert titles(app) == []
        app.control(Key.Key_N)
        assert (written(app), titles(app)) == ("/", [])  # a draft is no typing


async def test_a_named_template_runs_in_the_viewed_workflow_with_the_rest_as_its_input(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        first = await app.say("say 1 word")
        await app.core.engine.wait(first.id)
        app.content.workflow_actions.show(first.workflow_id)
        await until(lambda: len(app.turn_texts()) == 2)
        app.write("/ask around say 2 words")
        app.key(Key.Key_Return)
        await until(lambda: written(app) == "")
        assert app.turn_texts()[2] == "/ask around say 2 words"
        execution = app.core.stores.background.get_execution(first.workflow_id)
        assert execution is not None
        assert execution.run is not None
        assert execution.run.kind is RunKind.WORKFLOW
        await app.core.engine.wait(execution.run.run_id)
        snapshot = await app.core.storage.snapshots.of_run(execution.run.run_id)
        assert snapshot.input == {"question": "say 2 words"}
        await until(lambda: app.content.chat.composer._state.is_running is False)
        app.key(Key.Key_F5)  # again: the same template, not its name as a message
        await until(lambda: len(app.turn_texts()) == 6)
        assert next(run.kind for run in await app.core.storage.runs.page(limit=5)) is RunKind.WORKFLOW


async def test_what_nothing_is_called_is_sent_as_text_and_the_composer_shows_it_before(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await begin(app, until, "/unknown thing")
        assert app.content.chat.composer._hint.text() == "No template or prompt is called “unknown”: sent as text"
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None and app.turn_texts()[:1] == ["/unknown thing"])
        assert (await app.core.storage.runs.page(limit=1))[0].kind is RunKind.CHAT


async def test_missing_input_is_asked_over_the_composer_and_esc_gives_the_text_back(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    schema = {
        "type": "object",
        "properties": {"prompt": TEXT, "count": {"type": "integer", "minimum": 3}, "extra": TEXT},
        "required": ["count", "prompt"],
        "additionalProperties": False,
    }
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        await keep_template(app, "Count", inputSchema=schema)
        chat, inputs = app.content.chat, app.content.chat.inputs
        await begin(app, until, "/count these")
        app.key(Key.Key_Return)
        await until(inputs.isVisible)
        assert not chat.composer.isVisible()
        assert inputs.form is not None
        assert [one.editor.accessibleName() for one in inputs.form.fields] == ["count"]
        assert inputs.isAncestorOf(app.focused())
        app.key(Key.Key_Escape)
        assert (inputs.isVisible(), written(app), app.focused()) == (False, "/count these", chat.composer.text_box)
        app.key(Key.Key_Return)
        await until(inputs.isVisible)
        app.key(Key.Key_Return)
        assert inputs.form.fields[0].error == "This is needed."
        QTest.keyClicks(app.focused(), "3")
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        assert (inputs.isVisible(), written(app)) == (False, "")
        (run,) = await app.core.storage.runs.page(limit=5)
        assert (await app.core.storage.snapshots.of_run(run.id)).input == {"prompt": "these", "count": 3}
        assert app.turn_texts()[0] == "/count these"


async def test_an_input_that_is_refused_can_be_mended_in_the_form(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "minLength": 3}}, "required": ["a"]}
    async with an_app(tmp_path, qapp) as app:
        await keep_template(app, "Long", inputSchema=schema)
        inputs = app.content.chat.inputs
        await begin(app, until, "/long")
        app.key(Key.Key_Return)  # of the list
        app.key(Key.Key_Return)
        await until(inputs.isVisible)
        QTest.keyClicks(app.focused(), "ab")
        app.key(Key.Key_Return)
        assert inputs.form is not None
        await until(lambda: inputs.form is not None and bool(inputs.form.fields[0].error))
        assert inputs.isVisible()
        QTest.keyClicks(app.focused(), "c")
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)


async def test_a_refused_start_leaves_the_text_and_a_form_goes_with_its_workflow(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, mode=ValidationMode.MANUAL) as app:
        busy = await app.say("a long one", script=({"say": "a b c", "delay_ms": 120_000},))
        await begin(app, until, "/ask around say 2 words")
        app.key(Key.Key_Return)
        await until(app.content.chat.footer.limit.isVisible)
        assert written(app) == "/ask around say 2 words"
        assert len(await app.core.storage.workflows.all()) == 1
        app.control(Key.Key_A)
        QTest.keyClicks(app.focused(), "/ask around")
        app.key(Key.Key_Return)  # of the list
        app.key(Key.Key_Return)
        await until(app.content.chat.inputs.isVisible)
        app.content.workflow_actions.show(busy.workflow_id)
        assert not app.content.chat.inputs.isVisible()
        assert app.content.chat.composer.isVisible()
        app.control(Key.Key_N)
        assert written(app) == '/"Ask around" '
        await app.core.engine.cancel(busy.id)


async def test_a_prompt_replaces_what_was_written_and_is_sent_by_the_user_alone(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await keep_prompt(app, "Tidy", "Tidy {{text}}: {{}} {{")
        await keep_prompt(app, "Long", "é" * 50_000)
        await keep_prompt(app, "Two", "{{a}} and {{b}}")
        composer = app.content.chat.composer
        await begin(app, until, "/tidy {{text}} x")
        app.key(Key.Key_Return)
        await until(lambda: written(app) == "Tidy {{text}} x: {{}} {{")
        assert composer.draft().cursor == len("Tidy {{text}} x: {{}} {{")
        assert await app.core.storage.runs.page(limit=1) == []
        app.control(Key.Key_Z)
        assert written(app) == "/tidy {{text}} x"
        app.control(Key.Key_A)
        QTest.keyClicks(app.focused(), "/Long and more")
        app.key(Key.Key_Return)
        await until(lambda: written(app) == "é" * 50_000 + "\n\nand more")
        app.control(Key.Key_A)
        QTest.keyClicks(app.focused(), "/two")
        await until(lambda: titles(app) == ["Two"])
        app.key(Key.Key_Return)
        app.key(Key.Key_Return)
        inputs = app.content.chat.inputs
        await until(inputs.isVisible)
        QTest.keyClicks(app.focused(), "1")
        app.key(Key.Key_Tab)
        QTest.keyClicks(app.focused(), "{{a}}")
        app.control(Key.Key_Return)
        await until(lambda: written(app) == "1 and {{a}}")
        assert app.focused() is composer.text_box
        assert await app.core.storage.runs.page(limit=1) == []


async def test_of_one_name_the_prompt_is_meant_and_the_list_can_choose_the_template(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await keep_prompt(app, "Same", "text")
        await keep_template(app, "Same")
        await begin(app, until, "/same")
        await until(lambda: titles(app) == ["Same", "Same"])
        kinds = [each.kind for each in app.content.chat.completion.shown()]
        for _ in range(kinds.index("template")):
            app.key(Key.Key_Down)
        app.key(Key.Key_Return)
        assert app.content.chat.composer._hint.text() == "Starts the template “Same”"
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        app.control(Key.Key_N)
        await keep_template(app, "Samey")
        app.write("/sa")
        await until(lambda: len(titles(app)) == 3)
        kinds = [each.kind for each in app.content.chat.completion.shown()]
        for _ in range(kinds.index("template")):
            app.key(Key.Key_Down)
        app.key(Key.Key_Return)
        app.key(Key.Key_Backspace)
        QTest.keyClicks(app.focused(), "y")  # what was chosen is not what stands there
        assert app.content.chat.composer._hint.text() == "Starts the template “Samey”"
        app.control(Key.Key_A)
        QTest.keyClicks(app.focused(), "/same ")
        app.key(Key.Key_Return)
        await until(lambda: written(app) == "text")


async def test_the_list_and_the_form_stay_inside_a_small_window(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    schema = {
        "type": "object",
        "properties": {f"k{at}": {"type": "string", "maxLength": 500} for at in range(12)},
        "required": [f"k{at}" for at in range(12)],
    }
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        await keep_template(app, "Many", inputSchema=schema)
        for number in range(20):
            await keep_prompt(app, f"{'x' * 50} {number}", "c", description="d " * 400)
        chat = app.content.chat
        await begin(app, until, "/")
        await until(lambda: len(titles(app)) > 20)
        place = QRect(chat.completion.mapToGlobal(QPoint(0, 0)), chat.completion.size())
        assert QRect(chat.mapToGlobal(QPoint(0, 0)), chat.size()).contains(place)
        assert place.bottom() < chat.composer.mapToGlobal(QPoint(0, 0)).y()
        QTest.keyClicks(app.focused(), "many")
        app.key(Key.Key_Return)
        app.key(Key.Key_Return)
        await until(chat.inputs.isVisible)
        assert chat.rect().contains(chat.inputs.geometry())
