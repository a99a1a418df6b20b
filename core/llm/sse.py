"""An incremental parser of server-sent events as model servers write them.

The grammar is that of the HTML standard (https://html.spec.whatwg.org/multipage/server-sent-events.html), plus the
deviations of real servers: an `error:` field, several `data:` lines of JSON without an empty line between them, a
stream that ends without an empty line. Splitting the bytes anywhere, even within a character, yields the same events.
"""

from collections.abc import Iterator
from dataclasses import dataclass

# A longer event is refused: an endless line would otherwise fill the memory.
EVENT_BYTES = 16_000_000

_BOM = b"\xef\xbb\xbf"


class TooLarge(Exception):
    """An event exceeds 16 MB."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """An event. `data` is its data lines, joined. `name` is "error" also for an `error:` field, and "" by default."""

    data: str
    name: str = ""


# Splitting is done on bytes, for two reasons. A piece may end within a UTF-8 character, while a line end (LF, CR, CRLF)
# can only be a whole byte, so complete lines always decode. And `str.splitlines` would also split at U+2028 and U+0085,
# which JSON strings may contain. The standard would ignore unknown fields and discard an unfinished event; servers
# report errors in such fields and omit the last empty line, so both are kept (AGENTS_AND_TOOLS §2).
class SseParser:
    """Parses the pieces of a stream. `other_lines` are lines that no event stream has, at most 16 MB, as the server may
    have sent something else.
    """

    def __init__(self) -> None:
        self.other_lines: list[str] = []
        self._line: list[bytes] = []
        self._line_bytes = 0
        self._data: list[str] = []
        self._name = ""
        self._event_bytes = 0
        self._other_bytes = 0
        self._is_first_line = True
        self._skips_newline = False

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Yield the events that end in this piece. Raises TooLarge."""
        # A CR ends a line at once. If the LF of a CRLF arrives in the next piece, it must not end another, empty line.
        if self._skips_newline and piece:
            self._skips_newline = False
            piece = piece.removeprefix(b"\n")
        if b"\n" not in piece and b"\r" not in piece:
            self._keep(piece)
            return
        for line in piece.splitlines(keepends=True):
            if line.endswith((b"\n", b"\r")):
                yield from self._end_line(line.rstrip(b"\r\n"))
            else:
                self._keep(line)
        self._skips_newline = piece.endswith(b"\r")

    def close(self) -> Iterator[SseEvent]:
        """Yield the last event, which no empty line ended."""
        if self._line:
            yield from self._end_line(b"")
        yield from self._dispatch()

    def _keep(self, piece: bytes) -> None:
        if piece:
            self._line.append(piece)
            self._line_bytes += len(piece)
            if self._line_bytes > EVENT_BYTES:
                raise TooLarge

    def _end_line(self, end: bytes) -> Iterator[SseEvent]:
        line = end
        if self._line:
            line = b"".join([*self._line, end])
            self._line.clear()
            self._line_bytes = 0
        if self._is_first_line:
            self._is_first_line = False
            line = line.removeprefix(_BOM)
        if line:
            yield from self._parse_line(line)
        else:
            yield from self._dispatch()

    def _parse_line(self, line: bytes) -> Iterator[SseEvent]:
        name, colon, rest = line.partition(b":")
        value = rest.removeprefix(b" ").decode("utf-8", "replace")
        match name:
            case b"data":
                if self._starts_event(value):
                    yield from self._dispatch()
                self._add_data(value)
            case b"error" if colon:
                yield from self._dispatch()
                yield SseEvent(value, "error")
            case b"event":
                self._name = value
            case b"" | b"id" | b"retry":  # a comment, or a field for browsers that reconnect
                return
            case _:
                self._keep_other(line)

    def _starts_event(self, value: str) -> bool:
        """Return whether this line starts another event although no empty line came before.

        No JSON text has a line that ends with } before a line that begins with {.
        """
        return bool(self._data) and self._data[-1].rstrip().endswith("}") and value.lstrip().startswith(("{", "[DONE]"))

    def _add_data(self, value: str) -> None:
        self._data.append(value)
        self._event_bytes += len(value)
        if self._event_bytes > EVENT_BYTES:
            raise TooLarge

    def _keep_other(self, line: bytes) -> None:
        self._other_bytes += len(line)
        if self._other_bytes > EVENT_BYTES:
            raise TooLarge
        self.other_lines.append(line.decode("utf-8", "replace"))

    def _dispatch(self) -> Iterator[SseEvent]:
        name, self._name = self._name, ""
        if self._data:
            data, self._data, self._event_bytes = self._data, [], 0
            yield SseEvent("\n".join(data), name)
