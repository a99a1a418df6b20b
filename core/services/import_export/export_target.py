"""The file that an export becomes: a document, or a zip of documents where there are attachments, or much."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import Refused
from core.services.import_export.file import DOCUMENT_BYTES, PLAIN_BYTES, ExportWriter, json_texts
from core.threads.pieces import Pieces


class ExportTarget:
    """A file in the making. Its workflows are collected, until they have to become the documents of a zip."""

    def __init__(self, path: Path, begin: dict[str, Any]) -> None:
        self._begin = begin
        self._is_zip = path.name.lower().endswith(".zip")
        self._writer = ExportWriter(path)
        self._collected: list[dict[str, Any]] = []
        self._size = self._written = 0

    def add(self, workflow: dict[str, Any], attached: Mapping[str, str], *, has_files: bool) -> Pieces[bool]:
        """Add a workflow. Returns whether it fits into a document."""
        size = 0
        for text in json_texts(workflow):
            size += len(text)
            yield
        if size > DOCUMENT_BYTES - 1_000:
            return False
        self._collected.append(workflow)
        self._size += size
        for digest, text in attached.items():
            yield from self._writer.add_attachment(digest, text)
        if self._is_zip or attached or has_files or self._size > PLAIN_BYTES:
            self._is_zip = True
            yield from self._write_collected()
        return True

    def add_file(self, digest: str, data: bytes) -> Pieces[None]:
        """Add a file of the last workflow."""
        yield from self._writer.add_file(digest, data)

    def finish(self, library: dict[str, Any]) -> Pieces[None]:
        """Write the rest, and put the file in its place."""
        if self._is_zip:
            if library or not self._written:
                yield from self._writer.add("library.json", json_texts({**self._begin, **library}))
        else:
            lists = {"workflows": self._collected} if self._collected else {}
            yield from self._writer.write_plain(json_texts({**self._begin, **lists, **library}))
        yield from self._writer.finish()

    def close(self) -> None:
        """Remove what was not finished."""
        self._writer.discard()

    def _write_collected(self) -> Pieces[None]:
        for workflow in self._collected:
            self._written += 1
            document = {**self._begin, "workflows": [workflow]}
            yield from self._writer.add(f"workflow-{self._written:06}.json", json_texts(document))
        self._collected.clear()


def not_written(path: Path, error: Exception) -> Refused:
    """Return the error of a file that cannot be written."""
    return Refused("not_written", f"{path}: {getattr(error, 'strerror', None) or error}", path=str(path))
