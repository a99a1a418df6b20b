"""What a worker gives up before it touches untrusted input. Best effort: systems differ."""

import signal
import sys
from contextlib import suppress
from pathlib import Path

ADDRESS_SPACE_BYTES = 1024 * 1024 * 1024
OPEN_FILES = 16

_PR_SET_PDEATHSIG = 1


def confine() -> None:
    """Limit memory and files, disable core dumps, die with the parent, and ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_resources()
    _die_with_parent()


def begin_peak() -> int:
    """Reset the peak that `peak_bytes` returns, where the system allows it, and return the current memory in bytes."""
    if sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    return peak_bytes()


def peak_bytes() -> int:
    """Return the peak memory of this process in bytes; 0 where it is unknown."""
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

    for kind, target in (
        (resource.RLIMIT_AS, ADDRESS_SPACE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, allowed = resource.getrlimit(kind)
        limit = target if allowed == resource.RLIM_INFINITY else min(target, allowed)
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
