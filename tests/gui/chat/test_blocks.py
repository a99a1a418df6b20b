"""A turn as blocks: what is frozen stays, what is unfolded appears, and everything has its own key."""

from collections.abc import Mapping
from dataclasses import replace

from core.domain.run import RunStatus, StepStatus
from core.domain.tool import CallStatus
from desktop.chat.layout.block_builder import MIN_GROUPED_CALLS, blocks_of
from desktop.chat.layout.blocks import (
    Block,
    CaptionBlock,
    CaptionKind,
    CodeBlock,
    PlainBlock,
    ProseBlock,
    StepBlock,
    ToolBlock,
    ToolGroupBlock,
)
from desktop.chat.layout.content_blocks import BlockCache
from desktop.chat.turn_parts import Output, StepLine, Steps, ToolCalls, Turn
from tests.gui.chat.conversation import answered, asked, call, writing

CODE = "Before.\n\n```py\nx = 1\n```\n\nAfter."


def blocks(turn: Turn, folds: Mapping[str, bool] | None = None, memo: BlockCache | None = None) -> list[Block]:
    made = blocks_of(turn, folds or {}, memo or BlockCache())
    assert len({block.key for block in made}) == len(made)
    return made


def kinds(made: list[Block]) -> list[str]:
    return [type(block).__name__.removesuffix("Block") for block in made]


def captions(made: list[Block]) -> list[CaptionKind]:
    return [block.kind for block in made if isinstance(block, CaptionBlock)]


def test_code_stands_in_a_frame_with_a_head() -> None:
    made = blocks(answered("a", CODE))
    assert kinds(made) == ["Header", "Prose", "Caption", "Code", "Prose"]
    assert made[2].cards == made[3].cards != ()


def test_what_is_frozen_keeps_its_blocks_while_text_comes() -> None:
    memo = BlockCache()
    before = blocks(writing("a", CODE + "\n\n```js\nlet"), memo=memo)
    after = blocks(writing("a", CODE + "\n\n```js\nlet y"), memo=memo)
    assert all(old is new for old, new in zip(before[1:5], after[1:5], strict=True))
    assert before[-1] != after[-1]


def test_text_that_streams_ends_with_the_blocks_of_the_whole() -> None:
    memo, text = BlockCache(), "\n\n".join([CODE, "- a\n- b", CODE]) * 20
    for end in range(0, len(text), 37):
        blocks(writing("a", text[:end]), memo=memo)
    assert blocks(answered("a", text), memo=memo) == blocks(answered("a", text))


def test_text_that_does_not_continue_the_previous_starts_over() -> None:
    memo = BlockCache()
    blocks(writing("a", CODE), memo=memo)
    assert blocks(writing("a", "Other."), memo=memo) == blocks(writing("a", "Other."))


def test_the_target_of_a_reference_link_is_found_in_a_later_segment() -> None:
    made = blocks(answered("a", f"See [the docs][d].\n\n{CODE}\n\n[d]: https://docs.example"))
    assert isinstance(made[1], ProseBlock)
    assert made[1].text.endswith("[d]: https://docs.example")


def test_copying_a_long_frame_takes_all_of_its_pieces() -> None:
    code, memo = "\n".join(f"line {n}" for n in range(3_000)), BlockCache()
    made = blocks(answered("a", f"```\n{code}\n```"), memo=memo)
    pieces = [block for block in made if isinstance(block, CodeBlock)]
    assert len(pieces) > 3
    assert memo.source(pieces[0].group, made) == code
    assert [piece.start for piece in pieces] == [code.index(piece.text) for piece in pieces]


def test_a_few_calls_have_a_line_each() -> None:
    assert kinds(blocks(answered("a", ToolCalls((call("1"), call("2")))))) == ["Header", "Tool", "Tool"]


def test_many_calls_share_a_line_that_unfolds_into_theirs() -> None:
    turn = answered("a", ToolCalls(tuple(call(str(n)) for n in range(MIN_GROUPED_CALLS))))
    folded = blocks(turn)
    assert kinds(folded) == ["Header", "ToolGroup"]
    assert isinstance(folded[1], ToolGroupBlock)
    assert kinds(blocks(turn, {folded[1].key: True})) == ["Header", "ToolGroup", *["Tool"] * MIN_GROUPED_CALLS]


