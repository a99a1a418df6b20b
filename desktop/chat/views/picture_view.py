"""The pictures of a message: each a button that opens it, with a menu."""

from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from core.domain.text.hidden import reveal
from desktop.chat.layout.blocks import PicturesBlock
from desktop.chat.layout.picture_layout import picture_boxes, pictures_height
from desktop.chat.turn_parts import Picture
from desktop.chat.views.view_context import ViewContext
from desktop.theme import Icon
from desktop.translation import byte_size, number
from desktop.widgets import opens_menu, paint_focus, paint_icon, paint_text, plain_tool_tip


class PicturesView(QWidget):
    """Has a button for each picture. Its height follows from the sizes in the headers, before anything is decoded."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._block: PicturesBlock | None = None
        self._buttons: list[PictureButton] = []
        context.pictures.loaded.connect(self._on_loaded)

    def show_block(self, block: PicturesBlock) -> None:
        self._block = block
        while len(self._buttons) < len(block.pictures):
            button = PictureButton(self._context, self)
            button.clicked.connect(partial(self._act, button, "open"))
            self._buttons.append(button)
        for at, button in enumerate(self._buttons):
            button.setVisible(at < len(block.pictures))
            if at < len(block.pictures):
                button.show_picture(block.pictures[at])

    def fit(self, width: int) -> int:
        if self._block is None:
            return 0
        boxes = picture_boxes(self._block.pictures, width, self._context.theme.sizes, is_right=self._block.is_right)
        for button, box in zip(self._buttons, boxes, strict=False):
            button.setGeometry(*box)
        return pictures_height(boxes)

    def _on_loaded(self, digest: str) -> None:
        for button in self._buttons:
            if button.isVisible() and button.picture is not None and button.picture.hash == digest:
                button.show_picture(button.picture)

    def _act(self, button: "PictureButton", action: str, _is_checked: bool = False) -> None:
        if button.picture is not None and self._block is not None:
            self._context.intents.picture.emit(self._block.pictures, button.picture, action)


class PictureButton(QAbstractButton):
    """A picture with rounded corners; while it is loaded, its empty frame, and if it cannot be shown, its name."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._intents = context.intents
        self._cache = context.pictures
        self.picture: Picture | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_picture(self, picture: Picture) -> None:
        self.picture = picture
        size = f"{number(picture.width)} × {number(picture.height)}" if picture.width else ""
        details = ", ".join(filter(None, (reveal(picture.name), size, byte_size(picture.size))))
        is_gone = self._cache.has_failed(picture.hash)
        words = self.tr("Picture that cannot be shown: {details}") if is_gone else self.tr("Picture: {details}")
        self.setAccessibleName(words.format(details=details))
        self.setToolTip(plain_tool_tip(details))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif opens_menu(event):
            self._request_menu(self.mapToGlobal(self.rect().center()))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is not QContextMenuEvent.Reason.Keyboard:
            self._request_menu(event.globalPos())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.picture is None:
            return
        painter, sizes, box = QPainter(self), self._theme.sizes, QRectF(self.rect())
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        radius = sizes.radius_card
        frame = QPainterPath()
        frame.addRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.fillPath(frame, self._theme.color("code"))
        scale = self.devicePixelRatioF()
        image = self._cache.get(self.picture.hash, self.size() * scale)
        if image is not None:
            painter.save()
            painter.setClipPath(frame)
            shown = QSize(image.size() / scale).scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
            shown = shown if shown.width() * scale < image.width() else QSize(image.size() / scale)
            place = QRect(QPoint(0, 0), shown)
            place.moveCenter(self.rect().center())
            painter.drawImage(place, image)
            painter.restore()
        elif self._cache.has_failed(self.picture.hash):
            gap = sizes.space_s
            words = paint_icon(painter, self._theme, Icon.EYE_OFF, self.rect().adjusted(gap, 0, -gap, 0))
            paint_text(painter, self._theme, self.picture.name, words, "secondary", "muted")
        painter.setPen(QPen(self._theme.color("border"), 1))
        painter.drawPath(frame)
        if self.hasFocus():
            paint_focus(painter, self._theme, self.rect(), radius)

    def _request_menu(self, place: QPoint) -> None:
        self._intents.picture_menu.emit(self, place)
