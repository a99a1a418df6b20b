"""A second start finds the first window, and nobody else can stand in its place."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from desktop.meeting_place import address, is_taken
from desktop.single_instance import Instance, show_other
from tests.support.project import ROOT

Until = Callable[..., Awaitable[None]]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="looks into the socket's folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    return tmp_path / "data"


def other_start(folder: Path) -> "subprocess.Popen[str]":
    script = (
        "import sys; from pathlib import Path; from PySide6.QtCore import QCoreApplication;"
        "from desktop.single_instance import show_other; app = QCoreApplication([]);"
        "print(show_other(Path(sys.argv[1])))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        cwd=ROOT,
        env={**os.environ, "XDG_ACTIVATION_TOKEN": "token-1"},
        stdout=subprocess.PIPE,
        text=True,
    )


async def test_a_second_start_is_answered_and_the_first_is_asked(
    folder: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_ACTIVATION_TOKEN", raising=False)
    owner = QObject()
    instance, asked = Instance(folder, owner), []
    instance.asked.connect(lambda: asked.append(os.environ.get("XDG_ACTIVATION_TOKEN")))
    assert instance.listen()
    starts = [other_start(folder) for _ in range(2)]
    await until(lambda: len(asked) == 2)
    await until(lambda: all(start.poll() is not None for start in starts))
    assert [start.communicate()[0].strip() for start in starts] == ["True", "True"]
    assert asked == ["token-1", "token-1"]
    instance.close()
    assert not show_other(folder)


async def test_a_socket_of_a_process_that_died_is_no_window_and_is_taken_over(
    folder: Path, qapp: QApplication, until: Until
) -> None:
    found = address(folder)
    assert found is not None
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(found)
    assert is_taken(folder)
    assert not show_other(folder)
    owner = QObject()
    instance = Instance(folder, owner)
    assert instance.listen()
    assert os.stat(found).st_mode & 0o077 == 0  # noqa: PTH116  # the test may block
    instance.close()


@pytest.mark.parametrize("line", [b"\n", b"hide\n", b"show $(token)\n", b"x" * 2000, b"sh"])
async def test_whatever_else_is_said_does_no_harm(folder: Path, qapp: QApplication, until: Until, line: bytes) -> None:
    owner = QObject()
    instance, asked = Instance(folder, owner), []
    instance.asked.connect(lambda: asked.append(os.environ.get("XDG_ACTIVATION_TOKEN")))
    assert instance.listen()
    found = address(folder)
    assert found is not None
    client = socket.socket(socket.AF_UNIX)
    client.connect(found)
    client.sendall(line)
    client.close()
    start = other_start(folder)
    await until(lambda: start.poll() is not None)
    start.communicate()
    assert asked[-1] == "token-1"
    assert len(asked) == (2 if line.startswith(b"show ") else 1)
    instance.close()


def test_a_folder_that_others_can_write_is_no_place_for_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as short:  # a socket's path is
        shared, mine = Path(short) / "shared", Path(short) / "mine"
        shared.mkdir()
        shared.chmod(0o777)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(shared))
        found = address(mine)
        assert found is not None
        assert Path(found).parent == mine


def test_a_path_that_is_too_long_for_a_socket_finds_another_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    deep = tmp_path / ("d" * 90) / ("e" * 90)
    found = address(deep)
    assert found is not None
    assert len(found) <= 100
    assert address(deep) == found != address(tmp_path)
