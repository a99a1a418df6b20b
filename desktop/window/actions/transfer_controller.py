"""Export of workflows to files, and import of such files (UI §8)."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QProgressDialog
from shiboken6 import isValid

from core.domain.ids import WorkflowId
from core.domain.toast import ToastType
from core.services.import_export.exporting import Kind
from core.services.import_export.service import ImportPreview
from core.services.outcome import Failed
from desktop.aio import chosen_file
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.transfer.export_dialog import ExportDialog
from desktop.transfer.import_dialog import ImportDialog
from desktop.translation import failure_text
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.save_dialog import ask_for_target, file_name

ZIP, JSON, MARKDOWN = ".zip", ".json", ".md"
PROGRESS_AFTER_MS = 1_000


class TransferController(Controller):
    """Asks what and where, and calls the service. At most one import is open."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.import_dialog: ImportDialog | None = None
        self.export_dialog: ExportDialog | None = None
        self._import: asyncio.Task[None] | None = None

    # Export

    @command("workflow.export")
    def export_viewed(self) -> None:
        """Export the viewed workflow."""
        if self._viewed is not None:
            self.export_workflow(self._viewed)

    def export_workflow(self, workflow_id: WorkflowId) -> None:
        """Ask for a file, and export the workflow to it: with everything in it, or as Markdown."""
        listed = self._stores.workflows.get(workflow_id)
        title = listed.workflow.title if listed is not None else ""
        self._operations.run(self._export([workflow_id], (), title, (ZIP, JSON, MARKDOWN)), "export a workflow")

    @command("data.export")
    def choose_and_export(self) -> None:
        """Open the choice of what is exported."""
        self._operations.run(self._open_choice(), "choose what is exported")

    async def _open_choice(self) -> None:
        workflows = [listed.workflow for listed in unwrap(await self._core.workflows.all()).workflows]
        if self.export_dialog is not None:
            self.export_dialog.close()
        dialog = self.export_dialog = ExportDialog(self._context.theme, workflows, (), self._context.owner)
        dialog.confirmed.connect(partial(self._export_chosen, dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.finished.connect(self._forget_export)
        dialog.show()

    def _export_chosen(self, dialog: ExportDialog) -> None:
        chosen, kinds = dialog.chosen, dialog.chosen_kinds
        dialog.accept()
        self._operations.run(self._export(chosen, kinds, "Metier", (ZIP, JSON)), "export")

    async def _export(
        self, workflows: Sequence[WorkflowId], kinds: Collection[Kind], name: str, suffixes: Sequence[str]
    ) -> None:
        path = await self._ask_for_target(name, suffixes)
        if path is None:
            return
        if path.suffix.lower() == MARKDOWN:
            unwrap(await self._core.import_export.export_markdown(workflows[0], path))
        else:
            with self._progress() as show_progress:
                exported = unwrap(await self._core.import_export.export(path, workflows, kinds, show_progress))
            if exported.left_out:
                titles = ", ".join(title for title, _reason in exported.left_out)
                self._stores.toasts.add(ToastType.WARNING, "exported_in_part", message=titles)
        self._stores.toasts.add(ToastType.SUCCESS, "exported", message=str(path))

    @contextmanager
    def _progress(self) -> Iterator[Callable[[int, int], None]]:
        """Show how far an export is, if it takes over a second, with a button that cancels it."""
        task = asyncio.current_task()
        assert task is not None
        dialog = QProgressDialog(self.tr("Exporting"), self.tr("Cancel"), 0, 0, self._context.window)
        dialog.setObjectName("exporting")
        dialog.setWindowModality(Qt.WindowModality.NonModal)
        dialog.setMinimumDuration(PROGRESS_AFTER_MS)
        dialog.canceled.connect(task.cancel)

        def show(done: int, total: int) -> None:
            if isValid(dialog):
                dialog.setMaximum(total)
                dialog.setValue(done)

        try:
            yield show
        finally:
            if isValid(dialog):
                dialog.canceled.disconnect()
                dialog.reset()
                dialog.deleteLater()

    async def _ask_for_target(self, name: str, suffixes: Sequence[str]) -> Path | None:
        types = {
            ZIP: self.tr("Metier export") + " (*.zip)",
            JSON: self.tr("Metier export, as JSON") + " (*.json)",
            MARKDOWN: "Markdown (*.md)",
        }
        offered = {suffix: types[suffix] for suffix in suffixes}
        name = file_name(name) or "Metier"
        target = await ask_for_target(self._context.window, "export_to", self.tr("Export"), name, offered)
        return None if target is None else target[0]

    def _forget_export(self) -> None:
        self.export_dialog = None

    # Import

    @command("data.import")
    def choose_and_import(self) -> None:
        """Ask for a file, and show what its import would do."""
        self._operations.run(self._choose_and_preview(), "choose a file to import")

    def preview(self, path: Path) -> None:
        """Show what the import of this file would do."""
        self._operations.run(self._open_preview(path), "read a file to import")

    async def take_dropped(self, paths: Sequence[str]) -> bool:
        """Show the preview of a dropped file if it is an export. Returns whether it is."""
        if len(paths) != 1 or not await self._core.import_export.is_export(Path(paths[0])):
            return False
        self.preview(Path(paths[0]))
        return True

    async def _choose_and_preview(self) -> None:
        dialog = QFileDialog(self._context.window, self.tr("Import"))
        dialog.setObjectName("import_from")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Metier export") + " (*.zip *.json)", self.tr("All files") + " (*)"])
        path = await chosen_file(dialog)
        if path is not None:
            await self._open_preview(path)

    async def _open_preview(self, path: Path) -> None:
        preview = unwrap(await self._core.import_export.preview(path))
        if self.import_dialog is not None:
            self.import_dialog.close()
        dialog = self.import_dialog = ImportDialog(self._context.theme, preview, self._context.owner)
        dialog.changed.connect(partial(self._replan, dialog, preview))
        dialog.confirmed.connect(partial(self._begin, dialog, path))
        dialog.cancelled.connect(self._cancel)
        dialog.finished.connect(dialog.deleteLater)
        dialog.finished.connect(self._forget_import)
        dialog.show()
        dialog.confirm.setFocus()

    def _replan(self, dialog: ImportDialog, preview: ImportPreview) -> None:
        def show(planned: ImportPreview) -> None:
            if self.import_dialog is dialog:
                dialog.show_preview(planned)

        choice = dialog.on_conflict, dialog.chosen_kinds
        self._operations.run(self._core.import_export.replan(preview, *choice), "plan an import", success=show)

    def _begin(self, dialog: ImportDialog, path: Path) -> None:
        def show_failure(failed: Failed) -> None:
            if self.import_dialog is dialog:
                dialog.fail(failure_text(failed.code, failed.message))

        self._import = self._operations.run(self._run(dialog, path), "import", failure=show_failure)

    async def _run(self, dialog: ImportDialog, path: Path) -> None:
        def show_progress(done: int, total: int) -> None:
            if self.import_dialog is dialog:
                dialog.show_progress(done, total)

        choice = dialog.on_conflict, dialog.chosen_kinds
        unwrap(await self._core.import_export.import_file(path, *choice, show_progress))
        self._import = None
        if self.import_dialog is dialog:
            dialog.accept()
        self._stores.toasts.add(ToastType.SUCCESS, "imported", message=path.name)

    def _cancel(self) -> None:
        if self._import is not None:
            self._import.cancel()
            self._import = None

    def _forget_import(self) -> None:
        self.import_dialog = None
