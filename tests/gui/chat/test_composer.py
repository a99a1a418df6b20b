"""The composer: what sends and what does not, what it keeps, and its hints."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.composer.composer import Composer
from desktop.chat.composer.document_text import PIECE_CHARACTERS, LongLines
from desktop.chat.composer.draft import MAX_MESSAGE_CHARACTERS, ComposerState, Draft
from desktop.chat.composer.text_box import TextBox
from desktop.theme import Theme

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
READY = ComposerState("Invoices")

# the offscreen platform's own remark on every window that has a least size
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def composer(theme: Theme, qtbot: QtBot) -> Composer:
    made = Composer(theme)
    qtbot.addWidget(made)
    made.set_state(READY)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.focus_text()
    return made


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.send_requested.connect(lambda draft, interrupts: texts.append(draft.text))
    return texts


def box(composer: Composer) -> TextBox:
    found = composer.findChild(TextBox, "composer")
    assert isinstance(found, TextBox)
    return found


def button(composer: Composer, words: str) -> QPushButton:
    return next(found for found in composer.findChildren(QPushButton) if found.text() == words)


def hint(composer: Composer) -> str:
    return composer._hint.text()


def compose(composer: Composer, preedit: str = "", commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(box(composer), event)


def test_enter_sends_the_text_as_it_was_written(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(box(composer), "  hello")
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert sent == ["  hello"]


def test_shift_enter_begins_a_line(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(box(composer), "a")
    QTest.keyClick(box(composer), Qt.Key.Key_Return, SHIFT)
    QTest.keyClicks(box(composer), "b")
    QTest.keyClick(box(composer), Qt.Key.Key_Enter)
    assert sent == ["a\nb"]


def test_with_the_setting_enter_begins_a_line_and_ctrl_enter_sends(composer: Composer, sent: list[str]) -> None:
    composer.needs_ctrl = True
    QTest.keyClicks(box(composer), "a")
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert sent == []
    QTest.keyClick(box(composer), Qt.Key.Key_Return, CTRL)
    assert sent == ["a\n"]
    assert hint(composer) == "Ctrl+Enter to send"


def test_ctrl_enter_sends_in_either_setting(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(box(composer), "a")
    QTest.keyClick(box(composer), Qt.Key.Key_Return, CTRL)
    assert sent == ["a"]


@pytest.mark.parametrize("text", ["", "   \n\t"])
def test_there_is_nothing_to_send_in_a_blank_text(composer: Composer, sent: list[str], text: str) -> None:
    composer.set_draft(Draft(text))
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert sent == []
    assert not button(composer, "Send").isEnabled()


def test_the_text_stays_until_it_was_taken_and_is_sent_once(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(box(composer), "hello")
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert (sent, composer.draft().text) == (["hello"], "hello")
    composer.message_accepted("hello")
    assert composer.draft() == Draft()


def test_a_text_stays_when_another_was_accepted(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(box(composer), "hello")
    composer.message_accepted("asked again")
    assert composer.draft().text == "hello"
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert sent == ["hello"]


def test_a_text_that_could_not_be_sent_stays_with_the_reason(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(box(composer), "hello")
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    composer.message_refused("The model cannot be reached")
    assert (composer.draft().text, hint(composer)) == ("hello", "The model cannot be reached")
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert sent == ["hello", "hello"]


def test_while_an_input_method_composes_enter_does_nothing(composer: Composer, sent: list[str]) -> None:
    compose(composer, preedit="にほん")
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert sent == []
    assert box(composer).textCursor().block().layout().preeditAreaText() == "にほん"
    compose(composer, commit="日本")
    assert composer.draft().text == "日本"
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert sent == ["日本"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Up, Qt.Key.Key_1, Qt.Key.Key_Space])
def test_while_an_input_method_composes_no_action_sees_a_key(composer: Composer, key: Qt.Key) -> None:
    compose(composer, preedit="に")
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    QApplication.sendEvent(box(composer), event)
    assert event.isAccepted()
    QTest.keyClick(box(composer), key)
    assert box(composer).hasFocus()
    assert box(composer).textCursor().block().layout().preeditAreaText() == "に"


def test_a_state_that_changes_leaves_an_input_method_alone(composer: Composer) -> None:
    compose(composer, preedit="に")
    composer.set_state(ComposerState("Invoices", is_running=True))
    assert box(composer).textCursor().block().layout().preeditAreaText() == "に"


def test_a_character_typed_with_altgr_is_typed(composer: Composer) -> None:
    QTest.sendKeyEvent(QTest.KeyAction.Click, box(composer), Qt.Key.Key_At, "@", CTRL | Qt.KeyboardModifier.AltModifier)
    assert composer.draft().text == "@"


def test_up_in_an_empty_box_asks_for_the_last_message(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(composer.edit_last_requested):
        QTest.keyClick(box(composer), Qt.Key.Key_Up)


def test_up_in_a_text_moves_the_cursor(composer: Composer, qtbot: QtBot) -> None:
    composer.set_draft(Draft("a\nb", 3, 3))
    with qtbot.assertNotEmitted(composer.edit_last_requested):
        QTest.keyClick(box(composer), Qt.Key.Key_Up)
    assert composer.draft().cursor == 1


def test_while_a_run_works_there_is_a_stop_button_and_what_is_sent_waits(
    composer: Composer, sent: list[str], qtbot: QtBot
) -> None:
    composer.set_state(ComposerState("Invoices", is_running=True))
    assert hint(composer) == "Enter to queue · Ctrl+Shift+Enter to send now"
    assert not button(composer, "Queue").isVisible()  # there is nothing to send, and one thing to stop
    QTest.keyClicks(box(composer), "hello")
    assert button(composer, "Queue").isVisible()
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert (sent, composer.draft().text) == (["hello"], "hello")
    with qtbot.waitSignal(composer.stop_requested):
        QTest.mouseClick(button(composer, "Stop"), Qt.MouseButton.LeftButton)


def test_it_names_its_workflow(composer: Composer) -> None:
    assert box(composer).placeholderText() == box(composer).accessibleName() == "Message Invoices"


def test_a_draft_is_given_and_taken_with_its_cursor(composer: Composer) -> None:
    draft = Draft("one two 🎉", 7, 4)
    composer.set_draft(draft)
    assert composer.draft() == draft


@pytest.mark.parametrize(
    "text",
    [
        "no\u00a0break\ttab",
        "x" * 20_000,
        "short\n" + "y" * 9_000 + "\n\nshort\n",
        "🎉" * 5_000,
        "\n" * 3,
    ],
)
def test_a_text_comes_back_as_it_was_given(composer: Composer, text: str) -> None:
    composer.set_draft(Draft(text))
    assert composer.draft().text == text


@given(
    st.lists(st.sampled_from(["", "a", "b" * 4_001, "c" * 9_000]), max_size=5),
    st.sampled_from(["x", "y\nz", "\n", "w" * 5_000, "v" * 4_500 + "\nu"]),
    st.data(),
)
@settings(max_examples=60)
def test_text_that_is_put_anywhere_into_long_lines_stands_there(
    qapp: QApplication, lines: list[str], added: str, data: st.DataObject
) -> None:
    document = QTextDocument()
    text, long_lines = "\n".join(lines), LongLines(document)
    long_lines.insert(QTextCursor(document), text)
    at = data.draw(st.integers(0, len(text)))
    cursor = QTextCursor(document)
    cursor.setPosition(long_lines.to_document(at))
    long_lines.insert(cursor, added)
    assert long_lines.text() == text[:at] + added + text[at:]
    assert long_lines.to_text(cursor.position()) == at + len(added)


def test_a_long_line_is_copied_without_a_break(composer: Composer) -> None:
    composer.set_draft(Draft("x" * 9_000))
    QTest.keyClick(box(composer), Qt.Key.Key_A, CTRL)
    QTest.keyClick(box(composer), Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "x" * 9_000


def test_a_line_of_a_megabyte_is_laid_out_in_pieces(composer: Composer) -> None:
    composer.set_draft(Draft("x" * MAX_MESSAGE_CHARACTERS))
    QTest.keyClicks(box(composer), "y")
    block = box(composer).document().begin()
    while block.isValid():
        assert block.length() <= PIECE_CHARACTERS + 2
        block = block.next()
    assert composer.draft().text == "y" + "x" * MAX_MESSAGE_CHARACTERS


def test_a_paste_is_undone_in_a_single_step(composer: Composer) -> None:
    QTest.keyClicks(box(composer), "a")
    QGuiApplication.clipboard().setText("x" * 9_000 + "\nmore")
    QTest.keyClick(box(composer), Qt.Key.Key_V, CTRL)
    QTest.keyClick(box(composer), Qt.Key.Key_Z, CTRL)
    assert composer.draft().text == "a"


def test_a_cursor_beyond_the_text_is_at_its_end(composer: Composer) -> None:
    composer.set_draft(Draft("abc", 99, 99))
    assert composer.draft() == Draft("abc", 3, 3)


def test_undo_never_brings_back_another_workflows_text(composer: Composer) -> None:
    QTest.keyClicks(box(composer), "first")
    composer.set_draft(Draft("second", 6, 6))
    QTest.keyClick(box(composer), Qt.Key.Key_Z, CTRL)
    assert composer.draft().text == "second"


def test_it_grows_with_its_text_between_the_sizes_of_the_design(composer: Composer, theme: Theme) -> None:
    heights = []
    for lines in (1, 4, 50):
        composer.set_draft(Draft("line\n" * lines))
        heights.append(box(composer).height())
    least, some, most = heights
    assert (least, most) == (theme.sizes.composer_min, theme.sizes.composer_max)
    assert least < some < most


def test_it_grows_with_a_line_that_is_wrapped(composer: Composer, theme: Theme) -> None:
    composer.resize(400, 100)
    composer.set_draft(Draft("word " * 60))
    assert box(composer).height() > theme.sizes.composer_min


def test_what_is_pasted_is_plain_text(composer: Composer) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold")
    QGuiApplication.clipboard().setMimeData(data)
    QTest.keyClick(box(composer), Qt.Key.Key_V, CTRL)
    assert composer.draft().text == "bold"


def test_a_paste_that_is_too_long_is_refused_with_an_error(composer: Composer) -> None:
    composer.set_draft(Draft("kept", 4, 4))
    QGuiApplication.clipboard().setText("x" * MAX_MESSAGE_CHARACTERS)
    QTest.keyClick(box(composer), Qt.Key.Key_V, CTRL | SHIFT)
    assert composer.draft().text == "kept"
    assert hint(composer).startswith("A message can have at most")
    QGuiApplication.clipboard().setText("x" * (MAX_MESSAGE_CHARACTERS + 1))
    QTest.keyClick(box(composer), Qt.Key.Key_V, CTRL)
    assert composer.draft() == Draft("kept", 4, 4)


def test_a_text_that_is_too_long_is_not_sent(composer: Composer, sent: list[str]) -> None:
    composer.set_draft(Draft("x" * (MAX_MESSAGE_CHARACTERS + 1)))
    QTest.keyClick(box(composer), Qt.Key.Key_Return)
    assert sent == []
    assert hint(composer).startswith("A message can have at most")
    assert button(composer, "Send").accessibleDescription() == hint(composer)


def test_a_right_to_left_paragraph_runs_from_the_right(composer: Composer) -> None:
    composer.set_draft(Draft("\u05d0\u05d1\u05d2 Python.\nEnglish"))
    block = box(composer).document().begin()
    assert block.textDirection() is Qt.LayoutDirection.RightToLeft
    assert block.next().textDirection() is Qt.LayoutDirection.LeftToRight


def test_tab_leaves_the_text_for_the_button(composer: Composer) -> None:
    composer.set_draft(Draft("hello"))
    QTest.keyClick(box(composer), Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button(composer, "Send")


def test_a_press_on_its_edge_puts_the_focus_into_the_text(composer: Composer, theme: Theme) -> None:
    other = QWidget(composer)
    other.setFocus()
    QTest.mouseClick(composer, Qt.MouseButton.LeftButton, pos=composer.rect().center())
    assert box(composer).hasFocus()


def test_a_draft_comes_back_scrolled_as_it_was(composer: Composer, qtbot: QtBot) -> None:
    text = "\n".join(f"line {number}" for number in range(60))
    composer.set_draft(Draft(text, 3, 3))
    qtbot.wait(20)
    box(composer).verticalScrollBar().setValue(17)
    kept = composer.draft()
    assert kept.scroll == 17
    composer.set_draft(Draft())
    qtbot.wait(20)
    composer.set_draft(kept)
    qtbot.wait(20)
    assert composer.draft() == kept


def test_a_dropped_text_that_is_long_is_a_chip_and_chips_can_be_gone_through(composer: Composer, theme: Theme) -> None:
    for number in range(30):
        data = QMimeData()
        data.setText(f"{number} " + "x" * 20_000)
        box(composer).insertFromMimeData(data)
    assert len(composer.files) == 30
    chip = box(composer).height() + 4 * theme.sizes.control
    assert composer.height() < chip + 4 * theme.sizes.control  # three lines of them are seen
    QTest.keyClick(box(composer), Qt.Key.Key_Up)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Delete):
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key)
    left = [file.name for file in composer.files]
    assert (len(left), "Pasted text 27.txt" in left) == (29, False)
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, Qt.Key.Key_Escape)
    assert box(composer).hasFocus()
