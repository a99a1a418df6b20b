"""Lines from stdin, however they arrive."""

import pytest

from core.cli import standard_streams
from core.cli.standard_streams import LineTooLong, StandardStreams


class Fed(StandardStreams):
    """Returns these pieces in place of stdin."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = list(pieces)

    async def _piece(self) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


async def lines(*pieces: bytes) -> list[str | None]:
    """Return the lines; None for a line that was too long."""
    return [None if isinstance(line, LineTooLong) else line async for line in Fed(*pieces).lines()]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
async def test_lines_are_whole_wherever_they_are_cut(size: int) -> None:
    text = "a\r\n\n  \nd\u00e9j\u00e0 \U0001f600\nlast".encode()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert await lines(*pieces) == ["a", "d\u00e9j\u00e0 \U0001f600", "last"]


@pytest.mark.parametrize("size", [1, 7, 100])
async def test_a_line_that_is_too_long_is_dropped_and_reported(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standard_streams, "MAX_LINE_BYTES", 10)
    text = b"x" * 10 + b"\n" + b"y" * 35 + b"\nz\n" + b"w" * 11
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert await lines(*pieces) == ["x" * 10, None, "z", None]


async def test_what_is_no_utf_8_is_replaced() -> None:
    assert await lines(b"\xff{}\n") == ["\ufffd{}"]
