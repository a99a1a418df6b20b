"""The data folder: private whatever the umask, and out of the agents' reach."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_all_that_a_command_makes_is_private(tmp_path: Path, umask: int) -> None:
    metier = CommandLine(tmp_path / "new" / "data")
    subprocess.run(
        metier.command("chat", "say 3 words"),
        umask=umask,
        check=True,
        capture_output=True,
        env=metier.environment(),
        cwd=tmp_path,
    )
    assert (metier.data / "store").is_dir()
    for path in (tmp_path / "new").rglob("*"):
        expected = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == expected, path


def test_an_agent_reads_and_replaces_nothing_of_it_even_in_an_allowed_folder(
    metier: CommandLine, tmp_path: Path
) -> None:
    metier("chat", "hi")
    keys, lock = metier.data / "keys.json", metier.data / "store" / "LOCK"
    keys.write_text('{"format": 1, "keys": {"x": "canary-9f2"}}')
    before = lock.stat().st_ino if lock.exists() else None
    for call in (
        f'read_file {{"path": "{keys}"}}',
        f'write_file {{"path": "{keys}", "content": "x"}}',
        f'write_file {{"path": "{lock}", "content": ""}}',
    ):
        said = metier("chat", f"/tool {call}", "--allow", str(tmp_path), "--events")
        assert "canary-9f2" not in said.out + said.err
        (made,) = said.last["tool_calls"]
        assert made["error"]["code"] == "not_allowed"
    assert "canary-9f2" in keys.read_text()
    assert (lock.stat().st_ino if lock.exists() else None) == before
