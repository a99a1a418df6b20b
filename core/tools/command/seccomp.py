"""The filter of system calls for confined commands: no Unix sockets, no keys that the kernel keeps for the user.

A mount namespace keeps no process from a Unix socket: it can connect through a read-only mount, and to an abstract
address wherever the network is shared. So no such socket can be made at all. Pairs stay possible, but of datagrams, as
these can be connected anew. `io_uring` makes sockets past every filter.
"""

import errno
import platform
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Machine:
    """The numbers of a processor's system calls. `other` begins those of its second table, if it has one."""

    audit: int
    socket: int
    socketpair: int
    keys: tuple[int, ...]
    other: int | None = None


_MACHINES: Mapping[str, _Machine] = {
    "x86_64": _Machine(0xC000003E, 41, 53, (248, 249, 250), 0x4000_0000),
    "aarch64": _Machine(0xC00000B7, 198, 199, (217, 218, 219)),
}
_IO_URING_SETUP = 425

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # instructions of classic BPF
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # offsets in `struct seccomp_data`; the low halves of arguments
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_KIND_MASK = 0xF  # of a socket's type, without its flags


def socket_filter(machine: str = "") -> bytes | None:
    """Return the program for this processor, by default the one that runs; None for any other."""
    numbers = _MACHINES.get(machine or platform.machine())
    if numbers is None:
        return None
    datagrams = (int(socket.SOCK_DGRAM), int(socket.SOCK_RAW))
    refuse, missing = _FAIL | errno.EACCES, _FAIL | errno.ENOSYS
    program = [
        _step(_LOAD, _ARCHITECTURE),
        *_unless(_EQUAL, numbers.audit, missing),
        _step(_LOAD, _NUMBER),
        *([] if numbers.other is None else _when(_AT_LEAST, numbers.other, missing)),
        *(step for number in (_IO_URING_SETUP, *numbers.keys) for step in _when(_EQUAL, number, missing)),
        _step(_EQUAL, numbers.socket, no=4),
        _step(_LOAD, _FIRST),
        *_when(_EQUAL, int(socket.AF_UNIX), refuse),
        _step(_RETURN, _ALLOW),
        _step(_EQUAL, numbers.socketpair, no=8),
        _step(_LOAD, _FIRST),
        _step(_EQUAL, int(socket.AF_UNIX), no=6),
        _step(_LOAD, _SECOND),
        _step(_AND, _KIND_MASK),
        *(step for kind in datagrams for step in _when(_EQUAL, kind, refuse)),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(program)


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    """Return an instruction. `yes` and `no` are how many a comparison skips."""
    return struct.pack("=HBBI", code, yes, no, value)


def _when(comparison: int, value: int, result: int) -> list[bytes]:
    return [_step(comparison, value, no=1), _step(_RETURN, result)]


def _unless(comparison: int, value: int, result: int) -> list[bytes]:
    return [_step(comparison, value, yes=1), _step(_RETURN, result)]
