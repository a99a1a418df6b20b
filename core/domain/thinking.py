"""What models think, folded: pieces are shown at once and kept a little later, and both make the same thought.

Who watched has seen what is kept; a state that is rebuilt learns of it from what is kept alone.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from core.domain import events as facts
from core.domain.live_run import MAX_THOUGHT_CHARACTERS, MAX_THOUGHTS, LiveRun, LiveThought


def close_thoughts(thoughts: Iterable[LiveThought]) -> None:
    """They go on no more: their run ended, or begins anew."""
    for thought in thoughts:
        thought.is_open = False


def fold_reasoning(run: LiveRun, fact: facts.ReasoningReceived, at: datetime) -> bool:
    """A piece of a thought is shown. Those of sub-agents are no part of the state."""
    if fact.sub_agent_id is not None:
        return False
    if fact.step not in run.steps or run.status.is_final or fact.message_id != run.message_id:
        return False
    thought = _thought(run, fact.step, fact.index, fact.place, at)
    run.pace.beat(at)
    thought.elapsed_ms = max(thought.elapsed_ms, _milliseconds(at - thought.started_at))
    return _think(thought, fact.offset, fact.text)


def fold_saved_thought(run: LiveRun, fact: facts.ThoughtSaved, at: datetime) -> None:
    """What was shown of a thought is on disk; who has not seen it learns of it now."""
    thought = _thought(run, fact.step, fact.index, fact.place, at - timedelta(milliseconds=fact.elapsed_ms))
    _think(thought, fact.offset, fact.text)
    thought.elapsed_ms = fact.elapsed_ms
    thought.is_open = not fact.is_whole and not run.status.is_final


def _thought(run: LiveRun, step: str, index: int | None, place: int, began: datetime) -> LiveThought:
    """The thought that goes on in this step, else a new one."""
    for thought in reversed(run.thoughts):
        if thought.is_open and (thought.step, thought.index) == (step, index):
            return thought
    thought = LiveThought(step, index, place, began)
    run.thoughts = [*run.thoughts[1 - MAX_THOUGHTS :], thought]
    return thought


def _think(thought: LiveThought, offset: int, text: str) -> bool:
    """Add what is new of a piece that begins at `offset`."""
    new = text[max(0, thought.length - offset) :]
    if not new:
        return False
    if (room := MAX_THOUGHT_CHARACTERS - thought.length) > 0:
        thought.pieces.append(new[:room])
    thought.length += len(new)
    return True


def _milliseconds(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)
