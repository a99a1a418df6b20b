"""Highlights the matches of a search in the blocks on stage."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from core.domain.ids import MessageId
from desktop.chat.transcript.find_scan import FindMatch
from desktop.chat.transcript.stage import Stage
from desktop.chat.views.text_view import TextView
from desktop.theme import Theme

# Returns the matches in a turn, by block key.
MatchesIn = Callable[[MessageId], Mapping[str, Sequence[FindMatch]]]


class FindHighlighter:
    """Marks the matches that `matches_in` returns, and the `current` match in particular. A view keeps its highlights
    until it shows another block.
    """

    def __init__(self, theme: Theme, stage: Stage) -> None:
        self._theme = theme
        self._stage = stage
        self._matches_in: MatchesIn | None = None
        self._current: tuple[MessageId, FindMatch] | None = None
        self._marked: dict[QWidget, tuple[Sequence[FindMatch], FindMatch | None]] = {}

    def set_matches(self, matches_in: MatchesIn | None, current: tuple[MessageId, FindMatch] | None) -> None:
        """Set what the next `apply` highlights; None highlights nothing."""
        self._matches_in, self._current = matches_in, current

    def clear(self, view: QWidget) -> None:
        """Clear the highlights of a view that shows another block."""
        self._marked.pop(view, None)
        if isinstance(view, TextView):
            view.setExtraSelections([])

    def apply(self) -> None:
        """Highlight the matches, after a pass or a change of the search."""
        live_views: set[QWidget] = set()
        framed: dict[MessageId, dict[str, bool]] = {}
        for live in self._stage.live_blocks():
            turn = self._stage.turn_of(live).id
            matches = self._matches_in(turn).get(live.block.key, ()) if self._matches_in is not None else ()
            current = (
                self._current[1]
                if self._current is not None and self._current[0] == turn and self._current[1] in matches
                else None
            )
            live_views.add(live.view)
            if isinstance(live.view, TextView):
                self._mark(live.view, tuple(matches), current)
            elif matches:
                framed.setdefault(turn, {})[live.block.key] = current is not None
        for view in self._stage.turn_views():
            view.set_matches(framed.get(view.turn, {}))
        self._marked = {view: marks for view, marks in self._marked.items() if view in live_views}

    def _mark(self, view: TextView, matches: Sequence[FindMatch], current: FindMatch | None) -> None:
        if self._marked.get(view, ((), None)) == (matches, current):
            return
        self._marked[view] = matches, current
        last = view.document().characterCount() - 1
        # a streaming block may have been shortened since it was searched
        marks = [self._selection(view, match, is_current=match == current) for match in matches if match.end <= last]
        view.setExtraSelections(marks)

    def _selection(self, view: TextView, match: FindMatch, *, is_current: bool) -> QTextEdit.ExtraSelection:
        cursor = QTextCursor(view.document())
        cursor.setPosition(match.start)
        cursor.setPosition(match.end, QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        form.setBackground(self._theme.color("found_now" if is_current else "found"))
        form.setForeground(self._theme.color("text"))
        form.setFontUnderline(is_current)  # so that the current match is not marked by colour alone
        mark = QTextEdit.ExtraSelection()
        mark.cursor, mark.format = cursor, form
        return mark
