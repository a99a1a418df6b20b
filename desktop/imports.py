"""Switches off work that PySide does at each import in the whole process."""

import sys
from contextlib import suppress
from types import ModuleType


def read_no_sources() -> None:
    """Stop PySide from searching the source of each imported module for the word PySide6.

    PySide offers `snake_case` and `true_property` to modules that ask for them, and to find out which do, it reads the
    source of every module and caches the lines: 780 files, a quarter of the import time, 17 MB. No module here asks.
    With an unknown version of PySide this has no effect.
    """
    with suppress(KeyError, AttributeError):
        feature = sys.modules["shibokensupport.feature"]
        getattr(feature, _SEARCH)
        setattr(feature, _SEARCH, _names_nothing)


_SEARCH = "_mod_uses_pyside"


def _names_nothing(_module: ModuleType) -> bool:
    return False
