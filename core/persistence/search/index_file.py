"""The index file: opened, created if missing, and recreated if unusable.

The FTS5 table `words` maps words to documents and keeps no text; `body` has the compressed texts. A document's number
is the time of its text in microseconds, so that the newest are found first without sorting; titles have numbers above
all times. Memories have tables of their own: they are found by the beginnings of words, and ranked.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import SearchFailed
from core.persistence.folder import private_files
from core.threads.files import make_private_folder

VERSION = 2
FIRST_TITLE = 1 << 61
LOCK_TIMEOUT_S = 5.0
# Whether deleted words may still be in the file: stored in its header, as `application_id`.
CLEAN, DIRTY, CLEANING = 0, 1, 2
INTERRUPTED_CODE = "interrupted"  # of a search that another replaced

_TABLES = """
CREATE TABLE workflow (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL DEFAULT '');
CREATE TABLE run (id TEXT PRIMARY KEY, workflow INTEGER NOT NULL, status TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX run_workflow ON run (workflow);
CREATE TABLE document (
    number INTEGER PRIMARY KEY, workflow INTEGER NOT NULL, run TEXT, kind TEXT NOT NULL, message TEXT, label TEXT
);
CREATE INDEX document_run ON document (run);
CREATE INDEX document_workflow ON document (workflow);
CREATE TABLE body (number INTEGER PRIMARY KEY, text BLOB NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 0'
);
CREATE TABLE memory (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, scope TEXT NOT NULL,
    type TEXT NOT NULL, expires INTEGER NOT NULL, place TEXT NOT NULL
);
CREATE VIRTUAL TABLE memory_words USING fts5 (words, tokenize = 'ascii', prefix = '1 2 3');
"""
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA}
_LOW_BYTE = 0xFF


@contextmanager
def search_errors() -> Iterator[None]:
    """Raise SearchFailed for an error of SQLite or the operating system."""
    try:
        yield
    except sqlite3.Error as error:
        raise SearchFailed(_error_code(error), str(error)) from error
    except OSError as error:
        raise SearchFailed("search_unavailable", error.strerror or str(error)) from error


def open_index(path: Path) -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """Return a writing and a reading connection, each for use by one thread. Raises SearchFailed."""
    with search_errors():
        try:
            writer = _open_current(path)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and not _lacks_a_table(error):
                raise  # locked, or the disk failed: the content may be intact
            remove_index(path)
            writer = _open_current(path)
        try:
            return writer, _connect(path)
        except BaseException:
            writer.close()
            raise


def remove_index(path: Path) -> None:
    """Remove the file and SQLite's companion files. Raises OSError."""
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def _open_current(path: Path) -> sqlite3.Connection:
    """Return a connection to an index of the current version, with all tables."""
    make_private_folder(path.parent)
    with private_files():
        connection = _connect(path)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != VERSION and _has_tables(connection):
            connection.close()
            remove_index(path)
            with private_files():
                connection = _connect(path)
            version = 0
        with private_files():  # the first write creates the companion files
            connection.execute("PRAGMA journal_mode = WAL")
            if version != VERSION:
                connection.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
        connection.execute("SELECT count(*) FROM words WHERE words MATCH '\"a\"'").fetchone()
        connection.execute("INSERT INTO words (words, rank) VALUES ('automerge', 4)")
        connection.execute("SELECT count(*) FROM memory_words WHERE memory_words MATCH '\"a\"'").fetchone()
    except BaseException:
        with suppress(sqlite3.Error):
            connection.close()
        raise
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = NORMAL")  # texts lost in the last seconds are indexed again
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA cache_size = -16384")
    return connection


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None


def _error_code(error: sqlite3.Error) -> str:
    number = getattr(error, "sqlite_errorcode", 0) & _LOW_BYTE
    if number == sqlite3.SQLITE_INTERRUPT:
        return INTERRUPTED_CODE
    return "search_broken" if number in _BROKEN or _lacks_a_table(error) else "search_unavailable"


def _lacks_a_table(error: sqlite3.Error) -> bool:
    """Return whether the file is not our index, or an incomplete copy."""
    return str(error).startswith(("no such table", "no such column", "vtable constructor failed"))
