"""Assembles the events of a stream into an answer: blocks that begin, grow and end, one after the other."""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.domain.model import ModelChoice
from core.domain.text.json_text import decode, encode
from core.errors import StepFailed
from core.llm.anthropic_messages.replay import replay_of
from core.llm.openai_compatible.content import SurrogateJoiner, join_surrogates
from core.llm.openai_compatible.nearly_json import parse_nearly_json
from core.llm.provider.failures import AttemptFailed, message_in, message_in_body, model_error, one_line
from core.llm.provider.usage import count_of, usage_of
from core.llm.sse import SseEvent
from core.ports import CallDelta, CallRequest, ModelDelta, ModelWarning, ReasoningDelta, ReplayDelta, TextDelta, Usage

# For an answer with its reasoning and calls: the limit of a step's result (ENGINE §2).
ANSWER_CHARACTERS = 10_000_000
# Counted per event in addition, so that an endless stream of empty ones hits the limit too.
EVENT_CHARACTERS = 32

_CUT_OFF = {
    "max_tokens": "the answer was cut off at the model's length limit",
    "model_context_window_exceeded": "the answer was cut off where the model's context window was full",
    "pause_turn": "the provider paused in the middle of the answer; ask the model to continue",
}
# Errors after which the same request may succeed.
_PASSING = ("overloaded_error", "rate_limit_error", "api_error", "timeout_error")
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")

Fields = dict[str, Any]


@dataclass(slots=True)
class _Block:
    """A block as far as received. `pieces` are its text, its thought or the JSON of its input."""

    fields: Fields
    pieces: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        kind: str = self.fields["type"]
        return kind

    def whole(self) -> Fields:
        """Return the block as the server would send it at once."""
        fields, text = dict(self.fields), "".join(self.pieces)
        if self.kind in ("text", "thinking"):
            fields[self.kind] = text
        elif text.strip():
            fields["input"] = _object_of(text)
        if self.signature:
            fields["signature"] = "".join(self.signature)
        return fields


