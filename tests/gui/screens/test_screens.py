"""Every screen for everybody: with a screen reader, without a mouse, in a small window, zoomed, in both languages."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from desktop.arguments import Arguments
from tests.gui.screens.audits import Walk, cut, nameless, unnamed
from tests.gui.screens.tour import Screen, dialogs, screens
from tests.gui.window.rig import App, an_app

Tour = Callable[[App], AsyncIterator[Screen]]

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

FIELD_ALONE = ("palette", "search", "named", "asked")  # a field keeps the keys, and Esc leaves what stands over all
TAKEN_ALONG = "not reached: Button < place_banner"  # focus in the centre opens what was peeked at: no need of a button

GLIDING = "ToastCard"  # a toast that comes or goes meanwhile; on a screen of their own they stand still


TOURS = pytest.mark.parametrize("tour", [screens, dialogs], ids=["window", "dialogs"])
LONG_TOUR = pytest.mark.async_timeout(120)


@LONG_TOUR
@TOURS
async def test_every_control_has_a_name_and_is_reached_by_tab_with_its_focus_seen(
    tmp_path: Path, qapp: QApplication, tour: Tour
) -> None:
    problems, walk = [], Walk()
    async with an_app(tmp_path, qapp, size=(1440, 900)) as app:
        async for name, root in tour(app):
            problems += [f"{name}: {one}" for one in (*nameless(root), *unnamed(root), *cut(root))]
            if not name.startswith(FIELD_ALONE):
                found = [one for one in walk.problems(root) if not one.startswith(TAKEN_ALONG)]
                problems += [f"{name}: {one}" for one in found if GLIDING not in one or name == "toasts"]
    assert problems == [], "\n".join(problems)


@LONG_TOUR
@TOURS
@pytest.mark.parametrize(
    ("size", "zoom"), [((800, 600), 0), ((1440, 900), 10)], ids=["the smallest window", "twice as large"]
)
async def test_no_words_are_cut(
    tmp_path: Path, qapp: QApplication, size: tuple[int, int], zoom: int, tour: Tour
) -> None:
    """In French, which is longer."""
    problems = []
    async with an_app(tmp_path, qapp, size=size, arguments=Arguments(language="fr", theme="dark")) as app:
        app.content.preferences.zoom(zoom)
        async for name, root in tour(app):
            problems += [f"{name}: {one}" for one in cut(root)]
    assert problems == [], "\n".join(problems)
