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


def search(choice: ToolPicker, words: str) -> None:
    field = choice.findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    field.clear()
    QTest.keyClicks(field, words)


async def test_a_hundred_tools_of_a_server_are_folded_found_and_chosen_together(choice: ToolPicker) -> None:
    assert box(choice, "calculator").isVisible()
    assert box(choice, "mcp__small__read").isVisible()
    assert not box(choice, MANY[7]).isVisible()
    QTest.keyClick(box(choice, "All tools, also those to come"), Qt.Key.Key_Space)
    whole = box(choice, "Of the server “big”: 100 of 100")
    QTest.keyClick(whole, Qt.Key.Key_Space)
    assert choice.chosen() == (*OWN, "mcp__small__read")
    search(choice, "big tool_7")
    assert [name for name in MANY if box(choice, name).isVisible()] == [MANY[7], *MANY[70:80]]
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
