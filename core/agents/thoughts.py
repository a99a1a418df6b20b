"""Records the reasoning of a model: shown at once, stored in pieces that never change.

A piece is stored every second, or at 4096 characters; a power cut loses at most that much of what was displayed
(ENGINE §13).
"""

from collections.abc import Callable
from dataclasses import asdict

from core.domain.events import ReasoningReceived, ThoughtSaved
from core.domain.live_run import MAX_THOUGHT_CHARACTERS
from core.ports import AgentTurn, Clock, RunLog

PIECE_S = 1.0
PIECE_CHARACTERS = 4096


class ThoughtRecorder:
    """The consecutive thoughts of a turn. `turn_length` returns the number of characters of the turn so far.

    Thoughts of a sub-agent are shown but not stored, since only its report reaches its parent.
    """

    def __init__(self, turn: AgentTurn, log: RunLog, clock: Clock, turn_length: Callable[[], int]) -> None:
        self._turn = turn
        self._log = log
        self._clock = clock
        self._turn_length = turn_length
        self._is_open = False
        self._began_at = self._stored_at = 0.0
        self._length = 0
        self._stored_length = 0
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Show a piece of the current thought, or of a new thought."""
        if not self._is_open:
            self._is_open = True
            self._began_at = self._stored_at = self._clock.monotonic()
            self._length = self._stored_length = 0
        location = self._turn.location
        fact = ReasoningReceived(
            text=text,
            message_id=self._turn.run.message_id,
            offset=self._length,
            place=self._turn_length(),
            **asdict(location),
        )
        self._log.emit(fact)
        stored_part = text[: max(0, MAX_THOUGHT_CHARACTERS - self._length)]
        self._length += len(text)
        if location.sub_agent_id is not None:
            return
        if stored_part:
            self._pieces.append(stored_part)
        is_large = sum(map(len, self._pieces)) >= PIECE_CHARACTERS
        if is_large or self._clock.monotonic() - self._stored_at >= PIECE_S:
            self.save()

    def save(self) -> None:
        """Store what was shown and is not stored yet."""
        if self._pieces:
            self._store(is_whole=False)

    def end(self) -> None:
        """Finish the current thought, if there is one: the model writes text, makes a call, or stops."""
        if self._is_open and self._turn.location.sub_agent_id is None:
            self._store(is_whole=True)
        self._is_open = False

    def _store(self, *, is_whole: bool) -> None:
        text, now = "".join(self._pieces), self._clock.monotonic()
        self._pieces.clear()
        piece = ThoughtSaved(
            text=text,
            offset=self._stored_length,
            place=self._turn_length(),
            step=self._turn.key.step,
            index=self._turn.key.index,
            elapsed_ms=round((now - self._began_at) * 1000),
            is_whole=is_whole,
        )
        self._log.emit(piece)
        self._stored_length += len(text)
        self._stored_at = now
