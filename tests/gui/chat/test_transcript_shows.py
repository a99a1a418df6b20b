"""What a conversation looks like, and that nothing in it loads, hides or pretends."""

from dataclasses import replace
from itertools import groupby, product
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTranslator
from PySide6.QtGui import QColor, QFont, QImage, QTextBlockFormat, QTextCursor, QTextTable
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from core.domain.messages import MessageState, Role
from core.domain.run import RunStatus, StepStatus
from core.domain.tool import CallStatus
from desktop.chat.derivation import ANSWER_WARNINGS
from desktop.chat.transcript.find_scan import FindQuery, TurnScan
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.turn_parts import Activity, Boundary, CutOff, Failure, Phase, StepLine, Steps, Text, ToolCalls, Turn
from desktop.chat.views.caption_view import CaptionView
from desktop.chat.views.failure_view import FailureView
from desktop.chat.views.line_views import StepView, ToolGroupView, ToolView
from desktop.chat.views.painted_views import ActivityView, BoundaryView, CutOffView
from desktop.chat.views.prose_style import blocks_in
from desktop.chat.views.prose_view import ProseView
from desktop.theme import Appearance, Scheme, Theme
from desktop.tokens import SIZES
from desktop.widgets import Label
from tests.gui.chat.conversation import NOW, answered, asked, call
from tests.gui.chat.sight import place_of, prose, texts, views

RED = QColor(255, 0, 0)


def show(transcript: Transcript, *turns: Turn) -> None:
    transcript.show_conversation(turns)


def test_the_user_stands_at_the_right_and_an_agent_at_the_left(transcript: Transcript) -> None:
    show(transcript, asked("1", "Hello"), answered("2", "Hi"))
    mine, theirs = (place_of(transcript, view) for view in views(transcript, ProseView))
    assert mine.left() > transcript.width() // 2
    assert theirs.left() < transcript.width() // 4


def test_a_bubble_is_as_wide_as_its_text_and_no_wider_than_the_design(transcript: Transcript, theme: Theme) -> None:
    show(transcript, asked("1", "Hi"), asked("2", "word " * 200))
    short, long = views(transcript, ProseView)
    assert short.width() < 60
    assert 350 < long.width() <= theme.sizes.user_bubble - 2 * theme.sizes.space_l


def test_a_users_message_is_no_markdown(transcript: Transcript) -> None:
    show(transcript, asked("1", "# **not bold** <b>x</b>"))
    assert texts(transcript) == ["# **not bold** <b>x</b>"]


def test_an_answer_is_markdown(transcript: Transcript) -> None:
    show(transcript, answered("1", "# Title\n\nSome **bold** words\n\n- one\n- two"))
    assert texts(transcript) == ["Title\nSome bold words\none\ntwo"]


SCRIPTS = "👨‍👩‍👧‍👦 🏳️‍🌈 漢字 한국어 ไทย é العربية हिन्दी"


def test_every_script_is_shown_and_copied_as_it_came(transcript: Transcript) -> None:
    show(transcript, asked("1", SCRIPTS), answered("2", f"**{SCRIPTS}**\n\n```\n{SCRIPTS}\n```"))
    assert texts(transcript) == [SCRIPTS] * 3
    view = prose(transcript)
    view.selectAll()
    assert view.selected_text() == SCRIPTS


def test_tables_and_tasks_are_markdown_too(transcript: Transcript) -> None:
    show(transcript, answered("1", "- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |"))
    document = prose(transcript).document()
    markers = [block.blockFormat().marker() for block in blocks_in(document) if block.textList() is not None]
    assert markers == [QTextBlockFormat.MarkerType.Checked, QTextBlockFormat.MarkerType.Unchecked]
    assert any(isinstance(frame, QTextTable) for frame in document.rootFrame().childFrames())


