"""The line under the composer: context use, tokens in and out, cost and speed (UI §5).

Where space is short, the least needed items are hidden, and none is truncated.
"""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QSizePolicy, QWidget

from core.stores.usage import WorkflowUsage
from desktop.chat.composer.token_strings import (
    NEARLY_FULL_SHARE,
    WARNING_SHARE,
    TokenText,
    context_text,
    context_tone,
    cost_label,
    speed_text,
    total_text,
    turn_text,
)
from desktop.theme import Theme
from desktop.tokens import ColorName
from desktop.widgets import Adaptive, Button, Label, plain_tool_tip


class ContextGauge(Adaptive, QWidget):
    """A bar that shows how full the context is. The text beside it has the same information, so it has no accessible
    name.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._share = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.adapt_to(theme)

    @property
    def share(self) -> float:
        return self._share

    def set_share(self, share: float) -> None:
        """Set the share from 0 to 1; more is shown as full."""
        if share != self._share:
            self._share = share
            self.update()

    @property
    def color(self) -> ColorName:
        if self._share >= NEARLY_FULL_SHARE:
            return "sign_error"
        return "sign_warn" if self._share >= WARNING_SHARE else "accent"

    def apply_theme(self) -> None:
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        sizes = self._theme.sizes
        return QSize(2 * sizes.space_xl, sizes.space_xs + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, box = QPainter(self), QRectF(self.rect())
        radius = box.height() / 2
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("border_strong"))
        painter.drawRoundedRect(box, radius, radius)
        if self._share > 0:
            box.setWidth(max(box.height(), box.width() * min(1.0, self._share)))
            painter.setBrush(self._theme.color(self.color))
            painter.drawRoundedRect(box, radius, radius)


class TokenBar(Adaptive, QWidget):
    """Shows the usage of the viewed workflow; keeps its height where there is nothing to show."""

    summary_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("token_bar")
        self._theme = theme
        self._usage = WorkflowUsage()
        self._limit: int | None = None
        self._is_assumed = False
        self._gauge = ContextGauge(theme, self)
        self._context, self._turn, self._total, self._cost, self._speed = (
            Label("", "meta", "muted", self) for _ in range(5)
        )
        self._summary = Button(theme, "", "ghost", is_small=True, parent=self)
        self._summary.clicked.connect(self.summary_requested)
        self._row = QHBoxLayout(self)
        self._build()
        self.adapt_to(theme)

    def show_usage(self, usage: WorkflowUsage, limit_tokens: int | None, *, is_assumed: bool = False) -> None:
        """Show the usage. `limit_tokens` is the context that the next model has for the conversation, None if
        unlimited; `is_assumed`: the window of that model is not known.
        """
        if (usage, limit_tokens, is_assumed) != (self._usage, self._limit, self._is_assumed):
            self._usage, self._limit, self._is_assumed = usage, limit_tokens, is_assumed
            self.retranslate()

    @property
    def share(self) -> float | None:
        """How full the context is, from 0 to 1 and more; None if unknown."""
        if self._usage.context_tokens is None or not self._limit:
            return None
        return self._usage.context_tokens / self._limit

    def retranslate(self) -> None:
        usage, share = self._usage, self.share
        context = TokenText()
        if share is not None and usage.context_tokens is not None and self._limit:
            context = context_text(
                usage.context_tokens,
                self._limit,
                is_cut=usage.is_cut,
                is_assumed=self._is_assumed,
                fixed_tokens=usage.fixed_tokens,
            )
        self._gauge.set_share(share or 0.0)
        self._context.set_tone(context_tone(share or 0.0))
        texts = {
            self._context: context,
            self._turn: turn_text(usage.turn),
            self._total: total_text(usage.total),
            self._cost: cost_label(usage.total),
            self._speed: speed_text(usage.tokens_a_second),
        }
        for label, text in texts.items():
            label.setText(text.short)
            label.setToolTip(plain_tool_tip(text.full))
            label.setAccessibleName(text.full)
        self._summary.setText(self.tr("Continue from a summary"))
        self.setAccessibleName(" ".join(text.full for text in texts.values() if text.full))
        self._fit()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_l, 0, sizes.space_s, 0)
        self._row.setSpacing(sizes.space_m)
        self.setMaximumWidth(sizes.composer)
        self.setFixedHeight(sizes.control_small)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.sizes.composer, self._theme.sizes.control_small)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._theme.sizes.control_small)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _build(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        for widget in (self._gauge, self._context, self._summary):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        for label in (self._turn, self._total, self._cost, self._speed):
            self._row.addWidget(label)

    def _fit(self) -> None:
        """Show the items in order of importance, as far as they fit."""
        share = self.share
        items: list[tuple[QWidget, bool]] = [
            (self._gauge, share is not None),
            (self._context, share is not None),
            (self._summary, share is not None and share >= NEARLY_FULL_SHARE),
            (self._cost, bool(self._cost.text())),
            (self._total, bool(self._total.text())),
            (self._turn, bool(self._turn.text())),
            (self._speed, bool(self._speed.text())),
        ]
        margins = self._row.contentsMargins()
        available = self.width() - margins.left() - margins.right() + self._row.spacing()
        has_room = True
        for widget, is_wanted in items:
            width = widget.sizeHint().width() + self._row.spacing()
            has_room = has_room and (not is_wanted or width <= available)
            is_shown = is_wanted and has_room
            available -= width if is_shown else 0
            widget.setVisible(is_shown)
