"""The steps of a template's run, a line each."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtWidgets import QWidget

from core.domain.step import StepStatus
from desktop.chat.layout.blocks import StepBlock
from desktop.chat.values import StepLine
from desktop.chat.views.intents import Intents
from desktop.chat.views.line_button import Line
from desktop.chat.views.timed_line import TimedLine
from desktop.chat.views.words import step_state
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.translation.formats import duration
from desktop.widgets.indicator import Indicator

_INDICATORS = {
    StepStatus.PENDING: Indicator.IDLE,
    StepStatus.WAITING: Indicator.WAITING,
    StepStatus.RUNNING: Indicator.RUNNING,
    StepStatus.RETRYING: Indicator.RUNNING,
    StepStatus.COMPLETED: Indicator.SUCCESS,
    StepStatus.ERROR: Indicator.ERROR,
    StepStatus.CANCELLED: Indicator.CANCELLED,
}


class StepView(TimedLine):
    def __init__(self, theme: Theme, intents: Intents, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__(theme, intents, now, parent)
        self._block: StepBlock | None = None

    def show_block(self, block: StepBlock) -> None:
        self._block = block
        self.begin_line(is_at_work=block.line.status is StepStatus.RUNNING)

    def tell(self) -> None:
        if self._block is None:
            return
        line = self._block.line
        words = (self._progress(line), step_state(line), self._took(line))
        color: ColorName = "error" if line.status is StepStatus.ERROR else "muted"
        sign = Icon.SKIP_FORWARD if line.is_skipped else _INDICATORS[line.status]
        is_separated = not self._block.is_first
        self.set_line(
            Line(sign, "muted", line.name, "", " · ".join(filter(None, words)), color, is_separated),
            is_unfolded=self._block.is_unfolded,
            is_foldable=self._block.is_foldable,
        )

    def _progress(self, line: StepLine) -> str:
        if line.progress is not None:
            done, total = line.progress.done + line.progress.failed, line.progress.total
            text = self.tr("{done} of {total}").format(done=done, total=total)
            failed = self.tr("%n failed", None, line.progress.failed) if line.progress.failed else ""
            return ", ".join(filter(None, (text, failed)))
        return self.tr("attempt {number}").format(number=line.attempts) if line.attempts > 1 else ""

    def _took(self, line: StepLine) -> str:
        if line.elapsed_s is not None and not line.is_skipped:
            return duration(line.elapsed_s)
        return self.elapsed(line.started_at) if line.status is StepStatus.RUNNING else ""
