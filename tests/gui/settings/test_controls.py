"""Limits and appearance: a control applies at once, is saved, and can be undone."""

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox

from core.errors import StorageFailed
from desktop.settings.parts.editors import NumberBox
from desktop.settings.parts.page import PageId
from desktop.settings.sources.setting_sources import Setting
from desktop.theme import Appearance, Scheme
from desktop.tokens import DARK, LIGHT, SIZES
from desktop.translation import Language
from desktop.window_state import WindowState
from tests.gui.settings.rig import Rig

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

Until = Callable[..., Awaitable[None]]


def number(rig: Rig, name: str) -> NumberBox:
    box = rig.control(name)
    assert isinstance(box, NumberBox)
    return box


# Limits


@pytest.mark.parametrize(
    ("name", "text", "least", "most"),
    [
        ("Runs at once", "20", 1, 100),
        ("Workflows at once in automatic mode", "3", 1, 20),
        ("Write interval", "0.5\N{NO-BREAK SPACE}s", 0.1, 5),
    ],
)
async def test_a_limit_has_the_bounds_of_the_core(rig: Rig, name: str, text: str, least: float, most: float) -> None:
    rig.dialog.present(PageId.LIMITS)
    box = number(rig, name)
    assert (box.text(), box.minimum(), box.maximum()) == (text, least, most)


async def test_a_typed_number_applies_when_it_is_complete_and_is_saved(rig: Rig, until: Until) -> None:
    rig.dialog.present(PageId.LIMITS)
    QTest.keyClicks(number(rig, "Runs at once"), "50")
    assert rig.service.current.max_running_runs == 20
    rig.press(Qt.Key.Key_Return)
    await until(rig.action)
    assert rig.notice() == "Runs at once: 50"
    assert (await rig.saved_settings()).max_running_runs == 50
    assert rig.dialog.isVisible()


async def test_the_steps_of_a_number_are_undone_together(rig: Rig, until: Until) -> None:
    rig.dialog.present(PageId.LIMITS)
    number(rig, "Write interval").setFocus()
    for wanted in (0.6, 0.7, 0.8):
        rig.press(Qt.Key.Key_Up)
        await until(lambda wanted=wanted: rig.service.current.stream_write_interval_s == wanted)
    assert rig.notice() == "Write interval: 0.8\N{NO-BREAK SPACE}s"
    rig.click("Undo")
    await until(lambda: rig.service.current.stream_write_interval_s == 0.5)
    assert number(rig, "Write interval").value() == 0.5


async def test_a_step_and_back_leaves_nothing_to_undo(rig: Rig, until: Until) -> None:
    rig.dialog.present(PageId.LIMITS)
    rig.press(Qt.Key.Key_Up)
    await until(rig.action)
    rig.press(Qt.Key.Key_Down)
    await until(lambda: rig.service.current.max_running_runs == 20)
    assert rig.action() is None


async def test_a_number_that_the_disk_refuses_goes_back(rig: Rig, until: Until) -> None:
    rig.dialog.present(PageId.LIMITS)
    rig.disk.fault = StorageFailed("storage_not_writable", "read-only file system")
    rig.press(Qt.Key.Key_Up)
    await until(lambda: "cannot be written to" in rig.notice())
    assert number(rig, "Runs at once").value() == 20


async def test_a_limit_set_elsewhere_shows(rig: Rig) -> None:
    rig.dialog.present(PageId.LIMITS)
    await rig.service.change(max_running_runs=42)
    assert number(rig, "Runs at once").value() == 42


async def test_what_is_being_typed_survives_a_change_of_another_setting(rig: Rig) -> None:
    rig.dialog.present(PageId.LIMITS)
    box = number(rig, "Runs at once")
    QTest.keyClicks(box, "5")
    await rig.service.change(max_workflows_auto=4)
    assert box.text() == "5"


async def test_the_wheel_scrolls_the_page_and_turns_no_number_on_its_way(rig: Rig) -> None:
    rig.dialog.present(PageId.LIMITS)
    box = number(rig, "Write interval")
    none = (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase)
    turn = QWheelEvent(QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, 120), *none, False)
    QApplication.sendEvent(box, turn)
    assert (box.value(), turn.isAccepted()) == (0.5, False)


