"""The first minutes: the demo from the empty start page, and a word to the offline agent."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.domain.interruption import Action, Answer
from core.domain.template import ValidationMode
from desktop.arguments import Arguments
from desktop.settings.models.model_form import ModelForm
from tests.gui.window.rig import App, an_app

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
TITLES = {"en": "Fix an invoice", "fr": "Réparer une facture"}


def tools_asked(app: App) -> list[str | None]:
    return [question.asked.tool for question in app.core.stores.questions.all]


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_enter_on_the_first_page_starts_real_work_in_the_language_of_the_window(
    tmp_path: Path, qapp: QApplication, until: Until, language: str
) -> None:
    arguments = Arguments(language=language, theme="light")
    async with an_app(tmp_path, qapp, mode=ValidationMode.SELECTIVE, arguments=arguments) as app:
        app.key(Key.Key_Return)
        await until(lambda: app.core.stores.background.running_count == 3)
        await until(lambda: app.content.header._title.text() == TITLES[language])
        await until(lambda: set(tools_asked(app)) == {"edit_file", "ask_user"})
        for _ in range(2):  # one card after the other
            await until(lambda: "edit_file" in tools_asked(app))
            (asked,) = [question for question in app.core.stores.questions.all if question.asked.tool == "edit_file"]
            app.content.workflow_actions.answer(asked, Answer(Action.APPROVE), None)
            await until(lambda: asked not in app.core.stores.questions.all)  # noqa: B023
        await until(lambda: "| Ada Lopez | 14" in app.turn_texts()[-1])
        await until(lambda: app.core.stores.background.recently_completed_workflows)  # the template has ended
        app.content.demo.remove()
        await until(lambda: not app.core.stores.workflows.rows)
        await until(lambda: app.core.settings.current.validation_mode is ValidationMode.SELECTIVE)


async def test_hello_to_the_offline_agent_offers_to_connect_a_model(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        offer = app.content.chat.footer.offer
        app.write("Hello")
        assert not offer.isVisible()
        app.key(Key.Key_Return)
        await until(offer.isVisible)
        offer.button.setFocus()
        app.key(Key.Key_Return)
        dialog = app.content.preferences._dialog
        assert dialog is not None
        await until(dialog.isActiveWindow)
        (form,) = dialog.findChildren(ModelForm)
        assert form.isAncestorOf(app.focused())
        dialog.hide()
        app.window.activateWindow()
        await until(app.window.isActiveWindow)
        app.write("say 2 words")
        app.key(Key.Key_Return)
        await until(lambda: app.turn_texts()[-1] == "a workflow")
        await until(lambda: not offer.isVisible())
