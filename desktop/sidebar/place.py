"""Keeping what a person looks at where it is, while the list around it changes."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QListView

from desktop.sidebar.model import SidebarModel
from desktop.sidebar.rows import Row, Section


def visible_rows(view: QListView, model: SidebarModel) -> Iterator[Row]:
    """From the top down."""
    room = view.viewport().rect()
    place = view.indexAt(QPoint(0, 0)).row()
    while 0 <= place < len(model.items) and view.visualRect(model.index(place)).intersects(room):
        if (row := model.row_at(model.index(place))) is not None:
            yield row
        place += 1


@contextmanager
def kept_place(view: QListView, model: SidebarModel, pointer: QPoint | None = None) -> Iterator[None]:
    """Around a change of the list: the row under the `pointer` stays where it is, else the one that the keys act on,
    else the highest visible one; each as long as it stays in its section.

    Without a pointer, at the top of the list its top stays in view instead, so that what comes there is seen.
    """
    bar = view.verticalScrollBar()
    is_at_top = bar.value() == bar.minimum()
    rows = list(visible_rows(view, model))
    under = model.row_at(view.indexAt(pointer)) if pointer is not None else None
    cursor = model.row_at(view.currentIndex()) if view.hasFocus() else None
    first = [row for row in (under, cursor) if row is not None and row in rows]
    before = {row.key: (row.section, _top(view, model, row.key)) for row in (*first, *rows)}
    yield
    view.doItemsLayout()
    if is_at_top and under is None:
        bar.setValue(bar.minimum())
        return
    sections = _sections(model)
    for key, (section, top) in before.items():
        if sections.get(key) is section:
            bar.setValue(bar.value() + _top(view, model, key) - top)
            return


def _top(view: QListView, model: SidebarModel, key: Hashable) -> int:
    return view.visualRect(model.index_of(key)).top()


def _sections(model: SidebarModel) -> dict[Hashable, Section]:
    return {item.key: item.section for item in model.items if isinstance(item, Row)}
