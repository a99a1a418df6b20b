"""Asking a person for a file, as the tools see the window (AGENTS_AND_TOOLS §4)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.domain.ids import WorkflowId


@dataclass(frozen=True, slots=True)
class FileWanted:
    """What a person is asked for, by a run of which workflow. `purpose` is the caller's own words; `suffixes` are those
    that are offered first, without a dot; empty: all."""

    workflow_id: WorkflowId
    purpose: str | None = None
    suffixes: tuple[str, ...] = ()


class FilePicker(Protocol):
    """A window that can ask. Cancelled, it takes the question back."""

    async def __call__(self, wanted: FileWanted) -> Path | None:
        """The file that a person picked; None where they would not."""
        ...
