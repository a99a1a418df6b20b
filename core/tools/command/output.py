"""The output of a command: its head and tail as text, the last lines while it runs, and the rest in a file.

Terminal codes are taken out and a line that was written over is shown as it stands; the file has what the command
wrote.
"""

import codecs
import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from core.domain.text.hidden import printed_text
from core.threads.pieces import Pieces

HEAD_BYTES = TAIL_BYTES = 25 * 1024
FILE_BYTES = 8_000_000
"""Of a longer output the file has the beginning: no tool reads more than about 10 MB."""

KEPT_FILES = 50
_PIECE_BYTES = 65_536


def plain_text(data: bytes) -> str:
    """Return what a terminal would have shown, about: what is no UTF-8 is replaced."""
    return printed_text(data.decode("utf-8", "replace"))


class Output:
    """The beginning and the end of an output of any size."""

    def __init__(self) -> None:
        self.size = 0
        self._first = bytearray()
        self._last = bytearray()

    def add(self, data: bytes) -> None:
        self.size += len(data)
        room = FILE_BYTES - len(self._first)
        self._first += data[:room]
        if len(data) > room:
            self._last += data[room:]
            if len(self._last) > 4 * TAIL_BYTES:
                del self._last[:-TAIL_BYTES]

    @property
    def is_cut(self) -> bool:
        return self.size > HEAD_BYTES + TAIL_BYTES

    def text(self) -> str:
        """Return the output, of a long one the head and the tail."""
        if not self.is_cut:
            return plain_text(bytes(self._first))
        left_out = self.size - HEAD_BYTES - TAIL_BYTES
        head, tail = plain_text(bytes(self._first[:HEAD_BYTES])), plain_text(self._end(TAIL_BYTES))
        return f"{head}\n[… {left_out} of {self.size} bytes left out …]\n{tail}"

    def last_lines(self, characters: int) -> str:
        """Return the end of the output, whole lines if it has any."""
        end = self._end(4 * characters)
        text = plain_text(end)
        if len(end) == self.size and len(text) <= characters:
            return text
        text = text[-characters:]
        return text[text.find("\n", 0, -1) + 1 :]

    def saved(self) -> Pieces[str]:
        """Write the output to a file of its own, which its user alone can read, and return its path. Raises OSError."""
        yield
        folder = _folder()
        _drop_oldest(folder)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        prefix = time.strftime("%Y%m%d-%H%M%S-")
        with tempfile.NamedTemporaryFile("wb", prefix=prefix, suffix=".txt", dir=folder, delete=False) as file:
            for start in range(0, len(self._first), _PIECE_BYTES):
                file.write(decode(bytes(self._first[start : start + _PIECE_BYTES])).encode())
                yield
        return os.path.realpath(file.name)

    def _end(self, size: int) -> bytes:
        return bytes((self._first[-size:] + self._last)[-size:]) if self._last else bytes(self._first[-size:])


def _folder() -> str:
    """Return the folder for outputs, which is nobody else's: the temporary folder is open to all users."""
    parent = (
        "/var/tmp" if os.access("/var/tmp", os.W_OK) else tempfile.gettempdir()
    )  # often kept on disk, not in memory
    path = Path(parent, f"metier-output-{os.getuid()}")
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    state = path.lstat()
    if stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not state.st_mode & 0o077:
        return str(path)
    return tempfile.mkdtemp(prefix="metier-output-")


def _drop_oldest(folder: str) -> None:
    """Delete what is older than the newest outputs."""
    with os.scandir(folder) as entries:
        names = sorted((entry.name for entry in entries), reverse=True)  # they begin with the time
    for name in names[KEPT_FILES - 1 :]:
        with suppress(OSError):
            Path(folder, name).unlink()
