"""The activity panel: what it lists, what it opens, and how it collapses."""

import time

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.domain.events import (
    CommandOutput,
    ConsoleWritten,
    ReasoningReceived,
    StepFinished,
    StepSkipped,
    ThoughtSaved,
    ToolEnded,
    ToolStarted,
)
from core.domain.ids import CallId
from core.domain.run import StepStatus
from core.domain.tool import CallStatus
from desktop.theme import Appearance, Scheme, Theme
from desktop.tokens import SIZES
from desktop.translation import Language, Translation
from desktop.widgets import SHOWN_CHARACTERS
from tests.gui.activity.conftest import Sidebar
from tests.stores.rig import Teller

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def segment(sidebar: Sidebar, words: str) -> QPushButton:
    return next(each for each in sidebar.panel.findChildren(QPushButton) if each.accessibleName() == words)


def tool_button(sidebar: Sidebar, name: str) -> QToolButton:
    found = [each for each in sidebar.panel.findChildren(QToolButton) if each.accessibleName() == name]
    return next(each for each in found if each.isVisible())


def detail_text(sidebar: Sidebar, name: str) -> QPlainTextEdit:
    """Return the text of the opened item under this title."""
    found = [each for each in sidebar.panel.findChildren(QPlainTextEdit) if each.accessibleName() == name]
    return next(each for each in found if each.isVisible())


def is_open(sidebar: Sidebar) -> bool:
    return any(each.isVisible() for each in sidebar.panel.findChildren(QPlainTextEdit))


def words_seen(sidebar: Sidebar) -> list[str]:
    return [label.text() for label in sidebar.panel.findChildren(QLabel) if label.isVisible() and label.text()]


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def click_row(sidebar: Sidebar, row: int) -> None:
    place = sidebar.middle_of(row)
    QTest.mouseClick(sidebar.items.viewport(), Qt.MouseButton.LeftButton, pos=place)
    sidebar.show()


# The list


