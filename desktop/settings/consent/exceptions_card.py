"""The exceptions of consent: a row that adds an exception, and the list of exceptions."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from core.domain.consent import Rule
from core.services.consent import Binding
from core.services.outcome import Failed
from desktop.settings.consent.consent_strings import exception_label, rule_label
from desktop.settings.parts.setting_strings import consent_failure_text
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon, Theme
from desktop.widgets import (
    Adaptive,
    Button,
    Card,
    ComboBox,
    ElidedLabel,
    IconButton,
    Label,
    Paragraph,
    limit_width,
    row_of,
    show_when,
)


class ExceptionRow(Adaptive, QWidget):
    """An exception with a button that removes it."""

    def __init__(self, theme: Theme, name: str, rule: Rule, binding: Binding | None) -> None:
        super().__init__()
        self._theme = theme
        self.name = name
        self.rule = rule
        self._binding = binding
        self._label = ElidedLabel("", "code")
        self._rule = Label("", "secondary", "muted")
        self.remove = IconButton(theme, Icon.X)
        self._row = row_of(self)
        self._row.addWidget(self._label, 1)
        self._row.addWidget(self._rule)
        self._row.addWidget(self.remove)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        shown = exception_label(self.name)
        self._label.setText(shown)
        self._rule.setText(rule_label(self.rule, self._binding))
        self.remove.describe(self.tr("Remove the exception for {name}").format(name=shown))

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_m)


class ExceptionsCard(Adaptive, Card):
    """Lists the exceptions by name."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._theme = theme = context.theme
        self._consent = context.consent
        self.rows: list[ExceptionRow] = []
        self._name = Paragraph("", "strong")
        self._help = Paragraph("", "label", "muted")
        self._error = Paragraph("", "secondary", "error")
        self._list = QVBoxLayout()
        self._names = ComboBox()
        self._names.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._names.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        limit_width(self._names)
        self._choosing = QHBoxLayout()
        self._allow = Button(theme, "", is_small=True)
        self._ask = Button(theme, "", is_small=True)
        self._column = QVBoxLayout(self)
        self._adding = QVBoxLayout()
        self._lay_out()
        self._allow.clicked.connect(partial(self._add, Rule.ALLOW))
        self._ask.clicked.connect(partial(self._add, Rule.ASK))
        self._consent.changed.connect(self.refresh)
        self._consent.refused.connect(self._on_refused)
        self.adapt_to(theme)
        self.refresh()

    def refresh(self) -> None:
        """Rebuild the rows and keep focus at the same position."""
        self._error.setText("")
        show_when(self._error, False)
        focused = next((at for at, row in enumerate(self.rows) if row.remove.hasFocus()), None)
        for row in self.rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = [
            ExceptionRow(self._theme, name, rule, self._consent.binding(name))
            for name, rule in sorted(self._consent.exceptions.items())
        ]
        previous: QWidget = self._ask
        for row in self.rows:
            row.remove.clicked.connect(partial(self._consent.set_exceptions, [row.name], None))
            self._list.addWidget(row)
            # New rows would come last in the tab order.
            self.setTabOrder(previous, row.remove)
            previous = row.remove
        self._update_names()
        if focused is not None:
            neighbour = self.rows[min(focused, len(self.rows) - 1)].remove if self.rows else self._names
            neighbour.setFocus(Qt.FocusReason.OtherFocusReason)

    def search_text(self) -> str:
        """Return the text that the settings search matches."""
        return " ".join([self._name.text(), self._help.text(), *(row.name for row in self.rows)])

    def retranslate(self) -> None:
        self._name.setText(self.tr("Exceptions"))
        self._help.setText(
            self.tr(
                "An exception wins over its category. What you approve always is put here; remove it to be asked again."
            )
        )
        self._names.setAccessibleName(self.tr("Tool or server"))
        self._allow.setText(self.tr("Allow"))
        self._ask.setText(self.tr("Ask"))
        self._update_names()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._list.setSpacing(sizes.space_xs)
        self._adding.setSpacing(sizes.space_s)
        self._choosing.setSpacing(sizes.space_s)

    def _lay_out(self) -> None:
        self._column.addWidget(self._name)
        self._column.addWidget(self._help)
        self._column.addLayout(self._adding)
        self._column.addWidget(self._error)
        self._column.addLayout(self._list)
        self._choosing.addWidget(self._allow)
        self._choosing.addWidget(self._ask)
        self._choosing.addStretch(1)
        self._adding.addWidget(self._names)
        self._adding.addLayout(self._choosing)

    def _update_names(self) -> None:
        """List the names that have no exception yet."""
        chosen = self._names.currentData()
        self._names.clear()
        for name in self._consent.exception_names:
            if name not in self._consent.exceptions:
                self._names.addItem(exception_label(name), name)
        self._names.setCurrentIndex(max(0, self._names.findData(chosen)))
        for control in (self._names, self._allow, self._ask):
            control.setEnabled(self._names.count() > 0)

    def _add(self, rule: Rule) -> None:
        name = self._names.currentData()
        if isinstance(name, str):
            self._consent.set_exceptions([name], rule)

    def _on_refused(self, failed: Failed) -> None:
        self._error.setText(consent_failure_text(failed))
        show_when(self._error, True)
