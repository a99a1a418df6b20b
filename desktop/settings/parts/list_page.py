"""A page with a list that follows what there is, forms below it, and changes that can be undone."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout, QWidget

from core.bus import Bus, Subscription
from core.services.outcome import Failed
from desktop.aio import Spawn
from desktop.settings.parts.item_row import ListRow
from desktop.settings.parts.layout import chain_tab_stops, previous_tab_stop
from desktop.settings.parts.page import Page, PageId
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.theme.theme import Theme
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

AsyncAction = Callable[[], Coroutine[Any, Any, None]]
RowT = TypeVar("RowT", bound=ListRow)

_SETTLE_MS = 50
"""What has grown is laid out by then."""


class ListPage(Page, Generic[RowT]):
    """`about` tells what is listed, `empty` that there is none. `rows` stand in `list_`, by what they are of. A form
    stands below them while it is open. What becomes of a change is `told`; `refused` has the words for why not."""

    def __init__(
        self,
        theme: Theme,
        page_id: PageId,
        spawn: Spawn,
        told: Callable[[UndoableAction], None],
        refused: Callable[[Failed], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, page_id, parent)
        self.told = told
        self.rows: dict[str, RowT] = {}
        self._states: dict[str, object] = {}
        self.about, self.empty = Paragraph("", "label", "muted"), Paragraph("", "label", "muted")
        self._spawn_task = spawn
        self._refused = refused
        self._openers: dict[QWidget, QWidget] = {}
        self.next_stop: QWidget | None = None
        """Where Tab goes after the rows."""
        self._shown_form: QWidget | None = None
        self._edited: str | None = None
        self.list_ = QWidget()
        self.list_column = QVBoxLayout(self.list_)
        self.list_column.setContentsMargins(0, 0, 0, 0)
        self.list_column.addWidget(self.empty)
        show_when(self.empty, False)
        self.add(self.about, self.about.text)
        self.add(self.list_, self.searched_list)

    def add_form(self, form: QWidget, searched: Callable[[], str], opener: QWidget) -> None:
        """A form that is open now and then; the focus that was in it goes to the row that it is of, else to what opens
        it."""
        self._openers[form] = opener
        self.next_stop = self.next_stop or opener
        self.add(form, searched)
        show_when(form, False)

    def follow(self, bus: Bus, *kinds: type[Any]) -> None:
        """Show the list again after each of these."""
        for kind in kinds:
            subscription = bus.subscribe(kind, self._on_change)
            self.destroyed.connect(partial(Subscription.close, subscription))

    def show_list(self) -> None:
        """Show what there is now. Overridden."""

    def searched_list(self) -> str:
        """The words that the list is found by."""
        openers = [opener.text() for opener in self._openers.values() if isinstance(opener, QAbstractButton)]
        return " ".join([*openers, *(row.searched() for row in self.rows.values())])

    def filter(self, query: str) -> bool:
        is_found = super().filter(query)
        for form in self._openers:
            form.setVisible(form is self._shown_form and not form.isHidden())
        return is_found

    def focus_first(self) -> None:
        """In the list, where it has rows."""
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
        """Have these and no others. Focus that was in one that is gone goes to the one in its place."""
        focused = next((at for at, row in enumerate(self.rows.values()) if row.has_focus()), None)
        gone = [row for key, row in self.rows.items() if rows.get(key) is not row]
        lost_focus = any(row.has_focus() for row in gone)
        for row in gone:
            self.list_column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = dict(rows)
        self._states = {key: state for key, state in self._states.items() if key in rows}
        self._order()
        show_when(self.empty, not self.rows)
        if lost_focus and focused is not None and self.rows:
            list(self.rows.values())[min(focused, len(self.rows) - 1)].take_focus()
        elif lost_focus and self._openers:
            next(iter(self._openers.values())).setFocus(Qt.FocusReason.OtherFocusReason)
        elif lost_focus:
            self.focus_first()

    def row_for(self, key: str, state: object, make: Callable[[], RowT]) -> RowT:
        """The row that is there, where it is of just this state, else a new one: focus stays where it is."""
        shown = self.rows.get(key)
        is_same = shown is not None and self._states.get(key) == state
        self._states[key] = state
        return shown if shown is not None and is_same else make()

    def _order(self) -> None:
        """Places in the layout and stops of Tab."""
        rows = list(self.rows.values())
        if all(self.list_column.indexOf(row) == at for at, row in enumerate(rows)):
            return
        with self._laid_out_once():
            for at, row in enumerate(rows):
                self.list_column.removeWidget(row)
                self.list_column.insertWidget(at, row)
                row.show()  # now, not when the layout comes to it: focus may go there
        stops = [stop for row in rows for stop in row.stops()]
        if self.next_stop is not None:
            before = previous_tab_stop(self.next_stop)
            while before in stops:
                before = previous_tab_stop(before)
            chain_tab_stops([before, *stops])

    @contextmanager
    def _laid_out_once(self) -> Iterator[None]:
        """Qt would lay out the whole page for each row that is shown."""
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
        """The part, and all up to the page that it is in."""
        while part is not None and part is not self:
            yield part
            part = part.parentWidget()

    def _on_change(self, _message: object) -> None:
        self.show_list()

    # A form

    def is_editing(self, key: str) -> bool:
        """Whether a form is open for what is listed so."""
        return self._shown_form is not None and self._edited == key

    def open_form(self, form: QWidget, key: str | None, focus: Callable[[], None]) -> None:
        """Show a form, for a row or (None) for what is new."""
        self._shown_form, self._edited = form, key
        for one in self._openers:
            one.setVisible(one is form)
        focus()
        self.lead_to(form, form)

    def close_form(self, key: str | None = None) -> None:
        """Show none. Focus goes to the row of what was made, or changed, or was about to be."""
        form, self._shown_form = self._shown_form, None
        for one in self._openers:
            one.hide()
        row = self.rows.get(key or self._edited or "")
        if row is not None:
            row.take_focus()
        elif form is not None:
            self._openers[form].setFocus(Qt.FocusReason.OtherFocusReason)

    def lead_to(self, whole: QWidget, first: QWidget) -> None:
        """Scroll so that all of it is seen, or at least where it begins."""
        gap = self._theme.sizes.space_l

        def scroll() -> None:
            if (body := self.widget()) is not None:
                self.ensureVisible(0, whole.mapTo(body, whole.rect().bottomLeft()).y(), 0, gap)
                self.ensureVisible(0, first.mapTo(body, QPoint()).y(), 0, 2 * gap)

        QTimer.singleShot(_SETTLE_MS, whole, scroll)

    # Doing

    def tell(self, words: str) -> None:
        """Something was done about which there is nothing to be undone."""
        self.told(UndoableAction(lambda _: words))

    def tell_change(self, words: Callable[[bool], str], undo: AsyncAction, redo: AsyncAction) -> None:
        """A change was made. `words` are given whether it is undone."""
        self.told(
            UndoableAction(words, lambda: self._spawn_task(undo(), "undo"), lambda: self._spawn_task(redo(), "redo"))
        )

    def is_done(self, answer: object) -> bool:
        """Whether a service did what it was asked for; why not is told."""
        if isinstance(answer, Failed):
            words = self._refused(answer)
            self.told(UndoableAction(lambda _: words, is_problem=True))
            return False
        return True