@pytest.mark.parametrize(
    ("written", "shown", "bold"),
    [
        ("**结论：**可以。", "结论：可以。", ["结论："]),
        ("含**「重点」**内容，**“引用”**后。", "含「重点」内容，“引用”后。", ["「重点」", "“引用”"]),
        ("- **步骤一：**10 分钟", "步骤一：10 分钟", ["步骤一："]),
        ("- *注意。*然后", "注意。然后", []),
        ("**강조(note)**는 ~~삭제!~~다", "강조(note)는 삭제!다", ["강조(note)"]),
        ("不要~~删除。~~了，~~旧~~、新", "不要删除。了，旧、新", []),
        ("これは**「太字」**です。***重要：***次", "これは「太字」です。重要：次", ["「太字」", "重要："]),
        ("🙂**「表情」**后 2**3**4", "🙂「表情」后 234", ["「表情」", "3"]),
        ("`含**「a」**内` 和 **b**", "含**「a」**内 和 b", ["b"]),
        ("5 * 3，（x）* y", "5 * 3，（x）* y", []),
        (r"\*\*结论：\*\*可以", "**结论：**可以", []),
        ("[看**「此」**处](https://x.example/a**「b」**c)", "看「此」处", ["「此」"]),
    ],
)
def test_emphasis_needs_no_blanks_in_scripts_that_set_none(
    transcript: Transcript, written: str, shown: str, bold: list[str]
) -> None:
    show(transcript, answered("1", written))
    assert texts(transcript) == [shown]
    assert bold_words(prose(transcript)) == bold


def test_what_is_marked_for_the_parser_is_in_no_link_and_no_copy(transcript: Transcript) -> None:
    show(transcript, answered("1", "[x](https://x.example/a**「b」**c) **结论：**可以"))
    view = prose(transcript)
    assert view.anchorAt(QPoint(5, 5)).startswith("https://x.example/a")
    assert not set("\ufdd5\ufdd6\ufdd7") & set(view.anchorAt(QPoint(5, 5)))
    view.selectAll()
    assert not set("\ufdd5\ufdd6\ufdd7") & set(view.selected_text())


def bold_words(view: ProseView) -> list[str]:
    words: list[str] = []
    cursor = view.textCursor()
    last = -2
    for position in range(view.document().characterCount() - 1):
        cursor.setPosition(position)
        cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
        if cursor.charFormat().fontWeight() >= QFont.Weight.DemiBold:
            words = (
                [*words[:-1], words[-1] + cursor.selectedText()]
                if last == position - 1
                else [*words, cursor.selectedText()]
            )
            last = position
    return words


def test_raw_html_stays_text(transcript: Transcript) -> None:
    show(transcript, answered("1", 'Look: <img src="x.png"> <b>here</b>'))
    assert texts(transcript) == ['Look: <img src="x.png"> <b>here</b>']


def test_no_image_is_read_or_shown_its_description_stands_for_it(transcript: Transcript, tmp_path: Path) -> None:
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(RED)
    image.save(str(tmp_path / "red.png"))
    show(transcript, answered("1", f"![a picture]({tmp_path}/red.png) ![two](file://{tmp_path}/red.png)"))
    seen = transcript.grab().toImage()
    assert not any(seen.pixelColor(x, y) == RED for x in range(seen.width()) for y in range(0, seen.height(), 3))
    assert texts(transcript) == ["a picture two"]


def test_a_link_shows_its_target_and_requests_to_be_opened(transcript: Transcript, qtbot: QtBot) -> None:
    show(transcript, answered("1", "[bank](https://evil.example/login)"))
    view = prose(transcript)
    middle = QPoint(10, 10)
    QTest.mouseMove(view.viewport(), middle)
    qtbot.waitUntil(lambda: "https://evil.example/login" in view.toolTip())
    with qtbot.waitSignal(transcript.link_activated) as activated:
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert activated.args == ["https://evil.example/login"]


def test_where_a_link_goes_is_seen_while_the_mouse_or_the_focus_is_on_it(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "Words and [here](https://x.example/a).")])
    hint = transcript.link_hint
    transcript.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(transcript, Qt.Key.Key_Tab)
    assert (hint.isVisible(), hint.target) == (True, "https://x.example/a")
    assert prose(transcript).accessibleDescription() == "https://x.example/a"
    transcript.setFocus()
    assert not hint.isVisible()
    QTest.mouseMove(prose(transcript).viewport(), link_place(prose(transcript)))
    assert hint.target == "https://x.example/a"
    QTest.mouseMove(transcript.viewport(), QPoint(2, 300))
    assert not hint.isVisible()


def test_of_a_long_address_the_end_of_its_host_is_seen(transcript: Transcript) -> None:
    host = "bank.example." + "a" * 300 + ".evil.example"
    for target in (f"https://{host}/login", "https://evil.example/bank.example/" + "b" * 300):
        transcript.link_hint.show_target(target)
        (words,) = [label.text() for label in transcript.link_hint.findChildren(Label)]
        assert "evil.example" in words
        assert len(words) < len(target)


