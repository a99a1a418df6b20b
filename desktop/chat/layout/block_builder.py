"""The blocks of a turn, with the details of its unfolded lines. Pure."""

from collections.abc import Iterable, Mapping
from typing import assert_never

from core.domain.messages import Role
from core.domain.run import StepStatus
from core.domain.text.json_text import readable_json
from desktop.chat.layout.blocks import (
    TOP_LEVEL,
    ActivityBlock,
    AttachmentBlock,
    Block,
    BoundaryBlock,
    CaptionBlock,
    CaptionKind,
    CardKind,
    ChangesBlock,
    CutOffBlock,
    FailureBlock,
    FileActionsBlock,
    FileBlock,
    HeaderBlock,
    Nesting,
    PicturesBlock,
    PlainBlock,
    StepBlock,
    SubAgentBlock,
    ThoughtBlock,
    ToolBlock,
    ToolGroupBlock,
)
from desktop.chat.layout.content_blocks import BlockCache
from desktop.chat.layout.markdown_splitter import split_plain
from desktop.chat.turn_parts import (
    Activity,
    AttachedText,
    Changes,
    CutOff,
    Failure,
    Output,
    Part,
    Pictures,
    StepLine,
    Steps,
    SubAgentLine,
    SubAgents,
    Text,
    Thought,
    ToolCalls,
    ToolLine,
    Turn,
)

# From this number on, consecutive calls share one line.
MIN_GROUPED_CALLS = 3

# What the user unfolded (True) or folded, by the key of the line.
Folds = Mapping[str, bool]

_MAX_VALUE_CHARACTERS = 200


