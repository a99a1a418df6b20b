"""Who gives way when the pile is higher than its room, and where that room is."""

from PySide6.QtCore import QRect

from desktop.toasts.stack import CardHeight, available_area, cards_with_room

WINDOW = QRect(0, 0, 900, 600)


def passing() -> CardHeight:
    return CardHeight(100)


def persistent() -> CardHeight:
    return CardHeight(100, is_persistent=True)


def test_with_room_for_all_all_are_shown() -> None:
    assert cards_with_room([passing()] * 3, 320, 10) == [True, True, True]


def test_the_oldest_gives_way_first() -> None:
    assert cards_with_room([passing()] * 3, 319, 10) == [False, True, True]


def test_passing_ones_give_way_before_persistent_ones() -> None:
    assert cards_with_room([persistent(), passing(), passing()], 210, 10) == [True, False, True]


def test_persistent_ones_give_way_before_the_newest_does() -> None:
    assert cards_with_room([persistent(), persistent(), passing()], 100, 10) == [False, False, True]


def test_one_that_is_held_stays_longest() -> None:
    held = CardHeight(100, is_held=True)
    assert cards_with_room([held, passing(), passing()], 210, 10) == [True, False, True]
    assert cards_with_room([held, passing(), passing()], 150, 10) == [True, False, False]


def test_one_that_has_no_room_is_not_cut() -> None:
    assert cards_with_room([passing()], 99, 10) == [False]


def test_no_toasts_need_no_room() -> None:
    assert cards_with_room([], 0, 10) == []


def test_the_room_is_at_the_right_with_a_margin() -> None:
    assert available_area(WINDOW, 316, 16, 100, []) == QRect(568, 16, 316, 568)


def test_the_room_ends_above_what_is_to_stay_clear() -> None:
    assert available_area(WINDOW, 316, 16, 100, [QRect(300, 500, 584, 84)]).bottom() == 483


def test_what_is_elsewhere_takes_no_room() -> None:
    assert available_area(WINDOW, 316, 16, 100, [QRect(0, 500, 500, 84)]) == QRect(568, 16, 316, 568)


def test_a_low_stretch_that_is_too_short_is_left_for_a_higher_one() -> None:
    room = available_area(WINDOW, 316, 16, 100, [QRect(300, 400, 600, 100), QRect(0, 0, 900, 52)])
    assert (room.top(), room.bottom()) == (68, 383)


def test_with_no_stretch_high_enough_the_highest_is_taken() -> None:
    room = available_area(WINDOW, 316, 16, 500, [QRect(300, 400, 600, 100)])
    assert (room.top(), room.bottom()) == (16, 383)


def test_a_window_narrower_than_a_toast_keeps_it_inside() -> None:
    assert available_area(QRect(0, 0, 200, 300), 316, 16, 100, []).left() == 16
