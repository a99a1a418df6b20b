"""The handlers of commands are marked beside their methods, and collected from the objects that have them."""

import pytest
from PySide6.QtCore import QObject

from desktop.shortcuts.command import command, handlers_of


class _Switcher(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    @command("go.new")
    def open_new(self) -> None:
        self.calls.append(0)

    @command("go.next", 1)
    @command("go.previous", -1)
    def step(self, by: int) -> None:
        self.calls.append(by)


class _Special(_Switcher):
    """Inherits its handlers."""


@pytest.mark.parametrize("kind", [_Switcher, _Special])
def test_handlers_are_bound_and_called_with_their_arguments(kind: type[_Switcher]) -> None:
    switcher = kind()
    handlers = handlers_of([switcher])
    for command_id in ("go.new", "go.next", "go.previous"):
        handlers.pop(command_id)()
    assert switcher.calls == [0, 1, -1]
    assert handlers == {}


def test_a_command_has_one_handler() -> None:
    with pytest.raises(ValueError, match=r"go\.new"):
        handlers_of([_Switcher(), _Switcher()])
