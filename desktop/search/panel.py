"""The search over all workflows: a field over the window, and below it the results, by workflow."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from desktop.search.index_status import IndexProgress, IndexStatusBar
from desktop.search.result_list import ResultDelegate, ResultModel
from desktop.search.results import MoreRow, Results
from desktop.search.search_strings import ResultStrings
from desktop.theme import Theme
from desktop.widgets import Label, Paragraph, SearchOverlay, announce

_Index = QModelIndex | QPersistentModelIndex

TYPING_PAUSE_MS = 120
"""The pause in typing after which a search starts."""
SEARCHING_NOTICE_MS = 200
"""A search that takes longer shows that it is under way."""


class SearchPanel(SearchOverlay):
    """Shown by `open`; `chosen` carries the GroupRow or HitRow. Typing emits `asked`; `show_results` or `show_problem`
    show the answer. The query stays when it is opened again.
    """

    asked = Signal(str)
    more_asked = Signal(object)
    """More hits of the workflow with this id; None: more workflows."""
    index_stopped = Signal()
    index_continued = Signal()

    def __init__(self, theme: Theme, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.setObjectName("search")
        self._strings = ResultStrings(now, self)
        self._results = Results("")
        self._problem = ""
        self._rows = ResultModel(self._strings, self)
        self._message = Paragraph("", "secondary", "muted", parent=self)
        self._hint = Label("", "meta", "muted", parent=self)
        self._index_status = IndexStatusBar(theme, self)
        self._footer = QWidget(self)
        self._footer_row = QHBoxLayout(self._footer)
        self._footer_row.addWidget(self._hint, 1)
        self._footer_row.addWidget(self._index_status)
        self._typing_pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._typing_pause.timeout.connect(self._ask)
        self._searching_notice = QTimer(self, singleShot=True, interval=SEARCHING_NOTICE_MS)
        self._searching_notice.timeout.connect(self._update_texts)
        self.set_rows(self._rows, ResultDelegate(theme, self._strings, self._list), self._message, self._footer)
        self._field.textChanged.connect(self._on_typed)
        self._keys.abandoned.connect(self._on_abandoned)
        self._keys.tabbed.connect(self._index_status.take_focus)
        self._index_status.left.connect(self._field.setFocus)
        self._index_status.abandoned.connect(self._on_abandoned)
        self._index_status.stopped.connect(self.index_stopped)
        self._index_status.continued.connect(self.index_continued)
        self.adapt_to(theme)

    def open(self) -> None:
        """Show the panel with the last query selected, so that typing replaces it; the same shortcut closes it."""
        if self.isVisible():
            self.close_up()
            return
        self._field.selectAll()
        self.show_field()
        if self.query.strip():
            self._ask()  # the workflows may have changed since

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
        # More results of the same query: the current row and the scroll position stay.
        is_same = results.query == self._results.query and bool(self._rows.rows)
        before = self._rows.rows[self._list.currentIndex().row()] if self._list.currentIndex().isValid() else None
        row, scrolled = self._list.currentIndex().row(), self._list.verticalScrollBar().value()
        self._problem, self._results = "", results
        self._searching_notice.stop()
        self._rows.show(tuple(results.rows()))
        again = self._rows.find_row(before) if is_same else QModelIndex()
        # The row that loaded more is gone: what it has loaded stands in its place.
        if not again.isValid() and is_same and isinstance(before, MoreRow) and row < self._rows.rowCount():
            again = self._rows.index(row)
        self._list.setCurrentIndex(again if again.isValid() else self._rows.first())
        if is_same:
            self._list.verticalScrollBar().setValue(scrolled)
            self._list.scrollTo(self._list.currentIndex())
        else:
            self._list.scrollToTop()
        self._update_texts()
        if not is_same and self.isVisible():
            announce(self, self._message.text() or self._hint.text())

    def show_problem(self, problem: str) -> None:
        """Show why the search failed."""
        self._problem, self._results = problem, Results(self.query)
        self._searching_notice.stop()
        self._rows.show(())
        self._update_texts()
        announce(self, problem, is_urgent=True)

    def show_index(self, progress: IndexProgress) -> None:
        """Show the progress of the index."""
        self._index_status.show_progress(progress)
        self._update_texts()

    def retranslate(self) -> None:
        self._field.setPlaceholderText(self.tr("Search in all workflows"))
        self._field.setAccessibleName(self.tr("Search in all workflows"))
        self.setAccessibleName(self.tr("Search in all workflows"))
        self._list.setAccessibleName(self.tr("What was found"))
        self._index_status.retranslate()
        self._update_texts()

    def apply_theme(self) -> None:
        super().apply_theme()
        sizes = self._theme.sizes
        self._message.setContentsMargins(sizes.space_s, sizes.space_s, sizes.space_s, sizes.space_s)
        self._footer_row.setContentsMargins(sizes.space_s, sizes.space_xs, sizes.space_s, sizes.space_xs)
        self._footer_row.setSpacing(sizes.space_m)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc, pressed on the button in the footer."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_up()
        else:
            super().keyPressEvent(event)

    def _on_typed(self) -> None:
        """Start a search after a pause. The old results stay visible until the new ones arrive."""
        if self.query.strip():
            self._typing_pause.start()
            self._update_texts()
        else:
            self._typing_pause.stop()
            self._ask()

    def _ask(self) -> None:
        self._searching_notice.start()
        self.asked.emit(self.query)

    def _take(self, index: _Index) -> None:
        row = self._rows.rows[index.row()] if index.isValid() else None
        if self._results.query != self.query:  # Enter came before the answer: the current row is of the previous query
            self._typing_pause.stop()
            self._ask()
        elif isinstance(row, MoreRow):
            self.more_asked.emit(row.workflow_id)
        elif row is not None:
            self.hide()
            self.chosen.emit(row)

    def _on_abandoned(self) -> None:
        """Hide when the focus has left the panel, its footer button included."""
        now = QApplication.focusWidget()
        if now is None or not self.isAncestorOf(now):
            self.hide()

    def _update_texts(self) -> None:
        message = self._state_text()
        self._message.setText(message)
        self._message.setVisible(bool(message))
        self._list.setVisible(bool(self._rows.rows))
        self._hint.setText(self._count_text())
        self._footer.setVisible(bool(self._hint.text()) or not self._index_status.isHidden())
        self._fit()

    def _state_text(self) -> str:
        """Return the message in place of results."""
        if self._problem:
            return self._problem
        if not self.query.strip():
            return self.tr("Finds what was said, what tools gave and what steps put out. “In quotes” finds a phrase.")
        if self._rows.rows:
            return ""
        if self._results.query != self.query:
            return "" if self._searching_notice.isActive() or self._typing_pause.isActive() else self.tr("Searching…")
        if self._index_status.is_behind:
            return self.tr("Nothing found so far. Older workflows are still being indexed.")
        return self.tr("Nothing has all of these words. Try fewer, or the beginning of a word.")

    def _count_text(self) -> str:
        results = self._results
        if not self._rows.rows:
            return ""
        count = self.tr("%n workflows", None, len(results.groups))
        if results.has_more:
            count = self.tr("More than %n workflows", None, len(results.groups))
        return self.tr("{count}; the oldest hits are left out").format(count=count) if results.is_cut else count

    def _fit(self) -> None:
        """Centre in the window's upper part, as high as the results and the window allow."""
        sizes, ground = self._theme.sizes, self._ground
        width = min(sizes.composer + sizes.row, ground.width() - 2 * sizes.space_l)
        top = max(sizes.space_l, ground.height() // 10)
        margins = self._column.contentsMargins()
        inner = width - margins.left() - margins.right()
        frame = margins.top() + margins.bottom() + self._field.sizeHint().height() + self._column.spacing()
        fixed = frame + self._column.spacing()
        if not self._message.isHidden():
            inset = self._message.contentsMargins()
            frame += self._message.heightForWidth(inner - inset.left() - inset.right())
            frame += inset.top() + inset.bottom() + self._column.spacing()
            self._message.setFixedHeight(frame - fixed)
        if not self._footer.isHidden():
            frame += self._footer.sizeHint().height() + self._column.spacing()
        height = 0
        if self._rows.rows:
            available = ground.height() - top - sizes.space_l - frame
            count = self._rows.rowCount()
            height_of_rows = 2 * self._list.frameWidth()
            for row in range(count):
                height_of_rows += self._list.sizeHintForRow(row)
                if height_of_rows > available:
                    break
            height = max(0, min(height_of_rows, available))
            self._list.setFixedHeight(height)
            frame += self._column.spacing()
        self.setGeometry((ground.width() - width) // 2, top, width, frame + height)
