"""Writes JSON lines and streamed text to stdout.

Lines are ASCII, so that no terminal and no lone surrogate can break a line. A closed pipe does not stop the work.
"""

import json
import os
import sys
from typing import Any


def write_line(value: Any) -> None:
    """Write a JSON value as a line to stdout."""
    write_text(_line(value))


def write_error_line(value: Any) -> None:
    """Write a JSON value as a line to stderr."""
    sys.stderr.write(_line(value))


def write_text(text: str) -> None:
    """Write text to stdout and flush it. Characters that the terminal cannot show are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    # also for later writes, and for the flush at the end of the process
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"
