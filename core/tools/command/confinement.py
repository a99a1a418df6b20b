"""What a command may reach: the mounts of bubblewrap, and the environment (AGENTS_AND_TOOLS §5).

Confined, a command sees the system read-only, and writes to the allowed folders, a private `/tmp` and a private cache
of the home. `/run`, the app's own folders and the keys of the home are empty, also inside an allowed folder. A filter
of system calls lets it make no Unix socket, so that it reaches none: session bus, keyring, ssh-agent, the app.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.threads.pieces import Pieces, in_thread
from core.tools.command.seccomp import socket_filter
from core.tools.file_access import root_of
from core.tools.own_places import OwnPlaces

TRIAL_S = 10.0
_KEPT = frozenset({"PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TZ", "USER", "LOGNAME", "SHELL"})
_KEYS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".pypirc",
    ".npmrc",
    ".password-store",
    ".pki",
    ".mozilla",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/chromium",
    ".config/systemd",
    ".local/share/keyrings",
    ".local/share/kwalletd",
)
_EMPTY_FOLDERS = ("/tmp", "/var/tmp", "/run", "/var/run")  # each is private, and empty at first
_SYSTEM = ("/proc", "/sys")
_NAMESPACES = ("--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent")


@dataclass(frozen=True, slots=True)
class Reach:
    """The folders and files that are allowed, and those of them that may only be read."""

    allow: Sequence[str] = ()
    read_only: Sequence[str] = ()


class Confinement:
    """Starts commands in bubblewrap where a trial start succeeds; the trial is made once."""

    def __init__(self, own: OwnPlaces, program: str | None = None) -> None:
        """`program` is bubblewrap, by default the one on the PATH; an empty text means none."""
        self._own = own
        self._program = program
        self._trial: asyncio.Task[bool] | None = None
        self.is_known_to_work: bool | None = None

    async def works(self) -> bool:
        """Return whether commands are confined here."""
        if self.is_known_to_work is None:
            if self._trial is None or self._trial.done():
                self._trial = asyncio.create_task(self._try())
            self.is_known_to_work = await asyncio.shield(self._trial)
        return self.is_known_to_work

    async def wrap(
        self, command: Sequence[str], reach: Reach, folder: str, *, network: bool, filter_file: int
    ) -> list[str]:
        """Return the command line that runs the command confined, in this folder. `filter_file`: of `filter_file()`."""
        return await in_thread(self._wrapped(command, reach, folder, network, filter_file))

    async def _try(self) -> bool:
        if not sys.platform.startswith("linux") or self._program == "" or socket_filter() is None:
            return False
        self._program = self._program or shutil.which("bwrap")
        if self._program is None:
            return False
        quiet = asyncio.subprocess.DEVNULL
        with suppress(OSError, TimeoutError), filter_file() as file:
            argv = await self.wrap(["/bin/sh", "-c", "exit 42"], Reach(), "/", network=False, filter_file=file)
            trial = await asyncio.create_subprocess_exec(
                *argv, stdin=quiet, stdout=quiet, stderr=quiet, env={}, pass_fds=(file,)
            )
            try:
                return await asyncio.wait_for(trial.wait(), TRIAL_S) == 42  # not what bubblewrap fails with
            finally:
                with suppress(ProcessLookupError):
                    trial.kill()
        return False

    def _wrapped(
        self, command: Sequence[str], reach: Reach, folder: str, network: bool, filter_file: int
    ) -> Pieces[list[str]]:
        yield
        argv = [self._program or "bwrap", *_NAMESPACES, "--new-session", "--cap-drop", "ALL"]
        argv += [] if network else ["--unshare-net"]
        argv += ["--seccomp", str(filter_file), "--ro-bind", "/", "/", *_mounts(reach, self._own)]
        return [*argv, "--chdir", folder, "--", *command]


@contextmanager
def filter_file() -> Iterator[int]:
    """Yield a descriptor to read the filter of system calls from, once."""
    reading, writing = os.pipe()
    try:
        os.write(writing, socket_filter() or b"")  # less than a pipe holds
        os.close(writing)
        yield reading
    finally:
        os.close(reading)


def scrubbed_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a command gets. Whatever else there is may be a key."""
    return {name: value for name, value in environ.items() if name in _KEPT or name.startswith("LC_")}


def _mounts(reach: Reach, own: OwnPlaces) -> list[str]:
    """Return the mounts, outer before inner: what is mounted later covers what was there."""
    hidden = {os.path.realpath(path) for path in _hidden(own)}
    made: dict[str, tuple[str, ...]] = {}
    for path in _EMPTY_FOLDERS:
        if not os.path.islink(path) and os.path.isdir(path):  # noqa: PTH112,PTH114  # as the others here
            made[path] = ("--tmpfs", path)
    cache = os.path.realpath(Path.home() / ".cache")
    if os.path.isdir(cache):  # noqa: PTH112
        made[cache] = ("--tmpfs", cache)
    resolver = os.path.realpath("/etc/resolv.conf")
    if resolver.startswith("/run/"):
        made[resolver] = ("--ro-bind-try", resolver, resolver)
    made["/proc"] = ("--proc", "/proc")
    made["/dev"] = ("--dev", "/dev")
    for path, is_read_only in _allowed(reach):
        if path != "/dev" and not any(PurePath(path).is_relative_to(other) for other in (*hidden, *_SYSTEM)):
            made[path] = ("--ro-bind" if is_read_only else "--bind", path, path)
    for path in hidden:
        made[path] = ("--tmpfs", path) if os.path.isdir(path) else ("--ro-bind", "/dev/null", path)  # noqa: PTH112
    return [part for path in sorted(made, key=lambda path: len(PurePath(path).parts)) for part in made[path]]


def _hidden(own: OwnPlaces) -> Iterable[str]:
    """Yield what exists of the app's own places, the keys of the user and the sockets of the session."""
    home, variable = Path.home(), os.environ.get
    bus = (variable("DBUS_SESSION_BUS_ADDRESS") or "").partition("unix:path=")[2].partition(",")[0]
    sockets = (
        variable("XDG_RUNTIME_DIR"),
        variable("SSH_AUTH_SOCK"),
        variable("GNUPGHOME"),
        variable("XAUTHORITY"),
        bus,
    )
    places = [*own.data, *own.program, *(home / name for name in _KEYS), *(Path(path) for path in sockets if path)]
    for place in places:
        with suppress(OSError):
            if place.exists():
                yield str(place)


def _allowed(reach: Reach) -> Iterator[tuple[str, bool]]:
    """Yield the real path of each allowed folder or file, and whether it may only be read.

    What lies in another of its kind is reached through that. A command can have put a link in its place, which must not
    be followed; so what may be changed inside of what may not has to lie there still.
    """
    allow = [path for path in reach.allow if root_of(path) is not None]
    named = {PurePath(os.path.normpath(path)): path in reach.read_only for path in allow}
    for path, is_read_only in named.items():
        around = next((parent for parent in path.parents if parent in named), None)
        real = os.path.realpath(path)
        if around is not None:
            is_still_inside = PurePath(real).is_relative_to(os.path.realpath(around))
            if named[around] is is_read_only or not (is_read_only or is_still_inside):
                continue
        if os.path.exists(real):  # noqa: PTH110
            yield real, is_read_only
