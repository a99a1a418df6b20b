"""The sub-agents that a call has begun, a line each."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtWidgets import QWidget

from core.domain.step import StepStatus
from desktop.chat.layout.blocks import SubAgentBlock
from desktop.chat.layout.hidden import revealed
from desktop.chat.values import SubAgentLine
from desktop.chat.views.intents import Intents
from desktop.chat.views.line_button import Line
from desktop.chat.views.timed_line import TimedLine
from desktop.chat.views.words import status_word
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.translation.formats import compact, duration
from desktop.widgets.indicator import Indicator

_AT_WORK = {StepStatus.RUNNING: Indicator.RUNNING, StepStatus.WAITING: Indicator.WAITING}


class SubAgentView(TimedLine):
    """Its name, its state in a word, how long it took, and its tokens."""

    def __init__(self, theme: Theme, intents: Intents, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__(theme, intents, now, parent)
        self._block: SubAgentBlock | None = None

    def show_block(self, block: SubAgentBlock) -> None:
        self._block = block
        self.begin_line(is_at_work=block.line.status is StepStatus.RUNNING)

    def tell(self) -> None:
        if self._block is None:
            return
        line = self._block.line
        is_failed = line.status is StepStatus.ERROR
        words = (status_word(line.status), self._took(line), self._tokens(line))
        color: ColorName = "error" if is_failed else "muted"
        self.set_line(
            Line(
                _AT_WORK.get(line.status, Icon.BOT),
                "sign_error" if is_failed else "accent",
                revealed(line.name),
                revealed(line.agent or "") if line.agent != line.name else "",
                " · ".join(filter(None, words)),
                color,
                is_separated=not self._block.is_first,
            ),
            is_unfolded=self._block.is_unfolded,
        )

    def _took(self, line: SubAgentLine) -> str:
        if line.status is StepStatus.RUNNING:
            return self.elapsed(line.started_at)
        return duration(line.elapsed_s) if line.elapsed_s else ""

    def _tokens(self, line: SubAgentLine) -> str:
        return self.tr("{count} tokens").format(count=compact(line.tokens)) if line.tokens else ""
