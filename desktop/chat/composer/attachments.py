"""The chips of attached files: name and size, with buttons to open and remove them.

Keys: Left and Right move between chips, Enter opens, Delete removes, Esc returns to the text.
"""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QImage, QKeyEvent, QPainter, QPixmap, QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.domain.mcp_offers import parse_resource_address
from core.domain.messages import AttachmentKind
from core.domain.text.hidden import reveal
from desktop.chat.composer.document_text import LongLines
from desktop.chat.composer.draft import DraftFile
from desktop.chat.pictures.cache import PictureCache
from desktop.theme import Icon, Theme
from desktop.translation import byte_size
from desktop.widgets import Adaptive, Button, ElidedLabel, IconButton, Surface, set_plain_tool_tip

_NAME_WIDTH = 200
# Lines of chips that are visible at once.
_MAX_LINES = 3
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_REMOVE_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class FileStrip(Adaptive, QScrollArea):
    """A row of chips, hidden while there are none."""

    opened = Signal(object)
    """Carries the DraftFile."""
    removed = Signal(object)
    text_requested = Signal()
    """The focus is to return to the text."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._files: tuple[DraftFile, ...] = ()
        self._chips: list[_Chip] = []
        self._pictures: PictureCache | None = None
        self._content = QWidget()
        self._flow = _Flow(self._content)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self._content)
        self._content.setAutoFillBackground(False)  # the composer shows through
        self.hide()
        self.adapt_to(theme)

    def show_pictures_of(self, cache: PictureCache) -> None:
        """Show the pictures of this cache on their chips."""
        self._pictures = cache
        cache.loaded.connect(self._on_loaded)

    @property
    def files(self) -> tuple[DraftFile, ...]:
        return self._files

    def show_files(self, files: Sequence[DraftFile]) -> None:
        """Show these files. The focus stays at its position, or goes to the text if no chip is left."""
        if tuple(files) == self._files:
            return
        self._files = tuple(files)
        # chips are rebuilt, and Qt would move the focus out of the strip
        focused = next((at for at, chip in enumerate(self._chips) if chip.has_focus), None)
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(file) for file in files]
        self.setVisible(bool(self._chips))
        self._fit()
        if focused is not None:
            self._focus(min(focused, len(self._chips) - 1))

    def focus_last(self) -> bool:
        """Focus the newest chip. Return False if there is none."""
        self._focus(len(self._chips) - 1)
        return bool(self._chips)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle keys before the buttons, which would move between them by the arrows."""
        at = next((at for at, chip in enumerate(self._chips) if chip.has(watched)), None)
        if at is not None and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(at, event)
        return False

    def _on_key(self, at: int, event: QKeyEvent) -> bool:
        """Return whether the key was handled."""
        if event.modifiers() not in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
            return False
        if event.key() in _REMOVE_KEYS:
            self.removed.emit(self._files[at])
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = 1 if (event.key() == Qt.Key.Key_Right) is not self.isRightToLeft() else -1
            self._focus(max(0, min(at + by, len(self._chips) - 1)))
        elif event.key() in _ENTER and self._chips[at].open_button.hasFocus():
            self.opened.emit(self._files[at])
        elif event.key() in _ENTER:
            self.removed.emit(self._files[at])
        elif event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Down):
            self.text_requested.emit()
        else:
            return event.key() == Qt.Key.Key_Up
        return True

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Attached files"))
        for chip, file in zip(self._chips, self._files, strict=True):
            self._show(chip, file)

    def apply_theme(self) -> None:
        self._flow.set_gap(self._theme.sizes.space_xs)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Set the height to that of the lines, up to a maximum."""
        self._flow.invalidate()
        line = max((chip.sizeHint().height() for chip in self._chips), default=0)
        most = _MAX_LINES * line + (_MAX_LINES - 1) * self._theme.sizes.space_xs
        height = min(self._flow.heightForWidth(self.viewport().width()), most)
        if self.height() != height:
            self.setFixedHeight(height)

    def _chip(self, file: DraftFile) -> "_Chip":
        chip = _Chip(self._theme, self._content)
        self._show(chip, file)
        for button in (chip.open_button, chip.remove_button):
            button.installEventFilter(self)
        chip.open_button.clicked.connect(partial(self._on_open, file))
        chip.remove_button.clicked.connect(partial(self._on_remove, file))
        self._flow.addWidget(chip)
        chip.show()
        return chip

    def _on_loaded(self, digest: str) -> None:
        for chip, file in zip(self._chips, self._files, strict=False):
            if file.hash == digest:
                self._show(chip, file)

    def _show(self, chip: "_Chip", file: DraftFile) -> None:
        chip.show_file(file, self.tr("Remove {name}").format(name=file.name))
        if self._pictures is not None and file.about.kind is AttachmentKind.PICTURE and not file.problem:
            side = round(self._theme.sizes.icon_m * self.devicePixelRatioF())
            image = self._pictures.get(file.hash, QSize(2 * side, side))
            if image is not None:
                chip.show_picture(image)

    def _on_open(self, file: DraftFile, _is_checked: bool = False) -> None:
        self.opened.emit(file)

    def _on_remove(self, file: DraftFile, _is_checked: bool = False) -> None:
        self.removed.emit(file)

    def _focus(self, at: int) -> None:
        if at >= 0:
            self._chips[at].open_button.setFocus(Qt.FocusReason.TabFocusReason)
            self.ensureWidgetVisible(self._chips[at], 0, 0)
        else:
            self.text_requested.emit()


class _Chip(Surface):
    """The name opens the file, the cross removes it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("card", parent=parent)
        self.open_button = Button(theme, "", "ghost", Icon.PAPERCLIP, is_small=True, parent=self)
        self.remove_button = IconButton(theme, Icon.X, parent=self)
        self._theme = theme
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.open_button)
        row.addWidget(self.remove_button)

    @property
    def has_focus(self) -> bool:
        return self.open_button.hasFocus() or self.remove_button.hasFocus()

    def has(self, watched: QObject) -> bool:
        """Return whether the object is one of the buttons."""
        return watched in (self.open_button, self.remove_button)

    def show_file(self, file: DraftFile, remove_words: str) -> None:
        size = byte_size(file.size)
        text = f"{file.name} · {size}"
        name = self.open_button.fontMetrics().elidedText(reveal(file.name), Qt.TextElideMode.ElideMiddle, _NAME_WIDTH)
        self.open_button.setText(f"{name} · {size}")
        self.open_button.setAccessibleName(text)
        set_plain_tool_tip(self.open_button, file.problem or _place(file) or text)
        icon = Icon.TRIANGLE_ALERT if file.problem else Icon.PAPERCLIP
        self.open_button.setIcon(self._theme.icon(icon, "error" if file.problem else "muted"))
        self.remove_button.describe(remove_words)

    def show_picture(self, image: QImage) -> None:
        """Show a picture in place of the paper clip."""
        sizes, scale = self._theme.sizes, self.devicePixelRatioF()
        size = image.size().scaled(2 * sizes.icon_m, sizes.icon_m, Qt.AspectRatioMode.KeepAspectRatio)
        with_gap = size.grownBy(QMargins(0, 0, sizes.space_xs, 0))  # a button leaves less between icon and text
        pixmap = QPixmap(with_gap * scale)
        pixmap.setDevicePixelRatio(scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRect(QPoint(0, 0), size), image)
        painter.end()
        self.open_button.setIcon(QIcon(pixmap))
        self.open_button.setIconSize(with_gap)


