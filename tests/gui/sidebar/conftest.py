"""A sidebar of 276×600 with one workflow in each state."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from core.domain.run import RunStatus
from desktop.theme import Theme
from desktop.translation import Translation
from tests.gui.sidebar.rig import Bench, Stores


@pytest.fixture
def stores() -> Stores:
    return Stores()


@pytest.fixture
def filled(stores: Stores) -> Stores:
    """Stores with two running workflows, a finished and two idle: *Alpha* and *Beta*; *Done*; *Idle* and *Old*."""
    stores.add("old", "Old")
    stores.add("idle", "Idle", RunStatus.SUCCESS)
    done = stores.run("done", "Done")
    stores.tell(done.finished())
    stores.run("alpha", "Alpha")
    stores.run("beta", "Beta")
    return stores


@pytest.fixture
def make_bench(theme: Theme, translation: Translation, qtbot: QtBot) -> Callable[[Stores], Bench]:
    """Show the sidebar of these stores, in English, with the focus in its list."""

    def make(stores: Stores) -> Bench:
        bench = Bench(theme, stores)
        qtbot.addWidget(bench.sidebar)
        bench.sidebar.resize(276, 600)
        with qtbot.waitActive(bench.sidebar):
            bench.sidebar.show()
            bench.sidebar.activateWindow()
        bench.draw()
        bench.view.setFocus()
        return bench

    return make


@pytest.fixture
def bench(make_bench: Callable[[Stores], Bench], filled: Stores) -> Bench:
    return make_bench(filled)
