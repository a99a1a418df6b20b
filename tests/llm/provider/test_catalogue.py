"""Available models and servers."""

import asyncio
import json
import socket
from typing import Any

import pytest

from core.domain.model import ModelChoice, WireFormatName
from core.errors import StepFailed
from core.llm.catalogue import Catalogue, ListedModel
from core.llm.key_masking import Secret
from core.llm.presets import LOCAL, PRESETS, Preset, limits_of, preset_at
from tests.llm.provider.conftest import Phone
from tests.support.clock import FakeClock
from tests.support.provider import Reply, fails, provider, says

JSON = {"Content-Type": "application/json"}


def lists(*rows: Any) -> Reply:
    return Reply(json.dumps({"object": "list", "data": list(rows)}).encode(), headers=JSON)


@pytest.fixture
def catalogue(phone: Phone) -> Catalogue:
    return Catalogue(phone.clients, FakeClock(tick_s=0.001))


def test_presets_match_their_description() -> None:
    assert list(PRESETS)[:5] == ["openai", "anthropic", "gemini", "openrouter", "mistral"]
    assert list(PRESETS)[-5:] == ["ollama", "lmstudio", "llamacpp", "vllm", "custom"]
    assert {preset.id: preset.port for preset in LOCAL} == {
        "ollama": 11434,
        "lmstudio": 1234,
        "llamacpp": 8080,
        "vllm": 8000,
    }
    assert {preset.id for preset in PRESETS.values() if not preset.needs_key} == {*(p.id for p in LOCAL), "custom"}
    assert all(
        preset.base_url.startswith("https://") and preset.key_env for preset in PRESETS.values() if preset.needs_key
    )
    for preset in PRESETS.values():
        assert not preset.base_url or preset_at(preset.base_url) is preset


@pytest.mark.parametrize(
    ("address", "silence_s"),
    [("http://127.0.0.1:5/v1", 600), ("http://localhost:1/", 600), ("http://[::1]/", 600), ("https://h/v1", 120)],
)
def test_a_server_on_this_machine_gets_more_time(address: str, silence_s: float) -> None:
    limits = limits_of(ModelChoice(base_url=address))
    assert (limits.connect_s, limits.silence_s) == (10, silence_s)


async def test_models_are_listed_with_the_data_of_their_server(catalogue: Catalogue) -> None:
    rows = [
        {"id": "plain"},
        {"id": "vllm", "max_model_len": 4096},
        {"id": "router", "context_length": 128_000, "pricing": {"prompt": "0.000002", "completion": 0.000006}},
        {"id": "cached", "pricing": {"prompt": "0.000003", "input_cache_read": "3e-7", "input_cache_write": "-1"}},
        {"id": "llama", "meta": {"n_ctx_train": 2048}},
        {"id": "odd", "context_length": "big", "pricing": {"prompt": "-1", "completion": "free"}, "meta": []},
        {"id": "plain"},
        {"id": ""},
        {"id": 5},
        "none",
    ]
    with provider(lists(*rows)) as server:
        found = await catalogue.models(ModelChoice(base_url=server.url), Secret("sk-0123456789"))
        assert server.asked[0].path == "/v1/models"
        assert server.asked[0].headers["authorization"] == "Bearer sk-0123456789"
    assert found == [
        ListedModel("plain"),
        ListedModel("vllm", 4096),
        ListedModel("router", 128_000, 2.0, 6.0),
        ListedModel("cached", None, 3.0, None, 0.3),
        ListedModel("llama", 2048),
        ListedModel("odd"),
    ]


async def test_a_list_says_in_the_words_of_its_server_which_models_take_pictures(catalogue: Catalogue) -> None:
    data = [
        {"id": "router", "architecture": {"input_modalities": ["text", "image"]}},
        {"id": "text", "architecture": {"input_modalities": ["text"]}},
        {"id": "mistral", "capabilities": {"completion_chat": True, "vision": False}},
        {"id": "studio", "type": "vlm"},
        {"id": "llama.gguf"},
        {"id": "silent", "type": "model", "capabilities": None, "architecture": "x"},
    ]
    models = [{"name": "llama.gguf", "model": "llama.gguf", "capabilities": ["completion", "multimodal"]}, "odd"]
    body = json.dumps({"object": "list", "data": data, "models": models}).encode()
    with provider(Reply(body, headers=JSON)) as server:
        listed = await catalogue.models(ModelChoice(base_url=server.url), None)
    taken = {model.id: model.takes_pictures for model in listed}
    assert taken == {
        "router": True,
        "text": False,
        "mistral": False,
        "studio": True,
        "llama.gguf": True,
        "silent": None,
    }


