"""Binds render the newest state, once a frame, and only where somebody can see it."""

import asyncio
import itertools
import time
import weakref
from collections.abc import Awaitable, Callable

import psygnal
import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.bind import FRAME_S, Bind, Frames

Until = Callable[[Callable[[], object]], Awaitable[None]]


class Store:
    """A number that can be watched."""

    changed = psygnal.Signal(int)
    renamed = psygnal.Signal()

    def __init__(self) -> None:
        self.number = 0

    def set(self, number: int) -> None:
        self.number = number
        self.changed.emit(number)


class View(QWidget):
    """Notes what it rendered, and when."""

    def __init__(self, frames: Frames, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.store = store
        self.rendered = list[int]()
        self.times = list[float]()
        self.bound = frames.bind(self, store.changed, self.render_number)

    def render_number(self) -> None:
        self.rendered.append(self.store.number)
        self.times.append(time.monotonic())


@pytest.fixture
def errors() -> list[Exception]:
    return []


@pytest.fixture
def frames(qapp: object, errors: list[Exception]) -> Frames:
    return Frames(errors.append)


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def view(qtbot: QtBot, frames: Frames, store: Store) -> View:
    """Shown, and rendered once."""
    view = View(frames, store)
    qtbot.addWidget(view)
    view.show()
    assert view.rendered == [0]
    return view


# Frames


async def test_a_change_is_rendered_soon(view: View, store: Store, until: Until) -> None:
    store.set(1)
    assert view.rendered == [0]
    await until(lambda: view.rendered == [0, 1])


async def test_many_changes_make_one_render_a_frame_of_the_newest_state(view: View, store: Store) -> None:
    began = time.monotonic()
    number = 0
    while time.monotonic() < began + 0.3:
        number += 1
        store.set(number)
        await asyncio.sleep(0)
    await asyncio.sleep(2 * FRAME_S)
    frames = view.times[1:]
    assert view.rendered[-1] == number
    assert view.rendered == sorted(set(view.rendered))
    assert 3 <= len(frames) <= (frames[-1] - frames[0]) / FRAME_S + 1.1
    assert min(later - earlier for earlier, later in itertools.pairwise(frames)) > FRAME_S - 0.005


async def test_all_binds_share_the_frame(qtbot: QtBot, frames: Frames, store: Store, until: Until) -> None:
    views, ticks = [View(frames, store) for _ in range(5)], list[bool]()
    for view in views:
        qtbot.addWidget(view)
        view.show()
    frames._timer.timeout.connect(lambda: ticks.append(True))
    for number in (1, 2):
        store.set(number)
        await until(lambda: views[-1].rendered[-1] == store.number)
        assert all(view.rendered[-1] == number for view in views)
        assert len(ticks) == number


async def test_the_clock_stands_while_nothing_changes(view: View, frames: Frames, store: Store) -> None:
    store.set(1)
    assert frames._timer.isActive()
    await asyncio.sleep(2 * FRAME_S)
    assert view.rendered == [0, 1]
    assert not frames._timer.isActive()


async def test_a_change_made_by_a_render_comes_in_the_next_frame(
    qtbot: QtBot, frames: Frames, store: Store, until: Until
) -> None:
    class Counter(View):
        def render_number(self) -> None:
            super().render_number()
            if self.store.number < 3:
                self.store.set(self.store.number + 1)

    view = Counter(frames, store)
    qtbot.addWidget(view)
    view.show()
    await until(lambda: view.rendered == [0, 1, 2, 3])
    assert view.times[3] - view.times[1] > 2 * FRAME_S - 0.01


async def test_what_is_due_can_be_drawn_at_once(view: View, frames: Frames, store: Store) -> None:
    store.set(1)
    await asyncio.sleep(FRAME_S / 2)
    frames.draw()
    assert view.rendered == [0, 1]
    store.set(2)
    await asyncio.sleep(2 * FRAME_S)
    assert view.rendered == [0, 1, 2]
    assert view.times[2] - view.times[1] > FRAME_S - 0.005


async def test_a_bind_may_listen_to_several_signals(frames: Frames, store: Store) -> None:
    owner, rendered = QObject(), list[int]()
    frames.bind(owner, (store.changed, store.renamed), lambda: rendered.append(store.number))
    frames.draw()
    store.renamed.emit()
    frames.draw()
    store.set(2)
    store.renamed.emit()
    frames.draw()
    assert rendered == [0, 0, 2]


# Errors


async def test_an_error_in_a_render_is_reported_and_stops_nobody(
    qtbot: QtBot, frames: Frames, store: Store, errors: list[Exception]
) -> None:
    class Broken(View):
        def render_number(self) -> None:
            raise ValueError(f"number {self.store.number}")

    views = [Broken(frames, store), View(frames, store), Broken(frames, store)]
    sound = views[1]
    for view in views:
        qtbot.addWidget(view)
        view.show()
    errors.clear()
    store.set(1)
    frames.draw()
    assert sound.rendered == [0, 1]
    assert [str(error) for error in errors] == ["number 1", "number 1"]
    store.set(2)
    frames.draw()
    assert sound.rendered == [0, 1, 2]
    assert len(errors) == 4


# Hidden widgets


async def test_a_hidden_widget_is_rendered_when_it_shows_before_it_is_painted(view: View, store: Store) -> None:
    view.hide()
    for number in (1, 2, 3):
        store.set(number)
        await asyncio.sleep(2 * FRAME_S)
    assert view.rendered == [0]
    view.show()
    assert view.rendered == [0, 3]
    store.set(4)
    await asyncio.sleep(2 * FRAME_S)
    assert view.rendered == [0, 3, 4]


async def test_a_widget_that_missed_nothing_is_not_rendered_when_it_shows(view: View) -> None:
    view.hide()
    view.show()
    await asyncio.sleep(2 * FRAME_S)
    assert view.rendered == [0]


async def test_a_change_is_kept_that_came_just_before_the_widget_hid(view: View, store: Store) -> None:
    store.set(1)
    view.hide()
    await asyncio.sleep(2 * FRAME_S)
    assert view.rendered == [0]
    view.show()
    assert view.rendered == [0, 1]


async def test_a_widget_in_a_hidden_one_is_rendered_when_that_shows(qtbot: QtBot, frames: Frames, store: Store) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    view = View(frames, store, window)
    await asyncio.sleep(2 * FRAME_S)
    assert view.rendered == []
    window.show()
    assert view.rendered == [0]
    window.hide()
    store.set(1)
    window.show()
    assert view.rendered == [0, 1]


async def test_an_owner_that_is_no_widget_is_always_rendered(frames: Frames, store: Store, until: Until) -> None:
    model, rendered = QObject(), list[int]()
    frames.bind(model, store.changed, lambda: rendered.append(store.number))
    await until(lambda: rendered == [0])
    store.set(1)
    await until(lambda: rendered == [0, 1])


# Ends


async def test_a_closed_bind_renders_no_more(view: View, frames: Frames, store: Store) -> None:
    store.set(1)
    view.bound.close()
    view.bound.close()
    frames.draw()
    store.set(2)
    await asyncio.sleep(2 * FRAME_S)
    assert view.rendered == [0]
    assert len(store.changed) == 0
    assert view.children() == []


async def test_a_bind_closed_by_another_render_of_the_frame_is_left_out(
    qtbot: QtBot, frames: Frames, store: Store
) -> None:
    def close_the_other() -> None:
        other.close()

    rendered, owner = list[str](), QObject()
    frames.bind(owner, store.changed, close_the_other)
    other = frames.bind(owner, store.changed, lambda: rendered.append("other"))
    frames.draw()
    assert rendered == []


async def test_a_closed_bind_of_a_hidden_widget_does_not_come_back(view: View, store: Store) -> None:
    view.hide()
    store.set(1)
    view.bound.close()
    view.show()
    assert view.rendered == [0]


@pytest.mark.parametrize("is_shown", [True, False])
@pytest.mark.parametrize("how", ["delete", "delete later", "with its parent", "forget"])
async def test_nothing_is_rendered_for_an_owner_that_is_destroyed(
    frames: Frames, store: Store, errors: list[Exception], how: str, is_shown: bool
) -> None:
    parent = QWidget()
    view = View(frames, store, None if how == "forget" else parent)
    (view if how == "forget" else parent).setVisible(is_shown)
    rendered = view.rendered
    store.set(1)
    match how:
        case "delete":
            shiboken6.delete(view)
        case "delete later":
            view.deleteLater()
            view.hide()
        case "with its parent":
            shiboken6.delete(parent)
    del view
    store.set(2)
    await asyncio.sleep(2 * FRAME_S)
    assert rendered == ([0] if is_shown else [])
    assert len(store.changed) == 0
    assert not frames._dirty
    assert errors == []


def test_a_thousand_binds_and_their_owners_leave_nothing(frames: Frames, store: Store) -> None:
    owners, binds = list[weakref.ref[View]](), list[weakref.ref[Bind]]()
    window = QWidget()

    def make(parent: QWidget | None) -> None:
        view = View(frames, store, parent)
        owners.append(weakref.ref(view))
        binds.append(weakref.ref(view.bound))
        store.set(len(owners))

    for _ in range(500):
        make(window)
        make(None)
    store.set(1)
    shiboken6.delete(window)
    frames.draw()
    assert [owner for owner in owners if owner() is not None] == []
    assert [bind for bind in binds if bind() is not None] == []
    assert len(store.changed) == 0
    assert not frames._dirty
