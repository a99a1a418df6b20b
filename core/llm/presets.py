"""Known providers, as data (AGENTS_AND_TOOLS §2).

Prices and context windows depend on the model and are unknown here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from core.domain.model import FilesTaken, ModelChoice, WireFormatName, is_loopback, origin_of


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds to connect, and between the bytes of a response, the first included."""

    connect_s: float = 10.0
    silence_s: float = 120.0


CLOUD_CONTEXT_TOKENS = 128_000

# A local model may have to be loaded first, and takes minutes to read a long prompt.
LOCAL_LIMITS = TimeLimits(silence_s=600.0)


@dataclass(frozen=True, slots=True)
class Quirks:
    """What a server accepts, as it is known (`core.llm.quirks`) or learnt from its refusals.

    `max_tokens` is the name of that field, `max_output_tokens` its highest value; `reasoning` the field of the
    effort, None if there is none; `short_ids`: call ids have nine letters or digits. False: it takes no `tools`,
    `files`, `temperature`, `system` message, or (`takes_reasoning`) effort. `refused_fields` of a request (`a.b` is
    within `a`) were sent unasked. `refused_keys` of its own answers are not returned to it; `filled_keys` stand for
    keys that an answer lacks. `fields` are further fields of a request. In Anthropic's API, `thinking` is the kind
    that a model takes whatever its name says ("budget", "effort"), and without `cache_marks` nothing is marked for
    the cache.
    """

    stream_options: bool = True
    max_tokens: str = "max_tokens"
    max_output_tokens: int | None = None
    reasoning: str | None = None
    takes_reasoning: bool = True
    short_ids: bool = False
    temperature: bool = True
    system: bool = True
    tools: bool = True
    files: bool = True
    max_tools: int | None = None
    description_characters: int | None = None
    refused_fields: frozenset[str] = frozenset()
    refused_tools: frozenset[str] = frozenset()
    refused_keys: frozenset[str] = frozenset()
    filled_keys: frozenset[str] = frozenset()
    fields: Mapping[str, Any] = field(default_factory=dict)
    thinking: str | None = None
    cache_marks: bool = True


# OpenAI's models that reason. From GPT-5.4 they refuse tools in chat completions, some earlier ones (`codex`, `pro`)
# exist in responses alone, and only there do they keep their reasoning between calls:
# https://platform.openai.com/docs/guides/reasoning, github.com/BerriAI/litellm/pull/34569,
# github.com/langchain-ai/langchain/pull/35594
_REASONING_MODELS = re.compile(r"(^|/)(o[1-9]|gpt-([5-9]|[1-9][0-9])(?!.*chat)|codex|computer-use)")


def thinks(model: str | None) -> bool:
    """Return whether that is a model of OpenAI that reasons."""
    return model is not None and _REASONING_MODELS.search(model.lower()) is not None