def _place(file: DraftFile) -> str:
    """Return where a file or a resource of a server is read; "" if it is kept in the draft."""
    resource = parse_resource_address(file.path or "")
    return " · ".join(resource) if resource is not None else file.path or ""


class _Flow(QLayout):
    """A layout from left to right that wraps."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = 0
        self.setContentsMargins(0, 0, 0, 0)

    def set_gap(self, gap: int) -> None:
        self._gap = gap
        self.invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), is_placed=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, is_placed=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        hints = [item.sizeHint() for item in self._items]
        return QSize(
            max((hint.width() for hint in hints), default=0), max((hint.height() for hint in hints), default=0)
        )

    def _arrange(self, rect: QRect, *, is_placed: bool) -> int:
        at, line = QPoint(rect.topLeft()), 0
        for item in self._items:
            size = item.sizeHint()
            if at.x() > rect.x() and at.x() + size.width() > rect.right() + 1:
                at = QPoint(rect.x(), at.y() + line + self._gap)
                line = 0
            if is_placed:
                item.setGeometry(QRect(at, size))
            at.setX(at.x() + size.width() + self._gap)
            line = max(line, size.height())
        return at.y() + line - rect.y()


_PIECE_CHARACTERS = 20_000


class AttachmentPreview(QDialog):
    """A read-only preview of an attached text, in a window that blocks nothing. Closes on Esc. Long text is inserted in
    pieces, so that the window stays responsive.
    """

    def __init__(self, theme: Theme, name: str, size: int, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("preview")
        self.setWindowTitle(reveal(" ".join(name.split())))
        self._rest = text
        self._edit = QPlainTextEdit(self)
        self._edit.setReadOnly(True)
        self._edit.setUndoRedoEnabled(False)
        self._edit.setFont(theme.font("code"))
        self._edit.setAccessibleName(name)
        self._lines = LongLines(self._edit.document())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(ElidedLabel(f"{name} · {byte_size(size)}", "label", "muted", parent=self))
        column.addWidget(self._edit, 1)
        column.addWidget(buttons)
        sizes = theme.sizes
        self.resize(min(sizes.composer, parent.width() - sizes.space_xl), parent.height() * 2 // 3)
        self._pieces = QTimer(self)
        self._pieces.timeout.connect(self._put_piece)
        self._put_piece()
        self._edit.setFocus()
        if self._rest:
            self._pieces.start(0)

    @property
    def text(self) -> str:
        """The text inserted so far."""
        return self._lines.text()

    def _put_piece(self) -> None:
        piece, self._rest = self._rest[:_PIECE_CHARACTERS], self._rest[_PIECE_CHARACTERS:]
        cursor = QTextCursor(self._edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self._lines.insert(cursor, piece)
        if not self._rest:
            self._pieces.stop()
