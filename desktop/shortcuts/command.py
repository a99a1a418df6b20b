"""Commands: the rows of the table that menus, palette, help, buttons and settings are made from, and their handlers.

class RunController(QObject):
    @command("run.stop")
    def stop(self) -> None: ...

handlers_of([run_controller])  # {"run.stop": run_controller.stop}
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import FunctionType
from typing import TypeVar

from PySide6.QtCore import QCoreApplication

Handler = Callable[[], object]
Method = TypeVar("Method", bound=Callable[..., object])

_MARK = "handled_commands"


class KeyScope(StrEnum):
    """The scope in which keys apply."""

    EVERYWHERE = "everywhere"
    COMPOSER = "composer"
    COMPLETION = "completion popup"
    ANSWERING = "attention card, text"
    """The request card, also while the user types in it."""
    CHOOSING = "attention card"
    """The request card, while the focused widget takes no text."""
    LIST = "sidebar list"
    TRANSCRIPT = "transcript"
    TOAST = "toast"


@dataclass(frozen=True, slots=True)
class ActiveKeys:
    """The local commands whose keys do something in what has the focus, the most important first, and what they do
    there; "" is the command's own title. `title` is the heading of its keys.
    """

    title: str
    labels: Mapping[str, str]


LOCAL_SCOPES = tuple(scope for scope in KeyScope if scope is not KeyScope.EVERYWHERE)


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its default keys.

    `keys` are Qt names, `mac` the keys on macOS, where Qt maps Ctrl to Cmd and Meta to Ctrl; None: the same. `menu` is
    its menu, if any. `title` is English, translated where shown.

    A widget handles the `keys` of a local command only; `acts_as` is sent to it for any other key, by default the first
    of `keys`.
    """

    id: str
    title: str
    keys: tuple[str, ...] = ()
    menu: str | None = None
    mac: tuple[str, ...] | None = None
    scopes: tuple[KeyScope, ...] = (KeyScope.EVERYWHERE,)
    acts_as: str = ""

    @property
    def is_everywhere(self) -> bool:
        return KeyScope.EVERYWHERE in self.scopes

    @property
    def label(self) -> str:
        """The title in the current language."""
        words = QCoreApplication.translate("Commands", self.title)
        number = self.id.rpartition(".")[2]
        return words.format(number=number) if number.isdigit() else words


def command(command_id: str, *arguments: object) -> Callable[[Method], Method]:
    """Mark a method as the handler of a command, which calls it with `arguments`."""

    def mark(method: Method) -> Method:
        method.__dict__.setdefault(_MARK, []).append((command_id, arguments))
        return method

    return mark


def handlers_of(controllers: Iterable[object]) -> dict[str, Handler]:
    """Return the bound handlers by command id. Raises ValueError if a command has two."""
    handlers: dict[str, Handler] = {}
    for controller in controllers:
        # by class, not dir(controller): on an instance, getattr would run every property
        for base in type(controller).__mro__:
            for name, member in vars(base).items():
                marks = getattr(member, _MARK, ()) if isinstance(member, FunctionType) else ()
                for command_id, arguments in marks:
                    if command_id in handlers:
                        raise ValueError(f"the command {command_id!r} has two handlers")
                    method = getattr(controller, name)
                    handlers[command_id] = partial(method, *arguments) if arguments else method
    return handlers


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # the name that lupdate collects texts by
    """Return the text unchanged, marked for lupdate. Qt's own function of this name is untyped."""
    return text


def overlap(first: Command, second: Command) -> bool:
    """Return whether both commands can apply to the same key press."""
    if first.is_everywhere or second.is_everywhere:
        return True
    scopes, others = {*first.scopes}, {*second.scopes}
    card = {KeyScope.ANSWERING, KeyScope.CHOOSING}  # both apply while the card has the focus on no text
    return bool(scopes & others) or bool(scopes & card and others & card)
