"""A page with a list of items, forms below it, and changes that can be undone."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, TypeVar

from psygnal import SignalInstance
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QWidget

from core.services.outcome import Failed, Outcome
from desktop.bind import follow
from desktop.settings.parts.form import CardForm
from desktop.settings.parts.item_row import ListRow
from desktop.settings.parts.page import Page
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.widgets import Paragraph, column_of, show_when
from desktop.widgets.forms.tab_order import chain_tab_stops, previous_tab_stop

T = TypeVar("T")
RowT = TypeVar("RowT", bound=ListRow)
Call = Callable[[], Awaitable[Outcome[T]]]
"""Starts a request to a service, once or several times."""

_SETTLE_MS = 50
"""The time until a widget that has grown is laid out."""


class ListPage(Page, Generic[RowT]):
    """`about` introduces the list, `empty` replaces it. `rows` are in `list_`, by item key. An open form is below them.

    Subclasses override `show_list`, and `failure_text` for the failures of their services.
    """

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self.rows: dict[str, RowT] = {}
        self._states: dict[str, object] = {}
        self.about, self.empty = Paragraph("", "label", "muted"), Paragraph("", "label", "muted")
        self._openers: dict[CardForm, QWidget] = {}
        self.next_stop: QWidget | None = None
        """Where Tab goes after the rows."""
        self._shown_form: CardForm | None = None
        self._edited: str | None = None
        self.list_ = QWidget()
        self.list_column = column_of(self.list_, self.empty)
        show_when(self.empty, False)
        self.add(self.about, self.about.text)
        self.add(self.list_, self.list_search_text)

    def add_form(self, form: CardForm, opener: QWidget) -> None:
        """Add a form that is shown while it is open. On closing, focus goes to the edited row, else to `opener`."""
        self._openers[form] = opener
        self.next_stop = self.next_stop or opener
        self.add(form, form.search_text)
        form.cancelled.connect(self.close_form)
        show_when(form, False)

    def follow(self, *signals: SignalInstance) -> None:
        """Show the list again after each of these."""
        for signal in signals:
            follow(self, signal, self._on_change)

    def show_list(self) -> None:
        """Show the current items. Overridden by subclasses."""

    def list_search_text(self) -> str:
        """Return the text that the settings search matches."""
        openers = [opener.text() for opener in self._openers.values() if isinstance(opener, QAbstractButton)]
        return " ".join([*openers, *(row.search_text() for row in self.rows.values())])

    def filter(self, query: str) -> bool:
        is_found = super().filter(query)
        for form in self._openers:
            # The search shows all matching sections, also forms that are closed.
            form.setVisible(form is self._shown_form and not form.isHidden())
        return is_found

    def focus_first(self) -> None:
        """Focus the first row, if there are rows."""
        row = next(iter(self.rows.values()), None)
        if row is not None and row.isVisible():
            row.take_focus()
        else:
            super().focus_first()

    def retranslate(self) -> None:
        super().retranslate()
        self._states.clear()
        self.show_list()

    def apply_theme(self) -> None:
        super().apply_theme()
        self.list_column.setSpacing(self._theme.sizes.space_s)

    # The list

    def show_rows(self, rows: Mapping[str, RowT]) -> None:
        """Replace the rows; focus in a removed row moves to the row at its position."""
        focused = next((at for at, row in enumerate(self.rows.values()) if row.has_focus()), None)
        removed = [row for key, row in self.rows.items() if rows.get(key) is not row]
        lost_focus = any(row.has_focus() for row in removed)
        for row in removed:
            self.list_column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = dict(rows)
        # Rows of removed items must not be taken for current if the item returns.
        self._states = {key: state for key, state in self._states.items() if key in rows}
        self._order()
        show_when(self.empty, not self.rows)
        if lost_focus and focused is not None and self.rows:
            list(self.rows.values())[min(focused, len(self.rows) - 1)].take_focus()
        elif lost_focus and self._openers:
            # Without rows the button that adds an item is the nearest control.
            next(iter(self._openers.values())).setFocus(Qt.FocusReason.OtherFocusReason)
        elif lost_focus:
            self.focus_first()

    def row_for(self, key: str, state: object, make: Callable[[], RowT]) -> RowT:
        """Return the existing row if its state is unchanged, so that focus stays, else a new row."""
        shown = self.rows.get(key)
        # A new widget would lose focus and scroll position.
        is_same = shown is not None and self._states.get(key) == state
        self._states[key] = state
        return shown if shown is not None and is_same else make()

    def _order(self) -> None:
        """Arrange the rows in the layout and in the tab order."""
        rows = list(self.rows.values())
        if all(self.list_column.indexOf(row) == at for at, row in enumerate(rows)):
            return
        with self._laid_out_once():
            for at, row in enumerate(rows):
                self.list_column.removeWidget(row)
                self.list_column.insertWidget(at, row)
                row.show()  # now, not when the layout comes to it: focus may go there
        stops = [stop for row in rows for stop in row.tab_stops()]
        if self.next_stop is not None:
            previous = previous_tab_stop(self.next_stop)
            # The rows themselves may precede the next stop already.
            while previous in stops:
                previous = previous_tab_stop(previous)
            chain_tab_stops([previous, *stops])

    @contextmanager
    def _laid_out_once(self) -> Iterator[None]:
        """Suspend the layouts: Qt would lay out the whole page for each row that is shown."""
        layouts = [layout for part in self._around(self.list_) if (layout := part.layout()) is not None]
        for layout in layouts:
            layout.setEnabled(False)
        try:
            yield
        finally:
            for layout in layouts:
                layout.setEnabled(True)
            for layout in layouts:
                layout.invalidate()
                layout.activate()

    def _around(self, part: QWidget | None) -> Iterator[QWidget]:
        """Yield the widget and its parents below the page."""
        while part is not None and part is not self:
            yield part
            part = part.parentWidget()

    def _on_change(self) -> None:
        self.show_list()

    # A form

    def is_editing(self, key: str) -> bool:
        """Return whether a form is open for this item."""
        return self._shown_form is not None and self._edited == key

    def open_form(self, form: CardForm, key: str | None) -> None:
        """Show a form, for an item or (None) for a new item."""
        self._shown_form, self._edited = form, key
        for other in self._openers:
            other.setVisible(other is form)
        form.focus_first()
        self.scroll_to(form, form)

    def close_form(self, key: str | None = None) -> None:
        """Hide the form and focus the row of this or of the edited item."""
        form, self._shown_form = self._shown_form, None
        for other in self._openers:
            other.hide()
        row = self.rows.get(key or self._edited or "")
        if row is not None:
            row.take_focus()
        elif form is not None:
            self._openers[form].setFocus(Qt.FocusReason.OtherFocusReason)

    def scroll_to(self, whole: QWidget, first: QWidget) -> None:
        """Scroll the whole widget into view, or at least its start."""
        gap = self._theme.sizes.space_l

        def scroll() -> None:
            if (body := self.widget()) is not None:
                self.ensureVisible(0, whole.mapTo(body, whole.rect().bottomLeft()).y(), 0, gap)
                self.ensureVisible(0, first.mapTo(body, QPoint()).y(), 0, 2 * gap)

        # The form has no geometry before the layout has placed it.
        QTimer.singleShot(_SETTLE_MS, whole, scroll)

    # Requests to services

    def failure_text(self, failed: Failed) -> str:
        """Return why a request failed."""
        raise NotImplementedError

    def run(self, work: Awaitable[Outcome[T] | None], name: str, success: Callable[[T], object] | None = None) -> None:
        """Start a request; a failure is reported in the bar below the page."""
        self._context.operations.run(work, name, success=success, failure=self.report_failure)

    def report(self, text: str) -> None:
        """Report an action that cannot be undone."""
        self._context.history.report(text)

    def report_failure(self, failed: Failed) -> None:
        self._context.history.report(self.failure_text(failed), is_problem=True)

    def change(self, change: Call[Any], undo: Call[Any], text: Callable[[bool], str]) -> None:
        """Make a change and report it with its undo; `text` returns the report, given whether it is undone."""
        self.run(change(), "change settings", lambda _data: self._report_change(text, undo, change))

    def remove(
        self, key: str, remove: Call[T], restore: Callable[[T], Awaitable[Outcome[Any]]], text: Callable[[T, bool], str]
    ) -> None:
        """Remove an item and report it with its undo. `restore` gets what `remove` has returned."""

        def on_removed(removed: T) -> None:
            if self.is_editing(key):
                self.close_form()
            self._report_change(partial(text, removed), partial(restore, removed), remove)

        self.run(remove(), f"remove {key}", on_removed)

    def _report_change(self, text: Callable[[bool], str], undo: Call[Any], redo: Call[Any]) -> None:
        action = UndoableAction(text, lambda: self.run(undo(), "undo"), lambda: self.run(redo(), "redo"))
        self._context.history.record(action)
