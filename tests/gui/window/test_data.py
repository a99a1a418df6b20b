"""The page of the data on a real store: backed up, checked, restored into the same window."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from core.app import Core, Folders
from core.ports import FilePicker
from core.ports.writes import PutWorkflow
from core.services.outcome import unwrap
from core.wiring import open_core, restore_store
from desktop.session import Session
from desktop.settings.data.backup_section import BackupRow, BackupSection
from desktop.settings.dialog import SettingsDialog
from desktop.settings.parts.page import PageId
from desktop.window.frame.main_window import MainWindow
from desktop.window_state import WindowState
from tests.contracts.rows import W2, a_workflow
from tests.gui.window.rig import ENGLISH

Until = Callable[..., Awaitable[None]]


class Living:
    """A session that runs, with the cores that it has opened."""

    def __init__(self, qapp: QApplication, tmp_path: Path) -> None:
        self.window = MainWindow("#FFFFFF", None)
        self.window.resize(1000, 700)
        self.window.show()
        self.cores: list[Core] = []
        folders, state_file = Folders.choose(str(tmp_path / "data")), tmp_path / "data" / "window.json"
        self.session = Session(
            qapp, self.window, ENGLISH, folders, self._open, state_file, WindowState(), 0.0, None, restore_store
        )

    @asynccontextmanager
    async def _open(self, folders: Folders, picker: FilePicker) -> AsyncIterator[Core]:
        async with open_core(folders, picker) as core:
            self.cores.append(core)
            yield core

    @property
    def section(self) -> BackupSection:
        """The section of backups, shown."""
        content = self.session._content
        assert content is not None
        content.preferences.open_at(PageId.DATA)
        dialog = self.window.findChild(SettingsDialog)
        assert dialog is not None
        section = dialog.findChild(BackupSection)
        assert section is not None
        return section


@pytest.fixture
async def living(tmp_path: Path, qapp: QApplication, until: Until) -> AsyncIterator[Living]:
    living = Living(qapp, tmp_path)
    running = asyncio.create_task(living.session.run())
    await until(lambda: living.session._content is not None and living.cores)
    yield living
    living.session.end()
    await asyncio.wait_for(running, 60)
    living.session.translation.retire()
    living.window.hide()
    living.window.deleteLater()


def button(parent: QWidget, text: str) -> QPushButton:
    return next(found for found in parent.findChildren(QPushButton) if found.text() == text)


@pytest.mark.async_timeout(300)
async def test_what_was_backed_up_is_there_again_after_restoring(living: Living, until: Until, tmp_path: Path) -> None:
    core = living.cores[0]
    await core.storage.commit([PutWorkflow(a_workflow(title="Kept"))])
    section = living.section
    file = tmp_path / "mine.jsonl.gz"
    section._write_to(file)
    await until(lambda: "Written and read back" in section._note.text(), 120)
    await core.storage.commit([PutWorkflow(a_workflow(W2, title="Made later"))])

    section._describe(file)
    await until(section._question.isVisible, 60)
    assert "1 workflow, 0 runs" in section._question.text
    section._question.confirm_button.click()
    await until(lambda: len(living.cores) == 2, 120)
    await until(lambda: living.session._content is not None, 60)

    titles = [row.workflow.title for row in unwrap(await living.cores[1].workflows.all()).workflows]
    assert titles == ["Kept"]
    assert [path.name for path in (tmp_path / "data").glob("store.aside-*")]


@pytest.mark.async_timeout(300)
async def test_a_file_that_is_no_backup_is_refused_before_anything_ends(
    living: Living, until: Until, tmp_path: Path
) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    section = living.section

    section._describe(tmp_path / "letter.txt")

    await until(lambda: "no whole backup" in section._note.text(), 60)
    assert not section._question.isVisible()
    assert len(living.cores) == 1


@pytest.mark.async_timeout(300)
async def test_kept_backups_are_listed_and_replaced_at_wish(living: Living, until: Until) -> None:
    core, section = living.cores[0], living.section
    unwrap(await core.backups.replace_kept())
    first = unwrap(await core.backups.kept())[0]
    section.load()
    await until(lambda: len(section.findChildren(BackupRow)) == 1, 60)

    section._forget.click()
    section._question.confirm_button.click()
    await until(lambda: "one backup now" in section._note.text(), 120)

    kept = unwrap(await core.backups.kept())
    assert len(kept) == 1
    assert kept[0].path != first.path
    assert not first.path.exists()


@pytest.mark.async_timeout(300)
async def test_a_check_says_how_much_can_be_read(living: Living, until: Until) -> None:
    section = living.section
    section._check.click()
    await until(lambda: "can be read" in section._note.text(), 120)
