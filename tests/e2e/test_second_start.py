"""Two starts of the real window with the same data folder."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="the window needs Qt")

from tests.support.command_line import CommandLine
from tests.support.waiting import wait_until


def window(metier: CommandLine, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "desktop", *arguments],
        env=metier.environment(QT_QPA_PLATFORM="offscreen"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="looks for the socket")
def test_a_second_start_ends_well_and_the_first_window_stays(tmp_path: Path) -> None:
    """Also while the first is still opening; a start after it was killed opens anew."""
    metier = CommandLine(tmp_path / "data")
    first, early = window(metier), window(metier)
    wait_until(lambda: first.poll() is not None or early.poll() is not None, 100)  # one of the two gives way
    gone, stays = (first, early) if first.poll() is not None else (early, first)
    assert gone.returncode == 0, gone.communicate()[1]
    late = window(metier)
    assert late.wait(60) == 0
    assert stays.poll() is None

    stays.send_signal(signal.SIGKILL)
    stays.communicate(timeout=20)
    again = window(metier, "--screenshot", os.devnull, "--after", "0.1")
    _, err = again.communicate(timeout=100)
    assert again.returncode == 0, err
    for one in (first, early, late):
        one.communicate()
