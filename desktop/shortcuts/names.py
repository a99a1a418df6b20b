"""Keys by the names that stand on the keyboard, in the language of the window."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence

from desktop.shortcuts.chords import first_of, sequence

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def key_name(keys: QKeySequence | str) -> str:
    """As this system writes them; empty for none."""
    shown = sequence(keys) if isinstance(keys, str) else keys
    if shown.isEmpty():
        return ""
    name = shown.toString(QKeySequence.SequenceFormat.NativeText)
    if first_of(shown).key() == Qt.Key.Key_Return:  # Qt's own name is that of an old typewriter
        own = QKeySequence(Qt.Key.Key_Return).toString(QKeySequence.SequenceFormat.NativeText)
        return name.removesuffix(own) + translate("KeyNames", "Enter") if own.isalpha() else name
    return name


def key_names(keys: Sequence[QKeySequence]) -> str:
    """All of them: `Ctrl+B or F9`."""
    names = [key_name(one) for one in keys]
    if len(names) <= 1:
        return "".join(names)
    return translate("KeyNames", "{one} or {other}").format(one=", ".join(names[:-1]), other=names[-1])
