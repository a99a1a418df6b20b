"""Connects the activity panel: exports to files and full results of opened calls (UI §1)."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from core.domain.changed_files import ChangedFile, changed_files
from core.domain.events import FileChanged
from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.toast import ToastType
from core.services.activity import Entry, ExportFormat
from core.services.outcome import Failed
from desktop.activity.panel import ActivityPanel
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.save_dialog import ask_for_target, file_name
from desktop.window.base.workflow_strings import viewed_title

JSON, MARKDOWN = ".json", ".md"
FORMATS = {JSON: ExportFormat.JSON, MARKDOWN: ExportFormat.MARKDOWN}
PROGRESS_STEP = 25
"""The number of entries between two updates of the progress."""


class ActivityBinder(Controller):
    """Handles the requests of `panel`. At most one export runs at a time; further requests are ignored meanwhile."""

    def __init__(self, context: WindowContext, panel: ActivityPanel) -> None:
        super().__init__(context)
        self._panel = panel
        self._export: asyncio.Task[None] | None = None
        panel.export_requested.connect(self.export)
        panel.exporting.cancelled.connect(self._cancel)
        panel.result_wanted.connect(self._on_result_wanted)
        panel.change_wanted.connect(self._on_change_wanted)

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
        name = file_name(title) or self.tr("Activity")
        types = {JSON: "JSON (*.json)", MARKDOWN: "Markdown (*.md)"}
        window, caption = self._context.window, self.tr("Export the activity")
        target = await ask_for_target(window, "export_activity", caption, name, types)
        if target is not None:
            path, chosen = target
            form = FORMATS.get(path.suffix.lower(), FORMATS[chosen])
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

    def _on_change_wanted(self, call_id: str, changes: Sequence[FileChanged]) -> None:
        if self._viewed is not None:
            work = self._show_change(self._viewed, call_id, changed_files(changes))
            self._operations.run(work, f"compare what {call_id} changed")

    async def _show_change(self, workflow_id: WorkflowId, call_id: str, files: Sequence[ChangedFile]) -> None:
        for change in await self._core.changed_files.show(workflow_id, files):
            self._panel.show_change(call_id, change)


def _keep_summary(_failed: Failed) -> None:
    """Ignore that the full result is not available: the panel shows its summary already."""