async def test_anthropic_lists_its_models_to_its_own_headers(catalogue: Catalogue) -> None:
    # https://platform.claude.com/docs/en/api/models/list
    row = {"type": "model", "id": "claude-sonnet-5", "display_name": "Sonnet", "max_input_tokens": 1_000_000}
    page = {"data": [row, {"id": "claude-haiku-4-5"}], "has_more": False, "first_id": "x", "last_id": "y"}
    with provider(Reply(json.dumps(page).encode(), headers=JSON)) as server:
        choice = ModelChoice(base_url=server.url, wire_format=WireFormatName.ANTHROPIC_MESSAGES)
        found = await catalogue.models(choice, Secret("sk-ant-0123456789"))
        (asked,) = server.asked
    assert (asked.path, asked.headers["x-api-key"]) == ("/v1/models?limit=1000", "sk-ant-0123456789")
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert found == [ListedModel("claude-sonnet-5", 1_000_000), ListedModel("claude-haiku-4-5")]


async def test_gemini_lists_its_models_without_those_for_other_uses(catalogue: Catalogue) -> None:
    # https://ai.google.dev/api/models#method:-models.list
    rows = [
        {
            "name": "models/gemini-2.5-flash",
            "inputTokenLimit": 1_048_576,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        {"name": "models/gemini-embedding-001", "supportedGenerationMethods": ["embedContent"]},
    ]
    with provider(Reply(json.dumps({"models": rows}).encode(), headers=JSON)) as server:
        choice = ModelChoice(base_url=server.url, wire_format=WireFormatName.GEMINI)
        found = await catalogue.models(choice, Secret("AIza0123456789"))
        (asked,) = server.asked
    assert (asked.path, asked.headers["x-goog-api-key"]) == ("/v1/models?pageSize=1000", "AIza0123456789")
    assert found == [ListedModel("gemini-2.5-flash", 1_048_576)]


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (fails(401, "no sk-0123456789 here"), "key_refused", "no [key] here"),
        (Reply(b"<html>hi</html>"), "bad_response", "no list of models"),
        (Reply(b'{"data": 5}'), "bad_response", "no list of models"),
        (Reply(b"[" * 100_000), "bad_response", "no list of models"),
        (Reply(b'{"da', end="lost"), "connection_failed", ""),
        (Reply(b"", 302, {"Location": "/login"}), "provider_error", "redirect"),
        (Reply(b" " * 30_000_000), "bad_response", "over"),
    ],
)
async def test_what_is_no_list_is_an_error(catalogue: Catalogue, reply: Reply, code: str, said: str) -> None:
    with provider(reply) as server, pytest.raises(StepFailed) as caught:
        await catalogue.models(ModelChoice(base_url=server.url), Secret("sk-0123456789"))
    assert caught.value.code == code
    assert said in caught.value.message


async def test_a_list_that_does_not_come_is_given_up(catalogue: Catalogue) -> None:
    with provider(Reply(b"{", end="hangs")) as server, pytest.raises(StepFailed) as caught:
        await catalogue.models(ModelChoice(base_url=server.url), None, 0.2)
    assert caught.value.code == "timeout"


async def test_local_servers_are_found_without_waiting_for_silent_servers(
    catalogue: Catalogue,
) -> None:
    with (
        provider(lists({"id": "a"}, {"id": "b"})) as answers,
        provider(lists()) as is_empty,
        provider(says("what?")) as is_another,
        provider(Reply(b"", 302, {"Location": answers.url})) as sends_on,
        provider(Reply(delay_s=5)) as sleeps,
        socket.create_server(("127.0.0.1", 0), backlog=0) as never_accepts,
        socket.create_server(("127.0.0.1", 0)) as closed,
    ):
        closed.close()
        ports = [server.server.server_port for server in (answers, is_empty, is_another, sends_on, sleeps)]
        ports += [never_accepts.getsockname()[1], 1]
        presets = [Preset(str(port), "S", f"http://127.0.0.1:{port}/v1", port=port) for port in ports]
        began = asyncio.get_running_loop().time()
        found = await catalogue.discover(presets)
        assert asyncio.get_running_loop().time() - began < 2
        assert len(answers.asked) == 1  # nobody was sent on to it
    assert [(server.preset.id, [model.id for model in server.models]) for server in found] == [
        (str(ports[0]), ["a", "b"]),
        (str(ports[1]), []),
    ]


async def test_no_proxy_is_asked_for_what_is_on_this_machine(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    with provider(lists({"id": "x"})) as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        await catalogue.discover()
        assert proxy.asked == []
