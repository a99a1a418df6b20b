"""Highlights the matches of a search in the blocks on stage."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from core.domain.ids import MessageId
from desktop.chat.transcript.find_scan import FindMatch
from desktop.chat.transcript.stage import Stage
from desktop.chat.views.text_view import TextView
from desktop.theme import Theme

# Qt's time to paint selections grows faster than their number: 100 in a text take 0.1 s, 1,500 take over 10 s.
_MOST_SELECTIONS = 50

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
            view.set_found(())
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
        shown = [match for match in matches if match.end <= last]
        usual, now = self._format(is_current=False), self._format(is_current=True)
        view.set_found([(match.start, match.end) for match in shown] if len(shown) > _MOST_SELECTIONS else ())
        selected = [match for match in shown if match == current] if len(shown) > _MOST_SELECTIONS else shown
        view.setExtraSelections([_selection(view, match, now if match == current else usual) for match in selected])

    def _format(self, *, is_current: bool) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setBackground(self._theme.color("found_now" if is_current else "found"))
        form.setForeground(self._theme.color("text"))
        form.setFontUnderline(is_current)  # so that the current match is not marked by colour alone
        return form


def _selection(view: TextView, match: FindMatch, form: QTextCharFormat) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    mark.cursor, mark.format = QTextCursor(view.document()), form
    mark.cursor.setPosition(match.start)
    mark.cursor.setPosition(match.end, QTextCursor.MoveMode.KeepAnchor)
    return mark