class MessageAssembler:
    """An `AnswerAssembler`. `has_begun` only with the first block: what fails before may be asked again."""

    def __init__(self, choice: ModelChoice) -> None:
        self.has_begun = False
        self.is_finished = False
        self.is_done = False
        self._choice = choice
        self._blocks: dict[int, _Block] = {}
        self._joiners = {"text": SurrogateJoiner(), "thinking": SurrogateJoiner()}
        self._reason = ""
        self._explanation = ""
        self._counts: dict[str, int] = {}
        self._skipped = 0
        self._size = 0

    def take(self, events: Iterable[SseEvent]) -> Iterator[ModelDelta]:
        """Implement `AnswerAssembler.take`. Raises AttemptFailed for an error before the first block."""
        for event in events:
            data = event.data.strip()
            if self.is_done or not data or data == "[DONE]":
                continue
            value = _json_or_none(data)
            if event.name == "error" or (isinstance(value, dict) and value.get("type") == "error"):
                raise self._failure(value, data)
            if isinstance(value, dict):
                yield from self._take_event(value.get("type") or event.name, value)
            else:
                self._skipped += 1

    def take_other(self, lines: list[str]) -> Iterator[ModelDelta]:
        """Implement `AnswerAssembler.take_other`: some gateways ignore `stream` and send the whole message."""
        text = "\n".join(lines).strip()
        if self.has_begun or not text:
            return
        value = _json_or_none(text)
        if isinstance(value, dict) and value.get("error"):
            raise self._failure(value, text)
        if not isinstance(value, dict) or not isinstance(value.get("content"), list):
            raise _bad_response(text)
        yield from self._take_event("message_start", {"message": value})
        yield from self._take_event("message_delta", {"delta": value})
        self.is_done = True

    def finish(self) -> Iterator[ModelDelta]:
        """Implement `AnswerAssembler.finish`."""
        # As in other formats: texts and usage come before any error, calls last. Where the answer was cut off they are
        # for the model to read, as half of their arguments must never be executed.
        yield from self._flush()
        if usage := self._usage():
            yield usage
        if not (self.is_done or self.is_finished):
            raise model_error("truncated", "the answer broke off before its end")
        if self._skipped:
            message = f"parts of the stream could not be read, and may be missing: {self._skipped}"
            yield ModelWarning("skipped_data", message)
        if self._reason == "refusal":
            explained = f": {self._explanation}" if self._explanation else ""
            yield ModelWarning("content_filter", f"the provider's filter cut the answer off{explained}")
        elif self._reason in _CUT_OFF:
            yield ModelWarning("length", _CUT_OFF[self._reason])
        is_cut_off = self._reason == "refusal" or self._reason in _CUT_OFF
        blocks = list(self._blocks.values())
        for call in _calls([block for block in blocks if block.kind == "tool_use"], is_cut_off=is_cut_off):
            yield CallDelta(call)
        # A thought that was cut off has no signature yet, and what was refused is refused again if it goes back.
        kept = [block.whole() for block in blocks if block.signature or block.kind != "thinking" or not is_cut_off]
        if self._reason != "refusal" and (replay := replay_of(kept, self._choice)):
            yield ReplayDelta(replay)

    def _take_event(self, kind: Any, event: Fields) -> Iterator[ModelDelta]:
        self._count(EVENT_CHARACTERS)
        index = event.get("index")
        index = index if isinstance(index, int) else 0
        delta = event.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        match kind:
            case "message_start":
                message = event.get("message")
                if isinstance(message, dict):
                    self._take_usage(message.get("usage"))
                    blocks = message.get("content")
                    for at, block in enumerate(blocks if isinstance(blocks, list) else ()):
                        yield from self._begin(at, block)
            case "content_block_start":
                yield from self._begin(index, event.get("content_block"))
            case "content_block_delta":
                yield from self._grow(index, delta)
            case "message_delta":
                self._take_usage(event.get("usage"))
                if isinstance(reason := delta.get("stop_reason"), str) and reason:
                    self.is_finished, self._reason = True, reason
                    details = delta.get("stop_details")
                    explanation = details.get("explanation") if isinstance(details, dict) else None
                    self._explanation = one_line(explanation) if isinstance(explanation, str) else ""
            case "message_stop":
                self.is_done = True
            case _ if "choices" in event:
                raise _bad_response("it is one of chat completions")

    def _begin(self, index: int, fields: Any) -> Iterator[ModelDelta]:
        """Begin a block, with what it already holds."""
        if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
            self._skipped += 1
            return
        self.has_begun = True
        yield from self._flush()
        self._blocks[index] = block = _Block(fields)
        yield from self._say(block, fields.get(block.kind) if block.kind in self._joiners else None)

    def _grow(self, index: int, delta: Fields) -> Iterator[ModelDelta]:
        kind = delta.get("type")
        block = self._blocks.get(index)
        if block is None and kind in ("text_delta", "thinking_delta"):  # some servers never begin a block
            yield from self._begin(index, {"type": kind.removesuffix("_delta")})
            block = self._blocks[index]
        if block is None:
            self._skipped += 1
            return
        match kind:
            case "text_delta" | "thinking_delta":
                yield from self._say(block, delta.get(kind.removesuffix("_delta")))
            case "signature_delta":
                self._add(block.signature, delta.get("signature"))
            case "input_json_delta":
                self._add(block.pieces, delta.get("partial_json"))

    def _say(self, block: _Block, piece: Any) -> Iterator[ModelDelta]:
        """Yield a piece of a text or a thought."""
        if not isinstance(piece, str) or block.kind not in self._joiners:
            return
        if text := self._joiners[block.kind].feed(piece):
            self._add(block.pieces, text)
            yield TextDelta(text) if block.kind == "text" else ReasoningDelta(text)

    def _flush(self) -> Iterator[ModelDelta]:
        """Yield what was held back at the end of a block."""
        for kind, joiner in self._joiners.items():
            rest = joiner.flush()
            block = next((block for block in reversed(self._blocks.values()) if block.kind == kind), None)
            if rest and block is not None:
                self._add(block.pieces, rest)
                yield TextDelta(rest) if kind == "text" else ReasoningDelta(rest)

    def _add(self, pieces: list[str], piece: Any) -> None:
        if isinstance(piece, str) and piece:
            self._count(len(piece))
            pieces.append(piece)

    def _count(self, characters: int) -> None:
        self._size += characters
        if self._size > ANSWER_CHARACTERS:
            message = f"the answer has over {ANSWER_CHARACTERS:,} characters"
            raise model_error("answer_too_large", message, limit=ANSWER_CHARACTERS)

    def _take_usage(self, fields: Any) -> None:
        # The last event repeats the counts of the first, or has those of the output alone, and some servers count the
        # input only there.
        for name in _COUNTS:
            if count := count_of(fields, name):
                self._counts[name] = count

    def _usage(self) -> Usage | None:
        # The format counts what was cached apart from the rest of the input.
        cached = self._counts.get("cache_read_input_tokens", 0)
        written = self._counts.get("cache_creation_input_tokens", 0)
        input_tokens = self._counts.get("input_tokens", 0) + cached + written
        return usage_of(self._choice, input_tokens or None, self._counts.get("output_tokens"), cached, written)

    def _failure(self, value: Any, text: str) -> StepFailed | AttemptFailed:
        """Return the failure for an error within the stream."""
        error = value.get("error", value) if isinstance(value, dict) else None
        code = error.get("type") if isinstance(error, dict) else None
        message = message_in(error) if error else message_in_body(text)
        parameters = {"provider_code": code} if isinstance(code, str) and code != "error" else {}
        failed = model_error("provider_error", message or "the provider reports an error", **parameters)
        return failed if self.has_begun else AttemptFailed(failed, is_retryable=code in _PASSING)


def _calls(blocks: Iterable[_Block], *, is_cut_off: bool) -> Iterator[CallRequest]:
    """Yield the calls, each with a unique id. Arguments that are not a JSON object are None."""
    used_ids: set[str] = set()
    for block in blocks:
        name, call_id, given = block.fields.get("name"), block.fields.get("id"), block.fields.get("input")
        if not isinstance(name, str) or not name:
            if is_cut_off:
                continue
            raise model_error("bad_response", "the stream has a call without a tool's name, so no call was made")
        text = join_surrogates("".join(block.pieces))
        if not text.strip():
            text = encode(given) if isinstance(given, dict) else "{}"
        if not isinstance(call_id, str) or not call_id or call_id in used_ids:
            call_id = f"toolu_{secrets.token_hex(12)}"
        used_ids.add(call_id)
        yield CallRequest(join_surrogates(call_id), join_surrogates(name), _object_of(text), text)


def _object_of(text: str) -> Fields | None:
    """Read the object of the text, if it has one and it can be stored. Some models wrap it in a JSON string."""
    try:
        value = parse_nearly_json(text.strip())
        if isinstance(value, str):
            value = parse_nearly_json(value.strip())
        encode(value)
    except (ValueError, StepFailed):
        return None
    return value if isinstance(value, dict) else None


def _json_or_none(text: str) -> Any:
    try:
        return decode(text)
    except ValueError:
        return None


def _bad_response(text: str) -> StepFailed:
    summary = one_line(message_in_body(text))[:200]
    return model_error("bad_response", f"the server's response is not a message of Anthropic's API: {summary}")
