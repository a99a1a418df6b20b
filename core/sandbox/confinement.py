"""What a worker gives up before it touches anything that came from elsewhere. Best effort: systems differ."""

import signal
import sys
from contextlib import suppress
from pathlib import Path

ADDRESS_SPACE_BYTES = 1024 * 1024 * 1024
OPEN_FILES = 16

_PR_SET_PDEATHSIG = 1


def confine() -> None:
    """Limit memory and files, leave no core dump, end with the parent, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_resources()
    _die_with_parent()


def begin_peak() -> int:
    """The memory that this process has, in bytes; `peak_bytes` counts from here where the system lets it."""
    if sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    return peak_bytes()


def peak_bytes() -> int:
    """The most memory that this process has had, in bytes; 0 where the system does not tell."""
    if sys.platform == "linux":
        # Not ru_maxrss: that of a new process begins with what its parent had.
        with suppress(OSError, IndexError, ValueError):
            status = Path("/proc/self/status").read_text(encoding="ascii")
            return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 0


def _limit_resources() -> None:
    if sys.platform == "win32":
        return
    import resource

    for kind, wanted in (
        (resource.RLIMIT_AS, ADDRESS_SPACE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, allowed = resource.getrlimit(kind)
        limit = wanted if allowed == resource.RLIM_INFINITY else min(wanted, allowed)
        with suppress(OSError, ValueError):  # macOS refuses a limit on the address space
            resource.setrlimit(kind, (limit, limit))


def _die_with_parent() -> None:
    # A worker in a long native operation does not read its input, so it would not see that the parent is gone.
    # Where there is no such signal, the worker's own backstop ends it some time after the limit.
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
