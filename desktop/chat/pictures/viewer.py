"""A picture in full, in a window that blocks nothing."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from core.domain.text.hidden import reveal
from desktop.chat.pictures.cache import PictureCache
from desktop.chat.turn_parts import Picture
from desktop.theme import Icon, Theme
from desktop.translation import byte_size, number
from desktop.widgets import Button, ElidedLabel, IconButton, paint_text

_STEPS: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class PictureViewer(QDialog):
    """Shows one of `pictures`, as large as the window allows and never enlarged. Left and Right go to the others, Esc
    closes.
    """

    acted = Signal(object, str)
    """`copy` or `save`, for the Picture."""

    def __init__(
        self, theme: Theme, cache: PictureCache, pictures: Sequence[Picture], shown: Picture, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("picture_viewer")
        self._pictures = pictures
        self._at = pictures.index(shown)
        self._canvas = _Canvas(theme, cache, self)
        self._title = ElidedLabel("", "label", "muted", parent=self)
        self._previous, self._next = (IconButton(theme, icon, parent=self) for icon in _ARROWS)
        self._copy = Button(theme, self.tr("Copy"), "secondary", Icon.COPY, is_small=True, parent=self)
        self._save = Button(theme, self.tr("Save as…"), "secondary", Icon.DOWNLOAD, is_small=True, parent=self)
        close = Button(theme, self.tr("Close"), "secondary", is_small=True, parent=self)
        self._previous.describe(self.tr("Previous picture"))
        self._next.describe(self.tr("Next picture"))
        self._previous.clicked.connect(self._on_previous)
        self._next.clicked.connect(self._on_next)
        self._copy.clicked.connect(self._on_copy)
        self._save.clicked.connect(self._on_save)
        close.clicked.connect(self.reject)
        sizes = theme.sizes
        row, column = QHBoxLayout(), QVBoxLayout(self)
        for button in (self._previous, self._next):
            button.setVisible(len(pictures) > 1)
            row.addWidget(button)
        row.addWidget(self._title, 1)
        for widget in (self._copy, self._save, close):
            row.addWidget(widget)
        row.setSpacing(sizes.space_s)
        column.addWidget(self._canvas, 1)
        column.addLayout(row)
        self.resize(parent.width() * 4 // 5, parent.height() * 4 // 5)
        self._show()
        close.setFocus()

    @property
    def shown(self) -> Picture:
        return self._pictures[self._at]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _STEPS:
            self._go(_STEPS[event.key()])
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        picture = self.shown
        size = f"{number(picture.width)} × {number(picture.height)}" if picture.width else ""
        text = " · ".join(filter(None, (picture.name, size, byte_size(picture.size))))
        self._title.setText(text)
        self.setWindowTitle(reveal(" ".join(picture.name.split())))
        self._canvas.show_picture(picture)

    def _go(self, step: int) -> None:
        self._at = (self._at + step) % len(self._pictures)
        self._show()

    def _on_previous(self) -> None:
        self._go(-1)

    def _on_next(self) -> None:
        self._go(1)

    def _on_copy(self) -> None:
        self.acted.emit(self.shown, "copy")

    def _on_save(self) -> None:
        self.acted.emit(self.shown, "save")


_ARROWS = (Icon.CHEVRON_LEFT, Icon.CHEVRON_RIGHT)


class _Canvas(QWidget):
    def __init__(self, theme: Theme, cache: PictureCache, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._cache = theme, cache
        self._picture: Picture | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme.sizes.row, theme.sizes.row)
        cache.loaded.connect(self._on_loaded)

    def show_picture(self, picture: Picture) -> None:
        self._picture = picture
        self.setAccessibleName(reveal(picture.name))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture is None:
            return
        painter, scale = QPainter(self), self.devicePixelRatioF()
        image = self._cache.get(self._picture.hash, self.size() * scale)
        if image is None:
            if self._cache.has_failed(self._picture.hash):
                words, middle = self.tr("This picture cannot be shown"), Qt.AlignmentFlag.AlignHCenter
                paint_text(painter, self._theme, words, self.rect(), "label", "muted", middle)
            return
        place = QRect(0, 0, round(image.width() / scale), round(image.height() / scale))
        if place.width() > self.width() or place.height() > self.height():
            place.setSize(QSize(place.size()).scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio))
        place.moveCenter(self.rect().center())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, image)

    def _on_loaded(self, digest: str) -> None:
        if self._picture is not None and self._picture.hash == digest:
            self.update()
