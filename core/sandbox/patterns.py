"""Regular expressions of schemas: ECMA-262, as JSON Schema has them, else as Python reads them."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from core.threads.imports import import_once

Matches = Callable[[str], object]
"""Returns something true for a text that has a match anywhere."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Matches | None:
    r"""Return the matcher of a pattern, None for a pattern that no reading here accepts.

    The strict readings of ECMA-262 come first (`\p{L}`, `(?<name>…)`, sets of the `v` flag), then Python's, since many
    schemas are made by Python (`\Z`, `(?P<name>…)`, `(?i)`). The loose reading of ECMA-262 comes last: it takes every
    unknown escape for its letter, so that `\Z` would be a Z.
    """
    import_once("regress")
    import regress

    pattern = _SURROGATE.sub("\ufffd", pattern)

    for flags in ("u", "v", None, ""):
        try:
            if flags is None:
                return re.compile(pattern).search
            engine: Any = regress.Regex
            return _of_text(engine(pattern, flags).find)
        except (regress.RegressError, re.error, RecursionError, OverflowError):
            continue
    return None


def _of_text(find: Matches) -> Matches:
    """Return a matcher that takes lone surrogates too, which the engine rejects."""
    return lambda text: find(_SURROGATE.sub("\ufffd", text))
