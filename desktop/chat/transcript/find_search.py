"""Searches a whole conversation, a few milliseconds at a time, and steps through the matches."""

import asyncio
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from core.domain.ids import MessageId
from core.domain.messages import MessageState
from desktop.aio import Tasks
from desktop.chat.layout.column import Column
from desktop.chat.transcript.find_scan import FindMatch, FindQuery, TurnScan, may_contain, plain_texts
from desktop.chat.turn_parts import Turn
from desktop.theme import Theme

SLICE_S, PAUSE_S = 0.003, 0.001
# `changed` is emitted at most this often during a search.
FRAME_S = 0.1
# A turn with more text, or with other parts than text, is made into blocks in a thread.
MAX_INLINE_CHARACTERS = 4_000

_NO_MATCHES: Mapping[str, Sequence[FindMatch]] = {}


@dataclass(frozen=True, slots=True)
class TurnMatch:
    """A match, with its turn."""

    turn: MessageId
    match: FindMatch


@dataclass(slots=True)
class _TurnMatches:
    """The matches of a turn, in the version that was searched."""

    turn: Turn
    matches: list[FindMatch]
    by_key: dict[str, list[FindMatch]] = field(init=False)

    def __post_init__(self) -> None:
        self.by_key = {}
        for match in self.matches:
            self.by_key.setdefault(match.key, []).append(match)


