"""What the window shows while the store cannot be written: a banner and a toast, each with *Try now* (ENGINE §1)."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout

from core.bus import SaveState
from core.domain.toast import ToastId, ToastType
from desktop.theme import Icon
from desktop.translation import failure_text
from desktop.widgets import Adaptive, Button, IconLabel, Paragraph, Surface
from desktop.window.actions.toast_actions import ToastActions
from desktop.window.base.context import WindowContext


class StorageBanner(Adaptive, Surface):
    """Hidden while everything can be written."""

    def __init__(self, context: WindowContext, toast_actions: ToastActions) -> None:
        super().__init__("app", "bottom", context.owner)
        self._theme = theme = context.theme
        self._stores = context.stores
        self._runs = context.core.runs
        self._toast_actions = toast_actions
        self._toast_id: ToastId | None = None
        self.setObjectName("storage_banner")
        self._icon = IconLabel(theme, Icon.TRIANGLE_ALERT, "sign_error")
        self._text = Paragraph()
        self.button = Button(theme, "", "secondary", is_small=True, parent=self)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self.button)
        self.button.clicked.connect(self._runs.retry_writing)
        self.hide()
        self.adapt_to(theme)
        context.frames.bind(context.owner, self._stores.saving.changed, self._render)

    @property
    def text(self) -> str:
        return self._text.text()

    def retranslate(self) -> None:
        self.button.setText(self.tr("Try now"))
        self._render()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_xl - sizes.space_xs, sizes.space_xs, sizes.space_m, sizes.space_xs)
        self._row.setSpacing(sizes.space_s)

    def _render(self) -> None:
        saving = self._stores.saving
        is_failed = saving.saving is SaveState.FAILED
        if is_failed:
            reason = failure_text(saving.code or "storage_failed", "")
            self._text.setText(self.tr("{why} What runs is paused, and goes on by itself.").format(why=reason))
            self.setAccessibleName(self.text)
            self.button.setAccessibleDescription(self.text)
        self.setVisible(is_failed)
        if is_failed and self._toast_id is None:
            code = saving.code or "storage_failed"
            self._toast_id = self._stores.toasts.add(ToastType.ERROR, "storage_paused", parameters=[("error", code)])
            self._toast_actions.offer(self._toast_id, self._try_now)
        elif not is_failed and self._toast_id is not None:
            self._stores.toasts.withdraw(self._toast_id)
            self._toast_id = None

    async def _try_now(self) -> None:
        self._runs.retry_writing()
