"""Addresses and names of models as people paste them."""

import pytest

from core.domain.model import ModelChoice
from core.domain.server_address import (
    AddressChange,
    AddressFault,
    BadAddress,
    listed_model,
    mended_address,
    mended_model,
    mended_url,
)

V1 = "https://api.example.com/v1"
NEAR = "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    ("pasted", "url", "changes"),
    [
        (V1, V1, ""),
        (f"{V1}/", V1, ""),
        (f"{V1} ", V1, ""),
        (f"{V1}\n", V1, ""),
        (f"\r\n\t{V1}//", V1, ""),
        (f"\u200b{V1}\u00a0\ufeff", V1, ""),
        ("https://api.exam\u200bple.com/v1", V1, ""),
        (f'"{V1}"', V1, ""),
        (f"\u201c{V1}\u201d,", V1, ""),
        (f"<{V1}>", V1, ""),
        (f"`{V1}`", V1, ""),
        ("https\uff1a\uff0f\uff0fapi.example.com\uff0fv1", V1, ""),
        ("HTTPS://API.Example.COM:443/v1", V1, ""),
        ("https:/api.example.com/v1", V1, ""),
        ("https//api.example.com/v1", V1, ""),
        (r"https:\\api.example.com\v1", V1, ""),
        (f"{V1}/chat/completions", V1, "endpoint"),
        (f"{V1}/chat/completions/ ", V1, "endpoint"),
        (f"{V1}/completions", V1, "endpoint"),
        (f"{V1}/models", V1, "endpoint"),
        (f"{V1}/models/gpt-4o", V1, "endpoint"),
        (f"{V1}/responses", V1, "endpoint"),
        (f"{V1}/messages", V1, "endpoint"),
        (f"{V1}/embeddings", V1, "endpoint"),
        (f"{V1}/v1", V1, "version"),
        (f"{V1}/v1/chat/completions", V1, "endpoint version"),
        ("https://api.example.com//v1", V1, ""),
        ("https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1", "endpoint"),
        ("https://g.example.com/v1beta/models/g-2:generateContent", "https://g.example.com/v1beta", "endpoint"),
        ("https://g.example.com/v1beta/openai/", "https://g.example.com/v1beta/openai", ""),
        (f"{V1}#usage", V1, "fragment"),
        (f"{V1}?", V1, ""),
        ("api.example.com/v1", V1, "scheme"),
        ("//api.example.com/v1", V1, "scheme"),
        ("localhost:11434", "http://localhost:11434/v1", "scheme version"),
        ("http://nas:1234/", "http://nas:1234/v1", "version"),
        ("http://localhost:8080", "http://localhost:8080", ""),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", "scheme"),
        ("192.168.1.5:1234/v1", "http://192.168.1.5:1234/v1", "scheme"),
        ("nas:11434/v1", "http://nas:11434/v1", "scheme"),
        ("box.local/v1", "http://box.local/v1", "scheme"),
        ("[::1]:8080/v1", "http://[::1]:8080/v1", "scheme"),
        ("11434", f"{NEAR}/v1", "scheme version"),
        (":11434/v1", f"{NEAR}/v1", "scheme"),
        ("http://0.0.0.0:11434/v1", f"{NEAR}/v1", "host"),
        ("http://[::]:80/v1", "http://[::1]/v1", "host"),
        ("http://[0:0:0:0:0:0:0:1]:8080/v1", "http://[::1]:8080/v1", ""),
        ("https://münchen.example/v1", "https://xn--mnchen-3ya.example/v1", ""),
        (f"{NEAR}/api", f"{NEAR}/v1", "endpoint"),
        (f"{NEAR}/api/chat", f"{NEAR}/v1", "endpoint"),
        (f"{NEAR}/api/generate", f"{NEAR}/v1", "endpoint"),
        ("http://localhost:3000/api", "http://localhost:3000/api", ""),
        ("http://localhost:3000/api/chat/completions", "http://localhost:3000/api", "endpoint"),
        ("http://localhost:1234/api/v0", "http://localhost:1234/v1", "endpoint"),
        ("http://localhost:1234/api/v0/chat/completions", "http://localhost:1234/v1", "endpoint"),
        (f"curl {V1}/chat/completions -H 'Authorization: Bearer sk-1' -d '{{}}'", V1, "found endpoint"),
        (f'OPENAI_BASE_URL="{V1}"', V1, "found"),
        (f"export OPENAI_API_BASE={V1}/", V1, "found"),
        (f'base_url="{V1}",', V1, "found"),
        ("https://api.example.com/\nv1", V1, ""),
    ],
)
def test_what_is_meant_plainly_is_mended(pasted: str, url: str, changes: str) -> None:
    mended = mended_address(pasted)
    assert (mended.url, mended.changes) == (url, tuple(map(AddressChange, changes.split())))
    assert mended_address(mended.url).url == url
    assert ModelChoice(base_url=pasted).base_url == url


