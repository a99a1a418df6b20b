"""What PySide does at each import in the whole process, and need not."""

import sys
from contextlib import suppress
from types import ModuleType


def read_no_sources() -> None:
    """Have the modules that are imported from now on not searched for the word PySide6.

    PySide offers `snake_case` and `true_property` to modules that ask for them, and to find out which may do so it
    reads the source of every one, ours and others', and keeps the lines: 780 files, a quarter of the time of our
    imports, 17 MB. Nobody here asks. Where PySide is another than the one we know, it goes on doing so.
    """
    with suppress(KeyError, AttributeError):
        feature = sys.modules["shibokensupport.feature"]
        getattr(feature, _SEARCH)
        setattr(feature, _SEARCH, _names_nothing)


_SEARCH = "_mod_uses_pyside"


def _names_nothing(_module: ModuleType) -> bool:
    return False
