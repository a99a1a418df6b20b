"""Connects the activity panel: exports to files and full results of opened calls (UI §1)."""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget
from shiboken6 import isValid

from core.app import Core
from core.domain.ids import CallId, RunId
from core.domain.toast import ToastType
from core.services.activity import Entry, ExportFormat
from core.services.outcome import Failed, Ok
from desktop.activity.panel import ActivityPanel
from desktop.aio import Tasks, finished
from desktop.window.base.context import ErrorPresenter
from desktop.window.base.workflow_strings import viewed_title

JSON_FILTER, MARKDOWN_FILTER = "JSON (*.json)", "Markdown (*.md)"
PROGRESS_STEP = 25
"""How many items are written before the panel is told again."""

_UNSAFE_IN_FILE_NAMES = re.compile(r"[^\w\- ]+")
_NAME_CHARACTERS = 60


class ActivityBinder(QObject):
    """Handles the requests of `panel`. At most one export runs at a time; further requests are ignored meanwhile."""

    def __init__(
        self,
        core: Core,
        tasks: Tasks,
        presenter: ErrorPresenter,
        panel: ActivityPanel,
        window: QWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._core = core
        self._tasks = tasks
        self._presenter = presenter
        self._panel = panel
        self._window = window
        self._export: asyncio.Task[None] | None = None
        panel.export_requested.connect(self.export)
        panel.exporting.cancelled.connect(self._cancel)
        panel.result_wanted.connect(self._on_result_wanted)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"activity.export": self.export}

    def export(self) -> None:
        """Ask for a file name and export the entries that the panel lists."""
        entries = self._panel.filtered_items()
        if not entries:
            self._core.stores.toasts.add(ToastType.INFO, "nothing_to_export")
        elif self._export is None or self._export.done():
            title = viewed_title(self._core.stores.view, self._core.stores.workflows)
            self._export = self._tasks.spawn(self._ask_and_write(title, entries), "export the activity")

    async def _ask_and_write(self, title: str, entries: list[Entry]) -> None:
        dialog = self._dialog(title)
        try:
            if await finished(dialog) != QDialog.DialogCode.Accepted:
                return
            path, is_markdown = Path(dialog.selectedFiles()[0]), dialog.selectedNameFilter() == MARKDOWN_FILTER
        finally:
            if isValid(dialog):  # the window may have gone, and the dialog with it
                dialog.deleteLater()
        chosen = ExportFormat.MARKDOWN if is_markdown else ExportFormat.JSON
        form = {".json": ExportFormat.JSON, ".md": ExportFormat.MARKDOWN}.get(path.suffix.lower(), chosen)
        await self._write(path, title, entries, form)

    async def _write(self, path: Path, title: str, entries: list[Entry], form: ExportFormat) -> None:
        row = self._panel.exporting

        def told(done: int) -> None:
            if done % PROGRESS_STEP == 0:
                row.set_done(done)

        row.begin(len(entries))
        try:
            written = await self._core.activity.export(path, title, entries, form, told)
        finally:
            row.end()
        if isinstance(written, Failed):
            self._presenter.fail(written)
        else:
            self._core.stores.toasts.add(ToastType.SUCCESS, "activity_exported", message=str(path))

    def _cancel(self) -> None:
        if self._export is not None:
            self._export.cancel()

    def _on_result_wanted(self, run_id: str, call_id: str) -> None:
        self._tasks.spawn(self._load_result(RunId(run_id), CallId(call_id)), f"load the result of {call_id}")

    async def _load_result(self, run_id: RunId, call_id: CallId) -> None:
        """Show the full result of a call; the summary stays if the store has no more."""
        found = await self._core.activity.result(run_id, call_id)
        if isinstance(found, Ok):
            self._panel.show_result(call_id, found.data)

    def _dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self._window, self.tr("Export the activity"))
        dialog.setObjectName("export_activity")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([JSON_FILTER, MARKDOWN_FILTER])
        dialog.setDefaultSuffix(ExportFormat.JSON.value)
        dialog.filterSelected.connect(partial(_follow_filter, dialog))
        dialog.setDirectory(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        name = " ".join(_UNSAFE_IN_FILE_NAMES.sub(" ", title).split())[:_NAME_CHARACTERS].strip()
        dialog.selectFile(f"{name or self.tr('Activity')}.{ExportFormat.JSON}")
        return dialog


def _follow_filter(dialog: QFileDialog, chosen: str) -> None:
    """Give the file name the suffix of the chosen file type."""
    suffix = (ExportFormat.MARKDOWN if chosen == MARKDOWN_FILTER else ExportFormat.JSON).value
    dialog.setDefaultSuffix(suffix)
    for name in dialog.selectedFiles()[:1]:
        dialog.selectFile(Path(name).with_suffix(f".{suffix}").name)
