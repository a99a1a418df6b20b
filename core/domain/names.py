"""Names that users give: on one line, unique and sorted regardless of case."""

from collections.abc import Iterable
from typing import Annotated, Protocol, TypeVar

from pydantic import AfterValidator

NAME_CHARACTERS = 64


class Named(Protocol):
    """Anything with an id and a name of the user's choice."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


def one_line(text: str, *, what: str = "a name", least: int = 1, most: int = NAME_CHARACTERS, joiners: str = "") -> str:
    """Put a text on one line, without surrounding spaces.

    `joiners` are unprintable characters that are allowed between others. Raises ValueError if the text is too short,
    too long or unprintable.
    """
    line = " ".join(text.split())
    if not least <= len(line) <= most:
        raise ValueError(f"{what} must have {least} to {most} characters")
    if not line.translate(dict.fromkeys(map(ord, joiners))).isprintable() or line.strip(joiners) == "" != line:
        raise ValueError(f"{what} may contain only printable characters")
    return line


Name = Annotated[str, AfterValidator(one_line)]


def name_key(name: str) -> str:
    """Return the key under which names are equal."""
    return name.casefold()


def by_name(item: Named) -> tuple[str, str]:
    """Return the key that sorts items by name."""
    return name_key(item.name), item.id


def find_named(items: Iterable[T], name: str) -> T | None:
    """Return the item of exactly that name, else an item whose name differs in case, else None."""
    name = name.strip()
    alike = [item for item in items if name_key(item.name) == name_key(name)]
    return min(alike, key=lambda item: item.name != name, default=None)


def is_name_taken(items: Iterable[Named], name: str, own_id: str) -> bool:
    """Return whether an item with another id has the name."""
    return any(name_key(item.name) == name_key(name) for item in items if item.id != own_id)