def link_place(view: ProseView) -> QPoint:
    """Return the middle of the first link."""
    width, height = view.width(), view.height()
    return next(QPoint(x, y) for y in range(4, height, 4) for x in range(0, width, 3) if view.anchorAt(QPoint(x, y)))


def test_a_look_alike_host_is_spelled_out(transcript: Transcript, qtbot: QtBot) -> None:
    show(transcript, answered("1", "[x](https://\u0430pple.example/)"))
    view = prose(transcript)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(transcript.link_activated) as activated:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert activated.args == ["https://xn--pple-43d.example/"]


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "/etc/passwd",
        "mailto:a@x.example?subject=x&attach=/etc/passwd",
    ],
)
def test_a_link_to_anything_but_the_web_or_mail_is_text(transcript: Transcript, target: str) -> None:
    show(transcript, answered("1", f"[press me]({target})"))
    assert texts(transcript) == ["press me"]
    assert prose(transcript).anchorAt(QPoint(5, 5)) == ""


def test_characters_that_reorder_or_hide_text_are_seen(transcript: Transcript) -> None:
    show(transcript, asked("1", "a\u202eb"), answered("2", "c\u200bd `e\u2066f`\n\n```\ng\u202eh\n```"))
    assert texts(transcript) == ["a⟨U+202E⟩b", "c⟨U+200B⟩d e⟨U+2066⟩f", "g⟨U+202E⟩h"]


def test_direction_is_chosen_paragraph_by_paragraph(transcript: Transcript) -> None:
    show(transcript, answered("1", "\u05d0\u05d1\u05d2 Python.\n\nEnglish."))
    block = prose(transcript).document().begin()
    assert block.textDirection() is Qt.LayoutDirection.RightToLeft
    assert block.next().textDirection() is Qt.LayoutDirection.LeftToRight


def test_a_right_to_left_message_of_the_user_is_entirely_visible(transcript: Transcript) -> None:
    show(transcript, asked("1", "\u05d0\u05d1\u05d2"))
    view = prose(transcript)
    assert view.width() >= view.document().textWidth()


def test_a_number_that_a_list_begins_with_is_kept_after_code(transcript: Transcript) -> None:
    show(transcript, answered("1", "1. one\n   ```\n   x\n   ```\n2. two"))
    block = prose(transcript).document().begin()
    assert block.textList().format().start() == 2


def test_a_note_of_the_system_is_a_line_without_a_frame(transcript: Transcript, theme: Theme) -> None:
    show(transcript, Turn(asked("1", "").id, Role.SYSTEM, None, NOW, MessageState.FINAL, (Text("Set up."),)))
    assert texts(transcript) == ["Set up."]
    assert prose(transcript).document().defaultFont() == theme.font("secondary")


def test_interrupted_text_is_marked(transcript: Transcript) -> None:
    show(transcript, answered("1", "Half", CutOff(is_stopped=False)), answered("2", "Half", CutOff(is_stopped=True)))
    said = [view.accessibleName() for view in views(transcript, CutOffView)]
    assert said == ["Interrupted: this text was cut off", "Stopped"]


def test_an_incomplete_answer_shows_why(transcript: Transcript) -> None:
    parts = [CutOff(is_stopped=False, warning=code) for code in sorted(ANSWER_WARNINGS)]
    show(transcript, answered("1", *parts))
    said = [view.accessibleName() for view in views(transcript, CutOffView)]
    assert len(set(said)) == len(parts)
    assert "Interrupted: this text was cut off" not in said


def test_the_models_context_begins_at_a_line_above_the_turn(transcript: Transcript) -> None:
    cut = replace(asked("3", "And now?"), boundary=Boundary.CONTEXT_LIMIT)
    show(transcript, asked("1", "Hi"), answered("2", "Hello"), cut, answered("4", "So"))
    (line,) = views(transcript, BoundaryView)
    assert line.accessibleName() == "Older messages are no longer sent"
    hello, now = views(transcript, ProseView)[1:3]
    place = place_of(transcript, line)
    assert place_of(transcript, hello).bottom() < place.top() < place.bottom() <= place_of(transcript, now).top()
    summed = replace(answered("2", "In short"), boundary=Boundary.SUMMARY)
    show(transcript, asked("1", "Hi"), summed)
    (line,) = views(transcript, BoundaryView)
    assert line.accessibleName() == "Older messages are no longer sent: this summary replaces them"


