"""Choosing a model, and runs that may not ask theirs."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.domain.ids import RunId, WorkflowId
from core.domain.interruption import Action, Answer
from core.domain.model import ModelChoice, WireFormatName
from core.domain.run import Run, RunStatus
from core.domain.settings import KeyLocation
from core.llm.key_store import KeySource
from core.llm.presets import wire_format_of
from core.llm.provider.client import ProviderClient
from core.persistence.surreal import SurrealStorage
from core.ports import ChangeRun
from core.services.outcome import Failed, Ok
from core.wiring import run_core
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Asked, Reply, call_piece, chunk, fails, provider, says, sse

pytestmark = [pytest.mark.usefixtures("bare"), pytest.mark.real_time]  # the database answers from a thread of its own

KEY = "sk-live-0123456789abcdefghij"
OPENAI = {"provider": "openai", "model": "m"}


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    async with run_core(InMemoryStorage(), key_file=tmp_path / "keys.json") as core:
        yield core


async def chosen(core: Core, **options: Any) -> Any:
    """The choice, or the code of the failure."""
    answer = await core.providers.choose(**options)
    return answer.data if isinstance(answer, Ok) else answer.code


async def sent(core: Core, text: str = "hi", workflow_id: WorkflowId | None = None, **options: Any) -> Run:
    answer = await core.chat.send(text, workflow_id, **options)
    assert isinstance(answer, Ok), answer
    return await core.engine.wait(answer.data.id)


async def described(core: Core, run_id: RunId) -> Any:
    answer = await core.runs.describe(run_id)
    assert isinstance(answer, Ok)
    return answer.data


def lists(*names: str) -> Callable[[Asked], Reply]:
    rows = [{"id": name, "max_model_len": 8192, "pricing": {"prompt": 1e-6, "completion": 2e-6}} for name in names]
    listing = Reply(json.dumps({"data": rows}).encode(), headers={"Content-Type": "application/json"})
    return lambda asked: listing if asked.method == "GET" else says("a", usage=(1000, 100))


async def test_an_agent_reads_what_its_folder_says_to_agents(core: Core, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Answer in verse.")
    with provider(lambda asked: says("ok")) as server:
        choice = await chosen(core, base_url=server.url, model="m")
        await sent(core, model=choice, allow=[str(tmp_path)])
        system = server.asked[-1].body["messages"][0]
    assert system["role"] == "system"
    assert "Answer in verse." in system["content"]


# Choosing


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"base_url": "nonsense", "model": "m"}, "bad_input"),
        ({"base_url": "ftp://h/v1", "model": "m"}, "bad_input"),
        ({"base_url": "http://me:secret-word@h/v1", "model": "m"}, "bad_input"),
        ({"base_url": "http://h/v1?key=secret-word", "model": "m"}, "bad_input"),
        ({"base_url": "", "model": "m"}, "bad_input"),
        ({"base_url": "http://h/v1", "model": ""}, "bad_input"),
        ({"base_url": "http://h/v1", "model": "m" * 300}, "bad_input"),
        ({"base_url": "http://h/v1", "model": "m\ud800"}, "bad_input"),
        ({"base_url": "http://h/v1", "model": "m", "key_env": ""}, "bad_input"),
        ({"model": "m"}, "bad_input"),
        ({"key_env": "K"}, "bad_input"),
        ({"provider": "custom", "model": "m"}, "bad_input"),
        ({"provider": "nobody", "model": "m"}, "not_found"),
    ],
)
async def test_a_refused_choice_names_the_reason_and_not_the_value(
    core: Core, options: dict[str, Any], code: str
) -> None:
    answer = await core.providers.choose(**options)
    assert isinstance(answer, Failed)
    assert answer.code == code
    assert "secret-word" not in repr(answer)


@pytest.mark.parametrize(
    ("options", "wire_format"),
    [
        ({"provider": "anthropic"}, "anthropic_messages"),
        ({"base_url": "https://api.anthropic.com/v1"}, "anthropic_messages"),
        ({"base_url": "https://api.minimax.io/anthropic"}, "anthropic_messages"),
        ({"base_url": "https://api.z.ai/api/anthropic/v1"}, "anthropic_messages"),
        ({"base_url": "https://h/v1/messages"}, "anthropic_messages"),
        ({"base_url": "https://anthropic.example/v1"}, "chat_completions"),
        ({"base_url": "https://h/anthropic", "wire_format": WireFormatName.CHAT_COMPLETIONS}, "chat_completions"),
        ({"base_url": "https://h/v1", "wire_format": WireFormatName.ANTHROPIC_MESSAGES}, "anthropic_messages"),
    ],
)
async def test_a_server_is_asked_in_the_language_that_its_address_names(
    core: Core, options: dict[str, Any], wire_format: str
) -> None:
    assert wire_format_of(await chosen(core, model="m", **options)) == wire_format


async def test_a_preset_brings_its_address_and_needs_its_key(core: Core) -> None:
    assert await chosen(core, **OPENAI) == ModelChoice(
        provider="openai", base_url="https://api.openai.com/v1", model="m", needs_key=True, context_tokens=128_000
    )
    ollama = await chosen(core, provider="ollama", model="m")
    assert (ollama.base_url, ollama.needs_key, ollama.price_in) == ("http://127.0.0.1:11434/v1", False, 0)
    by_hand = await chosen(core, base_url="https://api.openai.com/v1/", model="m")
    assert (by_hand.provider, by_hand.needs_key) == ("openai", False)
    named = await chosen(core, base_url="http://h/v1", model="m", key_env="K")
    assert (named.provider, named.needs_key, named.key_env) == ("custom", True, "K")


async def test_without_a_name_the_only_model_is_taken_with_its_listed_properties(core: Core) -> None:
    with provider(lists("only")) as server:
        choice = await chosen(core, base_url=server.url)
        assert (choice.model, choice.context_tokens, choice.price_in, choice.price_out) == ("only", 8192, 1.0, 2.0)
        run = await sent(core, model=choice)
        assert server.posts[0].body["model"] == "only"
    assert (await described(core, run.id))["metrics"]["cost"] == 0.0012


async def test_several_models_are_named_and_must_be_chosen_from(core: Core) -> None:
    with provider(lists("one", "two")) as server:
        answer = await core.providers.choose(base_url=server.url)
    assert isinstance(answer, Failed)
    assert "one, two" in answer.message


async def test_a_server_that_lists_nothing_is_asked_without_a_name(core: Core) -> None:
    with provider(lambda asked: fails(404) if asked.method == "GET" else says("a")) as server:
        run = await sent(core, model=await chosen(core, base_url=server.url))
        assert "model" not in server.posts[0].body
    assert run.status is RunStatus.SUCCESS


async def test_a_model_alone_is_another_model_of_the_default_provider(core: Core) -> None:
    usual = ModelChoice(base_url="http://127.0.0.1:9/v1", model="one", temperature=0.5)
    await core.settings.change(model=usual)
    assert await chosen(core, model="two") == usual.model_copy(update={"model": "two"})


# Who answers


async def test_the_offline_agent_is_the_default_and_the_settings_may_name_another(core: Core) -> None:
    first = await sent(core, "say 2 words")
    assert json.loads(first.output_json or "") == "a workflow"
    with provider(says("I am a model")) as server:
        await core.settings.change(model=ModelChoice(base_url=server.url, model="m"))
        second = await sent(core, "hello")
        assert json.loads(second.output_json or "") == "I am a model"
        same = await sent(core, "say 2 words", first.workflow_id)  # a conversation stays with its agent
        assert json.loads(same.output_json or "") == "a workflow"
        assert json.loads((await sent(core, "say 2 words", agent="offline")).output_json or "") == "a workflow"
        script = ({"say": "scripted"},)
        assert json.loads((await sent(core, "x", second.workflow_id, script=script)).output_json or "") == "scripted"
    names = {flow.id: flow.agent for flow in await core.storage.workflows.all()}
    assert (names[first.workflow_id], names[second.workflow_id]) == ("offline", "offline")  # the last one was scripted


async def test_the_agents_of_a_template_have_the_model_of_the_settings(core: Core, tmp_path: Path) -> None:
    step = {"name": "a", "action": {"agent": {"prompt": "How many?"}}, "outputSchema": {"type": "integer"}}
    path = tmp_path / "t.json"
    path.write_text(json.dumps(template(step)))
    found = await core.templates.find(str(path))
    assert isinstance(found, Ok)
    with provider(says("seven"), says("7")) as server:
        await core.settings.change(model=ModelChoice(base_url=server.url, model="m"))
        started = await core.runs.start(found.data, {})
        assert isinstance(started, Ok)
        run = await core.engine.wait(started.data.id)
    assert run.output_json == "7"
    assert "nothing but the JSON value" in server.posts[1].messages[-1]["content"]
    await core.settings.change(model=ModelChoice(**OPENAI, base_url="https://api.openai.com/v1", needs_key=True))
    answer = await core.runs.start(found.data, {})
    assert isinstance(answer, Failed)
    assert answer.code == "key_missing"


@pytest.mark.parametrize(("every_s", "status"), [(0.05, RunStatus.SUCCESS), (60.0, RunStatus.ERROR)])
async def test_a_slow_model_is_not_mistaken_for_a_hanging_model_since_its_silence_is_shown(
    monkeypatch: pytest.MonkeyPatch, every_s: float, status: RunStatus
) -> None:
    usual = ProviderClient.__init__.__kwdefaults__
    assert usual is not None
    monkeypatch.setitem(usual, "waits_every_s", every_s)
    with provider(Reply(says("at last").body, delay_s=1.0)) as server:
        async with run_core(InMemoryStorage()) as core:
            core.settings.current = core.settings.current.model_copy(update={"no_progress_s": 0.4})
            run = await sent(core, model=ModelChoice(base_url=server.url, model="m"))
    assert run.status is status, run.error


# Keys


async def test_a_key_is_put_away_and_the_settings_say_where(core: Core, tmp_path: Path) -> None:
    choice = await chosen(core, **OPENAI)
    assert await core.providers.key_source(choice) == Ok(None)
    assert await core.providers.save_key(choice, KEY) == Ok(KeyLocation.FILE)
    assert core.settings.current.key_places == {"https://api.openai.com": KeyLocation.FILE}
    assert await core.providers.key_source(choice) == Ok(KeySource.FILE)
    assert KEY not in repr(await core.storage.settings.all())
    bad = await core.providers.save_key(choice, "no key\n\x00")
    assert isinstance(bad, Failed)
    assert await core.providers.remove_key(choice) == Ok(None)
    assert core.settings.current.key_places == {}
    assert KEY not in (tmp_path / "keys.json").read_text()


async def test_a_run_without_its_key_stays_enqueued_until_there_is_one(core: Core) -> None:
    with provider(says("at last")) as server:
        choice = ModelChoice(base_url=server.url, model="m", needs_key=True)
        run = await sent(core, model=choice)
        told = await described(core, run.id)
        assert (told["status"], told["error"]["code"], told["error"]["origin"]) == (
            "enqueued",
            "key_missing",
            choice.origin,
        )
        assert (await core.runs.recover()) == Ok([run.id])
        assert (await core.runs.recover(run.id)) == Ok([run.id])
        assert server.asked == []
        busy = await core.chat.send("more", run.workflow_id, model=choice)
        assert isinstance(busy, Failed)
        assert busy.code == "workflow_busy"
        await core.providers.save_key(choice, KEY)
        assert (await core.runs.recover()) == Ok([run.id])
        ended = await core.engine.wait(run.id)
    assert json.loads(ended.output_json or "") == "at last"
    assert (await described(core, run.id))["error"] is None


async def test_the_window_reports_at_once_that_a_key_is_missing(core: Core) -> None:
    answer = await core.chat.send("hi", model=await chosen(core, **OPENAI), gated=True)
    assert isinstance(answer, Failed)
    assert answer.code == "key_missing"
    assert await core.storage.runs.page() == []


async def test_a_run_that_had_a_key_needs_a_key_again(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METIER_API_KEY", KEY)
    with provider(says("a")) as server:
        run = await sent(core, model=ModelChoice(base_url=server.url, model="m"))
        model = (await core.storage.snapshots.of_run(run.id)).model
        assert model is not None
        assert model.needs_key
        assert KEY not in repr(model)
        monkeypatch.delenv("METIER_API_KEY")
        await core.storage.commit([ChangeRun(run.id, frozenset({RunStatus.SUCCESS}), RunStatus.RUNNING)])
        assert (await core.runs.recover()) == Ok([run.id])
        stored = await core.storage.runs.get(run.id)
        assert stored is not None
        assert stored.status is RunStatus.ENQUEUED
        assert len(server.posts) == 1


async def test_others_go_on_beside_a_run_that_waits_for_its_key(core: Core) -> None:
    waits = await sent(core, model=await chosen(core, **OPENAI))
    other = await sent(core, "say 2 words")
    await core.storage.commit([ChangeRun(other.id, frozenset({RunStatus.SUCCESS}), RunStatus.ENQUEUED)])
    assert (await core.runs.recover()) == Ok([waits.id, other.id])
    assert (await core.engine.wait(other.id)).status is RunStatus.SUCCESS
    assert not core.engine.drives(waits.id)
    assert (await core.engine.cancel(waits.id)).status is RunStatus.CANCELLED


async def test_a_run_without_its_key_takes_no_answer_and_no_fork(core: Core) -> None:
    run = await sent(core, model=await chosen(core, **OPENAI))
    for refused in (await core.runs.answer(run.id, Answer(Action.APPROVE)), await core.runs.fork(run.id, "answer")):
        assert isinstance(refused, Failed)
        assert refused.code == "key_missing"
    assert [one.id for one in await core.storage.runs.page()] == [run.id]


ECHOES = [
    Reply(sse({"error": {"message": KEY, "code": KEY}})),
    Reply(f"<html>{KEY}</html>".encode()),
    Reply(sse(*(chunk(content=letter) for letter in f"<{KEY}"), done=False)),
    Reply(sse(chunk(reasoning=KEY), chunk(content="a"), chunk(finish="stop"))),
    Reply(
        sse(chunk(tool_calls=[call_piece(0, KEY, "calculator", json.dumps({"expression": KEY}))]), chunk(finish="stop"))
    ),
    Reply(sse(chunk(tool_calls=[call_piece(0, "b", KEY, f'{{"{KEY}": ')]), chunk(finish="stop"))),
    fails(400, "x" * 995 + KEY),
]


async def test_a_key_that_comes_back_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METIER_API_KEY", KEY)
    storage = await SurrealStorage.open(tmp_path / "store")
    with provider(*ECHOES, says("end")) as server:
        async with run_core(storage) as core:
            for _ in range(len(ECHOES) + 2):
                await sent(core, model=ModelChoice(base_url=server.url, model="m"))
        assert len(server.posts) >= len(ECHOES)
        await storage.close()
        await asyncio.sleep(0.05)
    for path in (tmp_path / "store").rglob("*"):
        assert not path.is_file() or KEY[:20].encode() not in path.read_bytes()
