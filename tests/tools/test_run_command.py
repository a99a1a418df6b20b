"""`run_command` against hostile commands, with and without bubblewrap (AGENTS_AND_TOOLS §5)."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from core.domain.consent import CallTraits, ConsentPolicy, Permission, Rule, Ruling
from core.domain.events import CommandOutput
from core.domain.template import ValidationMode
from core.domain.tool import CallResult, CallStatus, Effect
from core.ports import AllowFile, Write
from core.tools.builtin import run_command
from core.tools.command.confinement import Confinement
from core.tools.command.output import TAIL_BYTES, plain_text
from core.tools.own_places import OwnPlaces
from core.tools.registry import call_traits
from tests.tools.rig import context, invoker

pytestmark = pytest.mark.skipif(not run_command.is_possible(), reason="there is no /bin/sh here")
CONFINED, UNCONFINED = "confined", "unconfined"


async def nothing(writes: Sequence[Write]) -> None:
    """Store nothing."""


@dataclass
class World:
    """An allowed folder `in` beside what is out of reach."""

    root: Path
    confinement: Confinement
    facts: list[Any] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)

    async def commit(self, writes: Sequence[Write]) -> None:
        self.writes += writes

    @property
    def folder(self) -> Path:
        return self.root / "in"

    async def run(self, line: str, *allow: Path | str, **more: Any) -> CallResult:
        own = OwnPlaces([self.root / "data"])
        runner = invoker(run_command.tool(self.commit, own, self.confinement))
        where = replace(context(*(allow or (self.folder,))), emit=self.facts.append)
        arguments = {"command": line, **more}
        return await runner.call("run_command", arguments, where, default_timeout_s=100.0, is_permitted=True)

    async def output(self, line: str, **more: Any) -> str:
        result = await self.run(line, **more)
        assert result.status is CallStatus.COMPLETED, result.error
        return str(result.value["output"])


@pytest.fixture(params=[CONFINED, UNCONFINED])
async def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    for name in ("in", "out", "data", "home/.ssh", "home/.gnupg", "home/.cache", "runtime"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("out/kept", "data/store", "home/.ssh/id", "home/.gnupg/key", "runtime/bus", "agent"):
        (tmp_path / name).write_text("secret-text")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    monkeypatch.setenv("SOME_API_KEY", "secret-text")
    confinement = Confinement(OwnPlaces([tmp_path / "data"]), "" if request.param == UNCONFINED else None)
    if request.param == CONFINED and not await confinement.works():
        pytest.skip("bubblewrap is not installed, or cannot start here")
    return World(tmp_path, confinement)


def is_confined(world: World) -> bool:
    return world.confinement.is_known_to_work is True


@pytest.mark.parametrize(
    "line",
    [
        "echo new > ../out/kept",
        "echo new >> {root}/in/../out/kept; chmod 777 ../out; touch -d 1999-01-01 ../out/kept",
        "echo new > {root}/out/kept",
        "ln -s ../out link && echo new > link/kept",
        "rm -f ../out/kept; mv ../out ../gone",
        "ln {root}/out/kept hard && echo new > hard",
        "cd / && echo new > {root}/out/kept",
        "mount --bind {root}/out . ; echo new > {root}/out/kept",
        "mv {root}/in {root}/away; ln -s {root}/out {root}/in; echo new > {root}/in/kept",
    ],
)
async def test_a_confined_command_writes_nothing_outside(world: World, line: str) -> None:
    if not is_confined(world):
        await world.run("true")
        if not is_confined(world):
            pytest.skip("only what is confined is kept inside")
    await world.run(line.format(root=world.root))
    assert (world.root / "out/kept").read_text() == "secret-text"


async def test_a_confined_command_changes_nothing_that_may_only_be_read(world: World) -> None:
    """Neither beside what it may change nor inside of it; and what it may change inside of such a folder, it can."""
    for name in ("read", "in/read", "read/write"):
        (world.root / name).mkdir()
    (world.root / "read/alone").touch()
    writable, alone = (str(world.root / name) for name in ("read/write", "read/alone"))
    read_only = [f"ro:{world.root / name}" for name in ("read", "in/read")]
    line = "for each in in/read read in read/write; do touch {root}/$each/new; done; echo new > {root}/read/alone"
    await world.run(line.format(root=world.root), world.folder, *read_only, writable, alone)
    made = {str(each.parent.relative_to(world.root)) for each in world.root.rglob("new")}
    assert made == {"in", "read/write"} | (set() if is_confined(world) else {"in/read", "read"})
    assert (world.root / "read/alone").read_text() == "new\n"


@pytest.mark.parametrize("place", ["data/store", "home/.ssh/id", "home/.gnupg/key", "runtime/bus", "agent"])
async def test_a_confined_command_reads_no_keys(world: World, place: str) -> None:
    result = await world.run(f"cat {world.root / place}; true", world.root)  # allowed as a whole
    assert ("secret-text" in result.value["output"]) is not is_confined(world)


_CONNECT = """
import socket, sys
listening = "\\0" + sys.argv[1][1:] if sys.argv[1].startswith("@") else sys.argv[1]
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    try:
        is_pair = kind == socket.SOCK_DGRAM
        made = socket.socketpair(socket.AF_UNIX, kind)[0] if is_pair else socket.socket(socket.AF_UNIX)
        made.connect(listening)
        print("reached", kind)
    except OSError as error:
        print(error)
