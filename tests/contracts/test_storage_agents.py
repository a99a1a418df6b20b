"""Storage of agents, and of the agent of a workflow and of a run."""

from dataclasses import replace

from core.domain.agent import Agent, AgentSelection
from core.domain.ids import AgentId
from core.domain.model import ModelChoice, Reasoning
from core.domain.run import StepAgent
from core.ports import CreateRun, Put, PutWorkflow, Remove, Storage
from tests.contracts.rows import R, W, a_run, a_snapshot, a_workflow

MODEL = ModelChoice(provider="ollama", base_url="http://127.0.0.1:11434/v1", model="m", price_in=0.0, temperature=0.0)
FULL = Agent(
    id=AgentId("agent_1"),
    name="Élise 亚",
    model=MODEL,
    system_prompt="a\n\x00 b 🙂" * 1000,
    tools=(),
    temperature=0.0,
    max_tokens=1,
    max_tool_rounds=200,
    reasoning=Reasoning.HIGH,
)
BARE = Agent(id=AgentId("agent_2"), name="b")


async def test_every_field_of_an_agent_comes_back_as_it_was(storage: Storage) -> None:
    assert await storage.agents.all() == []
    await storage.commit([Put(FULL), Put(BARE)])
    assert await storage.agents.all() == [BARE, FULL]
    assert await storage.agents.get(FULL.id) == FULL
    assert await storage.agents.get(AgentId("agent_\ud800")) is None


async def test_an_agent_is_replaced_and_removed_and_what_is_not_there_can_be_removed(storage: Storage) -> None:
    await storage.commit([Put(FULL), Put(BARE)])
    changed = Agent(id=FULL.id, name="c")
    await storage.commit([Put(changed), Remove(Agent, BARE.id), Remove(Agent, AgentId("agent_none"))])
    assert await storage.agents.all() == [changed]
    await storage.commit([Remove(Agent, FULL.id), Put(FULL)])  # puts come first, however they are listed
    assert await storage.agents.all() == []


async def test_the_answering_agent_is_stored_with_a_workflow_and_a_run(storage: Storage) -> None:
    for answering in (
        None,
        AgentSelection(),
        AgentSelection(agent=FULL.id, model=MODEL),
        AgentSelection(is_offline=True),
    ):
        workflow = replace(a_workflow(), answering=answering)
        await storage.commit([PutWorkflow(workflow)])
        assert await storage.workflows.get(W) == workflow
    snapshot = a_snapshot(
        profile=FULL, cast={"a": StepAgent(FULL, FULL.model, ("no model",)), "b": StepAgent(None, None)}
    )
    await storage.commit([CreateRun(a_run(), snapshot)])
    assert await storage.snapshots.of_run(R) == snapshot
