"""The choice of an agent's tools, with many tools."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.settings.models.tool_picker import ToolGroup, ToolPicker
from desktop.theme import Theme

OWN = ["calculator", "wait"]
MANY = [f"mcp__big__tool_{number}" for number in range(100)]


@pytest.fixture
def choice(theme: Theme, qtbot: QtBot) -> ToolPicker:
    choice = ToolPicker(theme)
    qtbot.addWidget(choice)
    choice.resize(600, 800)
    choice.set_options([*OWN, *MANY, "mcp__small__read"], None)
    choice.show()
    return choice


def box(choice: ToolPicker, name: str) -> QCheckBox:
    return next(item for item in choice.findChildren(QCheckBox) if item.accessibleName() == name)


def is_shown(choice: ToolPicker, name: str) -> bool:
    return any(item.accessibleName() == name and item.isVisible() for item in choice.findChildren(QCheckBox))


def search(choice: ToolPicker, words: str) -> None:
    field = choice.findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    field.clear()
    QTest.keyClicks(field, words)


async def test_a_hundred_tools_of_a_server_are_folded_found_and_chosen_together(choice: ToolPicker) -> None:
    assert box(choice, "calculator").isVisible()
    assert box(choice, "mcp__small__read").isVisible()
    assert not is_shown(choice, MANY[7])
    QTest.keyClick(box(choice, "All tools, also those to come"), Qt.Key.Key_Space)
    whole = box(choice, "Of the server “big”: 100 of 100")
    QTest.keyClick(whole, Qt.Key.Key_Space)
    assert choice.chosen() == (*OWN, "mcp__small__read")
    search(choice, "big tool_7")
    assert [name for name in MANY if is_shown(choice, name)] == [MANY[7], *MANY[70:80]]
    assert not box(choice, "calculator").isVisible()
    QTest.keyClick(whole, Qt.Key.Key_Space)  # of those that are found
    assert whole.checkState() is Qt.CheckState.PartiallyChecked
    search(choice, "no such tool")
    assert not any(group.isVisible() for group in choice.findChildren(ToolGroup))
    chosen = choice.chosen()
    assert chosen is not None
    assert set(chosen) == {*OWN, MANY[7], *MANY[70:80], "mcp__small__read"}


async def test_a_missing_tool_is_not_lost(choice: ToolPicker) -> None:
    choice.set_options(OWN, ["wait", "mcp__gone__read"])
    assert choice.chosen() == ("wait", "mcp__gone__read")
    assert box(choice, "Of the server “gone”: 1 of 1").isVisible()


async def test_two_thousand_tools_are_chosen_and_searched_without_a_stall(choice: ToolPicker) -> None:
    thousands = [f"mcp__big__tool_{number:04}" for number in range(2_000)]
    choice.set_options([*OWN, *thousands], thousands[:5])
    search(choice, "tool_19")
    assert [name for name in thousands if is_shown(choice, name)] == thousands[1900:2000]
    search(choice, "tool_1")
    assert sum(is_shown(choice, name) for name in thousands[1000:]) <= 100
    assert len(choice.findChildren(QCheckBox)) < 500  # a box for each would take seconds
    QTest.keyClick(box(choice, "Of the server “big”: 5 of 2,000"), Qt.Key.Key_Space)
    chosen = choice.chosen()
    assert chosen is not None
    assert len(chosen) == 5 + 1_000