def test_a_failure_of_the_last_turn_can_be_tried_again(transcript: Transcript, qtbot: QtBot) -> None:
    failure = Failure("timeout", "It took 30 s", "answer", "model")
    show(transcript, answered("1", failure), answered("2", failure))
    first, last = views(transcript, FailureView)
    assert "The server did not answer in time" in last.accessibleName()
    assert [button.text() for button in views_in(first)] == ["Copy details"]
    with qtbot.waitSignal(transcript.retry_requested) as requested:
        QTest.mouseClick(views_in(last)[0], Qt.MouseButton.LeftButton)
    assert requested.args == ["2"]


def test_a_run_that_answered_no_message_cannot_be_tried_again(transcript: Transcript) -> None:
    show(transcript, answered("1", Failure("timeout", "It took 30 s", "answer", "model", can_retry=False)))
    (card,) = views(transcript, FailureView)
    assert [button.text() for button in views_in(card)] == ["Copy details"]


def views_in(card: FailureView) -> list[QPushButton]:
    return [button for button in card.findChildren(QPushButton) if button.isVisible()]


def test_a_tool_call_is_a_line_with_its_target_and_result(transcript: Transcript, theme: Theme) -> None:
    line = call("1", target="a/b.txt", summary="12 lines", duration_ms=2_400)
    show(transcript, answered("1", ToolCalls((line, call("2", tool="mcp__x", status=CallStatus.ERROR)))))
    known, unknown = views(transcript, ToolView)
    assert known.accessibleName() == "Read, a/b.txt, 12 lines · 2\N{NO-BREAK SPACE}s"
    assert unknown.accessibleName() == "mcp__x, 2.txt, Failed"
    assert known.height() == theme.sizes.tool_line


def test_consecutive_calls_share_a_line(transcript: Transcript) -> None:
    lines = (call("1"), call("2", tool="write_file"), call("3", status=CallStatus.ERROR))
    show(transcript, answered("1", ToolCalls(lines)))
    (group,) = views(transcript, ToolGroupView)
    assert "Read, Wrote" in group.accessibleName()


def test_a_click_on_a_line_unfolds_it_and_another_folds_it(transcript: Transcript) -> None:
    show(transcript, answered("1", ToolCalls((call("1", arguments={"path": "a.txt"}),))))
    (line,) = views(transcript, ToolView)
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    assert texts(transcript) == ['{\n  "path": "a.txt"\n}']
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    assert texts(transcript) == []


def test_the_steps_of_a_template_show_state_and_duration(transcript: Transcript) -> None:
    lines = (
        StepLine("fetch", StepStatus.COMPLETED, elapsed_s=2.5),
        StepLine("count", StepStatus.COMPLETED, is_skipped=True, skipped_value=0),
        StepLine("write", StepStatus.ERROR, elapsed_s=1, attempts=2),
        StepLine("send", StepStatus.PENDING),
    )
    show(transcript, answered("1", Steps(RunStatus.RUNNING, lines)))
    space = "\N{NO-BREAK SPACE}"
    assert [view.accessibleName() for view in views(transcript, StepView)] == [
        f"fetch, Done · 2{space}s",
        "count, Skipped",
        f"write, attempt 2 · Failed · 1{space}s",
        "send, Pending",
    ]
    show(transcript, answered("1", Steps(RunStatus.ERROR, lines)))  # now the failed step stays in sight
    assert len(views(transcript, StepView)) == 3
    assert views(transcript, CaptionView)[-1]._text.text().startswith("1 ")


def test_the_activity_of_a_run_is_shown_while_it_has_no_output(transcript: Transcript) -> None:
    show(transcript, answered("1", Activity(Phase.CALLING, NOW, "run_code"), state=MessageState.OPEN))
    (activity,) = views(transcript, ActivityView)
    assert activity.accessibleName() == "Running code"


def test_everything_takes_the_colours_of_another_theme(transcript: Transcript, theme: Theme) -> None:
    show(transcript, answered("1", "[link](https://x.example)"))
    theme.set_appearance(Appearance(Scheme.DARK))
    form = prose(transcript).document().begin().begin().fragment().charFormat()
    assert form.foreground().color() == theme.color("accent")


