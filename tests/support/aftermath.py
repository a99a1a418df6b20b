"""What must hold after a process was killed, in words: an empty list is a good end (ENGINE §10)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from core.domain.events import (
    Event,
    InterruptionClosed,
    InterruptionRaised,
    RunFinished,
    StepFinished,
    StepSkipped,
    StepStarted,
    ToolStarted,
)
from core.domain.fold import replay
from core.domain.interruption import Action, Interruption, InterruptionKind
from core.domain.live_run import LiveRun
from core.domain.run import RunStatus, StepKey, StepStatus
from core.domain.sub_agent import SubAgentRecord, is_sub_agent
from core.domain.template import ValidationMode
from core.domain.text.json_text import decode
from core.domain.tool import CallStatus
from tests.support.crash_scenarios import Scenario
from tests.support.lives import Disk, Life

_NOT_STORED = ("tokens_received", "pause", "resumed_at")  # what the names of such fields begin with
_CUT_OFF = frozenset({CallStatus.RUNNING, CallStatus.CANCELLED, CallStatus.UNKNOWN})


def problems(scenario: Scenario, life: Life) -> list[str]:
    """Everything that is wrong with what the dead process left, and with what this life made of it."""
    return [
        *effects_without_cover(scenario, life.before),
        *_gaps(life.before.events),
        *_done_again(life),
        *_asked_wrongly(scenario, life),
        *_bad_end(scenario, life),
        *_bad_view(life),
    ]


# What the dead process left


def effects_without_cover(scenario: Scenario, disk: Disk) -> Iterator[str]:
    """The output rule: no effect before its own claim, and all that it depends on, is on disk."""
    steps = {str(key): result for key, result in disk.results.items()}
    done = {name for name, result in steps.items() if result.status is StepStatus.COMPLETED}
    for call_id, line in scenario.effects.items():
        if line not in disk.effects:
            continue
        if call_id not in steps and call_id not in disk.calls:
            yield f"{call_id} had its effect, and its claim is not on disk"
        for needed in set(scenario.needs.get(call_id, ())) - done:
            yield f"{call_id} had its effect, and {needed} is not on disk"
        approval = next((one for one in disk.interruptions if one.ask.step == call_id), None)
        if _asks_first(scenario, call_id) and (approval is None or approval.is_open):
            yield f"{call_id} had its effect, and that it was approved is not on disk"
        consent = next((one for one in disk.interruptions if _consents_to(one, call_id)), None)
        if scenario.mode is ValidationMode.MANUAL and (consent is None or consent.is_open):
            yield f"{call_id} had its effect, and consent to it is not on disk"


def _asks_first(scenario: Scenario, name: str) -> bool:
    return any(step["name"] == name and "interrupt" in step for step in scenario.steps)


def _consents_to(asked: Interruption, call_id: str) -> bool:
    return asked.ask.kind is InterruptionKind.TOOL_APPROVAL and asked.ask.call_id == call_id


def _gaps(events: tuple[Event, ...]) -> Iterator[str]:
    numbers = [event.seq for event in events]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"the numbers of the events have gaps: {numbers}"


# What this life did


def _done_again(life: Life) -> Iterator[str]:
    """Nothing that was on disk is carried out, told or written again."""
    before, after = life.before, life.after
    done = {key: row for key, row in before.results.items() if row.status is StepStatus.COMPLETED}
    for key, row in done.items():
        if after.results.get(key) != row:
            yield f"the result of {key} was {row}, and is {after.results.get(key)}"
    settled = {call.id for call in before.calls.values() if call.status not in _CUT_OFF}
    ended = {str(key) for key in done} | settled
    for made in life.made:
        if made.split(" attempt ")[0] in ended:
            yield f"{made} was carried out again, and its result was on disk"
    if after.events[: len(before.events)] != before.events:
        yield "the events that were on disk have changed"
    places = {(key.step, key.index) for key in done if key.round is None}
    for event in after.events[len(before.events) :]:
        match event.fact:
            case StepStarted() | StepFinished() | StepSkipped() as fact if (fact.step, fact.index) in places:
                yield f"{fact.type} of {fact.step} was told again, and its result was on disk"
            case ToolStarted(call_id=call_id) if call_id in settled:
                yield f"tool_start of {call_id} was told again, and its result was on disk"


def _asked_wrongly(scenario: Scenario, life: Life) -> Iterator[str]:
    """Each question was asked once, and where nobody knows of an effect, a person was asked before it is made again."""
    rows = life.after.interruptions
    allowed: Counter[Any] = Counter()
    for place, asked in Counter(map(_place, rows)).items():
        allowed[place] = 1 + sum(_place(one) == place and _runs_again(one) for one in rows)
        if asked > allowed[place]:
            yield f"{place} was asked {asked} times"
    raised = Counter(event.fact.id for event in life.after.events if isinstance(event.fact, InterruptionRaised))
    closed = Counter(event.fact.id for event in life.after.events if isinstance(event.fact, InterruptionClosed))
    ids = Counter(one.id for one in rows)
    if not raised == closed == ids:
        yield f"asked: {ids}, told: {raised}, told to be closed: {closed}"
    unknown = {str(key) for key, row in life.before.results.items() if row.status is StepStatus.RUNNING}
    unknown |= {call.id for call in life.before.calls.values() if call.status in _CUT_OFF}
    known = {one.id for one in life.before.interruptions}
    outcomes = [one for one in rows if one.ask.kind is InterruptionKind.OUTCOME]
    for one in outcomes:
        if one.id not in known and _call(one) not in unknown:
            yield f"{_call(one)} was asked for its outcome, and nothing had cut it off"
    repeated = {_call(one) for one in outcomes if _runs_again(one)}
    for made in {made.split(" attempt ")[0] for made in life.made}:
        if made in unknown - repeated and made in scenario.effects:
            yield f"{made} was cut off, and carried out again unasked"
    for name in (step["name"] for step in scenario.steps if "interrupt" in step):
        if not any(one.ask.step == name and one.ask.kind is InterruptionKind.APPROVAL for one in rows):
            yield f"{name} was never asked for"
    if scenario.mode is ValidationMode.MANUAL:
        for call_id in scenario.effects:
            if not any(_consents_to(one, call_id) for one in rows):
                yield f"{call_id} was never consented to"


def _place(asked: Interruption) -> Any:
    ask = asked.ask
    return ask.kind, ask.step, ask.index, ask.attempt, ask.call_id


def _call(asked: Interruption) -> str:
    return asked.ask.call_id or str(StepKey(asked.ask.step, asked.ask.index))


def _runs_again(asked: Interruption) -> bool:
    is_outcome = asked.ask.kind is InterruptionKind.OUTCOME
    return is_outcome and asked.answer is not None and asked.answer.action is Action.APPROVE


def _bad_end(scenario: Scenario, life: Life) -> Iterator[str]:
    disk = life.after
    yield from life.left_over
    yield from _gaps(disk.events)
    if disk.run is None or disk.run.status is not RunStatus.SUCCESS:
        yield f"the run has come to {disk.run}"
    elif decode(disk.run.output_json or "null") != scenario.output:
        yield f"the output is {disk.run.output_json}, not {scenario.output}"
    if Counter(disk.effects) != Counter(scenario.effects.values()):
        yield f"the effects are {disk.effects}, not {tuple(scenario.effects.values())}"
    ends = sum(isinstance(event.fact, RunFinished) for event in disk.events)
    if ends != 1:
        yield f"the run ended {ends} times"
    for key, row in disk.results.items():
        if row.status is not StepStatus.COMPLETED:
            yield f"{key} is {row.status} at the end"
    for call in disk.calls.values():
        if call.status is not CallStatus.COMPLETED:
            yield f"the call {call.id} is {call.status} at the end"


# What is shown of it


def _bad_view(life: Life) -> Iterator[str]:
    """The run as it is rebuilt from its events is what the rows say, and what somebody saw who was there."""
    disk, rebuilt = life.after, replay(life.after.events)
    if rebuilt is None or disk.run is None:
        yield "the events do not begin with the run"
        return
    run, error = disk.run, disk.run.error.as_dict() if disk.run.error is not None else None
    pairs = {
        "status": (rebuilt.status, run.status),
        "error": (rebuilt.error, error),
        "active_ms": (rebuilt.active_ms, run.active_ms),
        "message_id": (rebuilt.message_id, run.message_id),
        "content": (rebuilt.content, _shown(run.output_json)) if not disk.calls else (0, 0),
        "steps": (_steps(rebuilt), _rows(disk)),
        "sub-agents": (_sub_agents(rebuilt), _sub_agent_rows(disk)),
        "interruptions": (_asked(rebuilt), {one.id: one.status for one in disk.interruptions}),
        "calls": (
            {call.id: call.status for call in rebuilt.calls.values() if call.round is not None},
            {call.id: call.status for call in disk.calls.values()},
        ),
    }
    for name, (told, stored) in pairs.items():
        if told != stored:
            yield f"{name} as told is {told}, as stored {stored}"
    watched = life.watched
    if watched is not None:
        names = [one.name for one in fields(LiveRun) if one.compare and not one.name.startswith(_NOT_STORED)]
        other = [name for name in names if getattr(watched, name) != getattr(rebuilt, name)]
        if other:
            yield f"who watched saw something else than who reads: {other}"


def _shown(output_json: str | None) -> str:
    output = decode(output_json or '""')
    return output if isinstance(output, str) else output_json or ""


def _steps(rebuilt: LiveRun) -> Mapping[str, Any]:
    return {step.name: (step.status, step.skipped, step.output) for step in rebuilt.steps.values()}


def _rows(disk: Disk) -> Mapping[str, Any]:
    return {
        key.step: (row.status, row.skipped, decode(row.output_json or "null"))
        for key, row in disk.results.items()
        if not key.is_part and not is_sub_agent(key.step)
    }


def _sub_agents(rebuilt: LiveRun) -> Mapping[str, Any]:
    return {one.id: (one.name, one.status, one.input_tokens, one.output_tokens) for one in rebuilt.sub_agents.values()}


def _sub_agent_rows(disk: Disk) -> Mapping[str, Any]:
    rows = [row for key, row in disk.results.items() if not key.is_part and is_sub_agent(key.step)]
    notes = [(row, SubAgentRecord.from_json(row.output_json)) for row in rows]
    return {row.key.step: (note.name, row.status, note.input_tokens, note.output_tokens) for row, note in notes}


def _asked(rebuilt: LiveRun) -> Mapping[str, Any]:
    return {one.request.id: one.status for one in rebuilt.interruptions.values()}
