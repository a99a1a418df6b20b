"""Connects the activity panel: exports to files and full results of opened calls (UI §1)."""

import asyncio
import re
from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QDialog, QFileDialog
from shiboken6 import isValid

from core.domain.ids import CallId, RunId
from core.domain.toast import ToastType
from core.services.activity import Entry, ExportFormat
from core.services.outcome import Failed
from desktop.activity.panel import ActivityPanel
from desktop.aio import finished
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.workflow_strings import viewed_title

JSON_FILTER, MARKDOWN_FILTER = "JSON (*.json)", "Markdown (*.md)"
PROGRESS_STEP = 25
"""The number of entries between two updates of the progress."""

_UNSAFE_IN_FILE_NAMES = re.compile(r"[^\w\- ]+")
_NAME_CHARACTERS = 60


class ActivityBinder(Controller):
    """Handles the requests of `panel`. At most one export runs at a time; further requests are ignored meanwhile."""

    def __init__(self, context: WindowContext, panel: ActivityPanel) -> None:
        super().__init__(context)
        self._panel = panel
        self._export: asyncio.Task[None] | None = None
        panel.export_requested.connect(self.export)
        panel.exporting.cancelled.connect(self._cancel)
        panel.result_wanted.connect(self._on_result_wanted)

    @command("activity.export")
    def export(self) -> None:
        """Ask for a file name and export the entries that the panel lists."""
        entries = self._panel.filtered_items()
        if not entries:
            self._stores.toasts.add(ToastType.INFO, "nothing_to_export")
        elif self._export is None or self._export.done():
            title = viewed_title(self._stores)
            self._export = self._operations.run(self._ask_and_write(title, entries), "export the activity")

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

        def on_progress(done: int) -> None:
            if done % PROGRESS_STEP == 0:
                row.set_done(done)

        row.begin(len(entries))
        try:
            unwrap(await self._core.activity.export(path, title, entries, form, on_progress))
        finally:
            row.end()
        self._stores.toasts.add(ToastType.SUCCESS, "activity_exported", message=str(path))

    def _cancel(self) -> None:
        if self._export is not None:
            self._export.cancel()

    def _on_result_wanted(self, run_id: str, call_id: str) -> None:
        call = CallId(call_id)
        self._operations.run(
            self._core.activity.result(RunId(run_id), call),
            f"load the result of {call_id}",
            success=partial(self._panel.show_result, call),
            failure=_keep_summary,
        )

    def _dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self._context.window, self.tr("Export the activity"))
        dialog.setObjectName("export_activity")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([JSON_FILTER, MARKDOWN_FILTER])
        dialog.setDefaultSuffix(ExportFormat.JSON.value)
        dialog.filterSelected.connect(partial(_follow_filter, dialog))
        dialog.setDirectory(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        name = " ".join(_UNSAFE_IN_FILE_NAMES.sub(" ", title).split())[:_NAME_CHARACTERS].strip()
        dialog.selectFile(f"{name or self.tr('Activity')}.{ExportFormat.JSON}")
        return dialog


def _keep_summary(_failed: Failed) -> None:
    """Ignore that the full result is not available: the panel shows its summary already."""


def _follow_filter(dialog: QFileDialog, chosen: str) -> None:
    """Give the file name the suffix of the chosen file type."""
    suffix = (ExportFormat.MARKDOWN if chosen == MARKDOWN_FILTER else ExportFormat.JSON).value
    dialog.setDefaultSuffix(suffix)
    for name in dialog.selectedFiles()[:1]:
        dialog.selectFile(Path(name).with_suffix(f".{suffix}").name)
