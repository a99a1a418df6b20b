"""Log handlers: a rotating file, and stderr for the terminal."""

import logging
import logging.handlers
import sys
from io import TextIOWrapper
from pathlib import Path

from core.domain.text.hidden import terminal_text
from core.domain.text.masking import masked_text
from core.threads.files import make_private_folder, restrict_to_owner

FILE_BYTES = 2_000_000
BACKUP_FILES = 3


def log_to(folder: Path, name: str, *, stderr_level: int) -> None:
    """Log to `folder`/`name`.log, or only to stderr if the file cannot be written. Secrets are masked."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    to_stderr = logging.StreamHandler(sys.stderr)
    to_stderr.setLevel(stderr_level)
    to_stderr.setFormatter(_OneLineFormatter("%(levelname)s %(name)s: %(message)s"))
    root.addHandler(to_stderr)
    # a log that cannot be written must not keep the app from starting
    try:
        make_private_folder(folder)
        restrict_to_owner(folder)
        to_file = _PrivateFileHandler(
            folder / f"{name}.log",
            maxBytes=FILE_BYTES,
            backupCount=BACKUP_FILES,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:
        return
    to_file.setFormatter(_MaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(to_file)


class _PrivateFileHandler(logging.handlers.RotatingFileHandler):
    """Creates its files for their owner alone. Where they cannot be written the user reads a sentence, once."""

    _has_failed = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # as logging calls it
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._has_failed and sys.stderr is not None:
            self._has_failed = True
            sys.stderr.write(f"the log file cannot be written: {error.strerror}\n")

    def _open(self) -> TextIOWrapper:
        file = super()._open()
        restrict_to_owner(Path(self.baseFilename))
        return file


class _MaskingFormatter(logging.Formatter):
    """Masks secrets in the message and in the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return masked_text(super().format(record))


class _OneLineFormatter(_MaskingFormatter):
    """Leaves out the traceback, which only the log file has, and writes marks for what a terminal would obey."""

    def format(self, record: logging.LogRecord) -> str:
        copy = logging.makeLogRecord(record.__dict__)
        copy.exc_info = copy.exc_text = None
        return terminal_text(super().format(copy))
