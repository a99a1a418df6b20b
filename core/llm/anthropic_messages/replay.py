"""The blocks of an answer, as they go back: thoughts with their signatures, in the order in which they came.

Of texts and calls a replay has only their length and order, since the message has them. The provider refuses thoughts
that were changed, left out or moved.
"""

from collections.abc import Sequence
from typing import Any

from core.domain.model import ModelChoice, WireFormatName
from core.domain.text.well_formed import well_formed
from core.llm.tool_names import wire_name
from core.ports import CallRequest, ChatMessage, Replay

Block = dict[str, Any]
NAME = str(WireFormatName.ANTHROPIC_MESSAGES)
OWN = ("text", "tool_use")


def replay_of(blocks: Sequence[Block], choice: ModelChoice) -> Replay | None:
    """Return what goes back with an answer of these blocks; None if that is nothing but its text and its calls."""
    blocks = [block for block in blocks if not _is_empty(block)]
    if all(block["type"] in OWN for block in blocks):
        return None
    kept = [
        {"type": "text", "length": len(block["text"])}
        if block["type"] == "text"
        else {"type": "tool_use"}
        if block["type"] == "tool_use"
        else block
        for block in blocks
    ]
    return Replay(NAME, choice.origin, choice.model, kept)


def _is_empty(block: Block) -> bool:
    """Return whether a thought holds nothing: neither words nor a signature of words that are not shown."""
    return block["type"] == "thinking" and not block.get("thinking") and not block.get("signature")


def blocks_of_answer(message: ChatMessage, call_ids: Sequence[str], choice: ModelChoice) -> list[Block]:
    """Build the content of an answer: as it came, if it came from that model, else its text and then its calls."""
    calls = [_call(call_id, call) for call_id, call in zip(call_ids, message.calls, strict=True)]
    replay = message.replay
    if replay is not None and replay.is_for(choice, NAME) and isinstance(replay.value, list):
        blocks = _restored(replay.value, message.text, list(calls))
        if blocks is not None:
            return blocks
    text = [{"type": "text", "text": well_formed(message.text)}] if message.text.strip() else []
    return [*text, *calls]


def _restored(kept: list[Any], text: str, calls: list[Block]) -> list[Block] | None:
    """Put text and calls back between the other blocks; None if they are not those of the answer, or no blocks."""
    blocks: list[Block] = []
    at = 0
    for block in kept:
        match block:
            case {"type": "text", "length": int(length)}:
                piece = text[at : at + length]
                at += length
                if piece.strip():
                    blocks.append({"type": "text", "text": well_formed(piece)})
            case {"type": "tool_use"} if calls:
                blocks.append(calls.pop(0))
            case {"type": str(kind)} if kind not in OWN:
                blocks.append(block)
            case _:
                return None
    return blocks if at == len(text) and not calls else None


def _call(call_id: str, call: CallRequest) -> Block:
    # The format has objects only, so invalid JSON is wrapped instead of repeated.
    given = call.arguments if call.arguments is not None else {"invalid_json": well_formed(call.arguments_text)}
    return {"type": "tool_use", "id": call_id, "name": wire_name(call.tool), "input": dict(given)}
