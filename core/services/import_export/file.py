"""The file of an export: a JSON document, or a zip of such documents and of attachments (EXPORT_FILE).

Nothing of a file is trusted, and no entry is ever extracted: entries are read by the names that an export gives them.
Everything here blocks, and runs in a thread in pieces.
"""

import codecs
import hashlib
import json
import os
import re
import secrets
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from core.domain.messages import FILE_BYTES as ATTACHMENT_BYTES
from core.domain.messages import MESSAGE_BYTES
from core.domain.text.json_text import encode, parse_at
from core.errors import Refused
from core.threads.pieces import Pieces

FORMAT = "metier.export/1"
DOCUMENT_BYTES = 128_000_000
"""Of a document. Workflows have documents of their own where this does not suffice."""
PLAIN_BYTES = 16_000_000
"""A longer export is a zip, whatever its name."""
TOTAL_BYTES = 8_000_000_000
MAX_ENTRIES = 100_000
CHUNK_BYTES = 256 * 1024
STRUCTURE_DEPTH = 6
"""Down to the facts of a run; a value below is parsed at once."""

_ENTRY = re.compile(
    r"(?:export|library|workflow-[0-9]{6})\.json|attachments/[0-9a-f]{64}(?:\.pdf)?\.txt|"
    r"attachments/[0-9a-f]{64}\.data",
    re.ASCII,
)
_FORMAT = re.compile(r"metier\.export/([0-9]{1,9})", re.ASCII)
_SPACE = re.compile(r"[ \t\r\n]*")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def bad_file(place: str, problem: str) -> Refused:
    """Return the error of a file that is refused whole; `place` names where in it the problem is."""
    return Refused("bad_export", f"{place}: {problem}" if place else problem, place=place)


def text_hash(text: str) -> str:
    """Return the hash of an attached text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Convert what reading a damaged file raises."""
    try:
        yield
    except OSError as error:
        raise Refused("bad_input", f"{name} cannot be read: {error.strerror or error}", path=name) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise bad_file(name, f"the file is cut or damaged ({error})") from None


