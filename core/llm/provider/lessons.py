"""What a refusal shows about a server: which part of a request it does not take (AGENTS_AND_TOOLS §2).

Servers differ in their words, so a part is recognised by its name and by the words around it. A wrong guess costs a
request more: what is learnt counts only once a request without that part is answered.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.llm.presets import Quirks
from core.llm.provider.failures import UNASKED_FIELDS, AttemptFailed
from core.llm.tool_names import wire_name
from core.ports import ModelRequest, ModelWarning

MAX_LESSONS = 8  # of a request
# Statuses of a refusal: not those of keys, of money, of waits.
_STATUSES = frozenset({400, 404, 405, 409, 413, 415, 422, 500, 501})
_REFUSING = re.compile(
    r"not (currently |yet )?(be )?(support|allow|available|accept|permit|enabl|implement|capab|recogni|know|take)"
    r"|(un|non-?)support|unknown|unrecogni|unexpected|unavailable|extra|forbidden|disabled|invalid|requires"
    r"|does ?n[o'’]t|do ?n[o'’]t|is ?n[o'’]t|cannot|can[’']t|no endpoints|takes? no|has no|have no|knows? no|without"
)
_TOOLS = re.compile(r"\btools?\b|\btool[ _-]?(use|choice|calling)|\bfunction[ _-]?call(s|ing)?\b|\bfunctions\b")
# About the order of messages, or about one call: another request without tools would fail in the same way.
_ABOUT_MESSAGES = re.compile(r"tool_call_id|tool_calls?['\"`]? must|role ['\"`]?tool|preced|respon(se|ding) ")
_TOO_MANY = re.compile(r"too (many|long|large)|at most|the most|max|exceed|limit|above|up to|no more than|fewer")
_NUMBER = re.compile(r"\d[\d,]*")
_FILES = re.compile(
    r"image|picture|vision|multi-?modal|mmproj|pdf|document|\bfiles?\b|content.{0,30}(must be|a) (a )?(valid )?string"
)
_CONTEXT = re.compile(r"context[ _](length|window|size)|prompt (is )?too (long|large)|too many (input )?tokens")
_OPTIONS = re.compile("stream_options|include_usage")
_SCHEMA = re.compile(r"schema|parameters|propert|pattern|name|description|json|invalid")
_ID = re.compile(r"\b(tool[ _]?)?call[ _]?ids?\b|tool_use[._]id|tool_calls?\[?\.?\d*\]?\.id|\bids?\b")
_ID_FORM = re.compile(r"nine|\b9\b|length|long|pattern|format|character|letters|a-z|match")
_SYSTEM = re.compile(r"\b(system|developer)\b.{0,40}\b(role|message|prompt|instruction)|role.{0,60}\bsystem\b|"
                     r"\bno system\b|only user,? (and )?assistant")  # fmt: skip
_MISSING = re.compile(r"\bmust\b|missing|required|requires|lacks?\b|needs?\b|without|passed back|absent")
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

THOUGHT = "reasoning_content"
SIGNATURE = "thought_signature"


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is known after a refusal, and the warning about it."""

    quirks: Quirks
    warning: ModelWarning | None = None


def lesson_of(
    failed: AttemptFailed, quirks: Quirks, request: ModelRequest, body: Mapping[str, Any]
) -> Iterator[Lesson]:
    """Yield what the refusal of `body` may mean, the most certain first. `request` has what was sent of it."""
    if failed.status not in _STATUSES:
        return
    words = failed.words.lower()
    if _CONTEXT.search(words):
        return
    yield from _about_tools(words, quirks, request)
    if request.messages and _ID_FORM.search(words) and (_ID.search(words) or _names_id(words, request)):
        yield Lesson(replace(quirks, short_ids=True))
    yield from _about_returned_keys(words, quirks, body)
    # OpenAI gives summaries of reasoning to verified organizations alone, and names what it does not take as `param`.
    for field in UNASKED_FIELDS:
        if f'"{field}"' in failed.body or (field == "stream_options" and _OPTIONS.search(failed.body)):
            yield Lesson(replace(quirks, refused_fields=quirks.refused_fields | {field}))
    yield from _about_limit(words, quirks, body)
    yield from _about_thinking(words, quirks, body)
    if _FILES.search(words) and any(message.files for message in request.messages):
        yield Lesson(replace(quirks, files=False), _without("files", failed))
    if "temperature" in words:
        yield Lesson(replace(quirks, temperature=False), _without("temperature", failed))
    if re.search(r"reasoning|thinking|effort", words) and THOUGHT not in words:
        yield Lesson(replace(quirks, takes_reasoning=False), _without("reasoning", failed))
    if _SYSTEM.search(words):
        yield Lesson(replace(quirks, system=False))
    if _TOOLS.search(words) and _REFUSING.search(words) and not _ABOUT_MESSAGES.search(words):
        yield Lesson(replace(quirks, tools=False), ModelWarning("without_tools", failed.error.message))
    if failed.is_vague:
        yield Lesson(replace(quirks, refused_fields=quirks.refused_fields | {"stream_options"}))


