"""What is offered where the offline agent has answered that it did not understand (UI §10)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.domain.agent import OFFLINE_REFUSAL
from core.domain.messages import Role
from core.stores.watched_runs import Batch
from desktop.shortcuts.chords import click_by_enter
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, IconLabel, Paragraph, Surface
from desktop.window.base.context import Controller, WindowContext


class ModelOffer(Adaptive, Surface):
    """Offers to connect a language model. Hidden until it is wanted."""

    connect_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("info", parent=parent)
        self.setObjectName("model_offer")
        self._theme = theme
        self._icon = IconLabel(theme, Icon.INFO, "accent")
        self._text = Paragraph("", "secondary")
        self.button = Button(theme, "", "primary", is_small=True)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.button.clicked.connect(self.connect_requested)
        self.hide()
        self.adapt_to(theme)

    def retranslate(self) -> None:
        self._text.setText(
            self.tr("The offline agent follows a few commands only. With a model, agents answer what you write.")
        )
        self.button.setText(self.tr("Connect a model"))
        self.button.setAccessibleDescription(self._text.text())

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self.setMaximumWidth(sizes.composer)
        self._row.setContentsMargins(sizes.space_m, sizes.space_s, sizes.space_m, sizes.space_s)
        self._row.setSpacing(sizes.space_s)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not click_by_enter(event):
            super().keyPressEvent(event)


class ModelOfferBinder(Controller):
    """Shows the offer while the last answer of the viewed workflow is that of an agent that did not understand.

    Rendered while `pane` is visible.
    """

    def __init__(self, context: WindowContext, offer: ModelOffer, pane: QWidget) -> None:
        super().__init__(context, pane)
        self._offer = offer
        view = self._view = context.stores.view
        self._bind = context.frames.bind(pane, view.changed, self.show_now)
        view.batch.connect(self._on_batch)

    def close(self) -> None:
        self._bind.close()
        self._view.batch.disconnect(self._on_batch, missing_ok=True)

    def _on_batch(self, _batch: Batch) -> None:
        self.show_now()

    def show_now(self) -> None:
        view = self._view
        last = view.messages[-1] if view.messages else None
        is_at_work = view.execution is not None and view.execution.is_active
        is_answer = last is not None and last.role is Role.ASSISTANT and last.text.startswith(OFFLINE_REFUSAL)
        self._offer.setVisible(is_answer and not is_at_work)
