"""What every screen must hold to, looked at in its widgets: names, keys, focus that is seen, words that are whole."""

from array import array
from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QLineEdit,
    QWidget,
)

from desktop.widgets import ElidedLabel
from tests.gui.screens.tour import path_of, shown, takes_focus

_CONTROLS = {
    *("Button", "CheckBox", "RadioButton", "EditableText", "ComboBox", "SpinBox", "Slider", "Link", "ButtonMenu"),
    *("List", "ListItem", "Tree", "TreeItem", "Table", "Cell", "MenuItem", "MenuBar", "PopupMenu", "PageTab", "Dialog"),
}
_NO_ROLES = (QAccessible.Role.NoRole, QAccessible.Role.Client)
_STOPS = 90
_BEYOND = 24  # a ring may stand around what frames a control
_LEAST_PIXELS = 60


def nameless(root: QWidget) -> Iterator[str]:
    """Controls that a screen reader could not tell of: without a name, or of no kind."""
    for widget in shown(root):
        interface = QAccessible.queryAccessibleInterface(widget) if takes_focus(widget) else None
        if interface is None:
            continue
        if not interface.text(QAccessible.Text.Name).strip():
            yield f"no name: {path_of(widget)}"
        if interface.role() in _NO_ROLES and not isinstance(widget, QAbstractScrollArea):
            yield f"no role: {path_of(widget)}"


def tree(root: QWidget) -> Iterator[str]:
    """What a screen reader is told of it, a line each, the deeper the further in: role, name, description."""
    start = QAccessible.queryAccessibleInterface(root)
    below = [(start, 0)]
    while below:
        at, depth = below.pop()
        name, more = (at.text(kind).strip() for kind in (QAccessible.Text.Name, QAccessible.Text.Description))
        yield f"{'  ' * depth}{at.role().name}: {name}{f' ({more})' if more else ''}"
        children = (at.child(number) for number in reversed(range(at.childCount())))
        below += [(one, depth + 1) for one in children if one is not None and _is_told(one)]


def _is_told(one: QAccessibleInterface) -> bool:
    state = one.state()
    return one.isValid() and not state.invisible


def unnamed(root: QWidget) -> Iterator[str]:
    """Controls of the tree that it names by their role alone, whether they take focus or not; words with markup."""
    for line in tree(root):
        role, _, words = line.strip().partition(": ")
        if role in _CONTROLS and not words:
            yield f"unnamed: {role}"
        if "<p style" in words:
            yield f"markup: {line.strip()}"


def cut(root: QWidget) -> Iterator[str]:
    """Words that do not fit where they stand. What is cut with an ellipsis has the whole in its tool tip."""
    for widget in shown(root):
        if isinstance(widget, ElidedLabel):
            if _is_too_long(widget) and not widget.toolTip():
                yield f"cut without a tool tip: {path_of(widget)}: {widget.text()}"
        elif isinstance(widget, QLabel) and widget.wordWrap():
            if widget.text() and widget.heightForWidth(widget.width()) > widget.height() + 1:
                yield f"too low: {path_of(widget)}: {widget.text()}"
        elif isinstance(widget, QLabel | QAbstractButton):
            wanted = widget.sizeHint()
            if widget.text() and (wanted.width() > widget.width() + 1 or wanted.height() > widget.height() + 1):
                yield f"too small: {path_of(widget)}: {widget.text()}, {wanted.toTuple()} in {widget.size().toTuple()}"
        elif isinstance(widget, QLineEdit) and not widget.text() and _is_hint_cut(widget):
            yield f"cut: {path_of(widget)}: {widget.placeholderText()}"


def _is_hint_cut(field: QLineEdit) -> bool:
    return field.fontMetrics().horizontalAdvance(field.placeholderText()) > field.width()


def _is_too_long(label: ElidedLabel) -> bool:
    return label.fontMetrics().horizontalAdvance(" ".join(label.text().split())) > label.contentsRect().width()


class Walk:
    """Tab from where the focus is until it comes back. `unseen` are controls whose focus changed no pixels; each place
    is looked at once in all screens."""

    def __init__(self) -> None:
        self._looked_at: set[str] = set()

    def problems(self, root: QWidget) -> Iterator[str]:
        window = root.window()
        wanted = {id(one): path_of(one) for one in shown(window) if takes_focus(one)}
        reached: dict[int, QWidget] = {}
        at = QApplication.focusWidget()
        for _ in range(_STOPS):
            if at is None or id(at) in reached:
                break
            reached[id(at)] = at
            yield from self._step(window, at)
            at = QApplication.focusWidget()
        if at is None:
            yield "the focus is lost"
        for key, path in wanted.items():
            if key not in reached:
                yield f"not reached: {path}"

    def _step(self, window: QWidget, at: QWidget) -> Iterator[str]:
        path = path_of(at)
        is_new = path not in self._looked_at
        self._looked_at.add(path)
        box = QRect(at.mapTo(window, QPoint(0, 0)), at.size()).adjusted(-_BEYOND, -_BEYOND, _BEYOND, 2 * _BEYOND)
        box = box.intersected(window.rect())
        if box.isEmpty():
            yield f"its focus is outside of the window: {path}"
        before = _pixels(window, box) if is_new else array("I")
        QTest.keyClick(at, Qt.Key.Key_Tab)
        if is_new and QApplication.focusWidget() is not at:
            after = _pixels(window, box)
            changed = sum(one != other for one, other in zip(before, after, strict=True))
            if changed < _LEAST_PIXELS:
                yield f"its focus is not seen: {path}"


def _pixels(window: QWidget, box: QRect) -> "array[int]":
    if box.isEmpty():
        return array("I")
    image = window.grab(box).toImage().convertToFormat(QImage.Format.Format_RGB32)
    return array("I", bytes(image.constBits()))