"""


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("place", ["in/socket", "home/socket", "@metier-test"])
async def test_a_confined_command_reaches_no_unix_socket(world: World, place: str, network: bool) -> None:
    (world.folder / "connect.py").write_text(_CONNECT)
    address = f"{place}-{os.getpid()}" if place.startswith("@") else str(world.root / place)
    with socket.socket(socket.AF_UNIX) as stream, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        stream.bind("\0" + address[1:] if address.startswith("@") else address)
        stream.listen()
        if address.startswith("@"):
            datagrams.bind("\0" + address[1:] + "-datagrams")
        else:
            datagrams.bind(address + "-datagrams")
        line = f"for each in '{address}' '{address}-datagrams'; do {sys.executable} connect.py $each; done"
        output = await world.output(line, network=network)
    assert ("reached" in output) is not is_confined(world), output


async def test_the_environment_has_no_keys(world: World) -> None:
    output = await world.output("env")
    assert "secret-text" not in output
    assert "PATH=" in output


async def test_a_confined_command_has_no_network_unless_it_is_given(world: World) -> None:
    lines = "ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c :"
    closed, opened = await world.output(lines), await world.output(lines, network=True)
    if is_confined(world):
        assert closed.split()[-1] == "1"
    assert int(opened.split()[-1]) >= 1


@pytest.mark.parametrize(
    "line",
    [
        "sleep {id} & echo begun",
        "setsid sleep {id} & echo begun",
        "nohup sleep {id} >/dev/null 2>&1 & echo begun",
        "(setsid nohup sleep {id} >/dev/null 2>&1 &) ; echo begun",
        "(trap '' HUP INT TERM; exec sleep {id}) & echo begun",
        "for n in 1 2 3 4 5 6 7 8 9; do setsid sleep {id} & done; echo begun",
        "setsid sleep {id} & echo begun; kill -9 $$",
    ],
)
async def test_nothing_that_it_began_is_left(world: World, line: str) -> None:
    number = f"9{os.getpid()}.{abs(hash(line)) % 10_000}"
    assert "begun" in await world.output(line.format(id=number))
    await gone(number)


async def test_a_command_that_takes_too_long_is_killed_with_its_children(world: World) -> None:
    number = f"8{os.getpid()}"
    result = await world.run(f"echo begun; setsid sleep {number} & sleep {number}", timeout_s=1)
    assert result.error is not None
    assert (result.error.code, result.error.parameters["output"]) == ("timeout", "begun\n")
    await gone(number)


async def test_a_cancelled_command_is_killed(world: World) -> None:
    number = f"7{os.getpid()}"
    task = asyncio.create_task(world.run(f"echo begun; setsid sleep {number} & sleep {number}"))
    while not any(isinstance(fact, CommandOutput) for fact in world.facts):  # noqa: ASYNC110  # no event tells it
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    await gone(number)


async def test_a_long_output_keeps_its_head_and_tail_and_the_rest_in_a_file(world: World) -> None:
    result = await world.run("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last")
    value = result.value
    assert (value["truncated"], value["bytes"]) == (True, 3_000_012)
    assert value["output"].startswith("first\n")
    assert value["output"].endswith("\nlast\n")
    assert len(value["output"]) < 52_000
    assert 1 <= len(world.facts) < 20
    assert all(len(fact.text) <= 4_000 for fact in world.facts)
    text, modes = await asyncio.to_thread(_take, Path(value["output_file"]))
    assert text == "first\n" + "x" * 3_000_000 + "\nlast\n"
    assert modes & 0o077 == 0
    assert world.writes == [AllowFile(context().run_id, value["output_file"])]


def _take(file: Path) -> tuple[str, int]:
    """Return the text of the file, and who may read it or its folder, and delete it."""
    text, modes = file.read_text(), file.stat().st_mode | file.parent.stat().st_mode
    file.unlink()
    return text, modes


async def test_a_short_output_has_no_file(world: World) -> None:
    assert (await world.run("head -c 51200 /dev/zero | tr '\\0' x")).value["output_file"] is None


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07on\x1b]8;;http://a\x1b\\link\x1b(B\n", "red onlink\n"),
        (b"10 %\r50 %\r100 %\r\nnext\r\n", "100 %\nnext\n"),
        (b"working\r", "working"),
        (b"bo\x08o\x08old", "bold"),
        (b"\x00\xff\x07a\tb\x9b", "\ufffda\tb\ufffd"),
        ("\x85é\u2028".encode(), "é\u2028"),
    ],
)
def test_terminal_codes_are_taken_out(written: bytes, shown: str) -> None:
    assert plain_text(written) == shown


@pytest.mark.parametrize("written", [b"x", b"\r", b"\x1b", b"\x1b[1", b"\x1b]", b"\x08", b"a\x08", b"a\r", b"\x1b[ "])
def test_no_output_takes_long_to_read(written: bytes) -> None:
    started_s = time.process_time()
    plain_text(written * (TAIL_BYTES // len(written)))
    assert time.process_time() - started_s < 0.1


async def test_what_a_command_writes_is_shown_while_it_runs(world: World) -> None:
    """Whatever was written last is shown, also when nothing follows for long."""
    task = asyncio.create_task(world.run("echo one; printf '1 %%\\r2 %%'; while [ ! -e go ]; do sleep 0.01; done"))
    async with asyncio.timeout(10):
        while not world.facts or world.facts[-1].text != "one\n2 %":  # noqa: ASYNC110  # no event tells it
            await asyncio.sleep(0.01)
    (world.folder / "go").touch()
    assert (await task).value["output"] == "one\n2 %"


@pytest.mark.parametrize(
    ("line", "code", "output"),
    [
        ("echo a; echo b >&2; echo c", 0, "a\nb\nc\n"),
        ("printf '\\377\\0x'", 0, "\ufffdx"),
        ("exit 3", 3, ""),
        ("kill -9 $$", 137, ""),
        ("kill -15 $$", 143, ""),
        ("cat", 0, ""),
        ("no_such_program_here 2>/dev/null", 127, ""),
        ("exec >&- 2>&-; exit 4", 4, ""),
        ("echo '" + "x" * 40_000 + "' | wc -c | tr -d ' '", 0, "40001\n"),
    ],
)
async def test_what_a_command_says_and_how_it_ends(world: World, line: str, code: int, output: str) -> None:
    value = (await world.run(line)).value
    assert (value["exit_code"], value["output"], value["confined"]) == (code, output, is_confined(world))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"command": "a\0b"}, "invalid_arguments"),
        ({"command": "\ud800"}, "invalid_arguments"),
        ({"command": ""}, "invalid_arguments"),
        ({"command": "é" * 60_000}, "invalid_arguments"),
        ({"command": "true", "timeout_s": 0}, "invalid_arguments"),
        ({"command": "true", "timeout_s": 3601}, "invalid_arguments"),
        ({"command": "true", "folder": "missing"}, "not_found"),
        ({"command": "true", "folder": "../out"}, "not_allowed"),
        ({"command": "true", "folder": "/"}, "not_allowed"),
    ],
)
async def test_what_cannot_run_says_why(world: World, arguments: dict[str, Any], code: str) -> None:
    more = dict(arguments)
    result = await world.run(more.pop("command"), **more)
    assert result.error is not None
    assert result.error.code == code


async def test_without_an_allowed_folder_nothing_runs(world: World) -> None:
    runner = invoker(run_command.tool(world.commit, confinement=world.confinement))
    result = await runner.call("run_command", {"command": "true"}, context(), default_timeout_s=9.0, is_permitted=True)
    assert result.error is not None
    assert result.error.code == "not_allowed"


_APP = """
import asyncio, sys
from pathlib import Path
from core.tools.builtin import run_command
from core.tools.command.confinement import Confinement
from core.tools.own_places import NO_PLACES
from tests.tools.rig import context, invoker
async def commit(writes):
    pass
