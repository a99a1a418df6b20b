"""Tool calls on a line each, and a run of them on one; thoughts."""

from core.domain.tool import CallStatus
from desktop.chat.layout.blocks import AttachedBlock, ThoughtBlock, ToolBlock, ToolGroupBlock
from desktop.chat.layout.hidden import revealed
from desktop.chat.values import ToolLine
from desktop.chat.views.line_button import Line, LineButton
from desktop.chat.views.words import call_result
from desktop.theme.icon_names import Icon
from desktop.theme.tokens import ColorName
from desktop.theme.tool_icons import tool_icon
from desktop.translation.formats import byte_size, duration
from desktop.translation.tools import tool_doing, tool_done
from desktop.widgets.indicator import Indicator

_TOLD_FROM_MS = 1000
"""A call that took less does not say how long."""


class ToolView(LineButton):
    def show_block(self, block: ToolBlock) -> None:
        line = block.line
        is_running = line.status is CallStatus.RUNNING
        took = _took(line.duration_ms or 0)
        self.set_line(
            Line(
                _indicator(line) or tool_icon(line.tool),
                "muted",
                tool_doing(line.tool) if is_running else tool_done(line.tool),
                revealed(line.target),
                " · ".join(word for word in (revealed(call_result(line)), took) if word),
                _result_color(line),
            ),
            is_unfolded=block.is_unfolded,
        )


class ThoughtView(LineButton):
    def show_block(self, block: ThoughtBlock) -> None:
        """A thought that goes on says so; else how long it took."""
        is_open = block.seconds is None
        self.set_line(
            Line(
                Indicator.RUNNING if is_open else Icon.BRAIN,
                "muted",
                self.tr("Thinking") if is_open else self.tr("Thought"),
                result=_took(round((block.seconds or 0) * 1000)),
            ),
            is_unfolded=block.is_unfolded,
        )


class AttachedView(LineButton):
    def show_block(self, block: AttachedBlock) -> None:
        line = Line(Icon.PAPERCLIP, "muted", revealed(block.name), result=byte_size(block.size))
        self.set_line(line, is_unfolded=block.is_unfolded)


class ToolGroupView(LineButton):
    def show_block(self, block: ToolGroupBlock) -> None:
        lines = block.lines
        sign: Icon | Indicator = next((one for line in lines if (one := _indicator(line)) is not None), Icon.WRENCH)
        if any(line.is_waiting for line in lines):
            sign = Indicator.WAITING
        failed = sum(line.status is CallStatus.ERROR for line in lines)
        took = _took(sum(line.duration_ms or 0 for line in lines))
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
    """Of a call that has not ended."""
    if line.status is not CallStatus.RUNNING:
        return None
    return Indicator.WAITING if line.is_waiting else Indicator.RUNNING


def _took(duration_ms: int) -> str:
    return duration(duration_ms / 1000) if duration_ms >= _TOLD_FROM_MS else ""


def _result_color(line: ToolLine) -> ColorName:
    if line.status is CallStatus.ERROR:
        return "error"
    return "warn" if line.status is CallStatus.UNKNOWN else "muted"
