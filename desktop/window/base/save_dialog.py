"""The dialog that asks for the name of a new file."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.aio import chosen_file

_UNSAFE_IN_FILE_NAMES = re.compile(r"[^\w\- ]+")
_NAME_CHARACTERS = 60


async def ask_for_target(
    window: QWidget, object_name: str, title: str, name: str, types: Mapping[str, str]
) -> tuple[Path, str] | None:
    """Ask where to save something; `types` are the name filters by suffix, the default first.

    Returns the file and the suffix of the chosen type, None if the dialog is cancelled.
    """
    default, suffixes = next(iter(types)), {label: suffix for suffix, label in types.items()}
    dialog = QFileDialog(window, title)
    dialog.setObjectName(object_name)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(types.values()))
    dialog.setDefaultSuffix(default[1:])
    dialog.filterSelected.connect(partial(_follow_type, dialog, suffixes))
    dialog.setDirectory(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    dialog.selectFile(f"{name}{default}")
    path = await chosen_file(dialog)
    return None if path is None else (path, suffixes.get(dialog.selectedNameFilter(), default))


def file_name(title: str) -> str:
    """Return what of a title can stand in a file name, "" for nothing."""
    return " ".join(_UNSAFE_IN_FILE_NAMES.sub(" ", title).split())[:_NAME_CHARACTERS].strip()


def _follow_type(dialog: QFileDialog, suffixes: Mapping[str, str], chosen: str) -> None:
    """Give the file name the suffix of the chosen file type."""
    suffix = suffixes[chosen]
    dialog.setDefaultSuffix(suffix[1:])
    for name in dialog.selectedFiles()[:1]:
        dialog.selectFile(Path(name).with_suffix(suffix).name)
