"""Names with values, some of them secret: variables of an environment, headers of a request."""

from collections.abc import Collection, Mapping
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from core.domain.text.masking import is_secret_name
from desktop.settings.parts.layout import chain_tab_stops, previous_tab_stop
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button, IconButton

NAME_CHARACTERS = 1000
VALUE_CHARACTERS = 20_000
ROWS = 200


class NameValueRow(Adaptive, QWidget):
    """One of them. `kept`: what stands for a value that is a secret, and is never shown; empty: it stays."""

    removed = Signal()

    def __init__(self, theme: Theme, name: str, value: str, *, is_kept: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._original = value
        self._kind = ""
        self._is_dropped = False
        self._kept_name = name if is_kept else None
        self.name, self.value = QLineEdit(name), QLineEdit("" if is_kept else value)
        self.name.setMaxLength(NAME_CHARACTERS)
        self.value.setMaxLength(VALUE_CHARACTERS)
        self.secret = QCheckBox()
        self.remove = IconButton(theme, Icon.X)
        self._is_told = is_kept
        self.secret.setChecked(is_kept)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        for column, (widget, share) in enumerate(((self.name, 2), (self.value, 3), (self.secret, 0), (self.remove, 0))):
            self._grid.addWidget(widget, 0, column)
            self._grid.setColumnStretch(column, share)
        self.name.textEdited.connect(self._guess)
        self.name.textEdited.connect(self.retranslate)
        self.secret.clicked.connect(self._on_told)
        self.secret.toggled.connect(self._hide_value)
        self.remove.clicked.connect(self.removed)
        self._hide_value(is_kept)
        self.adapt_to(theme)

    @property
    def given(self) -> str:
        """The value; of a secret that was kept and nothing was typed for, what stands for it."""
        if self._kept_name is not None and not self.value.text() and self._kept_name == self.name.text().strip():
            return self._original
        return self.value.text() if self.value.isModified() or self._kept_name is not None else self._original

    @property
    def is_new_secret(self) -> bool:
        return self.secret.isChecked() and bool(self.value.text())

    def say_kind(self, kind: str) -> None:
        """What has this name, for a screen reader."""
        self._kind = kind
        self.name.setAccessibleName(kind)

    def drop_secret(self) -> None:
        if self.is_new_secret:
            self.value.setText("")  # unlike clear(), it leaves nothing to be undone
            self.value.setModified(True)
            self._is_dropped = True
            self.retranslate()

    def retranslate(self) -> None:
        name = self.name.text().strip()
        self.name.setAccessibleName(self._kind)
        self.name.setPlaceholderText(self.tr("Name"))
        self.value.setAccessibleName(self.tr("Value of {name}").format(name=name) if name else self.tr("Value"))
        is_kept = self._kept_name is not None and self._kept_name == name
        words = self.tr("kept, not shown") if is_kept else self.tr("Value")
        self.value.setPlaceholderText(self.tr("forgotten: type it again") if self._is_dropped else words)
        self.secret.setText(self.tr("Secret"))
        self.secret.setAccessibleName(self.tr("{name} is a secret").format(name=name) if name else self.tr("Secret"))
        self.remove.describe(self.tr("Remove {name}").format(name=name) if name else self.tr("Remove"))

    def apply_theme(self) -> None:
        self._grid.setHorizontalSpacing(self._theme.sizes.space_s)

    def _guess(self, name: str) -> None:
        """Until a person says whether it is one, a name that sounds like a secret is one."""
        if not self._is_told:
            self.secret.setChecked(is_secret_name(name.strip()))

    def _on_told(self) -> None:
        self._is_told = True

    def _hide_value(self, is_secret: bool) -> None:
        self.value.setEchoMode(QLineEdit.EchoMode.Password if is_secret else QLineEdit.EchoMode.Normal)
        policy = Qt.ContextMenuPolicy
        self.value.setContextMenuPolicy(policy.NoContextMenu if is_secret else policy.DefaultContextMenu)


class NameValueEditor(Adaptive, QWidget):
    """In their order, and a button for one more."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[NameValueRow] = []
        self._kind = ""
        self._add = Button(theme, kind="link", icon=Icon.PLUS, is_small=True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)
        self._add.clicked.connect(self._on_add)
        self.setFocusProxy(self._add)
        self.adapt_to(theme)

    def say(self, kind: str, add: str) -> None:
        """What it is that has these names, and what the button says."""
        self._kind = kind
        self._add.setText(add)
        for row in self.rows:
            row.say_kind(kind)

    def show_values(self, values: Mapping[str, str], kept: Collection[str]) -> None:
        """These in the place of the former ones; the values of `kept` are secrets that are not shown."""
        for row in tuple(self.rows):
            self._take_away(row)
        for name, value in values.items():
            self._insert(NameValueRow(self._theme, name, value, is_kept=name in kept, parent=self))

    def values(self) -> dict[str, str]:
        """Those that have a name or a value, by name."""
        return {row.name.text().strip(): row.given for row in self.rows if row.name.text().strip() or row.given}

    def doubled(self) -> str | None:
        """A name that stands there twice."""
        names = [row.name.text().strip() for row in self.rows if row.name.text().strip()]
        return next((name for name in names if names.count(name) > 1), None)

    def new_secrets(self) -> set[str]:
        """The names of those whose values were typed as secrets."""
        return {row.name.text().strip() for row in self.rows if row.is_new_secret}

    def drop_secrets(self) -> None:
        for row in self.rows:
            row.drop_secret()

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _on_add(self) -> None:
        row = NameValueRow(self._theme, "", "", is_kept=False, parent=self)
        self._insert(row)
        row.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _insert(self, row: NameValueRow) -> None:
        before = previous_tab_stop(self._add)
        self._column.insertWidget(len(self.rows), row)
        row.show()  # now, not when the layout comes to it: focus may go there
        self.rows.append(row)
        row.say_kind(self._kind)
        row.removed.connect(partial(self._on_remove, row))
        chain_tab_stops([before, row.name, row.value, row.secret, row.remove, self._add])
        self._add.setEnabled(len(self.rows) < ROWS)

    def _on_remove(self, row: NameValueRow) -> None:
        at = self.rows.index(row)
        self._take_away(row)
        left: QWidget = self.rows[min(at, len(self.rows) - 1)].remove if self.rows else self._add
        left.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take_away(self, row: NameValueRow) -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._add.setEnabled(True)
