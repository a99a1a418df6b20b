"""What the `AGENTS.md` of a folder says, read by the rules of the file tools."""

import os
from pathlib import Path

import pytest

from core.ports import FolderGuide
from core.tools.folder_guides import GUIDE_BYTES, MAX_GUIDES, FolderGuides
from core.tools.own_places import NO_PLACES

pytestmark = pytest.mark.real_time  # files are read in a thread


async def read(*folders: Path) -> list[FolderGuide]:
    return await FolderGuides(NO_PLACES).read([str(folder) for folder in folders])


async def test_each_folder_is_asked_once_and_in_order(tmp_path: Path) -> None:
    first, second, empty = (tmp_path / name for name in ("a", "b", "c"))
    for folder, text in (
        (first, b"Use tabs.\n"),
        (second, "\ufeffé \xff".encode("latin-1", "replace")),
        (empty, b" \n"),
    ):
        folder.mkdir()
        (folder / "AGENTS.md").write_bytes(text)
    guides = await read(first, second, first, empty, tmp_path, tmp_path / "gone")
    assert guides[0] == FolderGuide(str(first), "Use tabs.")
    assert [guide.folder for guide in guides] == [str(first), str(second)]
    assert "\N{REPLACEMENT CHARACTER}" in guides[1].text  # what is no UTF-8 is replaced
    assert await read() == []


async def test_no_link_leads_out_and_nothing_but_a_file_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a key")
    linked, fifo, folder = (tmp_path / name for name in ("linked", "fifo", "folder"))
    for made in (linked, fifo, folder):
        made.mkdir()
    (linked / "AGENTS.md").symlink_to(secret)
    os.mkfifo(fifo / "AGENTS.md")
    (folder / "AGENTS.md").mkdir()
    assert await read(linked, fifo, folder) == []


async def test_a_long_one_is_cut_and_many_are_not_all_read(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(MAX_GUIDES + 2)]
    for folder in folders:
        folder.mkdir()
        (folder / "AGENTS.md").write_text("x" * (GUIDE_BYTES + 5))
    guides = await read(*folders)
    assert len(guides) == MAX_GUIDES
    assert (len(guides[0].text), guides[0].is_cut) == (GUIDE_BYTES, True)
