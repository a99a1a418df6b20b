"""The status line: active workflows, pending requests, saving and speed (UI §1).

It renders at once and then at most four times a second. The parts at the right have fixed widths.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy

from core.bus import SaveState
from core.domain.run import RunStatus
from core.stores.execution import Execution
from desktop.theme import Icon
from desktop.tokens import ColorName
from desktop.translation import failure_text, number
from desktop.widgets import (
    Adaptive,
    Button,
    ElidedLabel,
    IconLabel,
    Label,
    Surface,
    announce,
    plain_tool_tip,
    set_role,
    with_keys,
)
from desktop.window.base.context import WindowContext

RENDER_INTERVAL_MS = 250
MOST_NAMES = 5
_AT_WORK = (RunStatus.RUNNING, RunStatus.PAUSED)
_SAVING_ICONS: dict[SaveState, tuple[Icon, ColorName]] = {
    SaveState.SAVED: (Icon.CHECK, "muted"),
    SaveState.WRITING: (Icon.PENCIL, "muted"),
    SaveState.FAILED: (Icon.TRIANGLE_ALERT, "sign_error"),
}


class StatusLine(Adaptive, Surface):
    """Shows the state of all workflows. `inbox_requested`: the pending requests were clicked."""

    inbox_requested = Signal()

    def __init__(self, context: WindowContext) -> None:
        super().__init__("app", "top", context.owner)
        set_role(StatusLine, QAccessible.Role.StatusBar)
        self._theme = theme = context.theme
        self._stores = stores = context.stores
        self._inbox_keys = QKeySequence()
        self._announced = SaveState.SAVED
        self._running = ElidedLabel("", "meta", "muted", parent=self)
        self._waiting = Button(theme, "", "link", Icon.MESSAGE_CIRCLE_QUESTION_MARK, is_small=True, parent=self)
        self._saving_icon = IconLabel(theme, Icon.CHECK, "muted", "icon_s")
        self._saving = Label("", "meta", "muted", self)
        self._speed = Label("", "meta", "muted", self)
        self._speed.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._running, 1)
        for part in (self._waiting, self._speed, self._saving_icon, self._saving):
            self._row.addWidget(part)
        self._running.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._timer = QTimer(self, singleShot=True, interval=RENDER_INTERVAL_MS)
        self._timer.timeout.connect(self._on_time)
        self._is_late = False
        self._waiting.clicked.connect(self.inbox_requested)
        self.adapt_to(theme)
        signals = (stores.background.changed, stores.questions.changed, stores.usage.changed, stores.saving.changed)
        context.frames.bind(self, signals, self._render_soon)

    def set_inbox_keys(self, keys: QKeySequence) -> None:
        """Show these keys in the tooltip."""
        self._inbox_keys = keys
        self.retranslate()

    def retranslate(self) -> None:
        self._fix_widths()
        self._render()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_m, 0, sizes.space_m, 0)
        self._row.setSpacing(sizes.space_s)
        self.setFixedHeight(sizes.control_small)
        self._fix_widths()

    def _fix_widths(self) -> None:
        """Reserve the width of the longest text of each part, so that its neighbours never move."""
        metrics = self._saving.fontMetrics()
        self._saving.setFixedWidth(max(metrics.horizontalAdvance(self._saving_text(state)) for state in SaveState) + 2)
        self._speed.setContentsMargins(0, 0, self._theme.sizes.space_s, 0)
        self._speed.setFixedWidth(metrics.horizontalAdvance(self._speed_text(9999)) + 2 + self._theme.sizes.space_s)

    def _render_soon(self) -> None:
        self._is_late = self._timer.isActive()
        if not self._is_late:
            self._timer.start()
            self._render()

    def _on_time(self) -> None:
        if self._is_late:
            self._is_late = False
            self._timer.start()
            self._render()

    def _render(self) -> None:
        running = self._running_text(self._stores.background.running_workflows)
        asking = len(self._stores.questions.workflows)
        waiting = self.tr("%n need(s) you", "", asking) if asking else ""
        saving, failure = self._stores.saving.saving, self._failure_text()
        speed = self._speed_text(self._tokens_a_second())
        self._running.setText(running)
        self._waiting.setText(waiting)
        self._waiting.setVisible(bool(asking))
        self._waiting.setToolTip(plain_tool_tip(with_keys(self.tr("Open the inbox"), self._inbox_keys)))
        self._saving_icon.set_icon(*_SAVING_ICONS[saving])
        self._saving.setText(self._saving_text(saving))
        self._saving.set_tone("error" if saving is SaveState.FAILED else "muted")
        for part in (self._saving_icon, self._saving):
            part.setToolTip(plain_tool_tip(failure))
        self._saving.setAccessibleDescription(failure)
        self._speed.setText(speed)
        self.setAccessibleName(". ".join(part for part in (running, waiting, self._saving_text(saving), speed) if part))
        # writing and saved alternate all the time: only failures and their end are announced
        if saving is not self._announced and SaveState.FAILED in (saving, self._announced):
            announce(self, failure or self._saving_text(saving), is_urgent=saving is SaveState.FAILED)
        self._announced = saving

    def _running_text(self, executions: Sequence[Execution]) -> str:
        at_work = [execution for execution in executions if execution.status in _AT_WORK]
        queued = sum(execution.status is RunStatus.ENQUEUED for execution in executions)
        parts = []
        if at_work:
            names = ", ".join(" ".join(execution.workflow_name.split()) for execution in at_work[:MOST_NAMES])
            parts.append(self.tr("%n at work: {names}", "", len(at_work)).format(names=names))
        if queued:
            parts.append(self.tr("%n queued", "", queued))
        return " · ".join(parts) or self.tr("Nothing at work")

    def _tokens_a_second(self) -> float:
        """Return the sum over all active workflows."""
        running = self._stores.background.running_workflows
        usages = (self._stores.usage.get(run.workflow_id) for run in running if run.status in _AT_WORK)
        return sum(usage.tokens_a_second or 0.0 for usage in usages)

    def _speed_text(self, tokens_a_second: float) -> str:
        if tokens_a_second <= 0:
            return ""
        return self.tr("{speed} tokens/s").format(speed=number(max(1, round(tokens_a_second))))

    def _saving_text(self, saving: SaveState) -> str:
        match saving:
            case SaveState.SAVED:
                return self.tr("Saved")
            case SaveState.WRITING:
                return self.tr("Writing…")
            case SaveState.FAILED:
                return self.tr("Not saved")

    def _failure_text(self) -> str:
        saving = self._stores.saving
        if saving.saving is not SaveState.FAILED:
            return ""
        reason = failure_text(saving.code or "storage_failed", "")
        return self.tr("{why} What runs is paused, and goes on by itself.").format(why=reason)
