"""Sub-agents of a turn that dies at any point: in the next process each resumes, and nothing happens twice.

Tasks and the moment of death are drawn from a seed. The outcome is compared with an uninterrupted run.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from core.agents.loop import AgentLoop
from core.domain.events import Event, Fact, RunCreated, RunStarted, StepStarted, SubAgentFinished, UsageReported
from core.domain.fold import replay
from core.domain.ids import InterruptionId, MessageId, RunId, WorkflowId
from core.domain.interruption import Action, Answer, Interruption, InterruptionRequest, InterruptionStatus
from core.domain.run import Run, RunKind, RunStatus, Snapshot, StepKey, StepStatus
from core.domain.template import Template
from core.domain.tool import CallResult, CallStatus, ToolInfo
from core.llm.offline.client import OfflineModel
from core.ports import AgentTurn, CallContext, CreateRun, PendingCall, PermittedCall, RunSubAgents
from core.tools.builtin import calculator, sub_agents
from core.tools.invocation import ToolInvoker
from core.tools.registry import Registry, Tool
from tests.agents.disk import START, Disk, Journal, at_once
from tests.support.clock import FakeClock
from tests.support.progress import stored_calls, stored_results
from tests.support.roster import Roster
from tests.tools.rig import LibrarySchemas

RUN, WORKFLOW, STEP = RunId("run_1"), WorkflowId("wf_1"), "reply"
SEEDS = 25
MOST_TURNS = 5000


class Story:
    """A history on one disk, over several processes."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self.disk = Disk()
        self.effects: list[str] = []
        self.told: list[Event] = []
        self._clock = FakeClock(tick_s=0.001)
        self._life = 0
        self._run = Run(RUN, WORKFLOW, RunKind.WORKFLOW, "T", RunStatus.RUNNING, MessageId("msg_1"), START)
        self._snapshot = Snapshot(Template(title="T", steps=[]), {})
        at_once(self.disk.commit([CreateRun(self._run, self._snapshot)]))
        log = Journal(self._run, self.disk)
        created = RunCreated(kind=RunKind.WORKFLOW, title="T", message_id=self._run.message_id, steps=[STEP])
        log.emit(created, RunStarted(), StepStarted(step=STEP))
        log.flush()

    async def live(self, die_at: int = MOST_TURNS) -> tuple[str | None, int]:
        """Run the turn to its output, or None if the process dies before, and count the turns of the loop."""
        self._life += 1
        log = Journal(self._run, self.disk)
        crew = RunSubAgents.from_results(await stored_results(self.disk, RUN), lambda: None)
        turn = AgentTurn(
            self._run, self._snapshot, StepKey(STEP), self._prompt, ask=self._ask, consent=_consent, sub_agents=crew
        )
        work = asyncio.ensure_future(self._loop().run(turn, log))
        turns = 0
        while not work.done() and turns < die_at:
            turns += 1
            await asyncio.sleep(0)
        output = work.result() if work.done() else None
        log.flush() if work.done() else log.kill()
        self._life += 1
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work
        self.told = [*log.before, *log.told]
        return output, turns

    def _loop(self) -> AgentLoop:
        schemas = LibrarySchemas()
        registry = Registry(schemas)
        info = ToolInfo("once", "Once", "Leaves a line.", {"type": "object"})
        once = Tool(info, server=partial(self._once, self._life))
        for tool in (once, calculator.tool(), *sub_agents.tools()):
            registry.register(tool)
        tools = ToolInvoker(registry, self._clock)
        model = OfflineModel(self._clock, word_delay_s=0)
        return AgentLoop(model, tools, self.disk, self._clock, schemas, Roster())

    async def _once(self, life: int, arguments: Mapping[str, Any], context: CallContext) -> Any:
        await asyncio.sleep(0)
        if life != self._life:
            await asyncio.Event().wait()  # the dead leave no lines
        self.effects.append(arguments["text"])
        await asyncio.sleep(0)
        return {"text": arguments["text"]}

    async def _ask(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
        """Answer as a user who checks whether the effect happened."""
        text = ask.arguments["text"]
        answer = Answer(Action.SUBMIT, {"text": text}) if text in self.effects else Answer(Action.APPROVE)
        opened = Interruption(
            InterruptionId("int_1"), RUN, WORKFLOW, ask, InterruptionStatus.AWAITING_OUTCOME, 1, START
        )
        return opened.closed(InterruptionStatus.OUTCOME_GIVEN, answer, START)


async def _consent(
    wanted: Sequence[PendingCall], advertised: Collection[str] | None = None
) -> list[PermittedCall | CallResult]:
    return [PermittedCall(call.arguments) for call in wanted]


def a_prompt(fortune: random.Random) -> str:
    """Draw rounds of sub-agents: some concurrent, some alone."""
    lines = []
    for number in range(fortune.randint(1, 2)):
        tasks = [{"prompt": a_task(fortune, f"{number}.{at}")} for at in range(fortune.randint(1, 4))]
        lines += [f"/tool parallel_tasks {json.dumps({'tasks': tasks})}", ""]
    alone = json.dumps({"prompt": a_task(fortune, "alone")})
    return "\n".join([*lines, f"say {fortune.randint(1, 5)} words", f"/tool spawn_agent {alone}"])


def a_task(fortune: random.Random, name: str) -> str:
    """Draw some words, and calls that leave a line each, or none."""
    lines = [f"say {fortune.randint(1, 6)} words"]
    for number in range(fortune.randint(0, 3)):
        text = json.dumps({"text": f"{name}.{number}"})
        lines.append(
            fortune.choice([f"/tool once {text}", f"/tool once {text}\n", '/tool calculator {"expression": "1"}'])
        )
    return "\n".join(lines)


def count(events: Sequence[Event], kind: type[Fact]) -> int:
    return sum(isinstance(event.fact, kind) for event in events)


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_a_turn_with_sub_agents_that_dies_anywhere_goes_on_as_if_it_had_not(seed: int) -> None:
    fortune = random.Random(seed)
    prompt = a_prompt(fortune)
    whole = Story(prompt)
    expected, turns = await whole.live()
    assert expected is not None
    story = Story(prompt)
    output = None
    for _ in range(3):
        output, _ = await story.live(fortune.randrange(turns))
    if output is None:
        output, _ = await story.live()
    assert output == expected, seed
    assert Counter(story.effects) == Counter(whole.effects), seed
    assert set(Counter(story.effects).values()) <= {1}, seed
    rebuilt, reference = replay(await story.disk.events.of_run(RUN)), replay(await whole.disk.events.of_run(RUN))
    assert rebuilt is not None
    assert reference is not None
    texts = {
        sub_agent.id: (sub_agent.name, sub_agent.status, str(sub_agent.text))
        for sub_agent in reference.sub_agents.values()
    }
    assert {
        sub_agent.id: (sub_agent.name, sub_agent.status, str(sub_agent.text))
        for sub_agent in rebuilt.sub_agents.values()
    } == texts, seed
    assert {status for _, status, _ in texts.values()} == {StepStatus.COMPLETED}
    assert count(await story.disk.events.of_run(RUN), SubAgentFinished) == len(texts), seed
    assert {row.status for row in await stored_calls(story.disk, RUN)} <= {CallStatus.COMPLETED}, seed
    assert await story.disk.chunks.of_run(RUN) == []


async def test_a_round_that_is_on_disk_is_never_asked_for_again() -> None:
    story = Story(a_prompt(random.Random(7)))
    _, turns = await story.live()
    whole = count(await story.disk.events.of_run(RUN), UsageReported)
    again, _ = await story.live(turns)
    assert again is not None
    assert count(await story.disk.events.of_run(RUN), UsageReported) == whole