class ConversationSearch(QObject):
    """Searches the turns of `column`. Emits `changed` when the known matches have changed, `reached` when a match is to
    be shown.

    Short turns of plain text are searched on the loop, all others are made into blocks in a thread. A slice takes at
    most 3 ms, so that a frame can be painted in between.
    """

    changed = Signal()
    reached = Signal(object)
    """The TurnMatch."""

    def __init__(self, theme: Theme, column: Column, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = column
        self._tasks = tasks
        self._query = FindQuery("")
        self._searched: dict[MessageId, _TurnMatches] = {}
        self._queue: deque[MessageId] = deque()
        self._queued: set[MessageId] = set()
        self._streaming: tuple[MessageId, TurnScan] | None = None
        self._task: asyncio.Task[None] | None = None
        self._only_in: MessageId | None = None
        self._is_seeking = False
        self._emitted_at = 0.0
        self.current: TurnMatch | None = None
        self.total = 0

    @property
    def is_at_work(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def ordinal(self) -> int:
        """The number of the current match, from 1; 0 without one."""
        if self.current is None:
            return 0
        before = 0
        for layout in self._column.layouts:
            matches = self._matches_of(layout.turn.id)
            if layout.turn.id == self.current.turn:
                return before + matches.index(self.current.match) + 1 if self.current.match in matches else 0
            before += len(matches)
        return 0

    def matches_in(self, turn: MessageId) -> Mapping[str, Sequence[FindMatch]]:
        """Return the matches in a turn, by block key."""
        searched = self._searched.get(turn)
        return searched.by_key if searched is not None else _NO_MATCHES

    def search(
        self, query: FindQuery, first_turn: int, *, seeks: bool = True, only_in: MessageId | None = None
    ) -> None:
        """Search for `query`, from `first_turn` on and around. `seeks`: the first match is reached, or, with
        `only_in`, the first match of that turn.
        """
        self.stop()
        self._query = query
        self._searched, self.current, self.total = {}, None, 0
        self._is_seeking, self._only_in = seeks, only_in
        if query.pattern is not None:
            turns = [layout.turn.id for layout in self._column.layouts]
            self._queue, self._queued = deque(turns[first_turn:] + turns[:first_turn]), set(turns)
            self._resume()
        self.changed.emit()

    def search_again(self, turns: Iterable[MessageId]) -> None:
        """Search turns that have changed; drop the matches of turns that are gone."""
        if self._query.pattern is None:
            return
        gone = [turn for turn in self._searched if not self._column.contains(turn)]
        for turn in gone:
            self.total -= len(self._searched.pop(turn).matches)
        if self.current is not None and self.current.turn in gone:
            self.current = None
        self._enqueue(turn for turn in turns if self._has_changed(turn))
        if gone:
            self.changed.emit()

    def stop(self) -> None:
        """Stop searching."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._queue.clear()
        self._queued.clear()
        self._streaming = None
        self._is_seeking = False

    def step(self, by: int, first_turn: int) -> None:
        """Go to the next match (1) or the previous (-1), around the ends; without a current match, start at
        `first_turn`.
        """
        turns = [layout.turn.id for layout in self._column.layouts]
        if not self.total or not turns:
            return
        start, current = first_turn, self.current
        if current is not None and self._column.contains(current.turn):
            matches = self._matches_of(current.turn)
            at = matches.index(current.match) + by if current.match in matches else 0
            if 0 <= at < len(matches):
                self._reach(TurnMatch(current.turn, matches[at]))
                return
            start = self._column.number_of(current.turn) + by
        for number in range(len(turns) + 1):
            turn = turns[(start + by * number) % len(turns)]
            if matches := self._matches_of(turn):
                self._reach(TurnMatch(turn, matches[0 if by > 0 else -1]))
                return

    def _matches_of(self, turn: MessageId) -> list[FindMatch]:
        searched = self._searched.get(turn)
        return searched.matches if searched is not None else []

    def _reach(self, match: TurnMatch) -> None:
        self.current, self._is_seeking = match, False
        self.changed.emit()
        self.reached.emit(match)

    def _has_changed(self, turn: MessageId) -> bool:
        searched = self._searched.get(turn)
        return searched is None or searched.turn is not self._column.layouts[self._column.number_of(turn)].turn

    def _enqueue(self, turns: Iterable[MessageId]) -> None:
        for turn in turns:
            if turn not in self._queued:
                self._queued.add(turn)
                self._queue.append(turn)
        self._resume()

    def _resume(self) -> None:
        if self._queue and not self.is_at_work and self._tasks.is_open:
            self._task = self._tasks.spawn(self._run(), "find in the conversation")

    async def _run(self) -> None:
        began = self._emitted_at = time.perf_counter()
        query = self._query
        letters = query.letters
        while self._queue:
            turn_id = self._queue.popleft()
            self._queued.discard(turn_id)
            if not self._column.contains(turn_id):
                continue
            turn = self._column.layouts[self._column.number_of(turn_id)].turn
            texts = plain_texts(turn)
            is_short = texts is not None and sum(map(len, texts)) <= MAX_INLINE_CHARACTERS
            # most turns contain no match, and the check is far cheaper than making their blocks
            if texts is not None and is_short and not any(may_contain(text, letters) for text in texts):
                self._store(turn, [])
            else:
                scan = self._scan_of(turn, query)
                # making blocks is pure Python and may take long, so that it must not hold the loop
                blocks = scan.blocks(turn) if is_short else await asyncio.to_thread(scan.blocks, turn)
                matches: list[FindMatch] = []
                for block_matches in scan.matches(blocks):
                    matches += block_matches
                    began = await self._pause(began)
                self._store(turn, matches)
            began = await self._pause(began)
        self._task = None
        self.changed.emit()

    async def _pause(self, began: float) -> float:
        """Yield to the loop when the slice is over. Return when the current slice began."""
        if time.perf_counter() - began < SLICE_S:
            return began
        if time.perf_counter() - self._emitted_at >= FRAME_S:
            self.changed.emit()
            self._emitted_at = time.perf_counter()
        await asyncio.sleep(PAUSE_S)
        return time.perf_counter()

    def _scan_of(self, turn: Turn, query: FindQuery) -> TurnScan:
        """Return the scan of a turn. The scan of a streaming turn is kept for when the turn has grown."""
        if self._streaming is not None and self._streaming[0] == turn.id:
            return self._streaming[1]
        scan = TurnScan(self._theme, query)
        if turn.state is MessageState.OPEN:
            self._streaming = turn.id, scan
        return scan

    def _store(self, turn: Turn, matches: list[FindMatch]) -> None:
        if not self._column.contains(turn.id):  # it went away meanwhile
            return
        self.total += len(matches) - len(self._matches_of(turn.id))
        self._searched[turn.id] = _TurnMatches(turn, matches)
        if self._is_seeking and matches and self._only_in in (None, turn.id):
            self._reach(TurnMatch(turn.id, matches[0]))
        elif self._only_in == turn.id:
            self._is_seeking = False  # the turn was searched, and the match is gone
