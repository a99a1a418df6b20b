"""Qt's Markdown in our fonts, colours and spacing.

Qt parses the Markdown and applies sizes and greys of its own. A document is styled right after it was set, before it is
laid out.
"""

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QRegularExpression, Qt, QUrl, QUrlQuery
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextListFormat,
    QTextTable,
)

from desktop.chat.layout.emphasis import MARKS, mark_emphasis, without_marks
from desktop.theme import Theme

MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
# Font sizes by heading level, relative to `text_xl`; lower levels are bold text.
_HEADINGS = {1: 1.3, 2: 1.15, 3: 1.0}
_MARKS = QRegularExpression(MARKS)
_Height = QTextBlockFormat.LineHeightTypes
_PROPORTIONAL = _Height.ProportionalHeight.value
_Property = QTextFormat.Property
_Marker = QTextBlockFormat.MarkerType
_BULLETS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)


class DocumentFeatures(NamedTuple):
    """What a document contains besides text."""

    has_links: bool
    has_quotes: bool
    has_markers: bool = False


def set_markdown(document: QTextDocument, text: str, theme: Theme) -> DocumentFeatures:
    """Show Markdown in a document. Raw HTML stays text, images become their descriptions, unsafe links become text."""
    _set_font(document, theme.font("body"))
    document.setIndentWidth(theme.sizes.space_xl)
    marked = mark_emphasis(text)
    document.setMarkdown(marked, MARKDOWN)
    dresser = _DocumentStyler(document, theme)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    if marked != text:
        _remove_marks(document)
    dresser.apply_theme(cursor)
    cursor.endEditBlock()
    return DocumentFeatures(dresser.has_links, dresser.has_quotes, dresser.has_markers)


def _remove_marks(document: QTextDocument) -> None:
    mark = document.find(_MARKS)
    while not mark.isNull():
        mark.removeSelectedText()
        mark = document.find(_MARKS, mark)


def set_plain(
    document: QTextDocument,
    text: str,
    font: QFont,
    line_height: float,
    color: QColor | None = None,
    direction: Qt.LayoutDirection = Qt.LayoutDirection.LayoutDirectionAuto,
) -> None:
    """Show plain text in a document; `line_height` is a multiple. Each line runs in `direction`, or in that of its
    first letter.
    """
    _set_font(document, font)
    document.clear()
    line, form = QTextBlockFormat(), QTextCharFormat()
    line.setLineHeight(line_height * 100, _PROPORTIONAL)
    line.setLayoutDirection(direction)
    if color is not None:
        form.setForeground(color)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()  # laid out once, at its end
    cursor.setBlockFormat(line)
    cursor.insertText(text, form)
    cursor.endEditBlock()


def _set_font(document: QTextDocument, font: QFont) -> None:
    """Set the font if it differs: Qt lays out the document again even for the same font."""
    if document.defaultFont() != font:
        document.clear()
        document.setDefaultFont(font)


def quote_level(block: QTextBlock) -> int:
    """Return how deep in quotes a paragraph stands."""
    return block.blockFormat().intProperty(_Property.BlockQuoteLevel)


def marker_of(block: QTextBlock) -> QTextBlockFormat.MarkerType:
    """Return whether a list item is a task, and whether that is done."""
    return block.blockFormat().marker()


def has_painted_marker(block: QTextBlock) -> bool:
    """Return whether it is a task, or an item with a bullet."""
    items = block.textList()
    return items is not None and (marker_of(block) is not _Marker.NoMarker or items.format().style() in _BULLETS)


class _Run(NamedTuple):
    position: int
    length: int
    form: QTextCharFormat