def test_the_newest_is_on_top(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one")
    sidebar.call(run, "two")
    assert sidebar.lines == ["Read two.txt", "Read one.txt", "Ada"]


def test_a_line_has_its_outcome_in_its_accessible_text(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one", status=CallStatus.ERROR, error={"code": "x", "message": "no such file"})
    spoken = sidebar.items.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Reading one.txt, Failed: no such file, now"


def test_a_skipped_step_shows_the_value_of_its_condition(sidebar: Sidebar) -> None:
    run = sidebar.template({"count": 0})
    sidebar.desk.tell(run.say(StepSkipped(step="check", value=0)))
    sidebar.show()
    spoken = sidebar.items.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "check, Skipped: the condition found 0, now"


def test_a_filter_shows_its_kind_and_every_filter_its_count(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one")
    sidebar.call(run, "two")
    click(segment(sidebar, "Agents 1"))
    assert sidebar.lines == ["Ada"]
    click(segment(sidebar, "Tools 2"))
    assert sidebar.lines == ["Read two.txt", "Read one.txt"]
    sidebar.call(run, "three")
    assert sidebar.lines[0] == "Read three.txt"
    click(segment(sidebar, "All 4"))
    assert len(sidebar.lines) == 4


def test_what_was_thought_has_a_filter_and_opens_to_all_of_it(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    thought = ReasoningReceived(text="Let me\nsee. " * 100, message_id=run.message_id, offset=0, step="chat")
    sidebar.desk.tell(run.say(thought))
    sidebar.show()
    click(segment(sidebar, "Reasoning 1"))
    assert sidebar.lines[0].startswith("Let me see. Let me")
    spoken = sidebar.items.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert ", Thinking, " in spoken
    kept = ThoughtSaved(text="", offset=1200, place=0, step="chat", elapsed_ms=2500, is_whole=True)
    sidebar.desk.tell(run.say(kept))
    sidebar.show()
    click_row(sidebar, 0)
    assert detail_text(sidebar, "Reasoning").toPlainText() == thought.text
    assert any(words.startswith("Thought · ") for words in words_seen(sidebar))


def test_what_is_listed_is_to_be_exported_and_a_long_export_can_be_cancelled(sidebar: Sidebar, qtbot: QtBot) -> None:
    export = tool_button(sidebar, "Export the activity…")
    assert not export.isEnabled()
    run = sidebar.chat()
    sidebar.call(run, "one")
    with qtbot.waitSignal(sidebar.panel.export_requested):
        click(export)
    click(segment(sidebar, "Tools 1"))
    assert [item.name for item, _ in sidebar.panel.filtered_items()] == ["read_file"]
    row = sidebar.panel.exporting
    row.begin(200)
    assert not row.isVisible()  # what takes a moment says nothing
    qtbot.waitUntil(row.isVisible)
    row.set_done(120)
    assert "Exporting: 120 of 200" in words_seen(sidebar)
    with qtbot.waitSignal(row.cancelled):
        click(segment(sidebar, "Cancel"))
    row.end()
    assert not row.isVisible()


def test_an_empty_list_shows_what_it_is_for_and_the_next_step(sidebar: Sidebar, qtbot: QtBot) -> None:
    assert {"Activity", "No activity yet", "Ctrl+L"} <= set(words_seen(sidebar))
    button = segment(sidebar, "Write a message")
    with qtbot.waitSignal(sidebar.panel.compose_requested):
        click(button)


def test_a_filter_without_items_shows_an_empty_state(sidebar: Sidebar) -> None:
    sidebar.chat()
    click(segment(sidebar, "Tools 0"))
    assert "Nothing of this kind" in words_seen(sidebar)
    assert "Ctrl+L" not in words_seen(sidebar)


def test_new_items_leave_selection_and_place_where_they_are(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    for number in range(30):
        sidebar.call(run, f"{number}")
    row = sidebar.items.model().index(15, 0)
    sidebar.items.setCurrentIndex(row)
    kept = QPersistentModelIndex(row)
    sidebar.call(run, "new")
    assert kept.isValid()
    assert sidebar.items.currentIndex().row() == 16
    assert sidebar.items.currentIndex().data() == "Read 14.txt"


def test_another_workflow_shows_its_own_items_and_closes_the_open_item(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one")
    click_row(sidebar, 0)
    other = sidebar.desk.start("b")
    sidebar.desk.background.set_viewed(other.workflow_id)
    sidebar.show()
    assert sidebar.lines == ["Ada"]
    assert not is_open(sidebar)


def test_it_stays_light_with_2000_items(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    for number in range(2000):
        call_id = CallId(f"c{number}")
        started = ToolStarted(call_id=call_id, tool="read_file", arguments={"path": f"{number}"}, step="chat")
        sidebar.desk.tell(
            run.say(started), run.say(ToolEnded(call_id=call_id, status=CallStatus.COMPLETED, duration_ms=1))
        )
    sidebar.show()
    assert len(sidebar.lines) == 2001
    redrawn: list[str] = []
    sidebar.items.model().dataChanged.connect(lambda *_: redrawn.append("changed"))
    sidebar.items.model().modelReset.connect(lambda: redrawn.append("reset"))
    began = time.process_time()
    sidebar.call(run, "new")
    took_s = time.process_time() - began
    assert redrawn == []
    assert took_s < 0.25


# Opening


def test_a_click_opens_all_that_is_known(sidebar: Sidebar) -> None:
    sidebar.template({"rows": [1, 2]})
    click_row(sidebar, sidebar.lines.index("Read notes.txt"))
    assert detail_text(sidebar, "Arguments").toPlainText() == '{\n  "path": "notes.txt"\n}'
    assert '"rows"' in detail_text(sidebar, "Result").toPlainText()
    assert any(
        "Done" in words and "5\N{NO-BREAK SPACE}ms" in words and "step fetch" in words for words in words_seen(sidebar)
    )


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_keys_open_and_escape_closes(sidebar: Sidebar, key: Qt.Key) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one")
    sidebar.panel.take_focus()
    sidebar.items.setCurrentIndex(sidebar.items.model().index(0, 0))
    QTest.keyClick(sidebar.window.windowHandle(), key)
    assert is_open(sidebar)
    QTest.keyClick(sidebar.window.windowHandle(), Qt.Key.Key_Escape)
    assert not is_open(sidebar)
    assert QApplication.focusWidget() is sidebar.items


def test_escape_in_a_value_closes_it_too(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one")
    click_row(sidebar, 0)
    detail_text(sidebar, "Arguments").setFocus()
    QTest.keyClick(sidebar.window.windowHandle(), Qt.Key.Key_Escape)
    assert not is_open(sidebar)


def test_with_an_item_open_the_arrows_open_the_next(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one")
    sidebar.call(run, "two")
    sidebar.panel.take_focus()
    click_row(sidebar, 0)
    QTest.keyClick(sidebar.items, Qt.Key.Key_Down)
    assert "one.txt" in detail_text(sidebar, "Arguments").toPlainText()


def test_the_close_button_gives_focus_back_to_the_list(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one")
    click_row(sidebar, 0)
    click(tool_button(sidebar, "Close"))
    assert not is_open(sidebar)
    assert QApplication.focusWidget() is sidebar.items


def test_a_huge_value_is_bounded_in_sight_and_whole_in_the_copy(sidebar: Sidebar) -> None:
    output = "ü" * 300_000
    sidebar.template(output)
    click_row(sidebar, sidebar.lines.index("Read notes.txt"))
    shown = detail_text(sidebar, "Result")
    assert len(shown.toPlainText()) <= SHOWN_CHARACTERS + 2
    click(tool_button(sidebar, "Copy: Result"))
    assert QApplication.clipboard().text() == output
    assert sidebar.window.rect().height() == 600
    assert sidebar.panel.height() == 600


def test_an_open_value_can_be_selected_while_the_run_goes_on(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.call(run, "one")
    click_row(sidebar, 0)
    text = detail_text(sidebar, "Arguments")
    cursor = text.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    chosen = text.textCursor().selectedText()
    sidebar.call(run, "two")
    assert text.textCursor().selectedText() == chosen != ""


def test_an_open_thought_grows_and_leaves_what_is_selected_in_it(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    said = "Let me see. " * 100

    def think(text: str, offset: int) -> None:
        fact = ReasoningReceived(text=text, message_id=run.message_id, offset=offset, step="chat")
        sidebar.desk.tell(run.say(fact))
        sidebar.show()

    think(said, 0)
    click_row(sidebar, 0)
    text = detail_text(sidebar, "Reasoning")
    cursor = text.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(6, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    think("And more.", len(said))
    assert text.toPlainText() == said + "And more."
    assert text.textCursor().selectedText() == "Let me"


def test_an_open_item_is_updated_when_it_has_ended(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.desk.tell(run.say(ToolStarted(call_id=CallId("one"), tool="read_file", arguments={}, step="chat")))
    sidebar.show()
    click_row(sidebar, 0)
    error = {"code": "failed", "message": "no such file"}
    ended = ToolEnded(call_id=CallId("one"), status=CallStatus.ERROR, duration_ms=5, error=error)
    sidebar.desk.tell(run.say(ended))
    sidebar.show()
    assert detail_text(sidebar, "Errors").toPlainText() == "no such file"


def test_a_step_shows_where_its_code_failed_and_what_it_wrote(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    lines = [{"level": "log", "text": "row 1"}, {"level": "error", "text": "<b>row 2</b>"}]
    sidebar.desk.tell(run.say(ConsoleWritten(step="chat", lines=lines, cut=True)))
    error = {"code": "code_error", "message": "TypeError: bad", "line": 3, "column": 7}
    sidebar.desk.tell(run.say(StepFinished(step="chat", status=StepStatus.ERROR, error=error)))
    sidebar.show()
    click_row(sidebar, 0)
    assert detail_text(sidebar, "Errors").toPlainText() == "TypeError: bad (3:7)"
    assert detail_text(sidebar, "Console, cut at 64 KB").toPlainText() == "row 1\nerror: <b>row 2</b>"


def test_the_output_of_a_running_command_is_in_sight_and_folds_when_it_has_ended(sidebar: Sidebar) -> None:
    """It follows what is written, unless the user scrolled back or folded it."""
    run = sidebar.chat()
    begin(sidebar, run, "make test")
    assert not is_open(sidebar)
    write(sidebar, run, "".join(f"line {number}\n" for number in range(40)))
    assert sidebar.lines[0] == "Running make test"
    spoken = sidebar.items.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Running make test, Running: line 39, now"
    bar = detail_text(sidebar, "Output").verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    bar.setValue(3)
    write(sidebar, run, "".join(f"line {number}\n" for number in range(20, 60)))
    assert bar.value() == 3
    bar.setValue(bar.maximum())
    write(sidebar, run, "".join(f"line {number}\n" for number in range(40, 80)))
    assert bar.value() == bar.maximum()
    assert detail_text(sidebar, "Output").toPlainText().endswith("line 79\n")
    ended = ToolEnded(call_id=CallId("make test"), status=CallStatus.COMPLETED, duration_ms=5, summary="exit 0")
    sidebar.desk.tell(run.say(ended))
    sidebar.show()
    assert not is_open(sidebar)
    assert sidebar.lines[0] == "Ran make test"

    begin(sidebar, run, "make")
    write(sidebar, run, "one\n", "make")
    click(tool_button(sidebar, "Close"))
    write(sidebar, run, "two\n", "make")
    assert not is_open(sidebar)
    click_row(sidebar, 0)
    assert detail_text(sidebar, "Output").toPlainText() == "two\n"
    error = {"code": "timeout", "message": "too long", "output": "two\nthree\n"}
    sidebar.desk.tell(run.say(ToolEnded(call_id=CallId("make"), status=CallStatus.ERROR, duration_ms=5, error=error)))
    sidebar.show()
    assert detail_text(sidebar, "Output").toPlainText() == "two\nthree\n"
    assert detail_text(sidebar, "Command").toPlainText() == "make"


def test_the_output_of_a_command_is_shown_as_text(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    begin(sidebar, run, "make")
    sidebar.desk.tell(
        run.say(ToolEnded(call_id=CallId("make"), status=CallStatus.COMPLETED, duration_ms=5, summary="exit 2"))
    )
    sidebar.show()
    click_row(sidebar, 0)
    assert detail_text(sidebar, "Result").toPlainText() == "exit 2"
    sidebar.panel.show_result("make", '{"exit_code": 2, "output": "one\\ntwo \\"3\\"\\n"}')
    sidebar.show()
    assert detail_text(sidebar, "Output").toPlainText() == 'one\ntwo "3"\n'
    assert detail_text(sidebar, "Result").toPlainText() == '{\n  "exit_code": 2\n}'


def begin(sidebar: Sidebar, run: Teller, line: str) -> None:
    """Begin a command; its line is the id of the call."""
    started = ToolStarted(call_id=CallId(line), tool="run_command", arguments={"command": line}, step="chat")
    sidebar.desk.tell(run.say(started))
    sidebar.show()


def write(sidebar: Sidebar, run: Teller, text: str, line: str = "make test") -> None:
    sidebar.desk.tell(run.say(CommandOutput(call_id=CallId(line), text=text, bytes=len(text))))
    sidebar.show()


def test_markup_in_a_value_is_shown_as_it_is(sidebar: Sidebar) -> None:
    sidebar.template("<img src='file:///x'>")
    click_row(sidebar, sidebar.lines.index("Read notes.txt"))
    assert detail_text(sidebar, "Result").toPlainText() == "<img src='file:///x'>"


# Folding


def test_it_is_304_wide_and_folds_to_48(sidebar: Sidebar, qtbot: QtBot) -> None:
    assert sidebar.panel.width() == SIZES.activity
    with qtbot.waitSignal(sidebar.panel.collapsed_changed) as told:
        click(tool_button(sidebar, "Hide the activity"))
    sidebar.show()
    assert told.args == [True]
    assert sidebar.panel.width() == SIZES.activity_collapsed
    with qtbot.waitSignal(sidebar.panel.collapsed_changed) as told:
        click(tool_button(sidebar, "Show the activity"))
    assert told.args == [False]


def test_collapsing_it_from_outside_emits_nothing(sidebar: Sidebar, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(sidebar.panel.collapsed_changed):
        sidebar.panel.set_collapsed(True)
    assert sidebar.panel.is_collapsed


def test_its_button_names_the_keys(sidebar: Sidebar) -> None:
    assert "Ctrl+Shift+B" in tool_button(sidebar, "Hide the activity").toolTip()


def test_what_happens_while_it_is_folded_is_there_afterwards(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    sidebar.panel.set_collapsed(True)
    sidebar.call(run, "one")
    sidebar.panel.set_collapsed(False)
    assert sidebar.lines == ["Read one.txt", "Ada"]


# In French, at 200 %


def test_french_fits_at_every_zoom(sidebar: Sidebar, theme: Theme, qapp: QApplication) -> None:
    translation = Translation(qapp, Language.FRENCH)
    sidebar.call(sidebar.chat(), "one")
    for zoom in (1.0, 2.0):
        theme.set_appearance(Appearance(Scheme.LIGHT, zoom, reduced_motion=True))
        sidebar.show()
        assert sidebar.lines[0] == "Lu one.txt"
        for words in ("Tout 2", "Outils 1", "Agents 1", "Réflexion 0", "Tâches 0"):
            button = segment(sidebar, words)
            assert button.width() >= max(map(button.fontMetrics().horizontalAdvance, words.split()))
        assert sidebar.panel.width() == round(SIZES.activity * zoom)
    translation.set_language(Language.ENGLISH)
    translation.retire()
    translation.deleteLater()
