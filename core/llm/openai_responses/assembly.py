"""Assembles the events of a response into an answer.

An answer is a list of items: reasoning, messages, calls. OpenAI sends each as it grows (`added`, deltas, `done`) and
all again at the end; servers that imitate it leave out any of these, so whatever comes is compared with what is known.
An item is found by its place, since some servers give every event another id.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain.model import ModelChoice, WireFormatName
from core.domain.text.json_text import encode
from core.domain.text.well_formed import well_formed
from core.llm.openai_compatible.nearly_json import object_of
from core.llm.openai_responses.request import texts_of
from core.llm.provider.event_assembly import EventAssembler
from core.llm.provider.usage import openai_usage
from core.ports import CallRequest, ModelDelta, ModelWarning, Replay

_TEXTS = frozenset({"response.output_text", "response.refusal"})
_THOUGHTS = frozenset(
    f"response.{name}" for name in ("reasoning_summary_text", "reasoning_text", "reasoning_summary", "reasoning")
)
_ARGUMENTS = "response.function_call_arguments"
_PARAGRAPH = "\n\n"
_ENDS = frozenset({"response.completed", "response.incomplete", "response.done"})


@dataclass(slots=True)
class _Item:
    """An item as far as received: its fields, and how much was shown of each text in its content or summary."""

    fields: dict[str, Any] = field(default_factory=dict)
    shown: dict[tuple[str, int], int] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    is_whole: bool = False

    @property
    def kind(self) -> str | None:
        """Its type."""
        return self.fields.get("type")

    @property
    def is_call(self) -> bool:
        """Whether it is a call, of which something arrived."""
        return self.kind == "function_call" and bool(self.arguments or self.fields.get("name"))


class ResponsesAssembler(EventAssembler):
    """An `AnswerAssembler`."""

    begins_with_events = False
    # https://platform.openai.com/docs/api-reference/responses/object#responses/object-error
    passing_codes: frozenset[object] = frozenset(
        {"server_error", "rate_limit_exceeded", "server_is_overloaded", "slow_down", "overloaded_error"}
    )

    def __init__(self, choice: ModelChoice) -> None:
        super().__init__(choice)
        self._items: dict[int | str, _Item] = {}
        self._last: _Item | None = None
        self._has_thought = False

    def _is_answer(self, value: dict[str, Any]) -> bool:
        return value.get("object") == "response" or isinstance(value.get("output"), list)

    def _take(self, value: dict[str, Any], name: str) -> Iterator[ModelDelta]:
        kind = value.get("type") or name
        if not isinstance(kind, str) or (not kind and self._is_answer(value)):
            yield from self._end(value)
            return
        stem, _, event = kind.rpartition(".")
        if kind in _ENDS:
            yield from self._end(value.get("response"))
        elif kind in ("response.failed", "response.cancelled"):
            self._fail_with(value.get("response"), kind)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            if isinstance(fields := value.get("item"), dict):
                yield from self._merge(self._item(value), fields, is_whole=event == "done")
        elif stem in _TEXTS or stem in _THOUGHTS:
            yield from self._take_text_of(value, stem, event)
        elif stem == _ARGUMENTS:
            self._take_arguments(self._item(value, "function_call"), value, event)

    def _item(self, value: dict[str, Any], kind: str = "") -> _Item:
        """Find the item of an event: by its place, else its id, else the last of its kind."""
        self.has_begun = True
        key, inner = value.get("output_index"), value.get("item")
        if not isinstance(key, int):
            key = inner.get("id") if isinstance(inner, dict) else value.get("item_id")
            is_known = isinstance(key, str) and (bool(inner) or key in self._items)
            if not is_known and not inner and self._last is not None and self._last.kind == kind:
                return self._last
            key = key if isinstance(key, str) else f"#{len(self._items)}"
        if key not in self._items:
            self._count(32)  # an endless stream of empty items must hit the limit, too
            self._items[key] = _Item({"type": kind} if kind else {})
        self._last = self._items[key]
        return self._last

    def _take_text_of(self, value: dict[str, Any], stem: str, event: str) -> Iterator[ModelDelta]:
        is_thought, name = stem in _THOUGHTS, "summary" if "summary" in stem else "content"
        item = self._item(value, "reasoning" if is_thought else "message")
        part = value.get(f"{name}_index")
        place = (name, part if isinstance(part, int) else 0)
        text = next((value[key] for key in ("delta", "text", "refusal") if isinstance(value.get(key), str)), "")
        if event == "delta":
            yield from self._show(item, place, text, is_thought=is_thought)
        elif event == "done":
            yield from self._show(item, place, text[item.shown.get(place, 0) :], is_thought=is_thought)

    def _show(self, item: _Item, place: tuple[str, int], text: str, *, is_thought: bool) -> Iterator[ModelDelta]:
        if not text:
            return
        is_new = place not in item.shown
        item.shown[place] = item.shown.get(place, 0) + len(text)
        if not is_thought:
            yield from self._say(text)
            return
        yield from self._think(_PARAGRAPH + text if is_new and self._has_thought else text)
        self._has_thought = True

    def _take_arguments(self, item: _Item, value: dict[str, Any], event: str) -> None:
        for key in ("name", "call_id"):
            if isinstance(value.get(key), str):
                item.fields.setdefault(key, value[key])
        text = value.get("delta" if event == "delta" else "arguments")
        if not isinstance(text, str) or not text:
            return
        if event == "done":
            item.arguments = [text]
        else:
            self._count(len(text))
            item.arguments.append(text)

    def _merge(self, item: _Item, fields: dict[str, Any], *, is_whole: bool) -> Iterator[ModelDelta]:
        """Take the fields of an item, and show what of it was not shown."""
        item.fields = {**item.fields, **{key: value for key, value in fields.items() if value is not None}}
        item.is_whole = item.is_whole or is_whole
        written = fields.get("arguments")
        if is_whole and isinstance(written, dict):
            written = encode(written)
        if is_whole and isinstance(written, str) and len(written) > len("".join(item.arguments)):
            self._count(len(written))
            item.arguments = [written]
        is_thought, was_shown = item.kind == "reasoning", bool(item.shown)
        for place, text in texts_of(fields) if is_whole else ():
            if place in item.shown or not (is_thought and was_shown):  # else it is the same thought in other words
                yield from self._show(item, place, text[item.shown.get(place, 0) :], is_thought=is_thought)

    def _end(self, response: Any) -> Iterator[ModelDelta]:
        """Take the whole response. It may have fewer items than came before."""
        response = response if isinstance(response, dict) else {}
        status = response.get("status")
        if status in ("failed", "cancelled") or response.get("error"):
            self._fail_with(response, f"response.{status}")
        if isinstance(usage := response.get("usage"), dict):
            self._usage = openai_usage(usage, self._choice) or self._usage
        output, before = response.get("output"), dict(self._items)
        for place, fields in enumerate(output if isinstance(output, list) else []):
            if isinstance(fields, dict) and (item := self._known(place, fields, before)) is not None:
                yield from self._merge(item, fields, is_whole=True)
        self.is_finished = self.is_done = True
        details = response.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        if reason == "content_filter":
            self._cut = ModelWarning("content_filter", "the provider's filter cut the answer off")
        elif reason is not None or status == "incomplete":
            self._cut = ModelWarning("length", "the answer was cut off at the model's length limit")

    def _known(self, place: int, fields: dict[str, Any], before: dict[int | str, _Item]) -> _Item | None:
        """Find the item that the whole response repeats, and drop it from `before`, the known items.

        None if the response repeats less than what came.
        """
        kind = fields.get("type")
        same = {key: item for key, item in before.items() if item.kind == kind}
        key = next((key for key in (place, fields.get("id"), *same) if key in same), None)
        if key is not None:
            del before[key]
            return same[key]
        return self._item({"output_index": place, "item": fields}) if place not in self._items else None

    def _fail_with(self, response: Any, kind: str) -> None:
        error = response.get("error") if isinstance(response, dict) else None
        self._fail(error, "the provider stopped the answer" if kind.endswith("cancelled") else "the provider failed")

    def _calls(self) -> Sequence[CallRequest]:
        used: set[str] = set()
        return [
            _call(item, used)
            for item in self._ordered()
            if item.is_call and (item.arguments or item.fields.get("name"))
        ]

    def _replay(self, calls: Sequence[CallRequest]) -> Replay | None:
        items = self._ordered()
        if not items or not all(item.is_whole for item in items):
            return None
        ids = iter(calls)
        value = []
        for item in items:
            fields = item.fields
            if item.is_call:
                # Servers that imitate OpenAI put the arguments anywhere, and may forget the id.
                fields = {
                    **fields,
                    "call_id": next(ids).id,
                    "arguments": well_formed("".join(item.arguments)) or "{}",
                }
            value.append(fields)
        return Replay(WireFormatName.OPENAI_RESPONSES, self._choice.origin, self._choice.model, value)

    def _ordered(self) -> list[_Item]:
        places = [key for key in self._items if isinstance(key, int)]
        others = [item for key, item in self._items.items() if not isinstance(key, int)]
        return [*(self._items[place] for place in sorted(places)), *others]


def _call(item: _Item, used: set[str]) -> CallRequest:
    fields = item.fields
    call_id, name = fields.get("call_id") or fields.get("id"), fields.get("name")
    own = well_formed(call_id) if isinstance(call_id, str) else ""
    own = own if own and own not in used else f"call_{secrets.token_hex(12)}"
    used.add(own)
    text = well_formed("".join(item.arguments))
    return CallRequest(
        own, well_formed(name) if isinstance(name, str) else "", object_of(text) if text.strip() else {}, text
    )