def test_everything_is_shown_again_in_another_language(transcript: Transcript, qapp: QApplication) -> None:
    class French(QTranslator):
        def translate(self, context: str, text: str, *_: object) -> str:
            return {"Stopped": "Arrêté", "Conversation": "Échange"}.get(text, "")

        def isEmpty(self) -> bool:
            return False

    show(transcript, answered("1", CutOff(is_stopped=True)))
    french = French()
    qapp.installTranslator(french)
    QApplication.sendPostedEvents()
    assert [view.accessibleName() for view in views(transcript, CutOffView)] == ["Arrêté"]
    assert transcript.accessibleName() == "Échange"
    qapp.removeTranslator(french)


def test_everything_grows_with_the_zoom(transcript: Transcript, theme: Theme) -> None:
    show(transcript, answered("1", "Words", ToolCalls((call("1"),))))
    before = [view.height() for view in (prose(transcript), *views(transcript, ToolView))]
    theme.set_appearance(Appearance(Scheme.LIGHT, zoom=1.5))
    after = [view.height() for view in (prose(transcript), *views(transcript, ToolView))]
    assert after == [pytest.approx(height * 1.5, abs=2) for height in before]


def test_a_failure_grows_with_the_zoom(transcript: Transcript, theme: Theme) -> None:
    show(transcript, answered("1", Failure("timeout", "no answer")))
    (view,) = views(transcript, FailureView)
    again, copy = (one for one in view.findChildren(QPushButton) if one.isVisible())
    assert copy.x() - again.geometry().right() - 1 == SIZES.space_s
    theme.set_appearance(Appearance(Scheme.LIGHT, zoom=2.0))
    assert copy.x() - again.geometry().right() - 1 == 2 * SIZES.space_s


def test_a_narrow_window_narrows_the_column(transcript: Transcript) -> None:
    show(transcript, answered("1", "word " * 100))
    transcript.resize(420, 600)
    view = prose(transcript)
    assert place_of(transcript, view).right() < 420
    assert view.height() > 200


KINDS = {
    "paragraph": "HHH",
    "list": "- HHH",
    "numbers": "1. HHH",
    "table": "| HHH |\n|---|\n| HHH |",
    "heading": "## HHH",
    "code": "```\nHHH\n```",
    "call": None,
}


def test_there_is_one_rhythm_between_all_kinds_of_content(transcript: Transcript) -> None:
    """The empty rows between the ink of any two neighbours, which 12 px of space and the room above a line make."""
    gaps = {}
    for first, second in product(KINDS, repeat=2):
        if first != second:
            gaps[first, second] = gap_between(transcript, first, second)
    assert {pair: gap for pair, gap in gaps.items() if not 12 <= gap <= 31} == {}


def gap_between(transcript: Transcript, first: str, second: str) -> int:
    parts: list[str | ToolCalls] = []
    for name in (first, second):
        text = KINDS[name]
        if text is None:
            parts.append(ToolCalls((call(name),)))
        elif parts and isinstance(parts[-1], str):
            parts[-1] += f"\n\n{text}"
        else:
            parts.append(text)
    show(transcript, answered(f"{first} {second}", *parts))
    image = transcript.viewport().grab().toImage()
    canvas = image.pixelColor(2, 2)
    inked = [any(image.pixelColor(x, y) != canvas for x in range(44, 160, 2)) for y in range(56, 300)]
    runs = [(is_ink, len(list(rows))) for is_ink, rows in groupby(inked)]
    between = [length for is_ink, length in runs[1:-1] if not is_ink]
    return max(between, default=0)


def test_thousands_of_matches_are_painted_and_only_the_current_one_is_a_selection(
    transcript: Transcript, theme: Theme
) -> None:
    """Qt takes seconds to paint so many selections."""
    turn = answered("1", "za " * 2000)
    show(transcript, turn)
    scan = TurnScan(theme, FindQuery("a"))
    matches = [match for found in scan.matches(scan.blocks(turn)) for match in found]
    assert len(matches) == 2000
    by_key = {key: list(of_block) for key, of_block in groupby(matches, lambda match: match.key)}
    transcript.highlight(lambda _: by_key, (turn.id, by_key[matches[-1].key][-1]))
    view = prose(transcript)
    assert len(view.extraSelections()) == 1
    image, found = transcript.viewport().grab().toImage(), theme.color("found")
    painted = sum(image.pixelColor(x, y) == found for x in range(40, 760) for y in range(200, 240))
    assert painted > 500
    transcript.highlight(None)
    image = transcript.viewport().grab().toImage()
    assert not any(image.pixelColor(x, 220) == found for x in range(40, 760))
