"""What was written into a field of several lines, as it was written."""

from PySide6.QtWidgets import QPlainTextEdit

_BREAKS = str.maketrans({"\u2028": "\n", "\u2029": "\n"})


def written(field: QPlainTextEdit) -> str:
    """Its text; Qt's own plain text has no no-break spaces."""
    return field.document().toRawText().translate(_BREAKS)
