"""Prose that goes on, written on where it stands.

A token is mostly a word at the end of a paragraph, but to read the Markdown anew is to lay out all of it, twice. Where
nothing that came can mean anything to Markdown, the words are put at the end of what is there, with the same result.
"""

import re

from PySide6.QtGui import QTextCursor, QTextDocument

from desktop.chat.views.prose_style import is_code

_WORDS = re.compile(r"[\"'(\u201c\u2018\xab]*[^\W\d_](?:[^\s\\`*_\[\]<>#|&~@/)\x00-\x1f\x7f-\x9f]| (?! ))*")
"""The last word of a text with what came behind it: single spaces, and no sign that Markdown knows. It has a letter,
so that its line is no rule and no underline; signs before it are closed already, or stay as they are."""
_LINK = re.compile("www", re.IGNORECASE)
"""What becomes a link by itself, where neither `/` nor `@` does."""
_DEFINITION = "]:"
"""The target of a link may go on for lines, and is not seen: it ends with a quotation mark."""


def write_on(document: QTextDocument, before: str, after: str) -> bool:
    """Make a document that shows the Markdown `before` show `after`; False, and nothing done, where it is not sure."""
    said = before.rstrip(" ")
    start = max(said.rfind(blank) for blank in (" ", "\n")) + 1
    if start == len(said) or not after.startswith(before) or _DEFINITION in before:
        return False
    words = _WORDS.fullmatch(after, start)
    if words is None or _LINK.search(words[0]):
        return False
    cursor = QTextCursor(document)
    cursor.setPosition(document.characterCount() - 1)
    block = cursor.block()
    if cursor.currentTable() is not None or is_code(block.blockFormat()) or not block.text().endswith(said[start:]):
        return False
    cursor.insertText(after[len(said) :].rstrip(" "))
    return True
