"""`AGENTS.md`: what a folder says to the agents that work in it (AGENTS_AND_TOOLS §3)."""

import os
from collections.abc import Sequence

from core.errors import ToolFailed
from core.ports import FolderGuide
from core.threads.pieces import Pieces, in_thread
from core.tools.file_access import path_errors, resolve_path
from core.tools.own_places import OwnPlaces

NAME = "AGENTS.md"
GUIDE_BYTES = 64_000
MAX_GUIDES = 5


class FolderGuides:
    """Reads the guides of folders by the rules of the file tools: no link, no place of the app's own."""

    def __init__(self, own: OwnPlaces) -> None:
        self._own = own

    async def read(self, folders: Sequence[str]) -> list[FolderGuide]:
        """Return the guides of those folders that have one, in order. A folder without one, or whose guide cannot be
        read, is left out; what is longer than 64 KB is cut.
        """
        return await in_thread(self._read_all(folders)) if folders else []

    def _read_all(self, folders: Sequence[str]) -> Pieces[list[FolderGuide]]:
        guides: list[FolderGuide] = []
        for folder in dict.fromkeys(folders):
            guide = self._read(folder)
            if guide is not None:
                guides.append(guide)
            if len(guides) == MAX_GUIDES:
                break
            yield
        return guides

    def _read(self, folder: str) -> FolderGuide | None:
        path = os.path.join(folder, NAME)  # noqa: PTH118  # a `Path` would change the words of the user
        try:
            target = resolve_path(path, [folder], own=self._own)
            with (
                path_errors(target.path),
                target.parent() as (parent, name),
                parent.open_file(name, os.O_RDONLY) as file,
            ):
                data = file.read(GUIDE_BYTES + 1) or b""
        except (ToolFailed, OSError):
            return None
        text = data[:GUIDE_BYTES].decode("utf-8", "replace").strip().lstrip("\ufeff")
        return FolderGuide(folder, text, is_cut=len(data) > GUIDE_BYTES) if text else None
