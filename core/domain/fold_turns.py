"""Folds what agents do in their turns: texts, reasoning, calls, sub-agents and usage."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from core.domain import events as facts
from core.domain.live_run import (
    MAX_THOUGHT_CHARACTERS,
    MAX_THOUGHTS,
    LiveCall,
    LiveRun,
    LiveSubAgent,
    LiveTask,
    LiveThought,
    StreamRate,
    tokens_per_second,
)
from core.domain.messages import Role, attachments_of
from core.domain.result_pictures import pictures_in
from core.domain.run import StepStatus
from core.domain.text.stream import TextStream

# Applies a fact. An unstored fact returns False if it changed nothing.
FoldFact = Callable[[LiveRun, Any, datetime], bool | None]


def _fold_token(run: LiveRun, fact: facts.TokenReceived, at: datetime) -> bool:
    step = run.steps.get(fact.step)
    if step is None or run.status.is_final or fact.message_id != run.message_id:
        return False
    is_new = step.texts.setdefault(fact.index, TextStream()).append(fact.offset, fact.text)
    if is_new:
        run.wait = None
        run.tokens_received += 1
        run.rate.count(at)
    return is_new


def _fold_message(run: LiveRun, fact: facts.MessageAdded, at: datetime) -> None:
    step = run.steps.get(fact.step) if fact.step is not None else None
    if fact.role is Role.USER:
        run.prompt, run.prompt_id = fact.text, fact.message_id
        run.prompt_attachments = attachments_of(fact.attachments)
    elif fact.interrupted:
        # The text moves to a message of its own. The turn continues after it with another text in the same stream.
        run.interrupted_texts.append(fact.text)
        if step is not None and (text := step.texts.get(fact.index)) is not None:
            text.restart(dropped=fact.text)
    elif step is not None:
        step.texts[fact.index] = TextStream(fact.text)
    elif fact.role is Role.ASSISTANT and fact.message_id == run.message_id:
        run.message = fact.text


def close_thoughts(thoughts: Iterable[LiveThought]) -> None:
    """Close the thoughts, since their run ended or starts again."""
    for thought in thoughts:
        thought.is_open = False


def _fold_reasoning(run: LiveRun, fact: facts.ReasoningReceived, at: datetime) -> bool:
    """Add a piece that was shown. Thoughts of sub-agents are not part of the state."""
    if fact.sub_agent_id is not None:
        return False
    if fact.step not in run.steps or run.status.is_final or fact.message_id != run.message_id:
        return False
    thought = _thought(run, fact.step, fact.index, fact.place, at)
    run.wait = None
    run.rate.count(at)
    thought.elapsed_ms = max(thought.elapsed_ms, _milliseconds(at - thought.started_at))
    return _append_piece(thought, fact.offset, fact.text)


def _fold_saved_thought(run: LiveRun, fact: facts.ThoughtSaved, at: datetime) -> None:
    """Add a stored piece, of which a live state has seen all and a rebuilt state nothing."""
    # A stored piece joins several shown pieces, and a long thought is stored only in part. By its offset, the same code
    # adds nothing to a live state and everything to a rebuilt state.
    thought = _thought(run, fact.step, fact.index, fact.place, at - timedelta(milliseconds=fact.elapsed_ms))
    _append_piece(thought, fact.offset, fact.text)
    thought.elapsed_ms = fact.elapsed_ms
    thought.is_open = not fact.is_whole and not run.status.is_final


def _thought(run: LiveRun, step: str, index: int | None, offset: int, began: datetime) -> LiveThought:
    """Return the open thought of this step, else a new one."""
    for thought in reversed(run.thoughts):
        if thought.is_open and (thought.step, thought.index) == (step, index):
            return thought
    thought = LiveThought(step, index, offset, began)
    run.thoughts = [*run.thoughts[1 - MAX_THOUGHTS :], thought]
    return thought


def _append_piece(thought: LiveThought, offset: int, text: str) -> bool:
    """Add the new part of a piece that begins at `offset`."""
    new = text[max(0, thought.length - offset) :]
    if not new:
        return False
    if (remaining := MAX_THOUGHT_CHARACTERS - thought.length) > 0:
        thought.pieces.append(new[:remaining])
    thought.length += len(new)
    return True


def _milliseconds(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)


def _fold_call(run: LiveRun, fact: facts.ToolStarted, at: datetime) -> None:
    run.calls[fact.call_id] = run.calls_in_flight[fact.call_id] = LiveCall(
        fact.call_id,
        fact.tool,
        fact.arguments,
        fact.step,
        fact.index,
        fact.round,
        fact.offset,
        at,
        sub_agent_id=fact.sub_agent_id,
    )


def _fold_progress(run: LiveRun, fact: facts.ToolProgressed, at: datetime) -> None:
    if call := run.calls.get(fact.call_id):
        call.progress = fact


def _fold_output(run: LiveRun, fact: facts.CommandOutput, at: datetime) -> bool:
    call = run.calls.get(fact.call_id)
    if call is None or not call.is_running:
        return False
    call.output = fact.text
    return True


def _fold_result(run: LiveRun, fact: facts.ToolEnded, at: datetime) -> None:
    if call := run.calls.get(fact.call_id):
        call.status, call.duration_ms = fact.status, fact.duration_ms
        call.summary, call.error = fact.summary, fact.error
        call.pictures = tuple(pictures_in(fact.result))
        call.output = ""
        run.calls_in_flight.pop(fact.call_id, None)


def _fold_late(run: LiveRun, fact: facts.ToolEndedLate, at: datetime) -> None:
    if call := run.calls.get(fact.call_id):
        call.late = fact


def _fold_warning(run: LiveRun, fact: facts.AnswerWarned, at: datetime) -> None:
    run.warnings.append(facts.fact_fields(fact))


def _fold_request(run: LiveRun, fact: facts.ModelAsked, at: datetime) -> None:
    run.model_requests += 1
    if fact.sub_agent_id is not None:
        return
    run.last_request, run.last_answer_tokens, run.rate = fact, 0, StreamRate()


def _fold_wait(run: LiveRun, fact: facts.ModelWaited, at: datetime) -> bool:
    """Keep why the model does not answer yet. Waits of sub-agents are not part of the state."""
    if fact.sub_agent_id is not None or run.status.is_final:
        return False
    run.wait, run.waiting_since = fact, at - timedelta(seconds=fact.waited_s)
    return True


def _fold_usage(run: LiveRun, fact: facts.UsageReported, at: datetime) -> None:
    sub_agent = run.sub_agents.get(fact.sub_agent_id) if fact.sub_agent_id is not None else None
    for used in (run, sub_agent):
        if used is not None:
            used.input_tokens += fact.input_tokens
            used.output_tokens += fact.output_tokens
            used.cached_tokens += fact.cached_tokens
            used.cost = used.cost if fact.cost is None else (used.cost or 0.0) + fact.cost
    run.reported_answers += 1
    run.unpriced_answers += fact.cost is None
    if fact.sub_agent_id is not None:
        return
    run.last_answer_tokens, run.rate = fact.said_tokens, StreamRate()
    if fact.elapsed_ms is not None:
        run.tokens_per_second = tokens_per_second(fact.output_tokens, fact.elapsed_ms)


def _fold_task(run: LiveRun, fact: facts.TaskChanged, at: datetime) -> None:
    if task := run.tasks.get(fact.id):
        task.fact, task.last_at = fact, at
    else:
        run.tasks[fact.id] = LiveTask(fact, at, at)


def _fold_file_change(run: LiveRun, fact: facts.FileChanged, at: datetime) -> None:
    run.file_changes.append(fact)


def _fold_sub_agent(run: LiveRun, fact: facts.SubAgentStarted, at: datetime) -> None:
    sub_agent = run.sub_agents.get(fact.sub_agent_id)
    if sub_agent is not None:  # it was stopped, and resumes
        sub_agent.status, sub_agent.duration_ms, sub_agent.error = StepStatus.RUNNING, None, None
        sub_agent.text.restart()
        return
    run.sub_agents[fact.sub_agent_id] = LiveSubAgent(
        fact.sub_agent_id,
        fact.name,
        fact.prompt,
        fact.call_id,
        fact.step,
        fact.index,
        at,
        agent=fact.agent,
        model=fact.model,
    )


def _fold_sub_agent_piece(run: LiveRun, fact: facts.SubAgentProgress, at: datetime) -> bool:
    sub_agent = run.sub_agents.get(fact.sub_agent_id)
    if sub_agent is None or run.status.is_final:
        return False
    return sub_agent.text.append(fact.offset, fact.text)


def _fold_sub_agent_text(run: LiveRun, fact: facts.SubAgentText, at: datetime) -> None:
    sub_agent = run.sub_agents.get(fact.sub_agent_id)
    if sub_agent is not None and fact.interrupted:
        sub_agent.text.restart(dropped=fact.text)
    elif sub_agent is not None:
        sub_agent.text = TextStream(fact.text)


def _fold_sub_agent_end(run: LiveRun, fact: facts.SubAgentFinished, at: datetime) -> None:
    if sub_agent := run.sub_agents.get(fact.sub_agent_id):
        sub_agent.status, sub_agent.duration_ms, sub_agent.error = fact.status, fact.duration_ms, fact.error


TURN_FOLDS: Mapping[type[facts.Fact], FoldFact] = {
    facts.TokenReceived: _fold_token,
    facts.MessageAdded: _fold_message,
    facts.ReasoningReceived: _fold_reasoning,
    facts.ThoughtSaved: _fold_saved_thought,
    facts.ToolStarted: _fold_call,
    facts.ToolProgressed: _fold_progress,
    facts.CommandOutput: _fold_output,
    facts.ToolEnded: _fold_result,
    facts.ToolEndedLate: _fold_late,
    facts.ModelAsked: _fold_request,
    facts.ModelWaited: _fold_wait,
    facts.AnswerWarned: _fold_warning,
    facts.UsageReported: _fold_usage,
    facts.TaskChanged: _fold_task,
    facts.FileChanged: _fold_file_change,
    facts.SubAgentStarted: _fold_sub_agent,
    facts.SubAgentProgress: _fold_sub_agent_piece,
    facts.SubAgentText: _fold_sub_agent_text,
    facts.SubAgentFinished: _fold_sub_agent_end,
}
