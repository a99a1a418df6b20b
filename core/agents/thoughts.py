"""What a model thinks, on its way to the screen and to the disk: shown at once, kept in pieces that are never changed.

A piece is written once a second, or at 4096 characters: that is the most that a power cut takes of what was on the
screen (ENGINE §13).
"""

from collections.abc import Callable
from dataclasses import asdict

from core.domain.events import ReasoningReceived, ThoughtSaved
from core.domain.live_run import MAX_THOUGHT_CHARACTERS
from core.ports.agents import AgentTurn
from core.ports.clock import Clock
from core.ports.journal import RunLog

PIECE_S = 1.0
PIECE_CHARACTERS = 4096


class ThoughtRecorder:
    """The thoughts of a turn, one after the other. `place` tells how many characters the turn has said so far.

    Those of a sub-agent are shown and not kept: its report is what its parent has of it.
    """

    def __init__(self, turn: AgentTurn, log: RunLog, clock: Clock, place: Callable[[], int]) -> None:
        self._turn = turn
        self._log = log
        self._clock = clock
        self._place = place
        self._is_open = False
        self._began = self._kept_at = 0.0
        self._length = 0
        self._kept = 0
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Show a piece of the thought that goes on, or of a new one."""
        if not self._is_open:
            self._is_open = True
            self._began = self._kept_at = self._clock.monotonic()
            self._length = self._kept = 0
        where = self._turn.place
        shown = ReasoningReceived(
            text=text,
            message_id=self._turn.run.message_id,
            offset=self._length,
            place=self._place(),
            **asdict(where),
        )
        self._log.emit(shown)
        kept = text[: max(0, MAX_THOUGHT_CHARACTERS - self._length)]
        self._length += len(text)
        if where.sub_agent_id is not None:
            return
        if kept:
            self._pieces.append(kept)
        is_large = sum(map(len, self._pieces)) >= PIECE_CHARACTERS
        if is_large or self._clock.monotonic() - self._kept_at >= PIECE_S:
            self.keep()

    def keep(self) -> None:
        """Write down what was shown and is not written yet."""
        if self._pieces:
            self._write(is_whole=False)

    def end(self) -> None:
        """The model says something, calls something, or stops: the thought is whole. Without one it has no effect."""
        if self._is_open and self._turn.place.sub_agent_id is None:
            self._write(is_whole=True)
        self._is_open = False

    def _write(self, *, is_whole: bool) -> None:
        text, now = "".join(self._pieces), self._clock.monotonic()
        self._pieces.clear()
        piece = ThoughtSaved(
            text=text,
            offset=self._kept,
            place=self._place(),
            step=self._turn.key.step,
            index=self._turn.key.index,
            elapsed_ms=round((now - self._began) * 1000),
            is_whole=is_whole,
        )
        self._log.emit(piece)
        self._kept += len(text)
        self._kept_at = now
