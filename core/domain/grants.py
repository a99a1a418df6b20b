"""What the user lets a run access: folders and files, for file tools, and origins, for `http_fetch`."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.text.web_address import is_origin

_READ_ONLY = "ro:"


@dataclass(frozen=True, slots=True)
class FolderGrant:
    """An allowed folder or file. As text it is its absolute path, behind `ro:` if it may only be read."""

    path: str
    is_read_only: bool = False

    @classmethod
    def parse(cls, text: str) -> "FolderGrant":
        return cls(text.removeprefix(_READ_ONLY), text.startswith(_READ_ONLY))

    def __str__(self) -> str:
        return f"{_READ_ONLY}{self.path}" if self.is_read_only else self.path


def folders_in(allow: Sequence[str]) -> tuple[str, ...]:
    """Return the paths of the folders and files of what is allowed."""
    paths = (FolderGrant.parse(location).path for location in allow if not is_origin(location))
    return tuple(dict.fromkeys(paths))


def read_only_in(allow: Sequence[str]) -> tuple[str, ...]:
    """Return the paths of what is allowed that may only be read: not those that are allowed without that, too."""
    grants = [FolderGrant.parse(location) for location in allow if not is_origin(location)]
    writable = {grant.path for grant in grants if not grant.is_read_only}
    return tuple(dict.fromkeys(grant.path for grant in grants if grant.path not in writable))


def origins_in(allow: Sequence[str]) -> tuple[str, ...]:
    """Return the origins of what is allowed."""
    return tuple(location for location in allow if is_origin(location))
