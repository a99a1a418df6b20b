"""Texts of lines and captions for calls, steps, failures and durations."""

import json
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.domain.run import RunStatus, StepStatus
from core.domain.tool import CallStatus
from core.tools.builtin.collection import MCP_TOOLS
from desktop.chat.layout.blocks import ActivityBlock
from desktop.chat.pictures.cache import PictureCache
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.turn_parts import Activity, Failure, Phase, Progress, StepLine, Steps, ToolCalls
from desktop.chat.views.caption_view import CaptionView
from desktop.chat.views.chat_strings import activity_text, call_result, failure_title
from desktop.chat.views.failure_view import FailureView
from desktop.chat.views.line_views import StepView, ToolView
from desktop.chat.views.painted_views import ActivityView
from desktop.chat.views.view_context import Intents, ViewContext
from desktop.theme import Theme
from desktop.translation import tool_doing, tool_done
from desktop.widgets import Button
from tests.gui.chat.conversation import NOW, answered, call
from tests.gui.chat.sight import views

SPACE = "\N{NO-BREAK SPACE}"
TOOLS = ("calculator", "wait", "read_file", "write_file", "list_files", "run_code")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.1, ""),
        (0.5, "Thinking"),
        (3.4, f"Thinking, 3{SPACE}s"),
        (12.0, f"Waiting for the model’s answer, 12{SPACE}s"),
    ],
)
def test_the_text_of_a_wait_grows_with_its_duration(theme: Theme, qtbot: QtBot, seconds: float, words: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    view = ActivityView(
        ViewContext(theme, Intents(window), lambda: NOW + timedelta(seconds=seconds), PictureCache(window)), window
    )
    view.show_block(ActivityBlock(key="activity", activity=Activity(Phase.THINKING, NOW)))
    assert view._text == words


def test_the_time_of_an_activity_runs_while_it_is_seen(theme: Theme, qtbot: QtBot) -> None:
    now = [NOW]
    window = QWidget()
    qtbot.addWidget(window)
    view = ActivityView(ViewContext(theme, Intents(window), lambda: now[0], PictureCache(window)), window)
    view.resize(200, 20)
    window.show()
    view.show_block(ActivityBlock(key="activity", activity=Activity(Phase.CALLING, NOW, "wait")))
    now[0] += timedelta(seconds=5)
    qtbot.waitUntil(lambda: view._text == f"Waiting, 5{SPACE}s")
    window.hide()
    assert not view._timer.isActive()


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_has_words(phase: Phase) -> None:
    assert activity_text(Activity(phase, NOW, "wait"), is_long=False)


@pytest.mark.parametrize("tool", [*TOOLS, *sorted(MCP_TOOLS), "mcp__x__y"])
def test_every_tool_has_words_for_doing_and_having_done(tool: str) -> None:
    assert tool_done(tool)
    assert "COLLECTION" not in tool_done(tool) + tool_doing(tool)
    assert tool_doing(tool) != tool_done(tool)


@pytest.mark.parametrize("status", [status for status in CallStatus if status is not CallStatus.RUNNING])
def test_every_end_of_a_call_has_words(status: CallStatus) -> None:
    assert call_result(call("1", status=status, summary="done"))


@pytest.mark.parametrize(
    ("code", "during", "title"),
    [
        ("outcome_unknown", "tool_execution", "Nobody knows whether the last action happened"),
        ("round_limit", None, "The agent was stopped: it kept calling tools"),
        ("deadline_exceeded", None, "It took longer than its template allows"),
        ("rejected", "tool_execution", "It was not allowed to go on"),
        ("model_failed", "model", "The model’s answer failed"),
        ("failed", "tool_execution", "A tool failed"),
        ("code_error", "code", "The code of a step failed"),
        ("storage_full", "storage", "It could not be written down"),
        ("stalled", "engine", "The run failed"),
    ],
)
def test_a_failure_has_a_sentence_about_what_failed(code: str, during: str | None, title: str) -> None:
    assert failure_title(Failure(code, "", during=during)) == title


def test_the_details_of_a_failure_are_copied_as_json(transcript: Transcript) -> None:
    failure = Failure("failed", "The disk is full", "write", "tool_execution", "write_file", {"path": "x"})
    transcript.show_conversation([answered("1", failure)])
    (card,) = views(transcript, FailureView)
    QTest.mouseClick(
        next(one for one in card.findChildren(Button) if one.text() == "Copy details"), Qt.MouseButton.LeftButton
    )
    assert json.loads(QGuiApplication.clipboard().text()) == {
        "code": "failed",
        "message": "The disk is full",
        "failed_step": "write",
        "failed_during": "tool_execution",
        "tool_name": "write_file",
        "path": "x",
    }


def test_a_running_step_shows_progress_and_duration(transcript: Transcript) -> None:
    since = NOW - timedelta(seconds=65)
    line = StepLine("each", StepStatus.RUNNING, started_at=since, progress=Progress(done=3, failed=1, total=10))
    transcript.show_conversation([answered("1", Steps(RunStatus.RUNNING, (line,)))])
    (step,) = views(transcript, StepView)
    assert step.accessibleName().startswith("each, 4 of 10, ")
    assert step.accessibleName().endswith(f"Running · 1{SPACE}min")


def test_an_unfolded_line_shows_its_details(transcript: Transcript) -> None:
    steps = (
        StepLine("skipped", StepStatus.COMPLETED, is_skipped=True, skipped_value=0),
        StepLine("silent", StepStatus.RUNNING, started_at=NOW),
        StepLine("failed", StepStatus.ERROR, error="It broke"),
    )
    calls = ToolCalls((call("1", summary="3 lines"),))
    transcript.show_conversation([answered("1", Steps(RunStatus.RUNNING, steps), calls)])
    for line in (*views(transcript, StepView)[:2], *views(transcript, ToolView)):
        line.click()
    assert [caption._text.text() for caption in views(transcript, CaptionView)] == [
        "Skipped: the condition found 0",
        "Nothing to show yet",
        "It broke",
        "Arguments",
        "Result: 3 lines",
    ]


def test_a_call_and_a_step_that_run_are_marked_as_running(transcript: Transcript) -> None:
    running = call("1", tool="write_file", status=CallStatus.RUNNING, target="a.txt")
    transcript.show_conversation([answered("1", ToolCalls((running,)))])
    assert views(transcript, ToolView)[0].accessibleName() == "Writing, a.txt"
