"""The table of commands has the keys of the design; each has one meaning in a scope, and none is refused."""

import json
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from desktop.shortcuts.chords import normalized
from desktop.shortcuts.command import Command, KeyScope, overlap
from desktop.shortcuts.keymap import Keymap
from desktop.shortcuts.rules import refusal_of
from desktop.window.commands.command_table import COMMANDS, MENUS
from tests.support.project import ROOT

ACTIONS: list[dict[str, Any]] = json.loads((ROOT / "tests/vectors/keys.json").read_text("utf-8"))["actions"]

SEVERAL = {
    "go.slot": [f"go.slot.{number}" for number in range(1, 10)],
    "go.back_forward": ["go.back", "go.forward"],
    "focus.pane": ["focus.next_pane", "focus.previous_pane"],
    "transcript.message": ["transcript.previous_message", "transcript.next_message"],
    "view.zoom": ["view.zoom_in", "view.zoom_out", "view.zoom_reset"],
    "find.next": ["find.next", "find.previous"],
    "completion.accept_close": ["completion.accept", "completion.close"],
    "attention.move": ["attention.up", "attention.down"],
    "attention.pick": [f"attention.pick.{number}" for number in range(1, 10)],
    "list.fold": ["list.fold", "list.unfold"],
    "transcript.unfold": ["transcript.unfold", "transcript.fold"],
    "toast.act_dismiss_pause": ["toast.act", "toast.dismiss"],
}
"""Actions of the design that are more than one command."""
ELSEWHERE = {"graph", "template", "edit", "view.cycle"}
"""Those of the page of templates, which has its own."""
WIDER = {"composer.send_now", "composer.attach"}
"""What leads to the composer from everywhere."""
HELD = {"Return+hold"}
"""No key of Qt's: a key that is held."""
ROWS = {command.id: command for command in COMMANDS}


def keys(action: dict[str, Any], system: str) -> set[str]:
    """The keys that the design gives to an action, by our names."""
    found: set[str] = set()
    for written in action[system]:
        if written in HELD | {"-"}:
            continue
        key = written
        if system == "mac":
            key = key.replace("Ctrl(⌃)", "Meta").replace("Ctrl", "Meta").replace("Cmd", "Ctrl").replace("Opt", "Alt")
        spread = [key.replace("1..9", str(number)) for number in range(1, 10)] if "1..9" in key else [key]
        assert all(map(normalized, spread)), written
        found.update(map(normalized, spread))
    return found


ACTIONS_HERE = [
    each for each in ACTIONS if each["id"].partition(".")[0] not in ELSEWHERE and each["id"] not in ELSEWHERE
]


@pytest.mark.parametrize("action", ACTIONS_HERE, ids=lambda one: str(one["id"]))
def test_a_command_has_the_keys_and_the_place_of_the_design(action: dict[str, Any]) -> None:
    rows = [ROWS[each] for each in SEVERAL.get(action["id"], [action["id"]])]
    assert {normalized(key) for row in rows for key in row.keys} == keys(action, "keys")
    on_mac = {normalized(key) for row in rows for key in (row.keys if row.mac is None else row.mac)}
    assert on_mac == keys(action, "mac")
    places = {str(where) for row in rows for where in row.scopes}
    assert places <= {*action["where"]} | {KeyScope.ANSWERING} or action["id"] in WIDER


def test_what_is_no_command_of_the_design_has_no_key_that_the_design_gives_to_another() -> None:
    of_design = {each for action in ACTIONS for each in SEVERAL.get(action["id"], [action["id"]])}
    given = {key for action in ACTIONS_HERE if "everywhere" in action["where"] for key in keys(action, "keys")}
    for command in COMMANDS:
        if command.id not in of_design and command.is_everywhere:
            assert not given & {*command.keys}


def test_every_command_stands_once_with_normal_names_of_keys_in_a_menu_that_there_is() -> None:
    assert [one for one, count in Counter(command.id for command in COMMANDS).items() if count > 1] == []
    for command in COMMANDS:
        assert [normalized(key) for key in (*command.keys, *(command.mac or ()))] == [
            *command.keys,
            *(command.mac or ()),
        ]
        assert command.menu is None or command.menu in MENUS
        assert command.title
        assert not command.acts_as or normalized(command.acts_as) == command.acts_as


@pytest.mark.parametrize("is_mac", [False, True])
def test_no_default_key_means_two_things_in_one_place(is_mac: bool) -> None:
    assert Keymap(COMMANDS, is_mac=is_mac).problems == ()
    for one, other in combinations(COMMANDS, 2):
        if overlap(one, other):
            assert not {*one.keys} & {*other.keys}, (one.id, other.id)


def test_no_default_key_has_ctrl_and_alt_nor_alt_with_a_letter_nor_ctrl_and_shift_with_a_digit() -> None:
    for command in COMMANDS:
        bare = Command(command.id, command.title, scopes=command.scopes)
        for key in command.keys:
            why = refusal_of(bare, key)
            of_a_place = ("writes", "edits", "closes", "moves_focus")
            assert why is None or (not command.is_everywhere and why in of_a_place), (command.id, key)
