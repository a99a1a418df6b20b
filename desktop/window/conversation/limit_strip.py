"""The strip above the composer, and below a start form, that says why a start has to wait (UI §7)."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.settings.parts.banners import ConfirmationBanner
from desktop.shortcuts.chords import click_by_enter
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, IconButton, IconLabel, Paragraph, Surface, announce, has_focus_within


@dataclass(frozen=True, slots=True)
class ReachedLimit:
    """Why a start has to wait. `warning` is what automatic mode changes, empty where it would not help."""

    reason: str
    warning: str = ""


class LimitStrip(Adaptive, QWidget):
    """Hidden while no start has been refused. *Switch to automatic* asks for confirmation first."""

    queue_requested = Signal()
    auto_requested = Signal()
    show_requested = Signal()
    """The workflow that is at work is to be viewed."""
    dismissed = Signal()
    left = Signal()
    """The focus was in the strip, which is hidden now."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("limit")
        self._theme = theme
        self._limit: ReachedLimit | None = None
        self._note = Surface("warning", parent=self)
        self._reason = Paragraph("", "secondary")
        self._icon = IconLabel(theme, Icon.TRIANGLE_ALERT, "sign_warn")
        self.queue, self.auto, self.show_other = (Button(theme, is_small=True) for _ in range(3))
        self.close_button = IconButton(theme, Icon.X)
        self.confirmation = ConfirmationBanner(theme, self)
        self._text_row, self._button_row = QHBoxLayout(), QHBoxLayout()
        self._inner, self._column = QVBoxLayout(self._note), QVBoxLayout(self)
        self._build()
        self.hide()
        self.adapt_to(theme)

    @property
    def limit(self) -> ReachedLimit | None:
        return self._limit

    def show_limit(self, limit: ReachedLimit | None) -> None:
        """Show why the start has to wait; None hides the strip."""
        if limit == self._limit:
            return
        had_focus = has_focus_within(self)
        is_new = self._limit is None
        self._limit = limit
        if limit is None or not limit.warning:
            self._ask_nothing()
        if limit is not None:
            self._reason.setText(limit.reason)
            self.auto.setVisible(bool(limit.warning))
            for button in (self.queue, self.auto, self.show_other):
                button.setAccessibleDescription(limit.reason)
        if is_new and limit is not None:
            announce(self, limit.reason, is_urgent=True)
        if had_focus and limit is None:
            self.left.emit()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("The limit is reached"))
        self.queue.setText(self.tr("Queue it"))
        self.auto.setText(self.tr("Switch to automatic"))
        self.close_button.describe(self.tr("Dismiss"))
        self.show_other.setText(self.tr("Show what is running"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self.setMaximumWidth(sizes.composer)
        self._inner.setContentsMargins(sizes.space_m, sizes.space_s, sizes.space_m, sizes.space_s)
        self._inner.setSpacing(sizes.space_s)
        self._text_row.setSpacing(sizes.space_s)
        self._button_row.setSpacing(sizes.space_s)
        self._column.setSpacing(sizes.space_s)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not click_by_enter(event):
            super().keyPressEvent(event)

    def _build(self) -> None:
        self._text_row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._text_row.addWidget(self._reason, 1)
        self._text_row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self._button_row.addStretch(1)
        for button in (self.show_other, self.auto, self.queue):
            self._button_row.addWidget(button)
        self._inner.addLayout(self._text_row)
        self._inner.addLayout(self._button_row)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._note)
        self._column.addWidget(self.confirmation)
        self.queue.clicked.connect(self.queue_requested)
        self.show_other.clicked.connect(self.show_requested)
        self.auto.clicked.connect(self._ask)
        self.close_button.clicked.connect(self.dismissed)

    def _ask(self) -> None:
        """Ask whether operations may run without approval from now on."""
        warning = self._limit.warning if self._limit is not None else ""
        self._note.hide()
        # the confirmed switch ends in a start: nothing else is shown until its outcome is known
        self.confirmation.ask(
            warning, self.tr("Cancel"), self.tr("Switch and start"), self._confirm, self._ask_nothing, self.auto
        )

    def _confirm(self) -> None:
        self._note.show()
        self.auto_requested.emit()

    def _ask_nothing(self) -> None:
        self._note.show()
        self.confirmation.dismiss()
