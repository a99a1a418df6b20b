"""Assembles the events of `streamGenerateContent` into an answer.

Each event is a whole response with the next parts of the answer. Parts with signatures of thoughts must go back
unchanged, at the same place.
"""

import re
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from core.domain.model import ModelChoice, WireFormatName
from core.domain.text.json_text import encode
from core.domain.text.well_formed import well_formed
from core.llm.provider.event_assembly import EventAssembler
from core.llm.provider.usage import count_of, usage_of
from core.ports import CallRequest, ModelDelta, ModelWarning, Replay, Usage

_LENGTH = "MAX_TOKENS"
_FILTERED = frozenset(
    {
        "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
        "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
    }
)  # fmt: skip
_MALFORMED = "MALFORMED_FUNCTION_CALL"
_CALLED = re.compile(r"default_api[.:](\w+)\(.*", re.DOTALL)
# The model wrote a call that cannot be read, or that it must not make: there is no answer.
_BROKEN = frozenset(
    {
        "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE",
        "MALFORMED_RESPONSE", "OTHER", "NO_IMAGE", "IMAGE_OTHER",
    }
)  # fmt: skip


class GeminiAssembler(EventAssembler):
    """An `AnswerAssembler`."""

    begins_with_events = False
    passing_codes: frozenset[object] = frozenset({429, 500, 502, 503, 504})

    def __init__(self, choice: ModelChoice) -> None:
        super().__init__(choice)
        self._parts: list[dict[str, Any]] = []
        self._ids: set[str] = set()
        self._malformed: CallRequest | None = None

    def _is_answer(self, value: dict[str, Any]) -> bool:
        return any(key in value for key in ("candidates", "promptFeedback", "response"))

    def _take(self, value: dict[str, Any], name: str) -> Iterator[ModelDelta]:
        if isinstance(inner := value.get("response"), dict):  # some gateways wrap each event
            value = inner
        if isinstance(fields := value.get("usageMetadata"), dict):
            self._usage = _usage(fields, self._choice) or self._usage
        candidates = value.get("candidates")
        candidate = candidates[0] if isinstance(candidates, list) and candidates else None
        if isinstance(candidate, dict) and candidate.get("index") in (None, 0):
            yield from self._take_candidate(candidate)
        feedback = value.get("promptFeedback")
        if isinstance(feedback, dict) and (reason := feedback.get("blockReason")):
            self.is_finished = True
            said = feedback.get("blockReasonMessage")
            self._cut = _filtered("the provider's filter refused the request", reason, said)

    def _take_candidate(self, candidate: dict[str, Any]) -> Iterator[ModelDelta]:
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, dict):
                yield from self._take_part(part)
        reason = candidate.get("finishReason")
        if not isinstance(reason, str) or not reason:
            return
        self.is_finished = True
        message = candidate.get("finishMessage")
        if reason == _LENGTH:
            self._cut = ModelWarning("length", "the answer was cut off at the model's length limit")
        elif reason in _FILTERED:
            self._cut = _filtered("the provider's filter cut the answer off", reason, message)
        elif reason == _MALFORMED and (call := _malformed_call(message)) is not None:
            self._malformed = call
        elif reason in _BROKEN:
            words = message if isinstance(message, str) and message else "the model's answer could not be used"
            self._fail({"message": f"{well_formed(words)} ({reason})", "code": reason})

    def _take_part(self, part: dict[str, Any]) -> Iterator[ModelDelta]:
        self.has_begun = True
        text = part.get("text")
        if isinstance(text, str):
            yield from self._think(text) if _is_thought(part) else self._say(text)
            if not text and _is_plain(part):
                return
            last = self._parts[-1] if self._parts else None
            # Texts are joined as long as neither has a signature, whose place is that of its part.
            if last is not None and _is_plain(last) and _is_plain(part) and _is_thought(last) == _is_thought(part):
                last["text"].append(text)
                return
            part = {**part, "text": [text]}
            self._count(len(str(part.get("thoughtSignature", ""))))
        elif "functionCall" in part or part.get("thoughtSignature"):
            self._count(len(encode(part)))
        else:
            return
        self._parts.append(part)

    def _calls(self) -> Sequence[CallRequest]:
        made = [part["functionCall"] for part in self._parts if isinstance(part.get("functionCall"), dict)]
        return [*map(self._call, made), *([self._malformed] if self._malformed is not None else [])]

    def _call(self, made: dict[str, Any]) -> CallRequest:
        call_id, name, args = made.get("id"), made.get("name"), made.get("args")
        own = well_formed(call_id) if isinstance(call_id, str) else ""
        own = own if own and own not in self._ids else f"call_{secrets.token_hex(12)}"
        self._ids.add(own)
        arguments = {} if args is None else args
        is_object = isinstance(arguments, dict)
        tool = well_formed(name) if isinstance(name, str) else ""
        return CallRequest(own, tool, arguments if is_object else None, encode(arguments))

    def _replay(self, calls: Sequence[CallRequest]) -> Replay | None:
        is_needed = any("thoughtSignature" in part or "id" in (part.get("functionCall") or ()) for part in self._parts)
        if not is_needed:
            return None
        parts = [
            {**part, "text": well_formed("".join(part["text"]))} if "text" in part else part for part in self._parts
        ]
        return Replay(WireFormatName.GEMINI, self._choice.origin, self._choice.model, parts)


def _malformed_call(message: Any) -> CallRequest | None:
    """Return the call that a model wrote as code, if its tool can be told: the model is told, and calls again."""
    found = _CALLED.search(message) if isinstance(message, str) else None
    if found is None:
        return None
    return CallRequest(f"call_{secrets.token_hex(12)}", found[1], None, well_formed(found[0]))


def _is_thought(part: dict[str, Any]) -> bool:
    return bool(part.get("thought"))


def _is_plain(part: dict[str, Any]) -> bool:
    """Return whether a part has nothing but text."""
    return part.keys() <= {"text", "thought"}


def _filtered(words: str, reason: Any, message: Any) -> ModelWarning:
    said = f": {message}" if isinstance(message, str) and message else ""
    return ModelWarning("content_filter", well_formed(f"{words} ({reason}){said}"))


def _usage(fields: dict[str, Any], choice: ModelChoice) -> Usage | None:
    """Parse the counts: what the model thought is output, and the results of Google's own tools are input."""
    given = [count_of(fields, name) for name in ("promptTokenCount", "toolUsePromptTokenCount")]
    made = [count_of(fields, name) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
    return usage_of(choice, _sum(given), _sum(made), count_of(fields, "cachedContentTokenCount") or 0)


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
