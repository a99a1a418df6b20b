"""The banner over a conversation that is being recorded, with the number of steps and a button to stop (UI §9)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, ElidedLabel, IconLabel, Surface


class RecordingBanner(Adaptive, Surface):
    """Hidden while nothing is recorded."""

    review_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("app", "bottom", parent)
        self._theme = theme
        self._steps = 0
        self.setObjectName("recording_banner")
        self._icon = IconLabel(theme, Icon.CIRCLE_DOT, "sign_error")
        self._text = ElidedLabel()
        self._review = Button(theme, is_small=True)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._review)
        self._review.clicked.connect(self.review_requested)
        self.hide()
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._text.text()

    def show_steps(self, steps: int | None) -> None:
        """Show the number of recorded steps; None hides the banner."""
        self._steps = steps or 0
        self.retranslate()
        self.setVisible(steps is not None)

    def retranslate(self) -> None:
        if self._steps:
            text = self.tr("Recording: %n steps so far.", "", self._steps)
        else:
            text = self.tr("Recording: each tool call becomes a step of a template.")
        self._text.setText(text)
        self.setAccessibleName(text)
        self._review.setText(self.tr("Stop and review"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_xl - sizes.space_xs, sizes.space_xs, sizes.space_m, sizes.space_xs)
        self._row.setSpacing(sizes.space_s)
