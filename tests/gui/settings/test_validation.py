"""The validation mode: its banner to the letter, saved, undone, and restored when a write fails."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.domain.template import ValidationMode
from core.errors import StorageFailed
from desktop.settings.parts.page import PageId
from desktop.settings.sources.setting_sources import Setting
from desktop.theme import Appearance, Scheme
from desktop.translation import Language
from tests.gui.settings.rig import Rig

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

Until = Callable[..., Awaitable[None]]

# As the design has them. The app sets them with the apostrophes and the spaces of French typography.
AUTO_FR = (
    "Mode automatique : les opérations seront approuvées sans confirmation. Le mode multi-workflow (jusqu'à 3 "
    "simultanés) sera disponible. Assurez-vous de comprendre les risques de sécurité."
)
HUMAN_FR = (
    "Ce mode nécessite une validation humaine. Le multi-workflow n'est pas disponible - un seul workflow peut "
    "s'exécuter à la fois."
)
AUTO_EN = (
    "Automatic mode: operations will be approved without confirmation. Multi-workflow mode (up to 3 at once) will be "
    "available. Make sure that you understand the security risks."
)
HUMAN_EN = "This mode requires human validation. Multi-workflow is not available - only one workflow can run at a time."
BANNERS = {
    ("auto", Language.ENGLISH): ("warning", AUTO_EN),
    ("manual", Language.ENGLISH): ("info", HUMAN_EN),
    ("selective", Language.ENGLISH): ("info", HUMAN_EN),
    ("auto", Language.FRENCH): ("warning", AUTO_FR),
    ("manual", Language.FRENCH): ("info", HUMAN_FR),
    ("selective", Language.FRENCH): ("info", HUMAN_FR),
}


def typed(text: str) -> str:
    """Return the text with a keyboard's apostrophes and spaces."""
    return text.replace("’", "'").replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(("mode", "language"), BANNERS)
async def test_each_mode_has_its_banner_to_the_letter(rig: Rig, mode: str, language: Language) -> None:
    await rig.service.change(validation_mode=mode)
    rig.translation.set_language(language)
    QApplication.processEvents()
    kind, text = rig.banner()
    assert (kind, typed(text)) == BANNERS[mode, language]


@pytest.mark.parametrize(
    ("limit", "language", "words"),
    [
        (7, Language.ENGLISH, "(up to 7 at once)"),
        (7, Language.FRENCH, "(jusqu’à 7 simultanés)"),
        (1, Language.FRENCH, "sans confirmation. Assurez-vous"),
    ],
)
async def test_the_number_in_the_banner_is_the_setting_of_now(
    rig: Rig, limit: int, language: Language, words: str
) -> None:
    await rig.service.change(validation_mode="auto")
    rig.translation.set_language(language)
    await rig.service.change(max_workflows_auto=limit)
    QApplication.processEvents()
    assert words in rig.banner()[1]


async def test_the_arrows_choose_a_mode_that_applies_and_is_saved(rig: Rig, until: Until) -> None:
    assert rig.focused() == "Selective"
    rig.press(Qt.Key.Key_Up)
    await until(lambda: rig.service.current.validation_mode is ValidationMode.MANUAL)
    rig.press(Qt.Key.Key_Up)
    await until(lambda: rig.service.current.validation_mode is ValidationMode.AUTO)
    assert (rig.focused(), rig.mode()) == ("Automatic", "Automatic")
    assert rig.banner()[0] == "warning"
    assert (await rig.saved_settings()).validation_mode is ValidationMode.AUTO


async def test_a_change_is_undone_and_done_again_by_the_same_button(rig: Rig, until: Until) -> None:
    rig.click("Automatic")
    await until(rig.action)
    assert rig.notice() == "Validation mode: Automatic"
    action = rig.control("Undo")
    action.setFocus(Qt.FocusReason.TabFocusReason)
    rig.press(Qt.Key.Key_Space)
    await until(lambda: rig.notice() == "Undone. Validation mode: Selective")
    assert rig.mode() == "Selective"
    assert (await rig.saved_settings()).validation_mode is ValidationMode.SELECTIVE
    assert rig.focused() == "Redo"
    rig.press(Qt.Key.Key_Space)
    await until(lambda: rig.notice() == "Validation mode: Automatic")
    assert (await rig.saved_settings()).validation_mode is ValidationMode.AUTO


