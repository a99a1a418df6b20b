"""Lines that unfold, as blocks: tool calls and the steps of a template's run. Pure."""

from collections.abc import Iterable, Mapping

from core.domain.json_text import readable
from core.domain.step import StepStatus
from desktop.chat.layout.blocks import (
    OUTSIDE,
    AttachedBlock,
    Block,
    CaptionBlock,
    CaptionKind,
    CardKind,
    StepBlock,
    SubAgentBlock,
    ThoughtBlock,
    ToolBlock,
    ToolGroupBlock,
    Within,
)
from desktop.chat.layout.memo import Memo
from desktop.chat.values import Attached, StepLine, Steps, SubAgentLine, SubAgents, Text, Thought, ToolLine, Tools

GROUPED = 3
"""From this many calls on, a run of them is one line."""

Folds = Mapping[str, bool]
"""What a person unfolded (true) or folded, by the key of its line."""

_VALUE_CHARACTERS = 200


def tools_blocks(key: str, tools: Tools, folds: Folds, memo: Memo) -> Iterable[Block]:
    """A line a call, each in a card of its own; a long run of them as one line that unfolds into theirs."""
    if len(tools.lines) < GROUPED:
        for line in tools.lines:
            own = f"{key}:{line.id}"
            yield from _tool_blocks(own, line, OUTSIDE.card(CardKind.LINES, own), folds, memo)
        return
    within, is_unfolded = OUTSIDE.card(CardKind.LINES, key), folds.get(key, False)
    yield ToolGroupBlock(key=key, within=within, lines=tools.lines, is_unfolded=is_unfolded)
    if is_unfolded:
        for line in tools.lines:
            yield from _tool_blocks(f"{key}:{line.id}", line, within.unfolded, folds, memo)


def thought_blocks(key: str, thought: Thought, folds: Folds, memo: Memo) -> Iterable[Block]:
    """A line, folded unless a person unfolded it."""
    within, is_unfolded = OUTSIDE.card(CardKind.LINES, key), folds.get(key, False)
    yield ThoughtBlock(key=key, within=within, seconds=thought.seconds, is_unfolded=is_unfolded)
    if is_unfolded:
        yield from memo.markdown(f"{key}/text", thought.text, within.unfolded)


def attached_blocks(key: str, part: Attached, folds: Folds, memo: Memo) -> Iterable[Block]:
    """A line, folded unless a person unfolded it; below it the text, as code."""
    within, is_unfolded = OUTSIDE.card(CardKind.LINES, key), folds.get(key, False)
    yield AttachedBlock(
        key=key,
        within=within,
        name=part.name,
        size=part.size,
        is_known=part.text is not None,
        is_unfolded=is_unfolded,
    )
    if is_unfolded and part.text is not None:
        yield from memo.attached(f"{key}/text", part.name, part.text, within.unfolded)


def sub_agents_blocks(key: str, part: SubAgents, folds: Folds, memo: Memo) -> Iterable[Block]:
    """Those that one call has begun, in one card; folded unless a person unfolded one."""
    yield from _sub_agents(key, part.lines, OUTSIDE.card(CardKind.LINES, key), folds, memo)


def steps_blocks(key: str, steps: Steps, folds: Folds, memo: Memo) -> Iterable[Block]:
    """A template's run in one card. A step that speaks or failed is unfolded unless it was folded."""
    within = OUTSIDE.card(CardKind.LINES, key)
    for number, line in enumerate(steps.lines):
        own = f"{key}:{line.name}"
        is_foldable = line.status is not StepStatus.PENDING
        is_telling = line.error is not None or (line.status is StepStatus.RUNNING and bool(line.text))
        is_unfolded = is_foldable and folds.get(own, is_telling)
        yield StepBlock(
            key=own,
            within=within,
            line=line,
            is_unfolded=is_unfolded,
            is_foldable=is_foldable,
            is_first=number == 0,
        )
        if is_unfolded:
            yield from _step_details(own, line, within.unfolded, folds, memo)


def _tool_blocks(key: str, line: ToolLine, within: Within, folds: Folds, memo: Memo) -> Iterable[Block]:
    """A call; unfolded, with its arguments and what came of it."""
    is_unfolded = folds.get(key, False)
    yield ToolBlock(key=key, within=within, line=line, is_unfolded=is_unfolded)
    if not is_unfolded:
        return
    inside = within.unfolded
    yield from memo.value(f"{key}/arguments", line.arguments, inside, CaptionKind.ARGUMENTS)
    if line.error is not None:
        yield CaptionBlock(key=f"{key}/error", within=inside, kind=CaptionKind.FAILED, text=line.error)
    elif line.summary:
        yield CaptionBlock(key=f"{key}/result", within=inside, kind=CaptionKind.RESULT, text=line.summary)


def _sub_agents(key: str, lines: Iterable[SubAgentLine], within: Within, folds: Folds, memo: Memo) -> Iterable[Block]:
    for number, line in enumerate(lines):
        own = f"{key}:{line.id}"
        is_unfolded = folds.get(own, False)
        yield SubAgentBlock(key=own, within=within, line=line, is_unfolded=is_unfolded, is_first=number == 0)
        if is_unfolded:
            yield from _sub_agent_details(own, line, within.unfolded, folds, memo)


def _sub_agent_details(key: str, line: SubAgentLine, within: Within, folds: Folds, memo: Memo) -> Iterable[Block]:
    """Its task, then what it said, with its calls where they stand."""
    yield from memo.value(f"{key}/task", line.prompt, within, CaptionKind.TASK)
    if line.parts:
        yield CaptionBlock(key=f"{key}/answer", within=within, kind=CaptionKind.ANSWER)
    for number, part in enumerate(line.parts):
        match part:
            case Text(text=text):
                yield from memo.markdown(f"{key}/{number}", text, within)
            case Tools(lines=calls):
                for call in calls:
                    yield from _tool_blocks(f"{key}/{call.id}", call, within, folds, memo)
    if line.error is not None:
        yield CaptionBlock(key=f"{key}/error", within=within, kind=CaptionKind.FAILED, text=line.error)


def _step_details(key: str, line: StepLine, within: Within, folds: Folds, memo: Memo) -> Iterable[Block]:
    if line.is_skipped:
        value = readable(line.skipped_value)[:_VALUE_CHARACTERS]
        yield CaptionBlock(key=f"{key}/skipped", within=within, kind=CaptionKind.SKIPPED, text=value)
        return
    if line.earlier_calls:
        count = line.earlier_calls
        yield CaptionBlock(key=f"{key}/earlier", within=within, kind=CaptionKind.EARLIER_CALLS, count=count)
    for call in line.tools:
        yield from _tool_blocks(f"{key}/{call.id}", call, within, folds, memo)
    yield from _sub_agents(key, line.sub_agents, within, folds, memo)
    if line.text:
        yield from memo.markdown(f"{key}/text", line.text, within)
    if line.error is not None:
        yield CaptionBlock(key=f"{key}/error", within=within, kind=CaptionKind.FAILED, text=line.error)
    elif line.status is StepStatus.COMPLETED and line.output != line.text:
        yield from memo.value(f"{key}/output", line.output, within, CaptionKind.OUTPUT)
    elif not line.text and not line.tools and not line.sub_agents:
        yield CaptionBlock(key=f"{key}/nothing", within=within, kind=CaptionKind.NOTHING)
