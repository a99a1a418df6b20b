"""Wrapped plain text with the line height of the design, which a QLabel cannot have."""

from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QWidget

from desktop.theme import TextRole
from desktop.tokens import SIZES
from desktop.widgets.labels import Label, Tone

_WANTED_SIGNS = 56  # a line that reads well, where the room is free to choose
_LEAST_SIGNS = 12


class Paragraph(Label):
    """Wraps, within words if necessary; beyond `most_lines` lines the last visible line ends with an ellipsis."""

    def __init__(
        self,
        text: str = "",
        role: TextRole = "label",
        tone: Tone = "text",
        most_lines: int | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, role, tone, parent)
        self._most_lines = most_lines
        self.setWordWrap(True)  # tells layouts to ask for the height of a width

    def set_most_lines(self, most_lines: int | None) -> None:
        if most_lines != self._most_lines:
            self._most_lines = most_lines
            self.updateGeometry()
            self.update()

    def line_count(self, width: int) -> int:
        """Return the number of lines of the whole text at this width."""
        return self._lay_out(width).lineCount()

    def is_cut(self) -> bool:
        """Return whether the text has more lines than are shown."""
        return self._most_lines is not None and self._lay_out(self.width()).lineCount() > self._most_lines

    def heightForWidth(self, width: int) -> int:
        usable_width = min(width, self.maximumWidth())  # a layout asks for the width of all of its column
        return ceil(self._line_height() * max(1, self._shown_lines(self._lay_out(usable_width))))

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        longest = max((metrics.horizontalAdvance(line) for line in self.text().splitlines()), default=0)
        width = min(longest + 2, metrics.averageCharWidth() * _WANTED_SIGNS, self.maximumWidth())
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * _LEAST_SIGNS, ceil(self._line_height()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        box = self.contentsRect()
        layout = self._lay_out(box.width())
        shown = self._shown_lines(layout)
        is_cut = shown < layout.lineCount()
        for number in range(shown - 1 if is_cut else shown):
            layout.lineAt(number).draw(painter, QPointF(box.topLeft()))
        if is_cut:
            rest = " ".join(self.text()[layout.lineAt(shown - 1).textStart() :].split())
            row = QRectF(box.left(), box.top() + (shown - 1) * self._line_height(), box.width(), self._line_height())
            ending = self.fontMetrics().elidedText(rest, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(row, ending, self._option())

    def _lay_out(self, width: int) -> QTextLayout:
        text = self.text().replace("\n", "\N{LINE SEPARATOR}")
        layout = QTextLayout(text, self.font())
        layout.setTextOption(self._option())
        layout.beginLayout()
        top = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, top + (self._line_height() - line.height()) / 2))
            top += self._line_height()
        layout.endLayout()
        return layout

    def _shown_lines(self, layout: QTextLayout) -> int:
        return layout.lineCount() if self._most_lines is None else min(layout.lineCount(), self._most_lines)

    def _line_height(self) -> float:
        return self.font().pixelSize() * SIZES.body_line

    def _option(self) -> QTextOption:
        option = QTextOption(self.alignment())
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        return option