def _without(part: str, failed: AttemptFailed) -> ModelWarning:
    return ModelWarning("without_part", failed.error.message, {"part": part})


def _about_tools(words: str, quirks: Quirks, request: ModelRequest) -> Iterator[Lesson]:
    """Yield limits on tools, and tools that are refused by themselves."""
    if not request.tools:
        return
    numbers = [int(number[0].replace(",", "")) for number in _NUMBER.finditer(words)]
    if "description" in words and _TOO_MANY.search(words):
        longest = max(len(tool.description) for tool in request.tools)
        if size := max((number for number in numbers if 16 <= number < longest), default=None):
            yield Lesson(replace(quirks, description_characters=size))
    if named := _named_tools(words, request):
        yield Lesson(replace(quirks, refused_tools=quirks.refused_tools | named))
    elif _TOOLS.search(words) and _TOO_MANY.search(words):
        count = len(request.tools)
        limit = max((number for number in numbers if 0 < number < count), default=_guessed_limit(count))
        if limit:
            yield Lesson(replace(quirks, max_tools=limit))


def _guessed_limit(count: int) -> int:
    """Return the largest usual limit below a number of tools that is too large."""
    return next((limit for limit in (128, 64, 40, 32, 20, 10) if limit < count), 0)


def _named_tools(words: str, request: ModelRequest) -> frozenset[str]:
    """Find the tools whose schemas are refused, by their index or their name."""
    if not _SCHEMA.search(words):
        return frozenset()
    places = {int(found[1]) for found in re.finditer(r"(?:tools|functions)(?:\[|\.|/|', ')(\d+)", words)}
    quoted = set(re.findall(r"['\"`]([\w.-]{1,128})['\"`]", words))
    return frozenset(
        tool.name
        for at, tool in enumerate(request.tools)
        if at in places or (not places and "schema" in words and wire_name(tool.name).lower() in quoted)
    )


def _names_id(words: str, request: ModelRequest) -> bool:
    return any(call.id and call.id.lower() in words for message in request.messages for call in message.calls)


def _about_returned_keys(words: str, quirks: Quirks, body: Mapping[str, Any]) -> Iterator[Lesson]:
    """Yield the keys of earlier answers that a server refuses, or misses."""
    messages = [message for message in body.get("messages") or [] if isinstance(message, dict)]
    answers = [message for message in messages if message.get("role") == "assistant"]
    for key in (THOUGHT, SIGNATURE):
        if key in words and _MISSING.search(words):
            yield Lesson(replace(quirks, filled_keys=quirks.filled_keys | {key}))
    returned = {key for answer in answers for key in answer} - {"role", "content", "tool_calls"}
    returned |= {key for answer in answers for call in answer.get("tool_calls", ()) for key in call}
    if refused := {key for key in returned - {"id", "type", "function"} if re.search(rf"\b{re.escape(key)}\b", words)}:
        yield Lesson(replace(quirks, refused_keys=quirks.refused_keys | refused))


def _about_thinking(words: str, quirks: Quirks, body: Mapping[str, Any]) -> Iterator[Lesson]:
    """Yield, for Anthropic's API, the other kind of thinking that its errors name, and requests without cache marks."""
    thinking = body.get("thinking")
    if isinstance(thinking, dict) and "adaptive" in words and quirks.thinking is None:
        if "display" in words and "display" in thinking:
            yield Lesson(replace(quirks, refused_fields=quirks.refused_fields | {"thinking.display"}))
        other = "budget" if thinking.get("type") == "adaptive" else "effort"
        yield Lesson(replace(quirks, thinking=other))
    if "cache_control" in words:
        yield Lesson(replace(quirks, cache_marks=False))


def _about_limit(words: str, quirks: Quirks, body: Mapping[str, Any]) -> Iterator[Lesson]:
    """Yield another name of the limit of an answer, or a lower limit."""
    name = next((name for name in _OTHER_LIMIT if name in body), None)
    if name is None or not re.search(rf"\b{name}\b", words):
        return
    limit = body[name]
    numbers = (int(number[0].replace(",", "")) for number in _NUMBER.finditer(words))
    if _TOO_MANY.search(words) and (lower := max((n for n in numbers if 256 <= n < limit), default=None)):
        yield Lesson(replace(quirks, max_output_tokens=lower))
    yield Lesson(replace(quirks, max_tokens=_OTHER_LIMIT[name]))
