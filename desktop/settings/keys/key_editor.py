"""The editor of a command's key bindings: two fields, errors, and conflicts."""

from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.shortcuts.chords import Mod, chord_of, digit_of, key_sequence
from desktop.shortcuts.key_strings import key_name, key_names, refusal_sentence, scope_title
from desktop.shortcuts.keymap import Keymap
from desktop.shortcuts.rules import refusal_of
from desktop.theme import Theme
from desktop.widgets import Adaptive, Button, Card, Paragraph, announce, show_when
from desktop.widgets.forms.form import FormField

_FIELDS = 2


class KeyBindingEditor(Adaptive, Card):
    """Emits the wanted bindings; the keymap decides and emits its changes.

    shown ──(free key)──────────────► given
      │ ▲                              ▲
      │ └──(Esc, other command)── asked ──(take over)
      └──(key of another command)──┘
    """

    bindings_chosen = Signal(str, list)
    """The id of a command, and its keys from now on, by their normal names."""
    reset = Signal(str)
    expanded = Signal()
    """There is something more to read on it."""
    closed = Signal()
    """A person is done with it."""

    def __init__(self, theme: Theme, keymap: Keymap, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._keymap = keymap
        self._id = ""
        self._conflict: tuple[int, str] | None = None
        self._name = Paragraph("", "strong")
        self._recorders = [KeyRecorder(theme) for _ in range(_FIELDS)]
        self._fields = [FormField.around(theme, field) for field in self._recorders]
        self._question = Paragraph("", "label", "warn")
        self._take = Button(theme, "", "primary", is_small=True)
        self._reset = Button(theme, "", "secondary", is_small=True)
        self._column, self._buttons = QVBoxLayout(self), QHBoxLayout()
        self._sides = QHBoxLayout()
        self._lay_out()
        for at, field in enumerate(self._recorders):
            field.recorded.connect(partial(self._on_recorded, at))
            field.cleared.connect(partial(self._on_cleared, at))
            field.cancelled.connect(self._cancel)
        self._take.clicked.connect(self._resolve_conflict)
        self._reset.clicked.connect(self._on_reset)
        keymap.changed.connect(self._refresh)
        self.adapt_to(theme)

    def show_command(self, command_id: str) -> None:
        self._id = command_id
        self._refresh()

    def focus_first(self) -> None:
        self._recorders[0].setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def question(self) -> str:
        """The question whether another command loses the pressed key; empty without a conflict."""
        return self._question.text() if self._conflict is not None else ""

    @property
    def problem(self) -> str:
        """Why the pressed key cannot be used."""
        return next((row.error for row in self._fields if row.error), "")

    def retranslate(self) -> None:
        self._fields[0].describe(self.tr("Key"), self.tr("Press the keys. Backspace: none. Esc: as it was."))
        self._fields[1].describe(self.tr("Another key"))
        self._take.setText(self.tr("Use it here instead"))
        self._refresh()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_l)
        self._column.setSpacing(sizes.space_s)
        self._sides.setSpacing(sizes.space_l)
        self._buttons.setSpacing(sizes.space_s)

    def _lay_out(self) -> None:
        self._column.addWidget(self._name)
        for row in self._fields:
            self._sides.addWidget(row, 1, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(self._sides)
        self._column.addWidget(self._question)
        self._buttons.addWidget(self._take)
        self._buttons.addWidget(self._reset)
        self._buttons.addStretch(1)
        self._column.addLayout(self._buttons)

    def _refresh(self) -> None:
        self._set_conflict(None)
        for row in self._fields:
            row.show_error("")
        if not self._id:
            return
        command = self._keymap.command(self._id)
        self._name.setText(command.label)
        for field, chord in zip(self._recorders, [*self._keymap.chords(self._id), "", ""], strict=False):
            field.show_chord(chord)
        usual = key_names([key_sequence(one) for one in self._keymap.defaults(self._id)]) or self.tr("none")
        self._reset.setText(self.tr("Reset to {keys}").format(keys=usual))
        had_focus = self._reset.hasFocus()
        self._reset.setEnabled(self._id in self._keymap.own)
        if had_focus and not self._reset.isEnabled():
            self.focus_first()

    def _on_recorded(self, at: int, chord: str, by_place: str) -> None:
        command = self._keymap.command(self._id)
        if by_place and not self._keymap.holders(chord, command):
            chord = by_place  # its character means nothing: it is meant by where it is, on every layout
        self._set_conflict(None)
        why = refusal_of(command, chord, is_mac=self._keymap.is_mac)
        for number, row in enumerate(self._fields):
            row.show_error(self._cannot(chord, refusal_sentence(why)) if why is not None and number == at else "")
        # A rejected key stays visible with the reason, and the binding stays.
        if why is not None:
            announce(self, self.problem, is_urgent=True)
            self.expanded.emit()
        elif self._keymap.holders(chord, command):
            self._set_conflict((at, chord))
        else:
            self._choose_bindings(at, chord)

    def _cannot(self, chord: str, why: str) -> str:
        return self.tr("{key} cannot be used. {why}").format(key=key_name(chord), why=why)

    def _on_cleared(self, at: int) -> None:
        self._choose_bindings(at, "")

    def _choose_bindings(self, at: int, chord: str) -> None:
        chords = [*self._keymap.chords(self._id)]
        if at < len(chords):
            chords[at] = chord
        else:
            chords.append(chord)
        bindings = list(dict.fromkeys(filter(None, chords)))
        if tuple(bindings) == self._keymap.chords(self._id):
            self._refresh()
        else:
            self.bindings_chosen.emit(self._id, bindings)

    def _set_conflict(self, asked: tuple[int, str] | None) -> None:
        """Ask whether the other command shall lose its key; None withdraws the question."""
        had_focus = self._take.hasFocus()
        at = self._conflict[0] if self._conflict is not None else 0
        self._conflict = asked
        if asked is not None:
            chord = asked[1]
            self._recorders[asked[0]].show_chord(chord)
            holders = self._keymap.holders(chord, self._keymap.command(self._id))
            text = self.tr("{key} already does this: {command} ({where}).")
            names = ", ".join(holder.label for holder in holders)
            where = scope_title(holders[0].scopes[0])
            self._question.setText(text.format(key=key_name(chord), command=names, where=where))
            announce(self, self._question.text(), is_urgent=True)
            self.expanded.emit()
        show_when(self._question, asked is not None)
        show_when(self._take, asked is not None)
        if had_focus and asked is None:
            self._recorders[at].setFocus(Qt.FocusReason.OtherFocusReason)

    def _resolve_conflict(self) -> None:
        if self._conflict is not None:
            self._choose_bindings(*self._conflict)

    def _cancel(self) -> None:
        """Restore the current binding; leave the editor if nothing was begun."""
        was_begun = self._conflict is not None or bool(self.problem)
        self._refresh()
        if not was_begun:
            self.closed.emit()

    def _on_reset(self) -> None:
        self.reset.emit(self._id)


_TAB = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_CLEARING = "Backspace"
_SHIFTED = (Mod.ControlModifier | Mod.ShiftModifier,)


class KeyRecorder(Adaptive, QLineEdit):
    """Shows a key. Tab moves on, Esc cancels, Backspace clears; any other key is `recorded`."""

    recorded = Signal(str, str)
    """The normal name of the key, and the one that it has as a key of the digit row, empty for others."""
    cleared = Signal()
    cancelled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chord = ""
        self.setReadOnly(True)
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.adapt_to(theme)

    def show_chord(self, chord: str) -> None:
        """Show a key by its normal name; empty for none."""
        self._chord = chord
        self.retranslate()

    @property
    def chord(self) -> str:
        return self._chord

    def retranslate(self) -> None:
        self.setText(key_name(self._chord))
        self.setPlaceholderText(self.tr("Press keys…") if self.hasFocus() else self.tr("None"))

    def event(self, event: QEvent) -> bool:
        """Keep keys from shortcuts, and from moving the focus except by Tab."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() not in _TAB:
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.accept()
        chord = chord_of(event)
        if not chord or event.isAutoRepeat():
            return
        if chord == "Esc":
            self.cancelled.emit()
        elif chord == _CLEARING:
            self.cleared.emit()
        else:
            self.recorded.emit(*_names(event, chord))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.retranslate()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.retranslate()


def _names(event: QKeyEvent, chord: str) -> tuple[str, str]:
    platform = QGuiApplication.platformName()
    shifted = digit_of(event, platform, _SHIFTED)
    if shifted is not None:
        return f"Ctrl+Shift+{shifted}", ""
    number = digit_of(event, platform)
    if number is None:
        return chord, ""
    modifier = "Ctrl" if event.modifiers() & Mod.ControlModifier else "Alt"
    return chord, f"{modifier}+{number}"
