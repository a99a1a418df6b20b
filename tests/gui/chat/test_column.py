"""Heights and positions: estimates become measures, and an anchor is found again."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.layout.column import BlockIndex, Column
from desktop.chat.layout.metrics import Heights
from desktop.chat.layout.turn_layout import AvailableArea
from desktop.chat.view_state import ScrollAnchor
from desktop.tokens import SIZES
from tests.gui.chat.conversation import answered, talk, writing


def column(turns: int = 20) -> Column:
    made = Column(AvailableArea(720, SIZES))
    made.set_turns(talk(turns))
    return made


def y_of(made: Column, point: ScrollAnchor) -> int:
    place = made.index_of(point.turn, point.key)
    assert place is not None
    return made.top(place) + point.offset


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.data())
def test_heights_know_where_each_begins_whatever_was_changed(heights: list[int], data: st.DataObject) -> None:
    tall = Heights(heights)
    for _ in range(data.draw(st.integers(0, 8))):
        index = data.draw(st.integers(0, len(heights) - 1))
        heights[index] = data.draw(st.integers(0, 50))
        tall.top(data.draw(st.integers(0, len(heights))))
        tall.set(index, heights[index])
    assert [tall.top(n) for n in range(len(heights) + 1)] == [sum(heights[:n]) for n in range(len(heights) + 1)]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.floats(-20, 2_000))
def test_what_stands_at_a_height_contains_it(heights: list[int], y: float) -> None:
    tall = Heights(heights)
    index = tall.at(y)
    assert tall.top(index) <= max(y, 0.0)
    assert y < tall.top(index + 1) or index == len(heights) - 1


def test_turns_that_were_not_asked_for_have_no_blocks() -> None:
    made = column(1_000)
    made.index_at(30_000)
    assert sum(layout.is_laid_out for layout in made.layouts) == 1


def test_walking_down_and_up_again_comes_to_the_same_places() -> None:
    made = column(5)
    down = [place := BlockIndex(0, 0)]
    while (following := made.following(place)) is not None:
        down.append(place := following)
    up = [place := made.last_index()]
    while (before := made.previous(place)) is not None:
        up.append(place := before)
    assert down == up[::-1]


def test_a_point_is_found_again_when_what_is_above_it_has_another_height() -> None:
    made = column()
    point = made.anchor_at(800)
    assert point is not None
    guessed = made.laid_out(0).content_height(0)
    was = y_of(made, point)
    made.set_height(BlockIndex(0, 0), 500)
    assert y_of(made, point) == was + 500 - guessed


def test_a_point_in_a_block_that_is_gone_is_where_its_turn_begins() -> None:
    made = column()
    assert y_of(made, ScrollAnchor(made.layouts[3].turn.id, "gone", 0)) == made.turn_top(3)


def test_a_turn_that_grows_keeps_the_heights_that_were_measured() -> None:
    made = Column(AvailableArea(720, SIZES))
    paragraph = "word " * 400
    made.set_turns([writing("a", f"{paragraph}\n\n{paragraph}")])
    layout = made.laid_out(0)
    made.set_height(BlockIndex(0, 1), 333)
    made.set_turn(writing("a", f"{paragraph}\n\n{paragraph}\n\nmore"))
    assert layout.content_height(1) == 333


def test_a_block_without_height_takes_no_room() -> None:
    made = column()
    made.laid_out(1)
    before = made.height
    slot = made.laid_out(1).top(2) - made.laid_out(1).top(1)
    made.set_height(BlockIndex(1, 1), 0)
    assert made.height == before - slot


def test_another_width_keeps_the_blocks_and_forgets_the_measures() -> None:
    made = column()
    blocks = made.laid_out(1).blocks
    made.set_height(BlockIndex(1, 1), 999)
    made.set_area(AvailableArea(400, SIZES))
    assert made.laid_out(1).blocks is blocks
    assert made.laid_out(1).content_height(1) < 999


def test_turns_that_stay_keep_their_layout_when_others_come() -> None:
    made = column(3)
    layouts = list(made.layouts)
    made.set_turns([*talk(3), answered("new", "Hello")])
    assert made.layouts[:3] == layouts
