"""Between Python's characters and Qt's UTF-16 units: an emoji is one of the former and two of the latter."""

_LAST_OF_ONE_UNIT = "\uffff"


def to_units(text: str, characters: int) -> int:
    """How many units the first `characters` of `text` have."""
    return characters + sum(sign > _LAST_OF_ONE_UNIT for sign in text[:characters]) if _has_pairs(text) else characters


def to_characters(text: str, units: int) -> int:
    """How many characters the first `units` of `text` are; half a pair counts as none."""
    if not _has_pairs(text):
        return min(units, len(text))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))


def _has_pairs(text: str) -> bool:
    return not text.isascii() and max(text) > _LAST_OF_ONE_UNIT
