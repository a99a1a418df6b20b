"""The lines of tool calls, thoughts, attached texts, steps and sub-agents."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtWidgets import QWidget

from core.domain.run import StepStatus
from core.domain.tool import CallStatus
from desktop.chat.layout.blocks import (
    AttachmentBlock,
    StepBlock,
    SubAgentBlock,
    ThoughtBlock,
    ToolBlock,
    ToolGroupBlock,
)
from desktop.chat.layout.display_text import reveal_hidden
from desktop.chat.turn_parts import StepLine, SubAgentLine, ToolLine
from desktop.chat.views.chat_strings import call_result, status_text, step_state
from desktop.chat.views.intents import Intents
from desktop.chat.views.line_button import Line, LineButton, TimedLine
from desktop.theme.icon_names import Icon, tool_icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.translation.formats import byte_size, compact, duration
from desktop.translation.tool_strings import tool_doing, tool_done
from desktop.widgets.indicator import Indicator

_MIN_SHOWN_DURATION_MS = 1000
"""A call that took less does not say how long."""


class ToolView(LineButton):
    def show_block(self, block: ToolBlock) -> None:
        line = block.line
        is_running = line.status is CallStatus.RUNNING
        took = _duration_text(line.duration_ms or 0)
        self.set_line(
            Line(
                _indicator(line) or tool_icon(line.tool),
                "muted",
                tool_doing(line.tool) if is_running else tool_done(line.tool),
                reveal_hidden(line.target),
                " · ".join(word for word in (reveal_hidden(call_result(line)), took) if word),
                _result_color(line),
            ),
            is_unfolded=block.is_unfolded,
        )


class ThoughtView(LineButton):
    def show_block(self, block: ThoughtBlock) -> None:
        """Show that the thought continues, or how long it took."""
        is_open = block.seconds is None
        self.set_line(
            Line(
                Indicator.RUNNING if is_open else Icon.BRAIN,
                "muted",
                self.tr("Thinking") if is_open else self.tr("Thought"),
                result=_duration_text(round((block.seconds or 0) * 1000)),
            ),
            is_unfolded=block.is_unfolded,
        )


class AttachmentView(LineButton):
    def show_block(self, block: AttachmentBlock) -> None:
        line = Line(Icon.PAPERCLIP, "muted", reveal_hidden(block.name), result=byte_size(block.size))
        self.set_line(line, is_unfolded=block.is_unfolded)


class ToolGroupView(LineButton):
    def show_block(self, block: ToolGroupBlock) -> None:
        lines = block.lines
        sign: Icon | Indicator = next((one for line in lines if (one := _indicator(line)) is not None), Icon.WRENCH)
        if any(line.is_waiting for line in lines):
            sign = Indicator.WAITING
        failed = sum(line.status is CallStatus.ERROR for line in lines)
        took = _duration_text(sum(line.duration_ms or 0 for line in lines))
        result = self.tr("%n failed", None, failed) if failed else ""
        self.set_line(
            Line(
                sign,
                "muted",
                self.tr("%n tool calls", None, len(lines)),
                ", ".join(dict.fromkeys(tool_done(line.tool) for line in lines)),
                " · ".join(word for word in (result, took) if word),
                "error" if failed else "muted",
            ),
            is_unfolded=block.is_unfolded,
        )


def _indicator(line: ToolLine) -> Indicator | None:
    """Return the indicator of a call that has not ended."""
    if line.status is not CallStatus.RUNNING:
        return None
    return Indicator.WAITING if line.is_waiting else Indicator.RUNNING


def _duration_text(duration_ms: int) -> str:
    return duration(duration_ms / 1000) if duration_ms >= _MIN_SHOWN_DURATION_MS else ""


def _result_color(line: ToolLine) -> ColorName:
    if line.status is CallStatus.ERROR:
        return "error"
    return "warn" if line.status is CallStatus.UNKNOWN else "muted"


_STEP_INDICATORS = {
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
        self.start_line(is_at_work=block.line.status is StepStatus.RUNNING)

    def update_line(self) -> None:
        if self._block is None:
            return
        line = self._block.line
        words = (self._progress(line), step_state(line), self._took(line))
        color: ColorName = "error" if line.status is StepStatus.ERROR else "muted"
        sign = Icon.SKIP_FORWARD if line.is_skipped else _STEP_INDICATORS[line.status]
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


_SUB_AGENT_INDICATORS = {StepStatus.RUNNING: Indicator.RUNNING, StepStatus.WAITING: Indicator.WAITING}


class SubAgentView(TimedLine):
    """The line of a sub-agent: name, state, duration and tokens."""

    def __init__(self, theme: Theme, intents: Intents, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__(theme, intents, now, parent)
        self._block: SubAgentBlock | None = None

    def show_block(self, block: SubAgentBlock) -> None:
        self._block = block
        self.start_line(is_at_work=block.line.status is StepStatus.RUNNING)

    def update_line(self) -> None:
        if self._block is None:
            return
        line = self._block.line
        is_failed = line.status is StepStatus.ERROR
        words = (status_text(line.status), self._took(line), self._tokens(line))
        color: ColorName = "error" if is_failed else "muted"
        self.set_line(
            Line(
                _SUB_AGENT_INDICATORS.get(line.status, Icon.BOT),
                "sign_error" if is_failed else "accent",
                reveal_hidden(line.name),
                reveal_hidden(line.agent or "") if line.agent != line.name else "",
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