def looks_like_export(path: Path) -> bool:
    """Return whether the file begins like an export. Reads little of it; an unreadable file does not."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            beginning = file.read(CHUNK_BYTES)
            if not beginning.startswith(b"PK"):
                return b'"metier.export/' in beginning
            with zipfile.ZipFile(file) as opened:
                names = opened.namelist()
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False
    return any(name in ("library.json", "workflow-000001.json") for name in names)


class ExportReader:
    """An export file, open for reading. Raises Refused `bad_export`, `newer_export` or `bad_input`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _reading(path.name):
            if not path.is_file():  # not a pipe, which would block the thread
                raise Refused("bad_input", f"{path.name} is not a file", path=path.name)
            self._file = path.open("rb")
        try:
            self._zip = self._opened_zip()
            self._names = self._checked_names()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "ExportReader":
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    @property
    def documents(self) -> list[str]:
        """The names of its documents, in order."""
        return [self._path.name] if self._zip is None else [name for name in self._names if name.endswith(".json")]

    def document(self, name: str) -> Pieces[dict[str, Any]]:
        """Return the document of that name."""
        data = self._file if self._zip is None else None
        text = yield from self._text(name, DOCUMENT_BYTES, data)
        value = yield from parse_in_pieces(text, name)
        if not isinstance(value, dict) or not isinstance(value.get("format"), str):
            raise bad_file(name, "this is not an export of Metier")
        version = _FORMAT.fullmatch(value["format"])
        if version is None:
            raise bad_file(name, "this is not an export of Metier")
        if int(version[1]) != int(FORMAT.rpartition("/")[2]):
            message = f"{name}: the file was written by a later version of Metier, in the format {value['format']}"
            raise Refused("newer_export", message, place=name, format=value["format"])
        return value

    def attachment(self, digest: str) -> Pieces[str | None]:
        """Return the attached text of that hash, or the text of the PDF of that hash; None if the file lacks it."""
        name, of_pdf = f"attachments/{digest}.txt", f"attachments/{digest}.pdf.txt"
        if of_pdf in self._names:
            return (yield from self._text(of_pdf, 4 * ATTACHMENT_BYTES, None))
        if name not in self._names:
            return None
        text = yield from self._text(name, 4 * ATTACHMENT_BYTES, None, "surrogatepass")
        if text_hash(text) != digest:
            raise bad_file(name, "the text is not the one that was exported")
        return text

    def file(self, digest: str) -> Pieces[bytes | None]:
        """Return the attached file of that hash, None if the export lacks it."""
        name = f"attachments/{digest}.data"
        if name not in self._names:
            return None
        pieces, hashed, size = [], hashlib.sha256(), 0
        with _reading(name):
            source = self._entry(name)
            while data := source.read(CHUNK_BYTES):
                size += len(data)
                if size > MESSAGE_BYTES:
                    raise bad_file(name, f"it has over {MESSAGE_BYTES // 1_000_000:,} MB")
                hashed.update(data)
                pieces.append(data)
                yield
        if hashed.hexdigest() != digest:
            raise bad_file(name, "the file is not the one that was exported")
        return b"".join(pieces)

    def _opened_zip(self) -> zipfile.ZipFile | None:
        with _reading(self._path.name):
            beginning = self._file.read(4)
            self._file.seek(0)
            return zipfile.ZipFile(self._file) if beginning.startswith(b"PK") else None

    def _checked_names(self) -> frozenset[str]:
        if self._zip is None:
            return frozenset()
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise bad_file(self._path.name, f"it has more than {MAX_ENTRIES:,} entries")
        names: set[str] = set()
        for entry in entries:
            shown = ascii(entry.filename[:80])
            if not _ENTRY.fullmatch(entry.filename):
                raise bad_file(self._path.name, f"the entry {shown} is not part of an export")
            if entry.filename in names:
                raise bad_file(self._path.name, f"the entry {shown} is there twice")
            if entry.flag_bits & 1 or entry.compress_type not in _METHODS:
                raise bad_file(self._path.name, f"the entry {shown} is encrypted or compressed in an unknown way")
            names.add(entry.filename)
        if sum(entry.file_size for entry in entries) > TOTAL_BYTES:
            raise bad_file(self._path.name, f"it has over {TOTAL_BYTES // 1_000_000:,} MB")
        if not any(name.endswith(".json") for name in names):
            raise bad_file(self._path.name, "this is not an export of Metier")
        return frozenset(sorted(names))

    def _text(self, name: str, limit: int, plain: IO[bytes] | None, errors: str = "strict") -> Pieces[str]:
        """Return the text of an entry. A size that the file states is not relied on."""
        decoder, texts, size = codecs.getincrementaldecoder("utf-8")(errors), [], 0
        try:
            with _reading(name):
                if plain is not None:
                    plain.seek(0)
                source = plain if plain is not None else self._entry(name)
                while data := source.read(CHUNK_BYTES):
                    size += len(data)
                    if size > limit:
                        raise bad_file(name, f"it has over {limit // 1_000_000:,} MB")
                    texts.append(decoder.decode(data))
                    yield
            texts.append(decoder.decode(b"", final=True))
        except UnicodeDecodeError:
            raise bad_file(name, "the file is cut or damaged (it is not UTF-8 text)") from None
        return "".join(texts)

    def _entry(self, name: str) -> IO[bytes]:
        assert self._zip is not None
        return self._zip.open(name)


def parse_in_pieces(text: str, place: str) -> Pieces[Any]:
    """Parse JSON, and yield between the members of its upper levels: `json` holds the GIL for the whole of a text."""
    try:
        value, end = yield from _parse(text, _skip(text, 0), place, STRUCTURE_DEPTH)
    except ValueError as error:
        raise bad_file(place, f"the file is cut or damaged ({error})") from None
    if _skip(text, end) != len(text):
        raise bad_file(place, "there is something after the end of the document")
    return value


