"""Streamed text: pieces with offsets, which may repeat or be missing."""


# Pieces carry offsets because they reach a view twice or not at all: a view that opens in mid-answer loads the stored
# chunks while new pieces already arrive, and a resumed turn streams its text again. Joining on each piece would make a
# long answer quadratic.
class TextStream:
    """Text that arrives in pieces with offsets. Appending is cheap; the pieces are joined on access.

    A missing piece leaves an invisible gap; later pieces are still compared with the text by their offsets.
    """

    __slots__ = ("_end", "_is_restarted", "_pieces")

    def __init__(self, text: str = "") -> None:
        self._pieces = [text] if text else []
        self._end = len(text)
        self._is_restarted = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextStream) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __str__(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def __len__(self) -> int:
        return self._end

    def append(self, offset: int, text: str) -> bool:
        """Append the new part of a piece that begins at `offset`. Return False if nothing was new."""
        if not text:
            return False
        # After a restart the writer may write something else at the same offsets; until then a repetition is expected.
        if self._is_restarted and offset < self._end:
            self._cut(self._end - offset)
        self._is_restarted = False
        new = text[max(0, self._end - offset) :]
        if not new:
            return False
        self._pieces.append(new)
        self._end = offset + len(text)
        return True

    def restart(self, dropped: str = "") -> None:
        """Expect the writer to start again, after removing `dropped` from the end. The next piece defines the
        position.
        """
        if dropped and str(self).endswith(dropped):
            self._cut(len(dropped))
        self._is_restarted = True

    def _cut(self, characters: int) -> None:
        text = str(self)
        self._pieces = [text[: max(0, len(text) - characters)]]
        self._end -= characters