def tool_call_blocks(key: str, tools: ToolCalls, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    """Yield a line per call, each in its own card; a long sequence as a single line that unfolds into the others."""
    if len(tools.lines) < MIN_GROUPED_CALLS:
        for line in tools.lines:
            own = f"{key}:{line.id}"
            yield from _tool_blocks(own, line, TOP_LEVEL.card(CardKind.LINES, own), folds, memo)
        return
    within, is_unfolded = TOP_LEVEL.card(CardKind.LINES, key), folds.get(key, False)
    yield ToolGroupBlock(key=key, nesting=within, lines=tools.lines, is_unfolded=is_unfolded)
    if is_unfolded:
        for line in tools.lines:
            yield from _tool_blocks(f"{key}:{line.id}", line, within.unfolded, folds, memo)


def thought_blocks(key: str, thought: Thought, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    """Yield a line, folded unless the user has unfolded it."""
    within, is_unfolded = TOP_LEVEL.card(CardKind.LINES, key), folds.get(key, False)
    yield ThoughtBlock(key=key, nesting=within, seconds=thought.seconds, is_unfolded=is_unfolded)
    if is_unfolded:
        yield from memo.markdown(f"{key}/text", thought.text, within.unfolded)


def attachment_blocks(key: str, part: AttachedText, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    """Yield a line, folded unless the user has unfolded it; below it the text, as code."""
    within, is_unfolded = TOP_LEVEL.card(CardKind.LINES, key), folds.get(key, False)
    is_foldable = not part.hash or part.text != ""
    yield AttachmentBlock(
        key=key,
        nesting=within,
        name=part.name,
        size=part.size,
        hash=part.hash,
        is_foldable=is_foldable,
        is_known=part.text is not None,
        is_unfolded=is_unfolded and is_foldable,
    )
    if is_unfolded and part.text:
        yield from memo.attached(f"{key}/text", part.name, part.text, within.unfolded)


def sub_agents_blocks(key: str, part: SubAgents, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    """Yield the sub-agents of a call in one card, each folded unless the user has unfolded it."""
    yield from _sub_agent_blocks(key, part.lines, TOP_LEVEL.card(CardKind.LINES, key), folds, memo)


def steps_blocks(key: str, steps: Steps, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    """Yield a template's run in one card. A step that streams text or failed is unfolded unless the user has folded
    it. Of a run that has ended, the steps that never began are only counted: the step that failed stays in sight.
    """
    within = TOP_LEVEL.card(CardKind.LINES, key)
    begun = [line for line in steps.lines if line.status is not StepStatus.PENDING or not steps.status.is_final]
    for number, line in enumerate(begun):
        own = f"{key}:{line.name}"
        is_foldable = line.status is not StepStatus.PENDING
        # what the user would look for is unfolded by itself: an error, or text that streams in
        is_telling = line.error is not None or (line.status is StepStatus.RUNNING and bool(line.text))
        is_unfolded = is_foldable and folds.get(own, is_telling)
        yield StepBlock(
            key=own,
            nesting=within,
            line=line,
            is_unfolded=is_unfolded,
            is_foldable=is_foldable,
            is_first=number == 0,
        )
        if is_unfolded:
            yield from _step_detail_blocks(own, line, within.unfolded, folds, memo)
    if count := len(steps.lines) - len(begun):
        yield CaptionBlock(key=f"{key}/rest", nesting=within.unfolded, kind=CaptionKind.NOT_RUN, count=count)


def changes_blocks(key: str, changes: Changes, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    """Yield the changed files as a single line that unfolds into a line for each, and these into their differences."""
    within, is_unfolded = TOP_LEVEL.card(CardKind.LINES, key), folds.get(key, False)
    yield ChangesBlock(key=key, nesting=within, lines=changes.lines, is_unfolded=is_unfolded)
    for line in changes.lines if is_unfolded else ():
        own = f"{key}:{line.file.path}"
        is_open = folds.get(own, False)
        yield FileBlock(key=own, nesting=within.unfolded, line=line, is_unfolded=is_open)
        if is_open and line.shown is not None:
            inside = within.unfolded.unfolded
            diff = line.shown.diff
            has_diff = diff is not None and bool(diff.lines)
            if diff is not None and has_diff:
                yield from memo.diff(f"{own}/diff", line.file.path, diff, inside)
            yield FileActionsBlock(key=f"{own}/actions", nesting=inside, change=line.shown, has_diff=has_diff)


def _tool_blocks(key: str, line: ToolLine, within: Nesting, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    """Yield the line of a call, with its pictures; unfolded, with its arguments and its result."""
    is_unfolded = folds.get(key, False)
    yield ToolBlock(key=key, nesting=within, line=line, is_unfolded=is_unfolded)
    inside = within.unfolded
    if line.pictures:
        yield PicturesBlock(key=f"{key}/pictures", nesting=inside, pictures=line.pictures)
    if not is_unfolded:
        return
    yield from memo.value(f"{key}/arguments", line.arguments, inside, CaptionKind.ARGUMENTS)
    if line.error is not None:
        yield CaptionBlock(key=f"{key}/error", nesting=inside, kind=CaptionKind.FAILED, text=line.error)
    elif line.summary:
        yield CaptionBlock(key=f"{key}/result", nesting=inside, kind=CaptionKind.RESULT, text=line.summary)


def _sub_agent_blocks(
    key: str, lines: Iterable[SubAgentLine], within: Nesting, folds: Folds, memo: BlockCache
) -> Iterable[Block]:
    for number, line in enumerate(lines):
        own = f"{key}:{line.id}"
        is_unfolded = folds.get(own, False)
        yield SubAgentBlock(key=own, nesting=within, line=line, is_unfolded=is_unfolded, is_first=number == 0)
        if is_unfolded:
            yield from _sub_agent_detail_blocks(own, line, within.unfolded, folds, memo)


def _sub_agent_detail_blocks(
    key: str, line: SubAgentLine, within: Nesting, folds: Folds, memo: BlockCache
) -> Iterable[Block]:
    """Yield its task, then its text, with its calls at their places."""
    yield from memo.value(f"{key}/task", line.prompt, within, CaptionKind.TASK)
    if line.parts:
        yield CaptionBlock(key=f"{key}/answer", nesting=within, kind=CaptionKind.ANSWER)
    for number, part in enumerate(line.parts):
        match part:
            case Text(text=text):
                yield from memo.markdown(f"{key}/{number}", text, within)
            case ToolCalls(lines=calls):
                for call in calls:
                    yield from _tool_blocks(f"{key}/{call.id}", call, within, folds, memo)
    if line.error is not None:
        yield CaptionBlock(key=f"{key}/error", nesting=within, kind=CaptionKind.FAILED, text=line.error)


def _step_detail_blocks(key: str, line: StepLine, within: Nesting, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    if line.is_skipped:
        value = readable_json(line.skipped_value)[:_MAX_VALUE_CHARACTERS]
        yield CaptionBlock(key=f"{key}/skipped", nesting=within, kind=CaptionKind.SKIPPED, text=value)
        return
    if line.earlier_calls:
        count = line.earlier_calls
        yield CaptionBlock(key=f"{key}/earlier", nesting=within, kind=CaptionKind.EARLIER_CALLS, count=count)
    for call in line.tools:
        yield from _tool_blocks(f"{key}/{call.id}", call, within, folds, memo)
    yield from _sub_agent_blocks(key, line.sub_agents, within, folds, memo)
    if line.text:
        yield from memo.markdown(f"{key}/text", line.text, within)
    if line.error is not None:
        yield CaptionBlock(key=f"{key}/error", nesting=within, kind=CaptionKind.FAILED, text=line.error)
    elif line.status is StepStatus.COMPLETED and line.output != line.text:
        yield from memo.value(f"{key}/output", line.output, within, CaptionKind.OUTPUT)
    elif not line.text and not line.tools and not line.sub_agents:
        yield CaptionBlock(key=f"{key}/nothing", nesting=within, kind=CaptionKind.NOTHING)


def blocks_of(turn: Turn, folds: Folds, memo: BlockCache) -> list[Block]:
    """Return the blocks of a turn, in order. `memo` is the turn's own cache, which makes repeated calls cheap."""
    boundary: list[Block] = []
    if turn.boundary is not None:
        boundary.append(BoundaryBlock(key="boundary", boundary=turn.boundary))
    if turn.role is not Role.ASSISTANT:
        within = TOP_LEVEL.card(CardKind.BUBBLE, "bubble") if turn.role is Role.USER else TOP_LEVEL
        attached = [(n, part) for n, part in enumerate(turn.parts) if isinstance(part, AttachedText)]
        text = "".join(part.text for part in turn.parts if isinstance(part, Text))
        text_blocks = (PlainBlock(key=f"{n}", nesting=within, text=piece) for n, piece in enumerate(split_plain(text)))
        lines = [block for n, part in attached for block in attachment_blocks(f"file{n}", part, folds, memo)]
        shown = [part for part in turn.parts if isinstance(part, Pictures)]
        is_right = turn.role is Role.USER
        pictures = [PicturesBlock(key="pictures", pictures=part.items, is_right=is_right) for part in shown]
        return [*boundary, *text_blocks, *pictures, *lines]
    is_template = any(isinstance(part, Steps) for part in turn.parts)
    blocks: list[Block] = [
        *boundary,
        HeaderBlock(key="head", author=turn.author, model=turn.model, at=turn.at, is_template=is_template),
    ]
    for number, part in enumerate(turn.parts):
        blocks.extend(_part_blocks(f"{number}", part, folds, memo))
    return blocks


def _part_blocks(key: str, part: Part, folds: Folds, memo: BlockCache) -> Iterable[Block]:
    match part:
        case Text(text=text):
            return memo.markdown(key, text)
        case AttachedText():
            return attachment_blocks(key, part, folds, memo)
        case Pictures(items=items):
            return [PicturesBlock(key=key, pictures=items)]
        case Thought():
            return thought_blocks(key, part, folds, memo)
        case ToolCalls():
            return tool_call_blocks(key, part, folds, memo)
        case SubAgents():
            return sub_agents_blocks(key, part, folds, memo)
        case Steps():
            return steps_blocks(key, part, folds, memo)
        case Output(text=text):
            return memo.output(key, text)
        case CutOff(is_stopped=is_stopped, warning=warning, details=details, can_retry=can_retry):
            return [CutOffBlock(key=key, is_stopped=is_stopped, warning=warning, details=details, can_retry=can_retry)]
        case Changes():
            return changes_blocks(key, part, folds, memo)
        case Activity():
            return [ActivityBlock(key="activity", activity=part)]
        case Failure():
            return [FailureBlock(key=key, nesting=TOP_LEVEL.card(CardKind.FAILURE, key), failure=part)]
        case _:
            assert_never(part)
