"""Sub-agents in the transcript: a line each in place of the call that started them, with their text and calls."""

from collections.abc import Iterable
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain import events as facts
from core.domain.events import Fact
from core.domain.ids import CallId, SubAgentId
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.tool import CallStatus
from desktop.chat.derivation import derive_turn
from desktop.chat.layout.blocks import CaptionKind
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.turn_parts import Activity, CutOff, Part, Phase, Steps, SubAgentLine, SubAgents, Text, ToolCalls
from desktop.chat.views.line_views import SubAgentView
from desktop.translation import Language, Translation
from tests.gui.chat.conversation import NOW, answered, call, called, ended, message_of, run_of, token
from tests.gui.chat.sight import texts, views
from tests.gui.chat.test_blocks import blocks, captions, kinds


def begun(number: int = 1, name: str = "Helper", call_id: str = "c1", step: str = "answer", **more: Any) -> Fact:
    own_id = SubAgentId(f"{call_id}/{number}")
    return facts.SubAgentStarted(
        sub_agent_id=own_id, name=name, prompt="Do it", call_id=CallId(call_id), step=step, **more
    )


def piece(text: str, offset: int = 0, number: int = 1, call_id: str = "c1") -> Fact:
    return facts.SubAgentProgress(sub_agent_id=SubAgentId(f"{call_id}/{number}"), text=text, offset=offset)


def inner(name: str, offset: int, number: int = 1, step: str = "answer") -> Fact:
    return facts.ToolStarted(
        call_id=CallId(name),
        tool="read_file",
        arguments={"path": "a"},
        step=step,
        sub_agent_id=SubAgentId(f"c1/{number}"),
        round=1,
        offset=offset,
    )


def over(number: int = 1, status: StepStatus = StepStatus.COMPLETED, **more: Any) -> Fact:
    return facts.SubAgentFinished(sub_agent_id=SubAgentId(f"c1/{number}"), status=status, duration_ms=2500, **more)


def parts(*told: Fact) -> list[Part]:
    run = run_of(*told)
    return list(derive_turn(message_of(run), run).parts)


def lines(parts: Iterable[Part]) -> tuple[SubAgentLine, ...]:
    (found,) = [part for part in parts if isinstance(part, SubAgents)]
    return found.lines


def test_they_stand_in_the_place_of_their_call_and_nothing_of_them_in_their_parents_text() -> None:
    shown = parts(
        token("I ask two."),
        called("c0", 10),
        ended("c0"),
        called("c1", 10, "parallel_tasks"),
        begun(1, "One"),
        begun(2, "Two"),
        piece("Hel"),
        inner("c1/1.1.1", 3),
        ended("c1/1.1.1"),
        piece("lo", 3),
        facts.UsageReported(input_tokens=7, output_tokens=3, sub_agent_id=SubAgentId("c1/1")),
        over(1),
        ended("c1"),
        token("\n\nThey did.", 10),
    )
    assert [type(part) for part in shown] == [Text, ToolCalls, SubAgents, Text]
    assert [part.text for part in shown if isinstance(part, Text)] == ["I ask two.", "\n\nThey did."]
    first, second = lines(shown)
    assert (first.name, first.status, first.tokens, first.elapsed_s) == ("One", StepStatus.COMPLETED, 10, 2.5)
    assert [type(part) for part in first.parts] == [Text, ToolCalls, Text]
    assert (second.status, second.elapsed_s, second.parts) == (StepStatus.RUNNING, None, ())


def test_a_call_that_began_none_is_a_call() -> None:
    told = called("c1", 0, "spawn_agent"), ended("c1", status=CallStatus.ERROR, error={"message": "refused"})
    (shown, _) = parts(*told)
    assert isinstance(shown, ToolCalls)
    assert shown.lines[0].error == "refused"


