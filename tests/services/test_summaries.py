"""Going on from a summary: what the model sees then, and that nothing of the conversation is lost."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.app import Core
from core.domain.ids import WorkflowId
from core.domain.model import ModelChoice
from core.domain.run import SUMMARY_TEMPLATE, Run, RunStatus
from core.domain.tokens import characters_for
from core.domain.workflow import Workflow
from core.services.outcome import Failed, Ok
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Asked, Provider, Reply, calls, fails, provider, says
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    async with run_core(InMemoryStorage(), key_file=tmp_path / "keys.json") as core:
        yield core


QUESTION = "My colour is blue (me@example.com, @input.parts[7], @none.x); which one is mine?"


def of(server: Provider, context_tokens: int | None = 32_768) -> ModelChoice:
    return ModelChoice(base_url=server.url, model="m", context_tokens=context_tokens)


async def said(core: Core, text: str, workflow_id: WorkflowId | None = None, model: ModelChoice | None = None) -> Run:
    answer = await core.chat.send(text, workflow_id, model=model)
    assert isinstance(answer, Ok), answer
    return await core.engine.wait(answer.data.id)


async def summed_up(core: Core, workflow_id: WorkflowId) -> Run:
    begun = await core.summaries.start(workflow_id)
    assert isinstance(begun, Ok), begun
    return await core.engine.wait(begun.data.id)


async def refusal(core: Core, workflow_id: WorkflowId) -> str:
    answer = await core.summaries.start(workflow_id)
    assert isinstance(answer, Failed), answer
    return answer.code


async def test_the_next_turn_sees_the_summary_instead_of_the_messages(core: Core) -> None:
    with provider(says("Blue."), says("SUMMARY: likes blue"), says("Yes, blue.")) as server:
        first = await said(core, QUESTION, model=of(server))
        run = await summed_up(core, first.workflow_id)
        assert (run.status, run.template_id) == (RunStatus.SUCCESS, SUMMARY_TEMPLATE)
        asked = server.posts[1]
        assert f"[User] {QUESTION}" in asked.messages[-1]["content"]
        assert "[Assistant] Blue." in asked.messages[-1]["content"]
        assert "tools" not in asked.body
        await said(core, "Is it blue?", first.workflow_id)
        told = server.posts[2].messages
        assert [message["role"] for message in told] == ["system", "user"]
        assert told[0]["content"].endswith("as a summary:\n\nSUMMARY: likes blue")
        texts = [message.text for message in await core.storage.messages.of_workflow(first.workflow_id)]
        assert texts == [
            QUESTION,
            "Blue.",
            "SUMMARY: likes blue",
            "Is it blue?",
            "Yes, blue.",
        ]


async def test_a_summary_continues_the_previous_summary(core: Core) -> None:
    with provider(says("a1"), says("FIRST"), says("a2"), says("SECOND"), says("a3")) as server:
        first = await said(core, "q1", model=of(server))
        await summed_up(core, first.workflow_id)
        await said(core, "q2", first.workflow_id)
        await summed_up(core, first.workflow_id)
        whole = server.posts[3].messages[-1]["content"]
        assert "FIRST" in whole
        assert "q2" in whole
        assert "q1" not in whole
        await said(core, "q3", first.workflow_id)
        last = str(server.posts[4].messages)
        assert "SECOND" in last
        assert not any(one in last for one in ("FIRST", "q1", "q2"))


async def test_what_does_not_fit_at_once_is_summed_up_part_by_part(core: Core) -> None:
    """Every word of the conversation reaches the model, each request fits, and each continues the previous."""
    words = [f"w{number}" for number in range(3000)]
    count = 0

    def answer(asked: Asked) -> Reply:
        nonlocal count
        count += 1
        return says("ok" if count == 1 else f"NOTES{count}")

    with provider(answer) as server:
        first = await said(core, " ".join(words), model=of(server, 100_000))
        small = of(server, 2560)
        await core.workflows.select_agent(
            first.workflow_id, (await core.chat.answering(await row(core, first))).model_copy(update={"model": small})
        )
        run = await summed_up(core, first.workflow_id)
        asked = [post.messages[-1]["content"] for post in server.posts[1:]]
        assert run.status is RunStatus.SUCCESS
        assert len(asked) > 3
        assert all(len(text) < characters_for(2560) for text in asked)
        assert all(f"NOTES{number}" in text for number, text in enumerate(asked[1:], 2))
        seen = "".join(text.rpartition(":\n\n")[2] for text in asked)
        assert all(word in seen for word in words)
        output = (await core.storage.messages.of_workflow(first.workflow_id))[-1].text
        assert output == f"NOTES{len(asked) + 1}"


async def row(core: Core, run: Run) -> Workflow:
    found = await core.storage.workflows.get(run.workflow_id)
    assert found is not None
    return found


async def test_a_summary_that_fails_or_is_stopped_changes_nothing(core: Core) -> None:
    hanging = Reply(b"", end="hangs")
    with provider(says("a1"), fails(400, "no"), hanging, says("a2")) as server:
        first = await said(core, "q1", model=of(server))
        assert (await summed_up(core, first.workflow_id)).status is RunStatus.ERROR
        begun = await core.summaries.start(first.workflow_id)
        assert isinstance(begun, Ok)
        assert await refusal(core, first.workflow_id) == "workflow_busy"
        await until(lambda: len(server.posts) >= 3)
        await core.runs.cancel(begun.data.id)
        await core.engine.wait(begun.data.id)
        await said(core, "q2", first.workflow_id)
        assert [one["content"] for one in server.posts[-1].messages[1:]] == ["q1", "a1", "q2"]


async def test_calls_and_their_results_are_a_part_of_what_is_summed_up(core: Core) -> None:
    made = calls(("c1", "calculator", {"expression": "6*7"}))
    with provider(made, says("42"), says("S")) as server:
        first = await said(core, "compute", model=of(server))
        await summed_up(core, first.workflow_id)
        whole = server.posts[2].messages[-1]["content"]
        assert '[Call] calculator {"expression": "6*7"}' in whole
        assert '[Result] {"result":42}' in whole


async def test_what_cannot_be_summed_up_is_refused_and_leaves_no_trace(core: Core) -> None:
    with provider(says("a1"), says("S")) as server:
        offline = await said(core, "say 1 word")
        assert await refusal(core, offline.workflow_id) == "no_model"
        assert await refusal(core, WorkflowId("wf_none")) == "not_found"
        tiny = await said(core, "q", model=of(server, 256))
        assert await refusal(core, tiny.workflow_id) == "window_too_small"
        first = await said(core, "q1", model=of(server))
        await summed_up(core, first.workflow_id)
        assert await refusal(core, first.workflow_id) == "nothing_to_sum_up"
        assert len(await core.storage.runs.page(workflow_id=first.workflow_id)) == 2
        assert len(await core.storage.runs.page(workflow_id=offline.workflow_id)) == 1


async def test_the_offline_agent_goes_on_from_the_whole_conversation(core: Core) -> None:
    """Its script has its place in it."""
    script = ({"say": "one"}, {"fail": "no"}, {"say": "two"})
    with provider(says("S")) as server:
        sent = await core.chat.send("go", script=script)
        assert isinstance(sent, Ok)
        first = await core.engine.wait(sent.data.id)
        await core.workflows.select_agent(
            first.workflow_id,
            (await core.chat.answering(await row(core, first))).model_copy(
                update={"model": of(server), "is_offline": False}
            ),
        )
        await summed_up(core, first.workflow_id)
        again = await core.chat.send("go", first.workflow_id, script=script)
        assert isinstance(again, Ok)
        await core.engine.wait(again.data.id)
        assert (await core.storage.messages.of_workflow(first.workflow_id))[-1].text == "two"
