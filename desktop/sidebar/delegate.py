"""Paints the items of the list, and edits titles in place."""

from collections.abc import Hashable

from PySide6.QtCore import QAbstractItemModel, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QRegion
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QToolTip, QWidget

from core.domain.workflow import normalized_title
from core.ports import Clock
from core.services.workflows import TITLE_CHARACTERS
from desktop.sidebar.geometry import editor_rect, item_height
from desktop.sidebar.model import Index, model_of
from desktop.sidebar.painters import PulsingDots, RowPainter, TilePainter
from desktop.sidebar.rows import Header, Row
from desktop.sidebar.sidebar_strings import RowTexts, row_texts
from desktop.theme import Theme


class RowDelegate(QStyledItemDelegate):
    """Emits `renamed(id, title)` when the title was edited; the row changes when its store does.

    The view sets `is_collapsed`, and clears the `dots` when it moves what is painted.
    """

    renamed = Signal(str, str)

    def __init__(self, theme: Theme, clock: Clock, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._canvas = view.viewport()
        self._theme = theme
        self._clock = clock
        self.dots = PulsingDots(theme)
        self._rows = RowPainter(theme, self.dots)
        self._tiles = TilePainter(theme)
        self.is_collapsed = False
        self._wanted = QRegion()
        self._half_painted = QRegion()
        # a request during a paint event is lost
        self._completion = QTimer(self, singleShot=True, interval=0)
        self._completion.timeout.connect(self._complete_rows)
        self._painted: dict[Hashable, RowTexts] = {}

    def paint_dots(self, dirty: QRegion) -> bool:
        """Paint only the pulsing dots before anything else is painted. Return True if nothing else is needed."""
        if not self.is_collapsed and self.dots.paint(self._canvas, dirty):
            return True
        self._wanted = dirty
        if QRegion(self._canvas.rect()).subtracted(dirty).isEmpty():
            self._painted.clear()  # all is painted anew; rows that are gone are forgotten
        return False

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        item = model_of(index).item_at(index)
        return QSize(0, item_height(item, self._theme.sizes, is_collapsed=self.is_collapsed))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = model_of(index).item_at(index)
        if isinstance(item, Header):
            if not self.is_collapsed:
                self._rows.paint_header(painter, option, item)
            elif index.row() > 0:
                self._tiles.paint_line(painter, option)
        elif self.is_collapsed:
            self._tiles.paint_tile(painter, option, item, self._canvas)
        else:
            view = self._canvas.parent()
            is_edited = isinstance(view, QAbstractItemView) and view.indexWidget(index) is not None
            texts = row_texts(item, self._clock.now())
            self._finish_partial_repaint(option.rect, item, texts)
            self._rows.paint_row(painter, option, item, texts, self._wanted, self._canvas, is_edited=is_edited)

    def _finish_partial_repaint(self, box: QRect, row: Row, texts: RowTexts) -> None:
        """Request the whole row where only a part is repainted, but its texts are no longer those that it shows.

        Texts are of the time of painting, and their widths decide where the others lie: a part of the row would be that
        of "1 min" beside a part of "now".
        """
        before = self._painted.get(row.key)
        self._painted[row.key] = texts
        if before not in (None, texts) and not QRegion(box).subtracted(self._wanted).isEmpty():
            self._half_painted = self._half_painted.united(QRegion(box))
            self._completion.start()

    def _complete_rows(self) -> None:
        region, self._half_painted = self._half_painted, QRegion()
        self._canvas.update(region)

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        """Show a tool tip only where the row does not show all of its text."""
        row = model_of(index).row_at(index) if index.isValid() else None
        if row is None or self.is_collapsed or self._rows.is_cut(option.rect, row, row_texts(row, self._clock.now())):
            return super().helpEvent(event, view, option, index)
        QToolTip.hideText()
        return True

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        row = model_of(index).row_at(index)
        editor = QLineEdit(row.title if row else "", parent)
        editor.setMaxLength(TITLE_CHARACTERS)
        editor.setAccessibleName(self.tr("Name of the workflow"))
        return editor

    def setEditorData(self, _editor: QWidget, _index: Index) -> None:
        """Do nothing: the row may change while its title is edited, and the edited text stays."""

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        editor.setGeometry(editor_rect(option.rect, self._theme.sizes))

    def setModelData(self, editor: QWidget, _model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        row = model_of(index).row_at(index)
        title = normalized_title(editor.text())
        if row is not None and title not in ("", row.title):
            self.renamed.emit(row.id, title)