async def run():
    confinement = Confinement(NO_PLACES, None if sys.argv[2] == "True" else "")
    runner = invoker(run_command.tool(commit, confinement=confinement))
    arguments = {"command": sys.argv[3]}
    await runner.call("run_command", arguments, context(sys.argv[1]), default_timeout_s=99.0, is_permitted=True)
asyncio.run(run())
"""


async def test_it_does_not_outlive_the_app(world: World) -> None:
    await world.run("true")
    number = f"6{os.getpid()}"
    line = f"setsid sleep {number} & sleep {number} & touch begun; wait"
    app = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _APP, str(world.folder), str(is_confined(world)), line
    )
    try:
        while not (world.folder / "begun").exists():
            assert app.returncode is None
            await asyncio.sleep(0.01)
        assert processes(number)
    finally:
        app.send_signal(signal.SIGKILL)
        await app.wait()
    await gone(number)


@pytest.mark.parametrize("mode", ValidationMode)
def test_it_asks_in_every_mode_whatever_was_allowed(mode: ValidationMode) -> None:
    traits: CallTraits = call_traits(run_command.tool(nothing), {"command": "true"})
    allowed = ConsentPolicy(
        exceptions={"run_command": Rule.ALLOW}, permissions={"run_command": Permission(covers_high_risk=True)}
    )
    assert traits.effect is Effect.ONCE
    assert allowed.terms(traits, mode).ruling is Ruling.ASK


async def gone(number: str) -> None:
    """Wait until the kernel has ended what was killed."""
    async with asyncio.timeout(10):
        while processes(number):  # noqa: ASYNC110  # another process's end
            await asyncio.sleep(0.01)


def processes(number: str) -> list[str]:
    """Return the processes that sleep for so long."""
    assert shutil.which("ps") is not None
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True).stdout
    return [row for row in listed.splitlines() if row.endswith(f"sleep {number}") and not row.startswith("Z")]
