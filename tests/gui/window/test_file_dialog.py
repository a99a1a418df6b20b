"""The dialog for files of tools in the real window: opened, answered and closed without blocking."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from core.domain.ids import WorkflowId
from core.ports import FileRequest
from desktop.window.frame.file_dialog import FileDialogs
from tests.support.waiting import until

WANTED = FileRequest(WorkflowId("wf_1"), "Your\nbudget", ("csv", "tar.gz"))


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


def visible(window: QWidget) -> list[QFileDialog]:
    return [widget for widget in window.findChildren(QFileDialog) if widget.isVisible()]


async def shown(window: QWidget) -> QFileDialog:
    """The dialog, once it is there."""
    await until(lambda: visible(window))
    return visible(window)[0]


async def gone(window: QWidget) -> None:
    await until(lambda: not window.findChildren(QFileDialog))


async def test_the_user_picks_a_file(window: QWidget, tmp_path: Path) -> None:
    file = tmp_path / "été.csv"
    file.write_text("1")
    asking = asyncio.create_task(FileDialogs(window)(WANTED))
    dialog = await shown(window)
    assert dialog.windowTitle() == "Choose a file: Your budget"
    assert dialog.nameFilters() == ["Files asked for (*.csv *.tar.gz)", "All files (*)"]
    assert dialog.fileMode() is QFileDialog.FileMode.ExistingFile
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile(str(file))
    dialog.accept()
    assert await asking == file
    await gone(window)


async def test_whoever_works_elsewhere_finds_it_when_they_come(window: QWidget) -> None:
    other = QWidget()
    other.show()
    other.activateWindow()
    await until(other.isActiveWindow)
    asking = asyncio.create_task(FileDialogs(window)(WANTED))
    await asyncio.sleep(0.1)
    assert visible(window) == []
    window.activateWindow()
    (await shown(window)).reject()
    assert await asking is None
    other.deleteLater()


async def test_the_user_picks_nothing(window: QWidget) -> None:
    asking = asyncio.create_task(FileDialogs(window)(FileRequest(WorkflowId("wf_1"))))
    (await shown(window)).reject()
    assert await asking is None
    await gone(window)


async def test_a_question_that_is_taken_back_closes_its_dialog_and_the_next_one_is_asked(window: QWidget) -> None:
    dialogs = FileDialogs(window)
    first, second = (
        asyncio.create_task(dialogs(FileRequest(WorkflowId("wf_1"), name))) for name in ("first", "second")
    )
    dialog = await shown(window)
    assert dialog.windowTitle().endswith("first")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    window.activateWindow()  # as a window manager does when a dialog closes
    await until(lambda: [each for each in visible(window) if each.windowTitle().endswith("second")])
    (await shown(window)).reject()
    assert await second is None
    await gone(window)
