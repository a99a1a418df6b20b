"""The lines of tool calls, thoughts, attached texts, steps and sub-agents."""

from PySide6.QtGui import QContextMenuEvent

from core.domain.run import StepStatus
from core.domain.text.hidden import reveal
from core.domain.tool import CallStatus
from desktop.chat.layout.blocks import (
    AttachmentBlock,
    StepBlock,
    SubAgentBlock,
    ThoughtBlock,
    ToolBlock,
    ToolGroupBlock,
)
from desktop.chat.turn_parts import StepLine, SubAgentLine, ToolLine
from desktop.chat.views.chat_strings import call_result, status_text, step_state
from desktop.chat.views.line_button import Line, LineButton, TimedLine
from desktop.theme import Icon, tool_icon
from desktop.tokens import ColorName
from desktop.translation import byte_size, compact, duration, tool_done, tool_verb
from desktop.widgets import Indicator

# Shorter durations are not shown.
_MIN_SHOWN_DURATION_MS = 1000


class ToolView(LineButton):
    def show_block(self, block: ToolBlock) -> None:
        call = block.line
        line = Line(
            _indicator(call) or tool_icon(call.tool),
            "muted",
            tool_verb(
                call.tool,
                is_open=call.status is CallStatus.RUNNING,
                is_done=call.status is CallStatus.COMPLETED,
            ),
            reveal(call.target),
            _joined(reveal(call_result(call)), _duration_text(call.duration_ms or 0)),
            _result_color(call),
        )
        self.set_line(line, is_unfolded=block.is_unfolded)


class ThoughtView(LineButton):
    def show_block(self, block: ThoughtBlock) -> None:
        """Show that the thought continues, or how long it took."""
        is_open = block.seconds is None
        line = Line(
            Indicator.RUNNING if is_open else Icon.BRAIN,
            "muted",
            self.tr("Thinking") if is_open else self.tr("Thought"),
            result=_duration_text(round((block.seconds or 0) * 1000)),
        )
        self.set_line(line, is_unfolded=block.is_unfolded)


class AttachmentView(LineButton):
    _block: AttachmentBlock | None = None

    def show_block(self, block: AttachmentBlock) -> None:
        self._block = block
        line = Line(Icon.PAPERCLIP, "muted", reveal(block.name), result=byte_size(block.size))
        self.set_line(line, is_unfolded=block.is_unfolded, is_foldable=block.is_foldable)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to save a file whose data is stored; a text can be copied."""
        if self._block is not None and self._block.hash:
            self._intents.file_menu.emit(self, self._block.name, self._block.hash, event.globalPos())
        else:
            super().contextMenuEvent(event)


class ToolGroupView(LineButton):
    def show_block(self, block: ToolGroupBlock) -> None:
        calls = block.lines
        indicators = {_indicator(call) for call in calls}
        # a request to the user is the most urgent state of the group, whatever its other calls do
        active = next((state for state in (Indicator.WAITING, Indicator.RUNNING) if state in indicators), None)
        failed = sum(call.status is CallStatus.ERROR for call in calls)
        line = Line(
            active or Icon.WRENCH,
            "muted",
            self.tr("%n tool calls", None, len(calls)),
            ", ".join(dict.fromkeys(tool_done(call.tool) for call in calls)),
            _joined(
                self.tr("%n failed", None, failed) if failed else "",
                _duration_text(sum(call.duration_ms or 0 for call in calls)),
            ),
            "error" if failed else "muted",
        )
        self.set_line(line, is_unfolded=block.is_unfolded)


def _joined(*texts: str) -> str:
    return " · ".join(filter(None, texts))


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
    _block: StepBlock | None = None

    def show_block(self, block: StepBlock) -> None:
        self._block = block
        self.start_line(is_running=block.line.status is StepStatus.RUNNING)

    def update_line(self) -> None:
        if self._block is None:
            return
        line = self._block.line
        shown = Line(
            Icon.SKIP_FORWARD if line.is_skipped else _STEP_INDICATORS[line.status],
            "muted",
            line.name,
            result=_joined(self._progress(line), step_state(line), self._took(line)),
            result_color="error" if line.status is StepStatus.ERROR else "muted",
            is_separated=not self._block.is_first,
        )
        self.set_line(shown, is_unfolded=self._block.is_unfolded, is_foldable=self._block.is_foldable)

    def _progress(self, line: StepLine) -> str:
        if line.progress is not None:
            done, total = line.progress.done + line.progress.failed, line.progress.total
            text = self.tr("{done} of {total}").format(done=done, total=total)
            failed = self.tr("%n failed", None, line.progress.failed)
            return f"{text}, {failed}" if line.progress.failed else text
        return self.tr("attempt {number}").format(number=line.attempts) if line.attempts > 1 else ""

    def _took(self, line: StepLine) -> str:
        if line.elapsed_s is not None and not line.is_skipped:
            return duration(line.elapsed_s)
        return self.elapsed(line.started_at) if line.status is StepStatus.RUNNING else ""


_SUB_AGENT_INDICATORS = {StepStatus.RUNNING: Indicator.RUNNING, StepStatus.WAITING: Indicator.WAITING}


class SubAgentView(TimedLine):
    """The line of a sub-agent: name, state, duration and tokens."""

    _block: SubAgentBlock | None = None

    def show_block(self, block: SubAgentBlock) -> None:
        self._block = block
        self.start_line(is_running=block.line.status is StepStatus.RUNNING)

    def update_line(self) -> None:
        if self._block is None:
            return
        line = self._block.line
        is_failed = line.status is StepStatus.ERROR
        tokens = self.tr("{count} tokens").format(count=compact(line.tokens)) if line.tokens else ""
        shown = Line(
            _SUB_AGENT_INDICATORS.get(line.status, Icon.BOT),
            "sign_error" if is_failed else "accent",
            reveal(line.name),
            reveal(line.agent or "") if line.agent != line.name else "",
            _joined(status_text(line.status), self._took(line), tokens),
            "error" if is_failed else "muted",
            is_separated=not self._block.is_first,
        )
        self.set_line(shown, is_unfolded=self._block.is_unfolded)

    def _took(self, line: SubAgentLine) -> str:
        if line.status is StepStatus.RUNNING:
            return self.elapsed(line.started_at)
        return duration(line.elapsed_s) if line.elapsed_s else ""