class _DocumentStyler:
    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        self._document = document
        self._theme = theme
        self._sizes = theme.sizes
        self.has_links = False
        self.has_quotes = False
        self.has_markers = False

    def apply_theme(self, cursor: QTextCursor) -> None:
        for frame in self._document.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                self._dress_table(frame)
        blocks = list(blocks_in(self._document))
        for number, block in enumerate(blocks):
            following = blocks[number + 1] if number + 1 < len(blocks) else None
            cursor.setPosition(block.position())
            in_table = cursor.currentTable() is not None
            cursor.setBlockFormat(self._paragraph(block, following, is_first=number == 0, in_table=in_table))
            if has_painted_marker(block):
                self._hide_marker(cursor)
        for block in blocks:
            self._dress_words(cursor, block)

    def _hide_marker(self, cursor: QTextCursor) -> None:
        """Make Qt's marker transparent: its bullet touches the words, and its cross for a finished task reads as
        failed. The view paints them.
        """
        self.has_markers = True
        form = cursor.blockCharFormat()
        form.setForeground(QColor(Qt.GlobalColor.transparent))
        cursor.setBlockCharFormat(form)

    def _paragraph(
        self, block: QTextBlock, following: QTextBlock | None, *, is_first: bool, in_table: bool
    ) -> QTextBlockFormat:
        sizes, form = self._sizes, block.blockFormat()
        form.setLineHeight(sizes.body_line * 100, _PROPORTIONAL)
        form.setTopMargin(sizes.space_s if form.headingLevel() and not is_first else 0)
        form.setBottomMargin(sizes.space_m)
        form.setNonBreakableLines(False)
        if block.textList() is None:
            form.setMarker(QTextBlockFormat.MarkerType.NoMarker)  # Qt leaves a task's on what follows it
        if following is not None and following.textList() is not None:
            form.setBottomMargin(sizes.space_s if block.textList() is None else sizes.space_xs)
        if level := quote_level(block):
            self.has_quotes = True
            form.setLeftMargin(level * sizes.space_l)
        if form.headingLevel():
            form.setBottomMargin(sizes.space_s)
        if is_code(form):
            form.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            form.setLeftMargin(sizes.space_l)
            form.setLineHeight(sizes.code_line * 100, _PROPORTIONAL)
            if following is not None and is_code(following.blockFormat()):
                form.setBottomMargin(0)
        if form.hasProperty(_Property.BlockTrailingHorizontalRulerWidth):
            form.setBackground(self._theme.color("border"))
        if in_table or following is None:
            form.setBottomMargin(0)
        if in_table:
            form.setLineHeight(0, _Height.SingleHeight.value)
        elif following is None and not block.text():
            form.setLineHeight(1, _Height.FixedHeight.value)  # the line that Qt keeps below a table
        return form

    def _dress_words(self, cursor: QTextCursor, block: QTextBlock) -> None:
        level = block.blockFormat().headingLevel()
        is_quote = quote_level(block) > 0
        for position, length, form in _runs(block):
            if form.isImageFormat():
                self._describe_image(cursor, position, form)
                continue
            if form.hasProperty(_Property.FontSizeAdjustment):
                form.clearProperty(_Property.FontSizeAdjustment)
                size = self._sizes.text_xl * _HEADINGS[level] if level in _HEADINGS else self._sizes.text_l
                form.setProperty(_Property.FontPixelSize, round(size))
            if form.fontWeight() > QFont.Weight.DemiBold:
                form.setFontWeight(QFont.Weight.DemiBold)
            if is_quote:
                form.setForeground(self._theme.color("muted"))
            if _is_mono(form):
                self._dress_code(form, in_block=is_code(block.blockFormat()))
            if form.isAnchor():
                self._dress_link(form)
            _select(cursor, position, length)
            cursor.setCharFormat(form)

    def _dress_code(self, form: QTextCharFormat, *, in_block: bool) -> None:
        form.clearProperty(_Property.FontPointSize)
        form.clearProperty(_Property.OldFontFamily)
        form.setFont(self._theme.font("code"), QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesAll)
        if not in_block:
            form.setBackground(self._theme.color("code_header"))

    def _dress_link(self, form: QTextCharFormat) -> None:
        form.setAnchorHref(without_marks(form.anchorHref()))
        if is_allowed_link(form.anchorHref()):
            self.has_links = True
            form.setForeground(self._theme.color("accent"))
            form.setFontUnderline(True)
            form.setUnderlineColor(_half_transparent(self._theme.color("accent")))
        else:
            form.setAnchor(False)
            form.setAnchorHref("")
            form.setFontUnderline(False)
            form.setForeground(self._theme.color("text"))
        form.setToolTip("")  # the target is shown, not what the text claims

    def _describe_image(self, cursor: QTextCursor, position: int, form: QTextCharFormat) -> None:
        """Replace the image, which is never loaded, with a link that has its description."""
        image = form.toImageFormat()
        link = QTextCharFormat()
        link.setAnchor(True)
        link.setAnchorHref(image.name())
        self._dress_link(link)
        _select(cursor, position, 1)
        cursor.insertText(image.stringProperty(_Property.ImageAltText) or image.name(), link)

    def _dress_table(self, table: QTextTable) -> None:
        sizes, form = self._sizes, table.format().toTableFormat()
        form.setBorderCollapse(True)
        form.setBorder(1)
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderBrush(self._theme.color("border"))
        form.setCellSpacing(0)
        form.setCellPadding(sizes.space_xs + 2)
        form.setTopMargin(sizes.space_xs)
        form.setBottomMargin(sizes.space_xs)  # what follows brings the room above its first line along
        table.setFormat(form)
        start, end = table.cellAt(0, 0).firstCursorPosition(), table.cellAt(0, 0).lastCursorPosition()
        if start.block() != end.block() and not start.block().text():
            start.deleteChar()  # Qt begins a table behind a quote with an empty paragraph
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        for column in range(table.columns()):
            cell = table.cellAt(0, column)
            header = cell.format()
            header.setBackground(self._theme.color("code_header"))
            cell.setFormat(header)
            cursor = cell.firstCursorPosition()
            cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(bold)


