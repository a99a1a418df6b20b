"""Amounts as a person reads them, for the line that sums up a call."""


def counted(number: int, noun: str) -> str:
    """`1 file`, `12 files`, `10,000 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """`999 bytes`, `1.2 kB`, `3.4 MB`: powers of 1000."""
    if number < 1000:
        return counted(number, "byte")
    return f"{number / 1000:.1f} kB" if number < 999_950 else f"{number / 1_000_000:.1f} MB"


def shortened(text: str, limit: int = 80) -> str:
    """The text on one line, cut with `…` where it is longer."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"
