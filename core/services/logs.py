"""Where the log goes: a file of its own, and to stderr what a person at a terminal should see."""

import logging
import logging.handlers
import sys
from pathlib import Path

from core.domain.text.masking import masked_text

FILE_BYTES = 2_000_000
BACKUP_FILES = 3


def log_to(folder: Path, name: str, *, stderr_level: int) -> None:
    """Log to `folder`/`name`.log from now on; where that cannot be written, only to stderr. Secrets are left out."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    to_stderr = logging.StreamHandler(sys.stderr)
    to_stderr.setLevel(stderr_level)
    to_stderr.setFormatter(_OneLineFormatter("%(levelname)s %(name)s: %(message)s"))
    root.addHandler(to_stderr)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        to_file = logging.handlers.RotatingFileHandler(
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


class _MaskingFormatter(logging.Formatter):
    """Without secrets, be they in the message or in the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return masked_text(super().format(record))


class _OneLineFormatter(_MaskingFormatter):
    """The message without its traceback: that is for the log file."""

    def format(self, record: logging.LogRecord) -> str:
        copy = logging.makeLogRecord(record.__dict__)
        copy.exc_info = copy.exc_text = None
        return super().format(copy)
