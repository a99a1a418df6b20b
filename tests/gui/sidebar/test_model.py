"""Any list becomes any other, and indexes follow their rows."""

import random
from collections.abc import Sequence

from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from desktop.sidebar.model import SidebarModel
from desktop.sidebar.rows import Header, Item, Row, RowState, Section
from tests.gui.sidebar.rig import wf
from tests.stores.rig import START
from tests.support.clock import FakeClock


def some_list(chance: random.Random) -> list[Item]:
    items: list[Item] = []
    rows = chance.sample(range(12), chance.randint(0, 12))
    for section in Section:
        part = [rows.pop() for _ in range(chance.randint(0, len(rows)))]
        if part:
            items.append(Header(section, len(part)))
            items += [Row(wf(str(n)), f"Row {n}", section, chance.choice(list(RowState)), START) for n in part]
    return items


def test_any_list_becomes_any_other_and_indexes_go_with_their_rows(qapp: object) -> None:
    """Seed 7."""
    chance = random.Random(7)
    model = SidebarModel(FakeClock())
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for _ in range(200):
        held = {item.key: QPersistentModelIndex(model.index(place)) for place, item in enumerate(model.items)}
        items = some_list(chance)
        model.show_items(items)
        assert list(model.items) == items
        places = {item.key: place for place, item in enumerate(items)}
        assert {key: index.row() for key, index in held.items()} == {key: places.get(key, -1) for key in held}
    tester.deleteLater()


def test_unchanged_rows_emit_no_change(qapp: object) -> None:
    model = SidebarModel(FakeClock())
    changed: list[int] = []
    rows: Sequence[Item] = [Row(wf(n), n, Section.WORKFLOWS, RowState.NEW, START) for n in "abc"]
    model.show_items(rows)
    model.dataChanged.connect(lambda first, last, _roles: changed.extend(range(first.row(), last.row() + 1)))
    model.show_items([rows[0], Row(wf("b"), "other", Section.WORKFLOWS, RowState.NEW, START), rows[2]])
    assert changed == [1]


def test_headers_can_be_read_but_not_reached(qapp: object) -> None:
    model = SidebarModel(FakeClock())
    model.show_items([Header(Section.RECENT, 2)])
    assert model.flags(model.index(0)) == Qt.ItemFlag.NoItemFlags
    assert model.index(0).data() == "Recently finished"
