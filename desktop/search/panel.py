"""The search over all workflows: a field over the window, and below it the results, by workflow."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QListView, QVBoxLayout, QWidget

from desktop.search.index_status import IndexProgress, IndexStatusBar
from desktop.search.result_list import ResultDelegate, ResultModel
from desktop.search.results import MoreRow, Results
from desktop.search.search_strings import ResultStrings
from desktop.theme.theme import Theme
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import Label
from desktop.widgets.list_search import ListSearch
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Surface

_Index = QModelIndex | QPersistentModelIndex

TYPING_PAUSE_MS = 120
"""A query is asked when nobody has typed for so long."""
SEARCHING_NOTICE_MS = 200
"""A search that takes longer says that it goes on."""


class SearchPanel(Adaptive, Surface):
    """Shown by `open`. Typing emits `asked`; `show_results` or `show_problem` show the answer. The query stays
    when it is opened again.
    """

    asked = Signal(str)
    more_asked = Signal(object)
    """Of a workflow by its id; None: of the workflows."""
    chosen = Signal(object)
    """The GroupRow or HitRow."""
    left = Signal()
    """It was closed without a choice: focus is to go where it was."""
    index_stopped = Signal()
    index_continued = Signal()

    def __init__(self, theme: Theme, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self.setObjectName("search")
        self._theme = theme
        self._spoken = ResultStrings(now, self)
        self._ground = parent
        self._results = Results("")
        self._problem = ""
        self._field = QLineEdit(self)
        self._rows = ResultModel(self._spoken, self)
        self._list = QListView(self)
        self._words = Paragraph("", "secondary", "muted", parent=self)
        self._hint = Label("", "meta", "muted", parent=self)
        self._note = IndexStatusBar(theme, self)
        self._column = QVBoxLayout(self)
        self._bottom = QWidget(self)
        self._foot = QHBoxLayout(self._bottom)
        self._typing = _single_shot(self, TYPING_PAUSE_MS, self._ask)
        self._waiting = _single_shot(self, SEARCHING_NOTICE_MS, self._say)
        self._build()
        parent.installEventFilter(self)
        self.hide()
        self.adapt_to(theme)

    def open(self) -> None:
        """Show the panel with the last query selected, so that typing replaces it; the same shortcut closes it."""
        if self.isVisible():
            self.close_up()
            return
        self.show()
        self._fit()
        self.raise_()
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)
        if self.query.strip():
            self._ask()  # other things may be there by now

    def close_up(self) -> None:
        """Close without a choice."""
        if self.isVisible():
            self.hide()
            self.left.emit()

    @property
    def query(self) -> str:
        return self._field.text()

    @property
    def results(self) -> Results:
        """The shown results."""
        return self._results

    def show_results(self, results: Results) -> None:
        """Show the results, unless the query has changed since."""
        if results.query != self.query:
            return
        is_same = results.query == self._results.query and bool(self._rows.rows)
        before = self._rows.rows[self._list.currentIndex().row()] if self._list.currentIndex().isValid() else None
        row, scrolled = self._list.currentIndex().row(), self._list.verticalScrollBar().value()
        self._problem, self._results = "", results
        self._waiting.stop()
        self._rows.show(tuple(results.rows()))
        again = self._rows.place_of(before) if is_same else QModelIndex()
        if not again.isValid() and is_same and isinstance(before, MoreRow) and row < self._rows.rowCount():
            again = self._rows.index(row)
        self._list.setCurrentIndex(again if again.isValid() else self._rows.first())
        if is_same:
            self._list.verticalScrollBar().setValue(scrolled)
            self._list.scrollTo(self._list.currentIndex())
        else:
            self._list.scrollToTop()
        self._say()
        if not is_same and self.isVisible():
            announce(self, self._words.text() or self._hint.text())

    def show_problem(self, words: str) -> None:
        """Show why the search failed."""
        self._problem, self._results = words, Results(self.query)
        self._waiting.stop()
        self._rows.show(())
        self._say()
        announce(self, words, is_urgent=True)

    def show_index(self, words: IndexProgress) -> None:
        """Show the progress of the index."""
        self._note.show_words(words)
        self._say()

    def retranslate(self) -> None:
        self._field.setPlaceholderText(self.tr("Search in all workflows"))
        self._field.setAccessibleName(self.tr("Search in all workflows"))
        self.setAccessibleName(self.tr("Search in all workflows"))
        self._list.setAccessibleName(self.tr("What was found"))
        self._note.retranslate()
        self._say()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_s, sizes.space_s, sizes.space_s, sizes.space_s)
        self._column.setSpacing(sizes.space_xs)
        self._words.setContentsMargins(sizes.space_s, sizes.space_s, sizes.space_s, sizes.space_s)
        self._foot.setContentsMargins(sizes.space_s, sizes.space_xs, sizes.space_s, sizes.space_xs)
        self._foot.setSpacing(sizes.space_m)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc, pressed on the button in the footer."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_up()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._ground and event.type() == QEvent.Type.Resize and self.isVisible():
            self._fit()
        return False

    def _build(self) -> None:
        self._foot.addWidget(self._hint, 1)
        self._foot.addWidget(self._note)
        for widget in (self._field, self._list, self._words):
            self._column.addWidget(widget)
        self._column.addWidget(self._bottom)
        self._list.setModel(self._rows)
        self._list.setItemDelegate(ResultDelegate(self._theme, self._spoken, self._list))
        self._field.textChanged.connect(self._on_typed)
        keys = ListSearch(self._theme, self._field, self._list)
        keys.taken.connect(self._take)
        keys.escaped.connect(self.close_up)
        keys.abandoned.connect(self._on_abandoned)
        keys.tabbed.connect(self._note.take_focus)
        self._note.left.connect(self._field.setFocus)
        self._note.abandoned.connect(self._on_abandoned)
        self._note.stopped.connect(self.index_stopped)
        self._note.continued.connect(self.index_continued)
        self._list.selectionModel().currentChanged.connect(self._tell_current)

    def _on_typed(self) -> None:
        """Start a search after a pause. The old results stay visible until the new ones arrive."""
        if self.query.strip():
            self._typing.start()
            self._say()
        else:
            self._typing.stop()
            self._ask()

    def _ask(self) -> None:
        self._waiting.start()
        self.asked.emit(self.query)

    def _take(self, index: _Index) -> None:
        row = self._rows.rows[index.row()] if index.isValid() else None
        if self._results.query != self.query:  # Enter came before the answer: that is not what the person means
            self._typing.stop()
            self._ask()
        elif isinstance(row, MoreRow):
            self.more_asked.emit(row.workflow_id)
        elif row is not None:
            self.hide()
            self.chosen.emit(row)

    def _tell_current(self, index: _Index) -> None:
        if index.isValid() and self.isVisible():
            announce(self, self._spoken.spoken(self._rows.rows[index.row()]))

    def _on_abandoned(self) -> None:
        """Hide when the focus has left the panel, its footer button included."""
        now = QApplication.focusWidget()
        if now is None or not self.isAncestorOf(now):
            self.hide()

    # Words

    def _say(self) -> None:
        words = self._state_words()
        self._words.setText(words)
        self._words.setVisible(bool(words))
        self._list.setVisible(bool(self._rows.rows))
        self._hint.setText(self._count_words())
        self._bottom.setVisible(bool(self._hint.text()) or not self._note.isHidden())
        self._fit()

    def _state_words(self) -> str:
        """Return the message in place of results."""
        if self._problem:
            return self._problem
        if not self.query.strip():
            return self.tr("Finds what was said, what tools gave and what steps put out. “In quotes” finds a phrase.")
        if self._rows.rows:
            return ""
        if self._results.query != self.query:
            return "" if self._waiting.isActive() or self._typing.isActive() else self.tr("Searching…")
        if self._note.is_behind:
            return self.tr("Nothing found so far. Older workflows are still being indexed.")
        return self.tr("Nothing has all of these words. Try fewer, or the beginning of a word.")

    def _count_words(self) -> str:
        found = self._results
        if not self._rows.rows:
            return ""
        count = self.tr("%n workflows", None, len(found.groups))
        if found.has_more:
            count = self.tr("More than %n workflows", None, len(found.groups))
        return self.tr("{count}; the oldest hits are left out").format(count=count) if found.is_cut else count

    def _fit(self) -> None:
        """Centre in the window's upper part, as high as the results and the window allow."""
        sizes, ground = self._theme.sizes, self._ground
        width = min(sizes.composer + sizes.row, ground.width() - 2 * sizes.space_l)
        top = max(sizes.space_l, ground.height() // 10)
        margins = self._column.contentsMargins()
        inner = width - margins.left() - margins.right()
        rest = margins.top() + margins.bottom() + self._field.sizeHint().height() + self._column.spacing()
        before = rest + self._column.spacing()
        if not self._words.isHidden():
            around = self._words.contentsMargins()
            rest += self._words.heightForWidth(inner - around.left() - around.right())
            rest += around.top() + around.bottom() + self._column.spacing()
            self._words.setFixedHeight(rest - before)
        if not self._bottom.isHidden():
            rest += self._bottom.sizeHint().height() + self._column.spacing()
        height = 0
        if self._rows.rows:
            room = ground.height() - top - sizes.space_l - rest
            count = self._rows.rowCount()
            wanted = 2 * self._list.frameWidth()
            for row in range(count):
                wanted += self._list.sizeHintForRow(row)
                if wanted > room:
                    break
            height = max(0, min(wanted, room))
            self._list.setFixedHeight(height)
            rest += self._column.spacing()
        self.setGeometry((ground.width() - width) // 2, top, width, rest + height)


def _single_shot(owner: QObject, wait_ms: int, then: Callable[[], None]) -> QTimer:
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(wait_ms)
    timer.timeout.connect(then)
    return timer
