"""Code frames: never wrapped, coloured when they are whole, copied byte for byte."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextLayout
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.chat.transcript.transcript import Transcript
from desktop.chat.turn_parts import Output
from desktop.chat.views.caption_view import CaptionView
from desktop.chat.views.code_view import CodeView
from desktop.theme import Theme
from desktop.widgets import IconButton
from desktop.widgets.syntax import MAX_CODE_CHARACTERS, spans_of
from tests.gui.chat.conversation import answered, asked, writing
from tests.gui.chat.sight import code, texts, turn_wheel, views

SOURCE = 'def f():\n\treturn "🎉"  # done\n\n\n  x = 1\t'


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def copy_button(transcript: Transcript) -> IconButton:
    (button,) = views(transcript, CaptionView)[-1].findChildren(IconButton)
    return button


def colored(view: CodeView) -> list[QTextLayout.FormatRange]:
    block, found = view.document().begin(), []
    while block.isValid():
        found.extend(block.layout().formats())
        block = block.next()
    return found


def test_the_copy_button_copies_byte_for_byte(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", f"```py\n{SOURCE}\n```")])
    QTest.mouseClick(copy_button(transcript), Qt.MouseButton.LeftButton)
    assert clipboard() == SOURCE
    assert copy_button(transcript).accessibleName() == "Copied"


def test_the_copy_button_copies_all_of_a_frame_that_is_longer_than_the_screen(transcript: Transcript) -> None:
    source = "\n".join(f"\tline {number}" for number in range(4_000))
    transcript.show_conversation([answered("1", f"```\n{source}\n```")])
    transcript.verticalScrollBar().setValue(0)
    QTest.mouseClick(copy_button(transcript), Qt.MouseButton.LeftButton)
    assert clipboard() == source


def test_a_selection_in_code_copies_byte_for_byte(transcript: Transcript) -> None:
    source = "a\u202e\tb\u00a0c\r\nd🎉e"
    transcript.show_conversation([answered("1", f"```\n{source}\n```")])
    QTest.mousePress(code(transcript).viewport(), Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
    QTest.mouseRelease(code(transcript).viewport(), Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
    QTest.keyClick(
        code(transcript), Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    QTest.keyClick(code(transcript), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard() == source


@pytest.mark.parametrize("share", [0, 0.5, 1], ids=["top", "middle", "end"])
@pytest.mark.parametrize(
    "source",
    [
        "\n".join(f"\tline {number} \u202e🎉 of a long frame" for number in range(300)),
        f"\n{'x' * 12_000}\n\n" + "\r\n".join(f"line {number}" for number in range(300)),
    ],
    ids=["lines", "an endless line"],
)
def test_a_selection_over_a_long_frame_copies_it_as_it_came(transcript: Transcript, source: str, share: float) -> None:
    transcript.show_conversation([answered("1", f"Before.\n\n```\n{source}\n```")])
    bar = transcript.verticalScrollBar()
    bar.setValue(round(share * bar.maximum()))
    QTest.keyClick(transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard() == f"Before.\n\n{source}"


def test_a_selection_that_ends_within_a_piece_off_screen_copies_up_to_there(transcript: Transcript) -> None:
    source = "\n".join(f"line \u202e{number}" for number in range(2_000))
    transcript.show_conversation([answered("1", f"```\n{source}\n```"), answered("2", "Last.")])
    transcript.verticalScrollBar().setValue(0)
    view = views(transcript, CodeView)[0]
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    transcript.jump_to_latest()
    QTest.keyClick(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard() == source[: source.index("line \u202e3")]


def test_a_frame_names_its_file_and_its_language(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "```python invoices.py\nx\n```")])
    (head,) = views(transcript, CaptionView)
    assert [label.text() for label in (head._title, head._text)] == ["invoices.py", "python"]


def test_a_long_line_is_scrolled_sideways_and_not_wrapped(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", f"```\n{'x' * 300}\n```")])
    view = code(transcript)
    assert view.document().begin().layout().lineCount() == 1
    assert view.horizontalScrollBar().maximum() > 0
    view.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.horizontalScrollBar().value() > 0


def test_the_wheel_over_code_scrolls_the_conversation(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "```\n" + "line\n" * 100 + "```")])
    before = transcript.verticalScrollBar().value()
    turn_wheel(transcript, QPoint(0, 120))
    assert transcript.verticalScrollBar().value() < before


@pytest.mark.parametrize("length", [200, 1_500, 5_000])
def test_code_that_ends_with_a_long_line_opens_at_its_left_edge(transcript: Transcript, length: int) -> None:
    text = f"```\na\nb\n{'x' * length}\n```\n\n```\na\n{'x' * length}\nb\n```"
    transcript.show_conversation([answered("1", text)])
    QGuiApplication.processEvents()
    for view in views(transcript, CodeView):
        assert view.horizontalScrollBar().maximum() > 0
        assert view.horizontalScrollBar().value() == 0


def test_the_wheel_with_shift_scrolls_code_sideways(transcript: Transcript) -> None:
    lines = "\n".join(["x" * 300] * 100)
    transcript.show_conversation([answered("1", f"```\n{lines}\n```")])
    turn_wheel(transcript, QPoint(0, -120), Qt.KeyboardModifier.ShiftModifier)
    assert code(transcript).horizontalScrollBar().value() > 0


def test_the_pieces_of_a_long_frame_scroll_sideways_together(transcript: Transcript) -> None:
    lines = "\n".join(f"{number} {'x' * 200 if number == 150 else ''}" for number in range(400))
    transcript.resize(800, 8_000)
    transcript.show_conversation([answered("1", f"```\n{lines}\n```")])
    pieces = views(transcript, CodeView)
    assert len(pieces) > 1
    pieces[-1].horizontalScrollBar().setValue(40)
    assert [piece.horizontalScrollBar().value() for piece in pieces] == [40] * len(pieces)


def test_a_frame_stays_scrolled_sideways_when_a_turn_comes_before_it(transcript: Transcript) -> None:
    turn = answered("1", f"```\n{'x' * 500}\n```")
    transcript.show_conversation([turn])
    code(transcript).horizontalScrollBar().setValue(100)
    transcript.set_turns([asked("0", "What is it?"), turn])
    assert code(transcript).horizontalScrollBar().value() == 100


def test_code_is_coloured_once_its_fence_closes(transcript: Transcript, qtbot: QtBot, theme: Theme) -> None:
    transcript.show_conversation([writing("1", "```py\n# 🎉 words\nx = 1")])
    qtbot.wait(20)
    assert not colored(code(transcript))
    transcript.set_turns([writing("1", "```py\n# 🎉 words\nx = 1\n```\n")])
    qtbot.waitUntil(lambda: bool(colored(code(transcript))))
    first = colored(code(transcript))[0]
    assert first.format.foreground().color() == theme.color("syntax_comment")
    assert (first.start, first.length) == (0, len("# 🎉 words") + 1)


def test_colours_go_on_over_the_pieces_of_a_long_frame(transcript: Transcript, qtbot: QtBot, theme: Theme) -> None:
    transcript.resize(800, 8_000)
    lines = "\n".join(f"in the text {number}" for number in range(400))
    transcript.show_conversation([answered("1", f'```py\n"""\n{lines}\n"""\n```')])
    qtbot.waitUntil(lambda: all(colored(view) for view in views(transcript, CodeView)))
    last = colored(code(transcript))[0]
    assert last.format.foreground().color() == theme.color("syntax_string")


def test_very_long_code_stays_plain(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([answered("1", "```py\n" + "x = 1\n" * (MAX_CODE_CHARACTERS // 6 + 1) + "```")])
    qtbot.wait(20)
    assert not colored(code(transcript))


@pytest.mark.parametrize("language", ["no-such-language", ""])
def test_code_of_an_unknown_language_stays_plain(language: str) -> None:
    assert list(spans_of(language, "x = 1")) == []


def test_json_of_an_output_is_in_a_frame_and_copied_whole(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", Output('{"a": [1, 2]}'))])
    QTest.mouseClick(copy_button(transcript), Qt.MouseButton.LeftButton)
    assert clipboard() == texts(transcript)[0] == '{\n  "a": [\n    1,\n    2\n  ]\n}'


def test_copying_a_table_takes_the_json_of_all_its_rows(transcript: Transcript) -> None:
    source = '[{"a": "x"}, {"a": "y"}]'
    transcript.show_conversation([answered("1", Output(source))])
    QTest.mouseClick(copy_button(transcript), Qt.MouseButton.LeftButton)
    assert clipboard() == source


def test_the_last_code_and_the_last_answer_are_copied_from_elsewhere(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "One.\n\n```\ntwo\t\n```"), answered("2", "**Three**")])
    assert transcript.copy_code()
    assert clipboard() == "two\t"
    assert transcript.copy_answer()
    assert clipboard() == "**Three**"


def test_the_code_that_has_the_focus_is_copied_rather_than_the_last(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "```\none\n```\n\n```\ntwo\n```")])
    views(transcript, CodeView)[0].setFocus()
    assert transcript.copy_code()
    assert clipboard() == "one"


def test_without_code_or_answer_nothing_is_copied(transcript: Transcript) -> None:
    transcript.show_conversation([])
    assert not transcript.copy_code()
    assert not transcript.copy_answer()