def blocks_in(document: QTextDocument) -> Iterator[QTextBlock]:
    """Yield the paragraphs of a document, in order."""
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _runs(block: QTextBlock) -> list[_Run]:
    """Return the fragments from last to first, so that changing the length of one moves none that follow."""
    runs = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        runs.append(_Run(fragment.position(), fragment.length(), fragment.charFormat()))
        iterator += 1
    return runs[::-1]


def _is_mono(form: QTextCharFormat) -> bool:
    return form.fontFixedPitch() or "monospace" in (form.fontFamilies() or [])


def is_code(form: QTextBlockFormat) -> bool:
    """Return whether a paragraph is a line of code."""
    return form.hasProperty(_Property.BlockCodeFence) or form.hasProperty(_Property.BlockCodeLanguage)


def _select(cursor: QTextCursor, position: int, length: int) -> None:
    cursor.setPosition(position)
    cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)


def _half_transparent(color: QColor) -> QColor:
    faded = QColor(color)
    faded.setAlphaF(0.5)
    return faded


_MAIL_FIELDS = frozenset({"subject", "body", "cc", "bcc", "to"})
_SCHEMES = frozenset({"http", "https", "mailto"})


def is_allowed_link(target: str) -> bool:
    """Return whether a link may be opened: a web address with a host, or a mail address.

    A mail may have a subject and a body, and nothing else: some programs would attach files.
    """
    url = QUrl(target)
    scheme = url.scheme().lower()
    if not url.isValid() or scheme not in _SCHEMES:
        return False
    if scheme != "mailto":
        return bool(url.host())
    return all(name.lower() in _MAIL_FIELDS for name, _ in QUrlQuery(url).queryItems())


def ascii_url(url: QUrl) -> str:
    """Return the address with look-alike letters of its host in their ASCII form."""
    return bytes(url.toEncoded().data()).decode("ascii", "replace")
