"""`window.json` is restored as saved, and no content of it keeps the window from opening."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop.window_state import MOST_BYTES, Geometry, WindowState, read, write
from tests.support.project import ROOT

FULL = WindowState(
    scheme="dark",
    language="fr",
    zoom=1.25,
    reduced_motion=True,
    enter_sends=False,
    is_sidebar_collapsed=True,
    is_activity_collapsed=True,
    folded_sections=("recent", "workflows"),
    viewed_workflow="wf-1",
    geometry=Geometry(-40, 20, 1200, 800, is_maximized=True),
    keys={"go.inbox": ["F7"], "later": 1},
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "window.json"


def test_saved_state_is_restored(path: Path) -> None:
    write(path, FULL)
    assert read(path) == FULL


@pytest.mark.parametrize("content", ['{"zoom": 1.5, "keys": {"go.', "[1]", "\x00"])
def test_a_file_that_cannot_be_read_is_put_aside(path: Path, content: str) -> None:
    path.write_text(content)
    write(path, read(path))
    assert path.with_name("window.json.unread").read_text() == content
    assert read(path) == WindowState()


def test_keys_that_are_no_object_are_put_aside(path: Path) -> None:
    path.write_text('{"zoom": 1.5, "keys": ["F7"]}')
    state = read(path)
    assert (state.zoom, state.keys, state.others) == (1.5, {}, {"unread_keys": ["F7"]})


def test_the_first_start_has_the_defaults(path: Path) -> None:
    assert read(path) == WindowState()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"scheme": "da',
        b"\xff\xfe\x00",
        b"[1, 2]",
        b"null",
        b"[" * 200_000,
        b'{"zoom": ' + b"9" * 10_000 + b"}",
        b" " * (MOST_BYTES + 1) + b"{}",
    ],
    ids=["empty", "half", "no text", "a list", "null", "deep", "a long number", "huge"],
)
def test_a_file_that_cannot_be_read_counts_for_none(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert read(path) == WindowState()


def test_a_folder_in_its_place_counts_for_none(path: Path) -> None:
    path.mkdir()
    assert read(path) == WindowState()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_pipe_in_its_place_is_not_waited_for(path: Path) -> None:
    if sys.platform != "win32":
        os.mkfifo(path)
    assert read(path) == WindowState()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scheme", "sepia"),
        ("scheme", ["dark"]),
        ("language", "de"),
        ("zoom", "1.5"),
        ("zoom", True),
        ("zoom", float("nan")),
        ("zoom", float("inf")),
        ("reduced_motion", 1),
        ("enter_sends", None),
        ("is_sidebar_collapsed", "yes"),
        ("viewed_workflow", 7),
        ("viewed_workflow", ""),
        ("viewed_workflow", "w" * 10_000),
        ("geometry", [0, 0, 800, 600]),
        ("geometry", {"x": 0, "y": 0, "width": 800}),
        ("geometry", {"x": 0, "y": 0, "width": 0, "height": 600}),
        ("geometry", {"x": 0, "y": 0, "width": 2**40, "height": 600}),
        ("geometry", {"x": 0.5, "y": 0, "width": 800, "height": 600}),
    ],
)
def test_a_field_that_cannot_be_read_has_its_default_and_the_others_stay(path: Path, name: str, value: Any) -> None:
    write(path, FULL)
    kept = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**kept, name: value}), encoding="utf-8")
    assert read(path) == replace(FULL, **{name: getattr(WindowState(), name)})


@pytest.mark.parametrize(("kept", "zoom"), [(0.01, 0.8), (40, 2.0), (10**400, 2.0)])
def test_a_zoom_beyond_the_bounds_is_the_nearest_within(path: Path, kept: float, zoom: float) -> None:
    path.write_text(json.dumps({"zoom": kept}), encoding="utf-8")
    assert read(path).zoom == zoom


def test_a_field_of_a_later_version_is_preserved(path: Path) -> None:
    path.write_text('{"scheme": "light", "wallpaper": {"name": "dunes"}}', encoding="utf-8")
    state = read(path)
    write(path, replace(state, scheme="dark"))
    assert json.loads(path.read_text(encoding="utf-8"))["wallpaper"] == {"name": "dunes"}
    assert read(path) == replace(state, scheme="dark")


def test_a_title_of_any_characters_is_preserved(path: Path) -> None:
    state = WindowState(viewed_workflow="é\ud800\0")
    write(path, state)
    assert read(path) == state


@pytest.mark.skipif(os.name != "posix", reason="Windows has other permissions")
def test_other_users_cannot_read_it(path: Path) -> None:
    path.write_text("{}", encoding="utf-8")
    path.chmod(0o644)
    write(path, FULL)
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "window.json"
    write(path, FULL)
    assert read(path) == FULL


def test_a_write_error_is_reported_and_leaves_the_previous_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    write(path, FULL)
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left"):
        write(path, WindowState())
    assert read(path) == FULL
    assert [each.name for each in path.parent.iterdir()] == ["window.json"]


def test_reading_it_needs_the_standard_library_alone() -> None:
    program = (
        "import sys; before = set(sys.modules); import desktop.window_state;"
        "print(sorted({name.split('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['desktop']"
