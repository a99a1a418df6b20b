"""The dialog in which the user picks a file for a tool (AGENTS_AND_TOOLS §4)."""

import asyncio
import contextlib
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.ports import FileRequest
from desktop.window.base.focus import until_present


class FileDialogs(QObject):
    """A `core.ports.tools.FilePicker` over a window. Requests wait for each other, so that one dialog is open.

    A dialog opens when the user is at the window and never comes in front of other programs (UI §6). It does not block
    the loop; a cancelled request closes its dialog.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._lock = asyncio.Lock()

    async def __call__(self, wanted: FileRequest) -> Path | None:
        async with self._lock:
            await until_present(self._window)
            picked: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

            def finish(result: int) -> None:
                if not picked.done():
                    names = dialog.selectedFiles() if result == QFileDialog.DialogCode.Accepted else []
                    picked.set_result(names[0] if names else None)

            dialog = self._dialog(wanted)
            dialog.finished.connect(finish)
            try:
                dialog.open()
                name = await picked
            finally:
                with contextlib.suppress(RuntimeError):  # the window may have gone, and the dialog with it
                    dialog.finished.disconnect(finish)
                    dialog.close()
                    dialog.deleteLater()
        return None if name is None else Path(name)

    def _dialog(self, request: FileRequest) -> QFileDialog:
        title = self.tr("Choose a file")
        if request.purpose:
            title = self.tr("Choose a file: {purpose}").format(purpose=" ".join(request.purpose.split()))
        dialog = QFileDialog(self._window, title)
        dialog.setObjectName("pick_file")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptOpen)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        everything = self.tr("All files") + " (*)"
        if request.suffixes:
            patterns = " ".join(f"*.{suffix}" for suffix in request.suffixes)
            dialog.setNameFilters([self.tr("Files asked for") + f" ({patterns})", everything])
        else:
            dialog.setNameFilter(everything)
        return dialog
