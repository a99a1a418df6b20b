"""What changes in a file: added and removed lines with those around them, however many there are."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice
from time import perf_counter

from PySide6.QtCore import QRect, QSize, Qt, QTimer
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from desktop.theme import Icon, Theme
from desktop.tokens import ColorName
from desktop.translation import DiffRow, number
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import IconButton
from desktop.widgets.labels import Label
from desktop.widgets.layouts import Surface, column_of, show_when
from desktop.widgets.syntax import Span, Spans, SyntaxScanner
from desktop.widgets.value_views import MOST_LINES, GrowingText

_SIGNS = {"added": "+ ", "removed": "− ", "same": "  ", "gap": "⋯ "}  # never told by colour alone
_GROUNDS: dict[str, ColorName] = {"added": "added", "removed": "removed"}
_SIGN_COLORS: dict[str, ColorName] = {"added": "ok", "removed": "error", "gap": "muted"}
_DONE: Iterator[DiffRow] = iter(())  # of a view that has all its rows
_SLICE_S = 0.004
_SLICE_ROWS = 50
_SCREEN_ROWS = 400  # more than any screen shows
_LANGUAGES = {
    "cc": "cpp",
    "h": "c",
    "hpp": "cpp",
    "htm": "html",
    "kt": "kotlin",
    "md": "markdown",
    "mjs": "js",
    "pyi": "python",
    "yml": "yaml",
}


def language_of(path: str) -> str:
    """Return the language of a file by its ending or name, as the highlighting may know it."""
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    return _LANGUAGES.get(ending, ending)


class DiffView(Adaptive, GrowingText):
    """The rows of a diff, each with its number and sign. Rows are filled in as there is time, from the first.

    Only the rows in sight are coloured: thousands of them must not hold up the window. What is copied has the signs.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, MOST_LINES)
        self._theme = theme
        self._rows: list[DiffRow] = []
        self._rest: Iterator[DiffRow] = _DONE
        self._language = ""
        self._scans: list[_Scan] = []
        self._colored: set[int] = set()
        self._generation = 0
        self._digits = 2
        self._scanner = SyntaxScanner(self)
        self._numbers = _Numbers(self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._fill)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.verticalScrollBar().valueChanged.connect(self._color_visible)
        self.updateRequest.connect(self._numbers.follow)
        self.adapt_to(theme)

    def show_rows(self, rows: Iterable[DiffRow], language: str = "") -> None:
        """Show these rows in place of those before; `language` as `language_of` returns it."""
        self._rows, self._rest, self._language = [], iter(rows), language
        self._scans, self._colored = [], set()
        self._generation += 1
        self._digits = 2
        self._text = ""
        self.setPlainText("")
        self._fill()
        if self._rest is not _DONE:
            self._timer.start(0)

    @property
    def is_filled(self) -> bool:
        """Whether all rows are in the view."""
        return self._rest is _DONE

    @property
    def rows(self) -> list[DiffRow]:
        """The rows that are in the view."""
        return self._rows

    def retranslate(self) -> None:
        if self.is_filled and any(row.kind == "gap" for row in self._rows):
            self.show_rows(self._rows, self._language)

    def apply_theme(self) -> None:
        self.setFont(self._theme.font("code_small"))
        self._numbers.setFont(self._theme.font("code_small"))
        self._color_again()
        self._set_margin()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        for block, place in self.blocks_in_sight():
            ground = (
                _GROUNDS.get(self._rows[block.blockNumber()].kind) if block.blockNumber() < len(self._rows) else None
            )
            if ground is not None:
                painter.fillRect(0, place.top(), self.viewport().width(), place.height(), self._theme.color(ground))
        painter.end()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._numbers.setGeometry(
            QRect(self.contentsRect().topLeft(), QSize(self._margin, self.contentsRect().height()))
        )
        self._color_visible()

    def blocks_in_sight(self) -> Iterator[tuple[QTextBlock, QRect]]:
        """Yield the paragraphs that are visible, each with its place in the viewport."""
        block, bottom = self.firstVisibleBlock(), self.viewport().height()
        offset = self.contentOffset()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(offset).toRect()
            if place.top() > bottom:
                return
            yield block, place
            block = block.next()

    # Filling

    def _line(self, row: DiffRow) -> str:
        text = self.tr("%n unchanged line(s)", "", row.number) if row.kind == "gap" else row.text
        return _SIGNS[row.kind] + text.replace("\n", "⏎")

    def _fill(self) -> None:
        until, before = perf_counter() + _SLICE_S, len(self._rows)
        while True:
            rows = list(islice(self._rest, _SLICE_ROWS))
            if not rows:
                self._end()
                break
            text = "\n".join(self._line(row) for row in rows)
            end = QTextCursor(self.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            end.insertText(f"\n{text}" if self._rows else text)
            self._rows += rows
            if perf_counter() > until:
                break
        self._set_margin()
        if before < _SCREEN_ROWS:  # later rows are below what is in sight, and change no height
            self.updateGeometry()
            self._end_with_a_line()
            self._color_visible()

    def _end(self) -> None:
        self._rest = _DONE
        self._timer.stop()
        self._text = self.document().toRawText().replace("\u2029", "\n")
        for is_old in (False, True):
            numbers = [at for at, row in enumerate(self._rows) if _belongs(row, is_old=is_old)]
            code = "\n".join(self._rows[at].text for at in numbers)
            self._scanner.ask(self._language, code, partial(self._take_spans, self._generation, numbers))

    def _take_spans(self, generation: int, numbers: list[int], spans: Spans) -> None:
        """Colour the syntax of these rows, whose texts are the lines of the code that was scanned."""
        if generation == self._generation:
            starts = list(accumulate((len(self._rows[at].text) + 1 for at in numbers), initial=0))
            self._scans.append(_Scan(numbers, starts, spans))
            self._color_again()

    # Colours

    def _color_again(self) -> None:
        self._colored.clear()
        self._color_visible()

    def _color_visible(self) -> None:
        for block, _ in list(self.blocks_in_sight()):
            at = block.blockNumber()
            if at < len(self._rows) and at not in self._colored:
                self._colored.add(at)
                block.layout().setFormats(self._formats(at))
        self._numbers.update()
        self.viewport().update()

    def _formats(self, at: int) -> list[QTextLayout.FormatRange]:
        row = self._rows[at]
        sign = _SIGN_COLORS.get(row.kind)
        ranges: list[tuple[int, int, ColorName]] = []
        if sign is not None:
            ranges.append((0, len(self._line(row)) if row.kind == "gap" else 1, sign))
        shift = [place for place, letter in enumerate(row.text) if letter > "\uffff"]  # of two units each in a document
        marks: list[tuple[int, int, ColorName]] = [(start, end, "warn") for start, end in row.marks]
        syntax = (span for scan in self._scans for span in scan.of_row(at))
        for start, end, color in (*syntax, *marks):
            units = [place + 2 + sum(wide < place for wide in shift) for place in (start, end)]
            ranges.append((units[0], units[1] - units[0], color))
        return [self._format(*each) for each in ranges]

    def _format(self, start: int, length: int, color: ColorName) -> QTextLayout.FormatRange:
        text_format, place = QTextCharFormat(), QTextLayout.FormatRange()
        text_format.setForeground(self._theme.color(color))
        place.start, place.length, place.format = start, length, text_format  # type: ignore[attr-defined,unused-ignore]
        return place

    # Numbers

    @property
    def _margin(self) -> int:
        return self._digits * self.fontMetrics().horizontalAdvance("0") + 2 * self._theme.sizes.space_s

    def _set_margin(self) -> None:
        self._digits = max(self._digits, *(len(str(row.number)) for row in self._rows[-1:] if row.kind != "gap"), 2)
        if self.viewportMargins().left() != self._margin:
            self.setViewportMargins(self._margin, 0, 0, self.viewportMargins().bottom())

    def paint_numbers(self, painter: QPainter) -> None:
        """Paint the numbers of the visible rows into the margin."""
        painter.setPen(self._theme.color("muted"))
        line = self.fontMetrics().lineSpacing()
        for block, place in self.blocks_in_sight():
            row = self._rows[block.blockNumber()] if block.blockNumber() < len(self._rows) else None
            if row is None or row.kind == "gap":
                continue
            area = QRect(0, place.top(), self._margin, place.height())
            if (ground := _GROUNDS.get(row.kind)) is not None:
                painter.fillRect(area, self._theme.color(ground))
            text = QRect(0, place.top(), self._margin - self._theme.sizes.space_s, line)
            painter.drawText(text, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, str(row.number))


def _belongs(row: DiffRow, *, is_old: bool) -> bool:
    return row.kind == "removed" if is_old else row.kind in ("added", "same")


@dataclass(frozen=True, slots=True)
class _Scan:
    """The colours of some rows, whose texts are the lines of a code. Looked up for a row when that comes in sight: to
    hand out those of thousands of rows at once would hold up the window.

    `numbers` are the rows; `starts` are where their lines begin in the code, and its end.
    """

    numbers: list[int]
    starts: list[int]
    spans: Spans

    def of_row(self, at: int) -> Iterator[tuple[int, int, ColorName]]:
        """Yield begin, end and colour within the text of a row."""
        line = bisect_left(self.numbers, at)
        if line == len(self.numbers) or self.numbers[line] != at:
            return
        begin, end = self.starts[line], self.starts[line + 1] - 1
        for place in range(bisect_right(self.spans, begin, key=_end_of), len(self.spans)):
            first, last, color = self.spans[place]
            if first >= end:
                return
            yield max(first, begin) - begin, min(last, end) - begin, color


def _end_of(span: Span) -> int:
    return span.end


class _Numbers(QWidget):
    """The margin of a diff with the numbers of its lines. A screen reader reads the lines themselves."""

    def __init__(self, view: DiffView) -> None:
        super().__init__(view)
        self._view = view

    def follow(self, _area: QRect, _scrolled: int) -> None:
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._view.paint_numbers(painter)
        painter.end()


class DiffSection(Adaptive, QWidget):
    """A diff with a title, how much is added and removed, and a button that copies all of it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = Label("", "strong")
        self._added, self._removed = Label("", "secondary", "ok"), Label("", "secondary", "error")
        self.copy_button = IconButton(theme, Icon.COPY)
        frame = Surface("code", parent=self)
        self.view = DiffView(theme, frame)
        self.copy_button.clicked.connect(self.view.copy_all)
        self._inside = column_of(frame, self.view)
        self._head = QHBoxLayout()
        for label in (self._title, self._added, self._removed):
            self._head.addWidget(label)
        self._head.addStretch(1)
        self._head.addWidget(self.copy_button)
        self._column = column_of(self)
        self._column.addLayout(self._head)
        self._column.addWidget(frame, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.adapt_to(theme)

    def describe(self, title: str, *, added: int, removed: int) -> None:
        """Set the title and the numbers of lines."""
        self._title.setText(title)
        self._added.setText(f"+{number(added)}")
        self._removed.setText(f"−{number(removed)}")
        show_when(self._added, bool(added))
        show_when(self._removed, bool(removed))
        self.view.setAccessibleName(title)
        self.copy_button.describe(self.tr("Copy: {title}").format(title=title))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._inside.setContentsMargins(0, sizes.space_xs, 0, sizes.space_xs)
        self._head.setSpacing(sizes.space_s)
        self._column.setSpacing(0)