@dataclass(frozen=True, slots=True)
class Preset:
    """A known provider. `key_env` is the usual environment variable of its key. `port`: it runs on this machine.

    `context_tokens` is the smallest window of its models, where that is known. `wire_format`: its API.
    `takes_pictures` is None unless it is the same for all its models.
    """

    id: str
    title: str
    base_url: str = ""
    needs_key: bool = False
    key_env: str | None = None
    port: int | None = None
    context_tokens: int | None = None
    limits: TimeLimits = TimeLimits()
    wire_format: WireFormatName = WireFormatName.CHAT_COMPLETIONS
    takes_pictures: bool | None = None

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine."""
        return self.port is not None


def _cloud(id: str, title: str, base_url: str, key_env: str) -> Preset:  # noqa: A002  # its name
    return Preset(id, title, base_url, needs_key=True, key_env=key_env, context_tokens=CLOUD_CONTEXT_TOKENS)


def _router(id: str, title: str, base_url: str, key_env: str) -> Preset:  # noqa: A002
    """Return a provider of models of many makers, whose windows differ."""
    return Preset(id, title, base_url, needs_key=True, key_env=key_env)


def _local(id: str, title: str, port: int) -> Preset:  # noqa: A002
    return Preset(id, title, f"http://127.0.0.1:{port}/v1", port=port, limits=LOCAL_LIMITS)


CUSTOM = Preset("custom", "Another server")
PRESETS = {
    preset.id: preset
    for preset in (
        _cloud("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        Preset(
            "anthropic",
            "Anthropic",
            "https://api.anthropic.com/v1",
            needs_key=True,
            key_env="ANTHROPIC_API_KEY",
            context_tokens=200_000,
            wire_format=WireFormatName.ANTHROPIC_MESSAGES,
        ),
        Preset(
            "gemini",
            "Google Gemini",
            "https://generativelanguage.googleapis.com/v1beta",
            needs_key=True,
            key_env="GEMINI_API_KEY",
            context_tokens=1_048_576,
            wire_format=WireFormatName.GEMINI,
        ),
        _cloud("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        _cloud("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        _router("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        _router("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        _router("together", "Together AI", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
        _router("fireworks", "Fireworks AI", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
        _router("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
        _router("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
        _router("moonshot", "Moonshot AI", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
        _router("zai", "Z.ai", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
        _router("minimax", "MiniMax", "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
        _router("dashscope", "Qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
        _router("nvidia", "NVIDIA", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
        _router("huggingface", "Hugging Face", "https://router.huggingface.co/v1", "HF_TOKEN"),
        _router("github", "GitHub Models", "https://models.github.ai/inference", "GITHUB_TOKEN"),
        _router("perplexity", "Perplexity", "https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
        _local("ollama", "Ollama", 11434),
        _local("lmstudio", "LM Studio", 1234),
        _local("llamacpp", "llama.cpp", 8080),
        _local("vllm", "vLLM", 8000),
        CUSTOM,
    )
}
LOCAL = tuple(preset for preset in PRESETS.values() if preset.is_local)


def preset_at(base_url: str) -> Preset:
    """Find the preset with the same origin, else `custom`."""
    origin = origin_of(base_url)
    return next(
        (preset for preset in PRESETS.values() if preset.base_url and origin_of(preset.base_url) == origin), CUSTOM
    )


# The end of an address, and words of its path. Google has OpenAI's chat completions, too: …/v1beta/openai
_ENDS_OF_ADDRESSES = {
    "completions": WireFormatName.CHAT_COMPLETIONS,
    "responses": WireFormatName.OPENAI_RESPONSES,
    "messages": WireFormatName.ANTHROPIC_MESSAGES,
}
_WORDS_IN_ADDRESSES = {
    "openai": WireFormatName.CHAT_COMPLETIONS,
    "anthropic": WireFormatName.ANTHROPIC_MESSAGES,
    "gemini": WireFormatName.GEMINI,
    "v1beta": WireFormatName.GEMINI,
}


def wire_format_at(base_url: str) -> WireFormatName | None:
    """Return the API that an address names in its path, such as `https://host/anthropic` and `…/v1/messages`."""
    parts = urlsplit(base_url.strip()).path.lower().rstrip("/").split("/")
    named = (name for word, name in _WORDS_IN_ADDRESSES.items() if word in parts)
    return _ENDS_OF_ADDRESSES.get(parts[-1]) or next(named, None)


def preset_of(choice: ModelChoice) -> Preset:
    """Look up the preset of a choice; `custom` if it is unknown."""
    return PRESETS.get(choice.provider, CUSTOM)


def wire_format_of(choice: ModelChoice) -> WireFormatName:
    """Return the language in which the server is asked: the choice's own, else that of its provider and its model."""
    if choice.wire_format is not None:
        return choice.wire_format
    preset = preset_of(choice)
    if preset.id == "openai" and choice.origin == origin_of(preset.base_url) and thinks(choice.model):
        return WireFormatName.OPENAI_RESPONSES
    if preset.wire_format is WireFormatName.GEMINI:
        return wire_format_at(choice.base_url) or preset.wire_format
    return preset.wire_format


# All models that these formats are made for take pictures, and PDFs as they are.
_WITH_DOCUMENTS = (WireFormatName.ANTHROPIC_MESSAGES, WireFormatName.GEMINI, WireFormatName.OPENAI_RESPONSES)

# Servers that list nothing but names leave only these to tell by.
_WITH_PICTURES = re.compile(
    r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|chatgpt-4o|\bo[134](-pro|$)|claude|gemini|gemma-?3|pixtral|mistral-(medium|small)"
    r"|llava|bakllava|moondream|minicpm-v|internvl|vision|[-_.\d]vl\b|llama-?4|phi-[34](\.5)?-(vision|multimodal)"
    r"|smolvlm|grok-4|molmo|glm-4\.\d?v|omni",
    re.IGNORECASE,
)
_TEXT_ONLY = re.compile(r"gpt-3\.5|o1-mini|o3-mini|codestral|deepseek-(chat|reasoner|r1|v3|coder)|embed", re.IGNORECASE)


def files_taken(choice: ModelChoice) -> FilesTaken:
    """Return what the model takes beside text, by the user's choice or its server's list, else its provider or name.
    PDFs go to models with pictures alone, since a page is read as a picture too.
    """
    pictures = choice.takes_pictures
    wire_format = wire_format_of(choice)
    if pictures is None:
        name = choice.model or ""
        pictures = preset_of(choice).takes_pictures
        if pictures is None and _TEXT_ONLY.search(name):
            pictures = False
        elif pictures is None and (_WITH_PICTURES.search(name) or wire_format in _WITH_DOCUMENTS):
            pictures = True
    return FilesTaken(pictures, pictures is True and wire_format in _WITH_DOCUMENTS)


def limits_of(choice: ModelChoice) -> TimeLimits:
    """Return the time limits of the server: longer on this machine."""
    return LOCAL_LIMITS if is_loopback(choice.base_url) else preset_of(choice).limits
