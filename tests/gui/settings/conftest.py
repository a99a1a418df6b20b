"""The dialog of the settings, open and active, in a window of its usual size."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from desktop.aio import Tasks
from desktop.theme.palette import Scheme
from desktop.theme.system import SystemLook
from desktop.theme.theme import Appearance, Theme
from desktop.translation.languages import Language, Translation
from tests.gui.settings.rig import Rig


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, SystemLook(), Appearance(Scheme.LIGHT, reduced_motion=True))
    yield theme
    qapp.setStyleSheet("")
    theme.deleteLater()


@pytest.fixture
def translation(qapp: QApplication) -> Iterator[Translation]:
    translation = Translation(qapp, Language.ENGLISH)
    yield translation
    translation.set_language(Language.ENGLISH)
    translation.retire()
    translation.deleteLater()


@pytest.fixture
async def rig(
    theme: Theme,
    translation: Translation,
    tmp_path: Path,
    until: Callable[..., Awaitable[None]],
) -> AsyncIterator[Rig]:
    errors = list[BaseException]()
    tasks = Tasks(errors.append)
    rig = Rig(theme, translation, tasks.spawn, tmp_path / "window.json")
    rig.dialog.present()
    await until(rig.dialog.isActiveWindow)
    yield rig
    if isValid(rig.dialog):  # not left to qtbot, which closes when no loop runs: what was typed is set then
        rig.dialog.close()
        rig.dialog.deleteLater()
    await tasks.close()
    assert errors == rig.errors