async def test_tab_leads_from_the_last_control_to_the_undo(rig: Rig, until: Until) -> None:
    rig.press(Qt.Key.Key_Up)
    await until(rig.action)
    rig.press(Qt.Key.Key_Tab)
    assert rig.focused() == "Ask about tools"
    rig.control("Read the log again").setFocus(Qt.FocusReason.TabFocusReason)
    rig.press(Qt.Key.Key_Tab)
    assert rig.focused() == "Undo"


async def test_a_failed_write_restores_the_card_and_shows_why(rig: Rig, until: Until) -> None:
    rig.disk.fault = StorageFailed("storage_full", "commit: No space left on device (os error 28)")
    rig.click("Automatic")
    await until(lambda: rig.notice() == "The disk is full, so the setting stays as it was.")
    assert rig.mode() == "Selective"
    assert rig.banner()[0] == "info"
    assert (await rig.saved_settings()).validation_mode is ValidationMode.SELECTIVE


async def test_a_rejected_change_can_be_retried(rig: Rig, until: Until) -> None:
    rig.disk.fault = StorageFailed("storage_full", "no space")
    rig.click("Automatic")
    await until(rig.action)
    rig.disk.fault = None
    rig.click("Try again")
    await until(lambda: rig.notice() == "Validation mode: Automatic")
    assert (await rig.saved_settings()).validation_mode is ValidationMode.AUTO


async def test_an_unknown_failure_has_a_text_too(rig: Rig, until: Until) -> None:
    rig.disk.fault = StorageFailed("storage_on_fire", "Traceback (most recent call last)")
    rig.click("Manual")
    await until(lambda: rig.notice() == "The change was refused, so the setting stays as it was.")


async def test_a_defect_of_the_core_is_reported_and_leaves_the_card_as_it_was(rig: Rig, until: Until) -> None:
    rig.disk.fault = ZeroDivisionError("a defect")
    rig.errors.append(rig.disk.fault)
    rig.click("Automatic")
    await until(lambda: rig.mode() == "Selective")
    rig.disk.fault = None
    rig.click("Manual")
    await until(lambda: rig.service.current.validation_mode is ValidationMode.MANUAL)


async def test_settings_change_without_the_dialog_when_it_is_gone(rig: Rig, until: Until) -> None:
    is_gone = list[bool]()
    rig.dialog.destroyed.connect(partial(is_gone.append, True))
    rig.dialog.deleteLater()
    await until(lambda: is_gone)
    await rig.service.change(validation_mode=ValidationMode.MANUAL)
    rig.theme.set_appearance(Appearance(Scheme.DARK))
    assert rig.core.value(Setting.VALIDATION_MODE) == ValidationMode.MANUAL


async def test_a_mode_set_elsewhere_shows_and_takes_the_undo_of_the_former_away(rig: Rig, until: Until) -> None:
    rig.click("Automatic")
    await until(rig.action)
    await rig.service.change(validation_mode=ValidationMode.MANUAL)
    assert rig.mode() == "Manual"
    assert rig.banner()[0] == "info"
    assert rig.action() is None
    assert rig.notice() == "Changes apply at once."


async def test_an_undo_of_one_setting_outlives_a_change_of_another_elsewhere(rig: Rig, until: Until) -> None:
    rig.click("Automatic")
    await until(rig.action)
    await rig.service.change(max_running_runs=7)
    assert rig.notice() == "Validation mode: Automatic"


async def test_of_two_choices_in_a_row_the_last_one_holds(rig: Rig, until: Until) -> None:
    rig.core.set(Setting.VALIDATION_MODE, "auto")
    rig.core.set(Setting.VALIDATION_MODE, "manual")
    rig.core.set(Setting.MAX_WORKFLOWS_AUTO, 5)
    await until(lambda: rig.service.current.max_workflows_auto == 5)
    saved = await rig.saved_settings()
    assert (saved.validation_mode, saved.max_workflows_auto) == (ValidationMode.MANUAL, 5)
    assert rig.service.current == saved


async def test_what_a_time_limit_means_is_chosen_while_there_is_one(rig: Rig, until: Until) -> None:
    limits = [rig.control(name) for name in ("Time limit of a request", "Reject")]
    assert not any(item.isEnabled() for item in limits)
    rig.click("Requests have a time limit")
    await until(lambda: all(item.isEnabled() for item in limits))
    rig.click("Requests have a time limit")
    await until(lambda: not any(item.isEnabled() for item in limits))


async def test_the_banner_is_hidden_with_its_cards(rig: Rig) -> None:
    rig.search("disk")
    assert rig.dialog.page is PageId.LIMITS
    rig.search("")
    rig.dialog.present(PageId.VALIDATION)
    assert rig.banner()[0] == "info"