@pytest.mark.parametrize(
    ("pasted", "fault"),
    [
        ("", AddressFault.EMPTY),
        (" \u200b ", AddressFault.EMPTY),
        ("nonsense", AddressFault.SCHEME),
        ("http:///v1", AddressFault.HOST),
        ("my server", AddressFault.SPACES),
        ("https://api.example.com/v 1", AddressFault.SPACES),
        ("ftp://api.example.com", AddressFault.SCHEME),
        ("ws://127.0.0.1:1/", AddressFault.SCHEME),
        ("https://", AddressFault.HOST),
        ("https://..", AddressFault.HOST),
        ("https://exa_mple!.com", AddressFault.HOST),
        ("https://[::1", AddressFault.HOST),
        ("https://api.example.com:0", AddressFault.PORT),
        ("https://api.example.com:99999", AddressFault.PORT),
        ("https://api.example.com:port/v1", AddressFault.PORT),
        ("https://me:sk-secret@api.example.com/v1", AddressFault.USER),
        (f"{V1}?api-version=1", AddressFault.QUERY),
        (f"{V1}/chat/completions?key=sk-secret", AddressFault.QUERY),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason(pasted: str, fault: AddressFault) -> None:
    with pytest.raises(BadAddress) as refused:
        mended_address(pasted)
    assert refused.value.fault is fault
    assert "secret" not in str(refused.value)


def test_the_path_and_the_query_of_another_server_stay() -> None:
    pasted = " <https://Mcp.Example.com/messages/?token=1> \n"
    assert mended_url(pasted) == "https://mcp.example.com/messages/?token=1"
    assert mended_url("localhost:3000/mcp") == "http://localhost:3000/mcp"


@pytest.mark.parametrize(
    ("typed", "url", "name"),
    [
        (" gpt-4o \n", "https://api.openai.com/v1", "gpt-4o"),
        ("openai/gpt-4o", "https://api.openai.com/v1", "gpt-4o"),
        ("openai/gpt-4o", "https://openrouter.ai/api/v1", "openai/gpt-4o"),
        ("openrouter/openai/gpt-4o", "https://openrouter.ai/api/v1", "openai/gpt-4o"),
        ("openrouter/auto", "https://openrouter.ai/api/v1", "openrouter/auto"),
        ("models/gemini-2.5-pro", "https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-pro"),
        ("ollama/llama3", "http://localhost:11434/v1", "llama3"),
        ("ollama_chat/llama3", "http://127.0.0.1:11434/v1", "llama3"),
        ("qwen/qwen3-8b", "http://127.0.0.1:1234/v1", "qwen/qwen3-8b"),
        ("openai/", "https://api.openai.com/v1", "openai/"),
    ],
)
def test_the_name_of_a_model_loses_what_other_apps_put_before_it(typed: str, url: str, name: str) -> None:
    assert mended_model(typed, url) == name


@pytest.mark.parametrize(
    ("typed", "listed", "meant"),
    [
        ("llama3", ["llama3:latest", "llama3:70b"], "llama3:latest"),
        ("LLaMA3:70B", ["llama3:latest", "llama3:70b"], "llama3:70b"),
        ("ollama/llama3", ["llama3:latest"], "llama3:latest"),
        ("qwen3-8b", ["qwen/qwen3-8b", "qwen/qwen3-4b"], "qwen/qwen3-8b"),
        ("gemini-pro", ["models/gemini-pro"], "models/gemini-pro"),
        ("gpt", ["a/gpt", "b/gpt"], None),
        ("x", ["y"], None),
    ],
)
def test_a_listed_model_is_found_by_what_was_typed(typed: str, listed: list[str], meant: str | None) -> None:
    assert listed_model(typed, listed) == meant
