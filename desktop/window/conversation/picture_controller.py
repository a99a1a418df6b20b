"""Pictures and files of the conversation and the composer: shown in full, copied and saved."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from core.services.outcome import Ok
from desktop.chat.pictures.decoding import decode_picture
from desktop.chat.pictures.viewer import PictureViewer
from desktop.chat.turn_parts import Picture
from desktop.chat.views.picture_view import PictureButton
from desktop.operations import unwrap
from desktop.window.base.context import Controller, WindowContext
from desktop.window.conversation.chat_pane import ChatPane


class PictureController(Controller):
    """Serves the picture cache, and does what the user asks of a picture or of an attached file."""

    def __init__(self, context: WindowContext, chat: ChatPane) -> None:
        super().__init__(context)
        self._chat = chat
        self._cache = chat.transcript.context.pictures
        self._cache.connect_source(self._operations.run, self._load)
        chat.composer.show_pictures_of(self._cache)
        intents = chat.transcript.context.intents
        intents.picture.connect(self._act)
        intents.picture_menu.connect(self._open_menu)
        intents.file_menu.connect(self._open_file_menu)

    def show(self, pictures: Sequence[Picture], shown: Picture) -> None:
        """Show a picture in full; the others are reached from it."""
        viewer = PictureViewer(self._context.theme, self._cache, pictures, shown, self._context.window)
        viewer.acted.connect(self._act_on)
        viewer.finished.connect(viewer.deleteLater)
        viewer.show()

    async def _load(self, digest: str) -> bytes | None:
        """Return the data of a picture: one that is attached to the draft may be in no store yet."""
        for file in self._chat.composer.files:
            if file.hash == digest and file.content is not None:
                return file.content.data
            if file.hash == digest and file.path is not None:
                read = await self._core.attachments.read(file.path)
                return read.data.data if isinstance(read, Ok) else None
        stored = await self._core.attachments.data(digest)
        return stored.data if isinstance(stored, Ok) else None

    def _act(self, pictures: Sequence[Picture], picture: Picture, action: str) -> None:
        if action == "open":
            self.show(pictures, picture)
        else:
            self._act_on(picture, action)

    def _act_on(self, picture: Picture, action: str) -> None:
        if action == "copy":
            self._operations.run(self._copy(picture), "copy a picture")
        else:
            self._save_as(picture.name, picture.hash)

    async def _copy(self, picture: Picture) -> None:
        data = await self._load(picture.hash)
        image = await asyncio.to_thread(decode_picture, data) if data else None
        if image is not None and not image.isNull():
            QGuiApplication.clipboard().setImage(image)

    def _open_menu(self, button: QWidget, place: QPoint) -> None:
        if not isinstance(button, PictureButton) or (picture := button.picture) is None:
            return
        menu = self._menu(button)
        menu.addAction(self.tr("Open"), button.click)
        menu.addAction(self.tr("Copy"), partial(self._act_on, picture, "copy"))
        menu.addAction(self.tr("Save as…"), partial(self._act_on, picture, "save"))
        menu.popup(place)

    def _open_file_menu(self, view: QWidget, name: str, digest: str, place: QPoint) -> None:
        menu = self._menu(view)
        menu.addAction(self.tr("Save as…"), partial(self._save_as, name, digest))
        menu.popup(place)

    def _menu(self, parent: QWidget) -> QMenu:
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _save_as(self, name: str, digest: str) -> None:
        dialog = QFileDialog(self._context.window, self.tr("Save as"))
        dialog.setObjectName("save_file")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(Path(name).name)
        dialog.fileSelected.connect(partial(self._save, digest))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _save(self, digest: str, path: str) -> None:
        self._operations.run(self._write(digest, path), "save a file")

    async def _write(self, digest: str, path: str) -> None:
        unwrap(await self._core.attachments.save(digest, path))