def test_while_they_are_at_work_the_run_calls_its_own_tool() -> None:
    shown = parts(called("c1", 0, "spawn_agent"), begun(), inner("c1/1.1.1", 0))
    assert isinstance(shown[-1], Activity)
    assert (shown[-1].phase, shown[-1].tool) == (Phase.CALLING, "spawn_agent")


def test_a_sub_agent_that_ended_with_its_run_was_stopped() -> None:
    shown = parts(called("c1", 0, "spawn_agent"), begun(), facts.RunFinished(status=RunStatus.CANCELLED, active_ms=1))
    assert [line.status for line in lines(shown)] == [StepStatus.CANCELLED]


def test_in_a_template_they_stand_below_their_step() -> None:
    run = run_of(
        facts.StepStarted(step="one"),
        called("c1", None, "spawn_agent", step="one"),
        begun(step="one"),
        inner("c1/1.1.1", 0, step="one"),
        kind=RunKind.WORKFLOW,
        steps=["one", "two"],
    )
    (steps,) = [part for part in derive_turn(message_of(run), run).parts if isinstance(part, Steps)]
    assert [(len(line.tools), len(line.sub_agents)) for line in steps.lines] == [(0, 1), (0, 0)]


def line(number: int, status: StepStatus = StepStatus.COMPLETED, **more: Any) -> SubAgentLine:
    made: dict[str, Any] = {
        "elapsed_s": 2.5,
        "tokens": 1200,
        "parts": (Text("Found."), ToolCalls((call("1"),))),
        **more,
    }
    return SubAgentLine(SubAgentId(f"c1/{number}"), f"Agent {number}", status, "Look for it", NOW, **made)


def test_a_line_unfolds_to_its_task_its_text_and_its_calls() -> None:
    turn = answered("a", SubAgents((line(1), line(2, StepStatus.ERROR, error="broken"))))
    folded = blocks(turn)
    assert kinds(folded) == ["Header", "SubAgent", "SubAgent"]
    made = blocks(turn, {folded[1].key: True, folded[2].key: True})
    assert captions(made) == [CaptionKind.TASK, CaptionKind.ANSWER] * 2 + [CaptionKind.FAILED]
    assert kinds(made)[:7] == ["Header", "SubAgent", "Caption", "Prose", "Caption", "Prose", "Tool"]


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.FRENCH])
def test_the_line_shows_name_state_duration_and_tokens(
    transcript: Transcript, translation: Translation, language: Language
) -> None:
    translation.set_language(language)
    waiting = line(2, StepStatus.WAITING, elapsed_s=None, tokens=0, agent="Coder")
    transcript.show_conversation([answered("a", SubAgents((line(1), waiting, line(3, StepStatus.ERROR))))])
    said = [view.accessibleName().replace("\N{NO-BREAK SPACE}", " ") for view in views(transcript, SubAgentView)]
    expected = {
        Language.ENGLISH: ["Agent 1, Done · 2 s · 1.2k tokens", "Agent 2, Coder, Waiting for you", "Failed"],
        Language.FRENCH: ["Agent 1, Terminé · 2 s · 1,2 k jetons", "Agent 2, Coder, Attend votre réponse", "Échec"],
    }[language]
    assert said[:2] == expected[:2]
    assert expected[2] in said[2]


def test_a_click_unfolds_it(transcript: Transcript) -> None:
    transcript.show_conversation([answered("a", SubAgents((line(1), line(2))))])
    views(transcript, SubAgentView)[0].click()
    QApplication.processEvents()
    QTest.qWait(50)
    assert texts(transcript)[-2:] == ["Look for it", "Found."]


def test_warnings_about_their_answers_are_not_those_of_their_parents() -> None:
    warned = facts.AnswerWarned(code="length", message="", step="answer", sub_agent_id=SubAgentId("c1/1"))
    shown = parts(called("c1", 0, "spawn_agent"), begun(), warned, over(), ended("c1"))
    assert not [part for part in shown if isinstance(part, CutOff)]
