"""Assembles the events of a stream into an answer: blocks that begin, grow and end, one after the other."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain.model import ModelChoice
from core.domain.text.json_text import encode
from core.domain.text.well_formed import well_formed
from core.llm.anthropic_messages.replay import replay_of
from core.llm.openai_compatible.nearly_json import object_of
from core.llm.provider.event_assembly import EventAssembler
from core.llm.provider.failures import model_error, one_line
from core.llm.provider.usage import count_of, usage_of
from core.ports import CallRequest, ModelDelta, ModelWarning, ReasoningDelta, Replay, TextDelta, Usage

# Counted per event in addition, so that an endless stream of empty ones hits the limit too.
EVENT_CHARACTERS = 32

_CUT_OFF = {
    "max_tokens": "the answer was cut off at the model's length limit",
    "model_context_window_exceeded": "the answer was cut off where the model's context window was full",
    "pause_turn": "the provider paused in the middle of the answer; ask the model to continue",
}
# Errors after which the same request may succeed.
_PASSING = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
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
            fields["input"] = object_of(text)
        if self.signature:
            fields["signature"] = "".join(self.signature)
        return fields


class MessageAssembler(EventAssembler):
    """An `AnswerAssembler`. `has_begun` only with the first block: what fails before may be asked again."""

    begins_with_events = False
    passing_codes: frozenset[object] = _PASSING

    def __init__(self, choice: ModelChoice) -> None:
        super().__init__(choice)
        self._blocks: dict[int, _Block] = {}
        self._counts: dict[str, int] = {}

    def _is_answer(self, value: Fields) -> bool:
        return isinstance(value.get("content"), list) or isinstance(value.get("type"), str)

    def _take(self, value: Fields, name: str) -> Iterator[ModelDelta]:
        self._count(EVENT_CHARACTERS)
        index, delta = value.get("index"), value.get("delta")
        index = index if isinstance(index, int) else 0
        delta = delta if isinstance(delta, dict) else {}
        match value.get("type") or name or ("message" if self._is_answer(value) else None):
            case "message":  # some gateways ignore `stream` and send the whole message
                yield from self._take_message(value)
                self._end(value)
            case "message_start" if isinstance(value.get("message"), dict):
                yield from self._take_message(value["message"])
            case "content_block_start":
                yield from self._begin(index, value.get("content_block"))
            case "content_block_delta":
                yield from self._grow(index, delta)
            case "message_delta":
                self._take_usage(value.get("usage"))
                self._end(delta)
            case "message_stop":
                self.is_done = True
            case _ if "choices" in value:
                raise model_error("bad_response", "the server's response is one of chat completions")

    def _take_message(self, message: Fields) -> Iterator[ModelDelta]:
        self._take_usage(message.get("usage"))
        blocks = message.get("content")
        for at, block in enumerate(blocks if isinstance(blocks, list) else ()):
            yield from self._begin(at, block)

    def _begin(self, index: int, fields: Any) -> Iterator[ModelDelta]:
        """Begin a block, with what it already holds."""
        if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
            self._skipped += 1
            return
        self.has_begun = True
        self._blocks[index] = block = _Block(fields)
        yield from self._extend(block, fields.get(block.kind))

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
                yield from self._extend(block, delta.get(kind.removesuffix("_delta")))
            case "signature_delta":
                self._add(block.signature, delta.get("signature"))
            case "input_json_delta":
                self._add(block.pieces, delta.get("partial_json"))

    def _extend(self, block: _Block, piece: Any) -> Iterator[ModelDelta]:
        """Yield a piece of a text or a thought."""
        if isinstance(piece, str) and block.kind in ("text", "thinking"):
            for delta in self._say(piece) if block.kind == "text" else self._think(piece):
                if isinstance(delta, TextDelta | ReasoningDelta):
                    block.pieces.append(delta.text)
                yield delta

    def _add(self, pieces: list[str], piece: Any) -> None:
        if isinstance(piece, str) and piece:
            self._count(len(piece))
            pieces.append(piece)

    def _end(self, fields: Fields) -> None:
        """Take why the answer ended."""
        reason, details = fields.get("stop_reason"), fields.get("stop_details")
        if not isinstance(reason, str) or not reason:
            return
        self.is_finished = True
        if reason == "refusal":
            explanation = details.get("explanation") if isinstance(details, dict) else None
            explained = f": {one_line(explanation)}" if isinstance(explanation, str) else ""
            self._cut = ModelWarning("content_filter", f"the provider's filter cut the answer off{explained}")
        elif reason in _CUT_OFF:
            self._cut = ModelWarning("length", _CUT_OFF[reason])

    def _take_usage(self, fields: Any) -> None:
        # The last event repeats the counts of the first, or has those of the output alone, and some servers count the
        # input only there.
        self._counts |= {name: count for name in _COUNTS if (count := count_of(fields, name))}
        self._usage = self._counted()

    def _counted(self) -> Usage | None:
        # The format counts what was cached apart from the rest of the input.
        cached = self._counts.get("cache_read_input_tokens", 0)
        written = self._counts.get("cache_creation_input_tokens", 0)
        input_tokens = self._counts.get("input_tokens", 0) + cached + written
        return usage_of(self._choice, input_tokens or None, self._counts.get("output_tokens"), cached, written)

    def _calls(self) -> Sequence[CallRequest]:
        """Return the calls, each with a unique id. Arguments that are not a JSON object are None."""
        calls: list[CallRequest] = []
        used_ids: set[str] = set()
        for block in (block for block in self._blocks.values() if block.kind == "tool_use"):
            name, call_id, given = block.fields.get("name"), block.fields.get("id"), block.fields.get("input")
            if not isinstance(name, str) or not name:
                if self._cut is not None:
                    continue
                raise model_error("bad_response", "the stream has a call without a tool's name, so no call was made")
            text = well_formed("".join(block.pieces))
            if not text.strip():
                text = encode(given) if isinstance(given, dict) else "{}"
            if not isinstance(call_id, str) or not call_id or call_id in used_ids:
                call_id = f"toolu_{secrets.token_hex(12)}"
            used_ids.add(call_id)
            calls.append(CallRequest(well_formed(call_id), well_formed(name), object_of(text), text))
        return calls

    def _replay(self, calls: Sequence[CallRequest]) -> Replay | None:
        return replay_of([block.whole() for block in self._blocks.values()], self._choice)
