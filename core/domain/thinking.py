"""Folds the reasoning of models: pieces are shown at once and stored a little later, and both yield the same thought.

A live state has seen the piece when it is stored; a rebuilt state gets it from the stored fact alone.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from core.domain import events as facts
from core.domain.live_run import MAX_THOUGHT_CHARACTERS, MAX_THOUGHTS, LiveRun, LiveThought


def close_thoughts(thoughts: Iterable[LiveThought]) -> None:
    """Close the thoughts, since their run ended or starts again."""
    for thought in thoughts:
        thought.is_open = False


def fold_reasoning(run: LiveRun, fact: facts.ReasoningReceived, at: datetime) -> bool:
    """Add a piece that was shown. Thoughts of sub-agents are not part of the state."""
    if fact.sub_agent_id is not None:
        return False
    if fact.step not in run.steps or run.status.is_final or fact.message_id != run.message_id:
        return False
    thought = _thought(run, fact.step, fact.index, fact.place, at)
    run.pace.beat(at)
    thought.elapsed_ms = max(thought.elapsed_ms, _milliseconds(at - thought.started_at))
    return _think(thought, fact.offset, fact.text)


def fold_saved_thought(run: LiveRun, fact: facts.ThoughtSaved, at: datetime) -> None:
    """Add a stored piece, of which a live state has seen all and a rebuilt state nothing."""
    thought = _thought(run, fact.step, fact.index, fact.place, at - timedelta(milliseconds=fact.elapsed_ms))
    _think(thought, fact.offset, fact.text)
    thought.elapsed_ms = fact.elapsed_ms
    thought.is_open = not fact.is_whole and not run.status.is_final


def _thought(run: LiveRun, step: str, index: int | None, place: int, began: datetime) -> LiveThought:
    """Return the open thought of this step, else a new one."""
    for thought in reversed(run.thoughts):
        if thought.is_open and (thought.step, thought.index) == (step, index):
            return thought
    thought = LiveThought(step, index, place, began)
    run.thoughts = [*run.thoughts[1 - MAX_THOUGHTS :], thought]
    return thought


def _think(thought: LiveThought, offset: int, text: str) -> bool:
    """Add the new part of a piece that begins at `offset`."""
    new = text[max(0, thought.length - offset) :]
    if not new:
        return False
    if (room := MAX_THOUGHT_CHARACTERS - thought.length) > 0:
        thought.pieces.append(new[:room])
    thought.length += len(new)
    return True


def _milliseconds(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)