async def test_a_spending_limit_is_an_amount_or_none(rig: Rig, until: Until) -> None:
    rig.dialog.present(PageId.LIMITS)
    box = number(rig, "Spending limit of a run")
    assert (box.text(), rig.service.current.run_spending_limit) == ("no limit", None)
    for typed, limit, text in (("2.5", 2.5, "$2.50"), ("12000", 12_000, "$12,000"), ("", None, "no limit")):
        box.setFocus()
        box.selectAll()
        QTest.keyClick(box, Qt.Key.Key_Delete)
        QTest.keyClicks(box, typed)
        rig.press(Qt.Key.Key_Return)
        await until(lambda limit=limit: rig.service.current.run_spending_limit == limit)
        assert box.text() == text
        if limit is not None:  # else it is as it was at first, and nothing can be undone
            assert rig.notice() == f"Spending limit of a run: {text}"
    await rig.service.change(day_spending_limit=40)
    assert number(rig, "Spending limit of a day").value() == 40


# Appearance


async def test_a_theme_applies_at_once_and_is_saved(rig: Rig) -> None:
    rig.dialog.present(PageId.APPEARANCE)
    assert rig.theme.colors == LIGHT
    rig.press(Qt.Key.Key_Right)
    assert rig.theme.colors == DARK
    assert rig.saved_window().scheme == "dark"
    assert rig.notice() == "Theme: Dark"
    rig.click("Undo")
    assert rig.theme.colors == LIGHT
    assert rig.saved_window().scheme == "light"


async def test_a_language_applies_at_once_and_is_saved(rig: Rig) -> None:
    rig.dialog.present(PageId.APPEARANCE)
    rig.click("Français")
    assert rig.translation.language is Language.FRENCH
    assert rig.dialog.windowTitle() == "Réglages"
    assert rig.notice() == "Langue\N{NO-BREAK SPACE}: Français"
    assert rig.saved_window().language == "fr"
    rig.click("Annuler")
    assert rig.dialog.windowTitle() == "Settings"


async def test_the_text_size_applies_to_everything_at_once_and_is_saved(rig: Rig) -> None:
    rig.dialog.present(PageId.APPEARANCE)
    box = number(rig, "Text size")
    assert (box.text(), box.minimum(), box.maximum()) == ("100%", 80, 200)
    box.setFocus()
    rig.press(Qt.Key.Key_Up)
    assert rig.theme.sizes == SIZES.zoomed(1.1)
    assert rig.saved_window().zoom == 1.1
    assert rig.notice() == "Text size: 110%"


async def test_reduced_motion_is_switched_by_one_press_and_saved(rig: Rig) -> None:
    rig.dialog.present(PageId.APPEARANCE)
    switch = rig.control("Reduce motion")
    assert isinstance(switch, QCheckBox)
    assert switch.isChecked()
    switch.setFocus()
    rig.press(Qt.Key.Key_Space)
    assert rig.theme.appearance == Appearance(Scheme.LIGHT, 1.0, reduced_motion=False)
    assert rig.saved_window().reduced_motion is False
    assert rig.notice() == "Reduce motion: off"


async def test_the_key_that_sends_is_emitted_to_the_window_and_saved(rig: Rig) -> None:
    reported = list[bool]()
    rig.window.enter_sends_changed.connect(reported.append)
    rig.dialog.present(PageId.APPEARANCE)
    rig.control("Enter").setFocus()
    rig.press(Qt.Key.Key_Right)
    assert reported == [False]
    assert rig.saved_window().enter_sends is False
    assert rig.notice() == "Send a message with: Ctrl+Enter"


async def test_the_rest_of_the_window_s_state_stays(rig: Rig) -> None:
    rig.state = WindowState(scheme="light", language="en", viewed_workflow="wf-7", is_sidebar_collapsed=True)
    rig.window.set(Setting.SCHEME, "dark")
    saved = rig.saved_window()
    assert (saved.scheme, saved.viewed_workflow, saved.is_sidebar_collapsed) == ("dark", "wf-7", True)


async def test_a_theme_that_cannot_be_saved_does_not_apply(rig: Rig) -> None:
    rig.dialog.present(PageId.APPEARANCE)
    rig.is_window_file_refused = True
    rig.click("Dark")
    assert rig.theme.colors == LIGHT
    assert rig.notice() == "The disk did not take the change, so the setting stays as it was."
    rig.press(Qt.Key.Key_Tab)
    rig.is_window_file_refused = False
    rig.click("Try again")
    assert rig.theme.colors == DARK
    assert rig.notice() == "Theme: Dark"
