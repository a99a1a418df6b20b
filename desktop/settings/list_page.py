"""A page with a list that follows what there is, and changes that can be undone."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.services.outcome import Failed
from desktop.settings.mind_row import MindRow
from desktop.settings.minds import Spawn
from desktop.settings.page import Page, PageId
from desktop.settings.values import Deed
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme

Doing = Callable[[], Coroutine[Any, Any, None]]


class ListPage(Page):
    """`rows` stand in `list_`, in their order. What becomes of a change is `told`; `refused` has the words for why
    not."""

    def __init__(
        self,
        theme: Theme,
        page_id: PageId,
        icon: Icon,
        spawn: Spawn,
        told: Callable[[Deed], None],
        refused: Callable[[Failed], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, page_id, icon, parent)
        self.told = told
        self.rows: list[MindRow] = []
        self._spawn_task = spawn
        self._refused = refused
        self.list_ = QWidget()
        self.list_column = QVBoxLayout(self.list_)
        self.list_column.setContentsMargins(0, 0, 0, 0)

    def dress(self) -> None:
        super().dress()
        self.list_column.setSpacing(self._theme.sizes.space_s)

    def show_rows(self, rows: Sequence[MindRow]) -> None:
        """Put these in the place of the former ones. Focus that was in one goes to the one in its place."""
        focused = next((at for at, row in enumerate(self.rows) if row.has_focus()), None)
        for row in self.rows:
            self.list_column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = list(rows)
        for at, row in enumerate(self.rows):
            self.list_column.insertWidget(at, row)
            row.show()  # now, not when the layout comes to it: focus may go there
        if focused is not None and self.rows:
            self.rows[min(focused, len(self.rows) - 1)].take_focus()
        elif focused is not None:
            self.focus_first()

    def tell_change(self, words: Callable[[bool], str], undo: Doing, redo: Doing) -> None:
        """A change was made. `words` are given whether it is undone."""
        self.told(Deed(words, lambda: self._spawn_task(undo(), "undo"), lambda: self._spawn_task(redo(), "redo")))

    def is_done(self, answer: object) -> bool:
        """Whether a service did what it was asked for; why not is told."""
        if isinstance(answer, Failed):
            words = self._refused(answer)
            self.told(Deed(lambda _: words, is_problem=True))
            return False
        return True