def _parse(text: str, at: int, place: str, depth: int) -> Pieces[tuple[Any, int]]:
    begin = text[at : at + 1]
    if depth == 0 or begin not in ("{", "[") or not begin:
        yield
        return parse_at(text, at)
    members: dict[str, Any] = {}
    items: list[Any] = []
    end = "}" if begin == "{" else "]"
    at = _skip(text, at + 1)
    while text[at : at + 1] != end:
        key = len(items)
        if begin == "{":
            name, at = parse_at(text, at)
            at = _skip(text, at)
            if not isinstance(name, str) or text[at : at + 1] != ":":
                raise ValueError(f"a name and a colon are missing at character {at:,}")
            if name in members:
                raise bad_file(place, f"{name[:80]!a} is there twice at character {at:,}")
            at = _skip(text, at + 1)
            members[name], at = yield from _parse(text, at, place, depth - 1)
        else:
            value, at = yield from _parse(text, at, place, depth - 1)
            items.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
            if text[at : at + 1] == end:
                raise ValueError(f"a comma too many at character {at:,}")
        elif text[at : at + 1] != end:
            raise ValueError(f"{end} is missing at character {at:,}, after member {key}")
    return (members if begin == "{" else items), at + 1


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    assert space is not None
    return space.end()


class ExportWriter:
    """Writes an export to a file that appears whole or not at all, readable by its owner only.

    Raises OSError, and ValueError for a name that no file can have.
    """

    def __init__(self, path: Path) -> None:
        if "\0" in str(path):
            raise ValueError("a name cannot contain a NUL character")
        self._path = path
        self._temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self._temporary, flags, 0o600)
        self._file = open(descriptor, "wb")  # noqa: PTH123, SIM115  # an open descriptor, with its mode
        self._zip: zipfile.ZipFile | None = None
        self._attached: set[str] = set()

    def add(self, name: str, texts: Iterator[str]) -> Pieces[None]:
        """Write a document of a zip."""
        with self._opened_zip().open(_entry_info(name), "w", force_zip64=True) as entry:
            for text in texts:
                entry.write(text.encode())
                yield

    def add_attachment(self, digest: str, text: str) -> Pieces[None]:
        """Write an attached text of a zip, once."""
        if digest not in self._attached:
            self._attached.add(digest)
            entry = _entry_info(f"attachments/{digest}.{'txt' if text_hash(text) == digest else 'pdf.txt'}")
            self._opened_zip().writestr(entry, text.encode("utf-8", "surrogatepass"))
        yield

    def add_file(self, digest: str, data: bytes) -> Pieces[None]:
        """Write an attached file of a zip, once; pictures are compressed already."""
        name = f"attachments/{digest}.data"
        if name not in self._attached:
            self._attached.add(name)
            self._opened_zip().writestr(_entry_info(name), data, zipfile.ZIP_STORED)
        yield

    def write_plain(self, texts: Iterator[str]) -> Pieces[None]:
        """Write the only document of a file that is no zip."""
        for text in texts:
            self._file.write(text.encode())
            yield

    def finish(self) -> Pieces[None]:
        """Put the file in its place."""
        if self._zip is not None:
            self._zip.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        yield
        self._file.close()
        self._temporary.replace(self._path)

    def discard(self) -> None:
        """Remove what is not in its place."""
        with suppress(OSError, ValueError):
            self._file.close()
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    def _opened_zip(self) -> zipfile.ZipFile:
        if self._zip is None:
            self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED)
        return self._zip


def _entry_info(name: str) -> zipfile.ZipInfo:
    """Return an entry without the time of writing, so that equal exports are equal files."""
    info = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info


def json_texts(value: Any, depth: int = STRUCTURE_DEPTH, indent: str = "") -> Iterator[str]:
    """Yield the JSON of a value in pieces, with a line for each member of its upper levels."""
    if depth == 0 or not isinstance(value, Mapping | list) or not value:
        yield encode(value)
        return
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    begin, end = ("{", "}") if isinstance(value, Mapping) else ("[", "]")
    inner = f"{indent} "
    for number, (name, member) in enumerate(pairs):
        key = f"{json.dumps(name)}: " if begin == "{" else ""
        yield f"{begin if number == 0 else ','}\n{inner}{key}"
        yield from json_texts(member, depth - 1, inner)
    yield f"\n{indent}{end}"
