"""What Backspace takes at once: an emoji that is put together of several, as it is seen. Of anything else Qt takes
the last character, so that an accent can be typed anew (UAX #29, section 3, and what other platforms do).
"""

from PySide6.QtCore import QTextBoundaryFinder
from PySide6.QtGui import QTextCursor

_LOOKED_AT = 64
"""UTF-16 units before the cursor; no emoji is that long."""
_JOINING = "\N{ZERO WIDTH JOINER}\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}"
_PARTS = {*range(0x1F3FB, 0x1F400), *range(0x1F1E6, 0x1F200), *range(0xE0020, 0xE0080)}
"""Colours of skin, letters of flags, and the tags of regions."""


def delete_emoji_before(cursor: QTextCursor) -> bool:
    """Delete it, if what stands before the cursor is one of more than one character; else do nothing."""
    if cursor.hasSelection() or cursor.atBlockStart():
        return False
    before = cursor.block().text().encode("utf-16-le", "surrogatepass")[: 2 * cursor.positionInBlock()]
    tail = before[-2 * _LOOKED_AT :].decode("utf-16-le", "replace")
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, tail)
    finder.toEnd()
    length = len(tail.encode("utf-16-le")) // 2 - finder.toPreviousBoundary()
    sign = before[-2 * length :].decode("utf-16-le", "replace")
    if len(sign) < 2 or not any(one in _JOINING or ord(one) in _PARTS for one in sign):
        return False
    cursor.setPosition(cursor.position() - length, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    return True
