"""The window's start without a display."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there can a session be without a display")
def test_without_a_display_one_sentence_says_so_and_nothing_is_made(tmp_path: Path) -> None:
    bare = {name: value for name, value in os.environ.items() if name not in DISPLAYS}
    command = [sys.executable, "-m", "desktop", "--data", str(tmp_path / "data")]
    ended = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert "python -m core" in ended.stderr
    assert not (tmp_path / "data").exists()
