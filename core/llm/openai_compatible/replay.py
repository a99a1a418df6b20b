"""What a server sends beside the text and the calls of an answer, and wants back with it (AGENTS_AND_TOOLS §2).

Reasoning under its names, signatures of thoughts, and keys that only that server knows: kept as they came. The value of
the replay is `{message: {…}, calls: [{…}]}`, the keys of the message and of each of its calls.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.domain.model import ModelChoice, WireFormatName
from core.llm.presets import Quirks
from core.ports import ChatMessage, Replay

# Keys of a message that are ours to write, or that servers refuse in a request.
_OWN = frozenset(
    {
        "role", "content", "tool_calls", "function_call", "refusal", "name", "tool_call_id", "annotations", "audio",
        "images", "index", "logprobs", "token_ids", "finish_reason",
    }
)  # fmt: skip
_OWN_OF_CALL = frozenset({"index", "id", "type", "function"})
_OWN_OF_FUNCTION = frozenset({"name", "arguments"})
# Their pieces belong together; of all other keys the last value counts.
_STREAMED = frozenset({"text", "thinking", "summary", "reasoning", "reasoning_content"})
_EMPTY: Sequence[Any] = (None, "", [], {})


class _Pieces(list[str]):
    """The pieces of a streamed text."""


class ReplayCollector:
    """Collects the replay of an answer while it is streamed."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}

    def take(self, delta: Mapping[str, Any]) -> int:
        """Add the keys of a piece of the answer, and return the number of characters that nothing else counts."""
        size = 0
        for key, value in delta.items():  # the usual keys first: this runs for every piece
            if key in _OWN or value in _EMPTY:
                continue
            pieces = self._message.get(key)
            if isinstance(pieces, _Pieces) and isinstance(value, str):
                pieces.append(value)
            else:
                _merge(self._message, {key: value})
                size += 0 if key in _STREAMED else len(str(value))
        if isinstance(content := delta.get("content"), list):
            thoughts = [block for block in content if isinstance(block, dict) and block.get("type") in _THOUGHTS]
            _merge(self._message, {"content": thoughts} if thoughts else {})
        return size

    def replay(self, choice: ModelChoice, calls: Sequence[Mapping[str, Any]]) -> Replay | None:
        """Build the replay of the whole answer, with the keys of its calls; None if it needs none."""
        if not self._message and not any(calls):
            return None
        value = {"message": _joined(self._message), "calls": [dict(call) for call in calls]}
        return Replay(WireFormatName.CHAT_COMPLETIONS, choice.origin, choice.model, value)


_THOUGHTS = ("thinking", "reasoning")


def keys_of_call(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a piece of a call that only its server knows."""
    keys = {key: value for key, value in entry.items() if key not in _OWN_OF_CALL and value is not None}
    function = entry.get("function")
    if isinstance(function, Mapping):
        inner = {key: value for key, value in function.items() if key not in _OWN_OF_FUNCTION and value is not None}
        keys |= {"function": inner} if inner else {}
    return keys


def merge_call_keys(into: dict[str, Any], keys: Mapping[str, Any]) -> None:
    """Add the keys of another piece of the same call."""
    for key, value in keys.items():
        if isinstance(value, dict) and isinstance(old := into.get(key), dict):
            merge_call_keys(old, value)
        else:
            into[key] = value


# In place of what an answer of another model, or one that was masked, has not: a server that checks it is content. The
# second is Google's own word for this (ai.google.dev/gemini-api/docs/thought-signatures).
_FILLED_THOUGHT = {"reasoning_content": "(not kept)"}
_FILLED_SIGNATURE = {"extra_content": {"google": {"thought_signature": "skip_thought_signature_validator"}}}


def keys_to_return(
    message: ChatMessage, choice: ModelChoice | None, quirks: Quirks
) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Return the keys that go back with a message and with each of its calls."""
    replay = message.replay
    keys: Mapping[str, Any] = {}
    calls: Sequence[Mapping[str, Any]] = [{}] * len(message.calls)
    if replay is not None and choice is not None and replay.is_for(choice, WireFormatName.CHAT_COMPLETIONS):
        keys, returned = replay.value.get("message", {}), replay.value.get("calls", [])
        calls = returned if len(returned) == len(calls) else calls
    if "reasoning_content" in quirks.filled_keys:
        keys = {**_FILLED_THOUGHT, **keys}
    if "thought_signature" in quirks.filled_keys and calls and not calls[0]:
        calls = [_FILLED_SIGNATURE, *calls[1:]]
    if quirks.refused_keys:
        keys = {key: value for key, value in keys.items() if key not in quirks.refused_keys}
        calls = [{key: value for key, value in call.items() if key not in quirks.refused_keys} for call in calls]
    return keys, calls


def _merge(into: dict[str, Any], fields: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        old = into.get(key)
        if old is not None and value in _EMPTY:
            continue
        if isinstance(value, str) and key in _STREAMED:
            if isinstance(old, _Pieces):
                old.append(value)
            else:
                into[key] = _Pieces([value])
        elif isinstance(value, dict):
            inner = into[key] = old if isinstance(old, dict) else {}
            _merge(inner, value)
        elif isinstance(value, list):
            items = into[key] = old if isinstance(old, list) and not isinstance(old, _Pieces) else []
            _extend(items, value)
        else:
            into[key] = value


def _extend(items: list[Any], more: Iterable[Any]) -> None:
    """Append items; one that continues the last, by its kind, index and id, is merged into it."""
    for item in more:
        if not isinstance(item, dict):
            items.append(item)
        elif items and isinstance(items[-1], dict) and _continues(items[-1], item):
            _merge(items[-1], item)
        else:
            items.append({})
            _merge(items[-1], item)


def _continues(last: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    is_same = all(last.get(key) == item.get(key) for key in ("type", "index"))
    return is_same and (not last.get("id") or not item.get("id") or last["id"] == item["id"])


def _joined(value: Any) -> Any:
    if isinstance(value, _Pieces):
        return "".join(value)
    if isinstance(value, dict):
        return {key: _joined(part) for key, part in value.items()}
    return [_joined(part) for part in value] if isinstance(value, list) else value
