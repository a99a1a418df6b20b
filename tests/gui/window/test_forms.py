"""What is filled in for a template or a prompt is kept until it is started or cleared (UI §3)."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.template import ValidationMode
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_limit import reason, strip_of, work
from tests.gui.window.test_new_from_template import begin
from tests.support.in_memory.storage import InMemoryStorage

Until = Callable[..., Awaitable[None]]
Key = Qt.Key


def filled_in(app: App) -> list[object] | None:
    """The contents of the form that stands in place of the composer; None without one."""
    chat = app.content.chat
    if not chat.inputs.isVisible():
        assert chat.composer.isVisible()
        return None
    assert not chat.composer.isVisible()
    assert chat.inputs.form is not None
    return [field.raw_value for field in chat.inputs.form.fields]


async def test_it_is_there_after_a_switch_a_refusal_esc_and_a_crash(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage, mode=ValidationMode.SELECTIVE) as app:
        busy = await work(app)
        await begin(app, "Ask around", "ask", until)
        QTest.keyClicks(app.focused(), "say 2")
        app.content.opener.open(busy.workflow_id)
        assert filled_in(app) is None
        app.write("/ask around")
        app.control(Key.Key_N)
        assert filled_in(app) == ["say 2"]
        QTest.keyClicks(app.focused(), " words")
        app.key(Key.Key_Return)
        await until(lambda: bool(reason(app)))
        strip_of(app).show_other.click()
        assert (app.viewed, filled_in(app)) == (busy.workflow_id, None)
        assert app.content.chat.composer.draft().text == "/ask around"
        app.control(Key.Key_N)
        assert (filled_in(app), bool(reason(app))) == (["say 2 words"], True)
        app.key(Key.Key_Escape)
        assert filled_in(app) is None
        await begin(app, "Ask around", "ask", until)
        assert filled_in(app) == ["say 2 words"]
        await app.content.input.forms.drafts.flush()
        app.content.input.forms.drafts._path = tmp_path / "elsewhere"  # killed here: nothing more is written
        await app.core.engine.cancel(busy.id)
    async with an_app(tmp_path, qapp, storage) as app:
        app.control(Key.Key_N)
        await until(lambda: filled_in(app) == ["say 2 words"])
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        assert filled_in(app) is None
        await until(lambda: not (tmp_path / "forms.json").exists())
        await begin(app, "Ask around", "ask", until)
        assert filled_in(app) == [""]  # started: nothing of it is left


async def test_one_that_a_message_named_stays_with_its_workflow_until_it_is_cleared(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 2 words")
        await app.core.engine.wait(run.id)
        app.content.opener.open(run.workflow_id)
        app.write("/ask around")
        app.key(Key.Key_Return)  # of the list
        app.key(Key.Key_Return)
        await until(lambda: filled_in(app) == [""])
        QTest.keyClicks(app.focused(), "say 3 words")
        app.control(Key.Key_N)
        assert filled_in(app) is None
        app.content.opener.open(run.workflow_id)
        assert filled_in(app) == ["say 3 words"]
        app.control(Key.Key_A)
        app.key(Key.Key_Delete)
        app.key(Key.Key_Escape)
        await app.content.input.forms.drafts.flush()
        assert not (tmp_path / "forms.json").exists()
        app.key(Key.Key_Return)
        await until(lambda: filled_in(app) == [""])
        QTest.keyClicks(app.focused(), "say 3 words")
        app.control(Key.Key_N)
        app.content.opener.open(run.workflow_id)
        app.key(Key.Key_Return)
        await until(lambda: "/ask around" in app.turn_texts()[-2] or '/"Ask around"' in " ".join(app.turn_texts()))
        assert (filled_in(app), app.content.chat.composer.draft().text) == (None, "")
