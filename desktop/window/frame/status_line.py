"""The status line: active workflows, pending requests, saving and speed (UI §1).

It renders at once and then at most four times a second. The parts at the right have fixed widths.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from core.app import Stores
from core.bus import SaveState
from core.domain.run import RunStatus
from core.stores.execution import Execution
from desktop.bind import Frames
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.translation.failure_strings import failure_words
from desktop.translation.formats import number
from desktop.widgets.accessibility import announce, set_role
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button, with_keys
from desktop.widgets.labels import ElidedLabel, IconLabel, Label, plain_tool_tip
from desktop.widgets.surfaces import Surface

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

    def __init__(self, theme: Theme, stores: Stores, frames: Frames, parent: QWidget) -> None:
        super().__init__("app", "top", parent)
        set_role(StatusLine, QAccessible.Role.StatusBar)
        self._theme = theme
        self._stores = stores
        self._inbox_keys = QKeySequence()
        self._told = SaveState.SAVED
        self._running = ElidedLabel("", "meta", "muted", parent=self)
        self._waiting = Button(theme, "", "link", Icon.MESSAGE_CIRCLE_QUESTION_MARK, is_small=True, parent=self)
        self._sign = IconLabel(theme, Icon.CHECK, "muted", "icon_s")
        self._saving = Label("", "meta", "muted", self)
        self._speed = Label("", "meta", "muted", self)
        self._speed.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._running, 1)
        for part in (self._waiting, self._speed, self._sign, self._saving):
            self._row.addWidget(part)
        self._running.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(RENDER_INTERVAL_MS)
        self._timer.timeout.connect(self._on_time)
        self._is_late = False
        self._waiting.clicked.connect(self.inbox_requested)
        self.adapt_to(theme)
        told = (stores.background.changed, stores.questions.changed, stores.usage.changed, stores.saving.changed)
        frames.bind(self, told, self._render_soon)

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
        self._saving.setFixedWidth(max(metrics.horizontalAdvance(self._saving_words(each)) for each in SaveState) + 2)
        self._speed.setContentsMargins(0, 0, self._theme.sizes.space_s, 0)
        self._speed.setFixedWidth(metrics.horizontalAdvance(self._speed_words(9999)) + 2 + self._theme.sizes.space_s)

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
        running = self._running_words(self._stores.background.running_workflows)
        asking = len(self._stores.questions.workflows)
        waiting = self.tr("%n need(s) you", "", asking) if asking else ""
        saving, why = self._stores.saving.saving, self._why()
        speed = self._speed_words(self._tokens_a_second())
        self._running.setText(running)
        self._waiting.setText(waiting)
        self._waiting.setVisible(bool(asking))
        self._waiting.setToolTip(plain_tool_tip(with_keys(self.tr("Open the inbox"), self._inbox_keys)))
        self._sign.set_icon(*_SAVING_ICONS[saving])
        self._saving.setText(self._saving_words(saving))
        self._saving.set_tone("error" if saving is SaveState.FAILED else "muted")
        for part in (self._sign, self._saving):
            part.setToolTip(plain_tool_tip(why))
        self._saving.setAccessibleDescription(why)
        self._speed.setText(speed)
        self.setAccessibleName(
            ". ".join(part for part in (running, waiting, self._saving_words(saving), speed) if part)
        )
        if saving is not self._told and SaveState.FAILED in (saving, self._told):
            announce(self, why or self._saving_words(saving), is_urgent=saving is SaveState.FAILED)
        self._told = saving

    def _running_words(self, executions: Sequence[Execution]) -> str:
        at_work = [one for one in executions if one.status in _AT_WORK]
        queued = sum(one.status is RunStatus.ENQUEUED for one in executions)
        parts = []
        if at_work:
            names = ", ".join(" ".join(one.workflow_name.split()) for one in at_work[:MOST_NAMES])
            parts.append(self.tr("%n at work: {names}", "", len(at_work)).format(names=names))
        if queued:
            parts.append(self.tr("%n queued", "", queued))
        return " · ".join(parts) or self.tr("Nothing at work")

    def _tokens_a_second(self) -> float:
        """Return the sum over all active workflows."""
        usage = self._stores.usage
        at_work = (one for one in self._stores.background.running_workflows if one.status in _AT_WORK)
        return sum(usage.of(one.workflow_id).tokens_a_second or 0.0 for one in at_work)

    def _speed_words(self, tokens_a_second: float) -> str:
        if tokens_a_second <= 0:
            return ""
        return self.tr("{speed} tokens/s").format(speed=number(max(1, round(tokens_a_second))))

    def _saving_words(self, saving: SaveState) -> str:
        match saving:
            case SaveState.SAVED:
                return self.tr("Saved")
            case SaveState.WRITING:
                return self.tr("Writing…")
            case SaveState.FAILED:
                return self.tr("Not saved")

    def _why(self) -> str:
        saving = self._stores.saving
        if saving.saving is not SaveState.FAILED:
            return ""
        words = failure_words(saving.code or "storage_failed", "")
        return self.tr("{why} What runs is paused, and goes on by itself.").format(why=words)