def test_an_unfolded_call_shows_arguments_and_result() -> None:
    turn = answered("a", ToolCalls((call("1", summary="3 lines"),)))
    made = blocks(turn, {blocks(turn)[1].key: True})
    assert captions(made) == [CaptionKind.ARGUMENTS, CaptionKind.RESULT]
    assert isinstance(made[1], ToolBlock)
    assert made[1].is_unfolded


def test_an_unfolded_call_that_failed_shows_why() -> None:
    turn = answered("a", ToolCalls((call("1", status=CallStatus.ERROR, error="outside"),)))
    assert captions(blocks(turn, {blocks(turn)[1].key: True}))[-1] is CaptionKind.FAILED


def steps(*lines: StepLine) -> Turn:
    return answered("a", Steps(RunStatus.RUNNING, lines))


def test_a_step_that_speaks_or_has_failed_is_unfolded_by_itself() -> None:
    turn = steps(
        StepLine("one", StepStatus.COMPLETED, output=1),
        StepLine("two", StepStatus.RUNNING, text="Hello"),
        StepLine("three", StepStatus.ERROR, error="broken"),
    )
    unfolded = {block.line.name: block.is_unfolded for block in blocks(turn) if isinstance(block, StepBlock)}
    assert unfolded == {"one": False, "two": True, "three": True}


def test_a_step_that_the_user_folded_stays_folded() -> None:
    turn = steps(StepLine("two", StepStatus.RUNNING, text="Hello"))
    assert kinds(blocks(turn, {blocks(turn)[1].key: False})) == ["Header", "Step"]


def test_a_pending_step_does_not_unfold() -> None:
    turn = steps(StepLine("one", StepStatus.PENDING))
    made = blocks(turn, {blocks(turn)[1].key: True})
    assert kinds(made) == ["Header", "Step"]


def test_an_unfolded_skipped_step_shows_why() -> None:
    turn = steps(StepLine("one", StepStatus.COMPLETED, is_skipped=True, skipped_value=[0]))
    made = blocks(turn, {blocks(turn)[1].key: True})
    assert isinstance(made[-1], CaptionBlock)
    assert (made[-1].kind, made[-1].text) == (CaptionKind.SKIPPED, "[0]")


def test_a_steps_output_is_a_table_where_its_value_is() -> None:
    turn = steps(StepLine("one", StepStatus.COMPLETED, output=[{"a": 1}, {"a": 2}]))
    made = blocks(turn, {blocks(turn)[1].key: True})
    assert captions(made) == [CaptionKind.OUTPUT, CaptionKind.TABLE]


def test_the_text_of_an_agent_step_is_not_repeated_as_its_output() -> None:
    turn = steps(StepLine("one", StepStatus.COMPLETED, text="Hello", output="Hello"))
    assert kinds(blocks(turn, {blocks(turn)[1].key: True})) == ["Header", "Step", "Prose"]


def test_an_output_is_made_once_as_long_as_it_is_the_same() -> None:
    memo, line = BlockCache(), StepLine("one", StepStatus.COMPLETED, output={"a": [1, 2]})
    turn = steps(line)
    folds = {blocks(turn)[1].key: True}
    first = blocks(turn, folds, memo)
    again = blocks(replace(turn, parts=(Steps(RunStatus.SUCCESS, (line,)),)), folds, memo)
    assert first[2:] == again[2:]


def test_a_templates_output_is_markdown_or_a_table_or_json_in_a_frame() -> None:
    assert kinds(blocks(answered("a", Output("# Done")))) == ["Header", "Prose"]
    assert captions(blocks(answered("a", Output('[{"a": 1}]')))) == [CaptionKind.TABLE]
    assert captions(blocks(answered("a", Output('{"a": 1}')))) == [CaptionKind.CODE]


def test_a_users_message_is_plain_and_in_pieces_if_it_is_long() -> None:
    made = blocks(asked("a", "# no heading\n" * 2_000))
    assert all(isinstance(block, PlainBlock) for block in made)
    assert "".join(block.text for block in made if isinstance(block, PlainBlock)) == "# no heading\n" * 2_000
