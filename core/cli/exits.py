"""Exit codes and what leads to them (COMMAND_LINE)."""

from typing import TypeVar

from core.domain.run import RunStatus
from core.errors import MetierError
from core.services.outcome import Failed, Ok

T = TypeVar("T")

SUCCESS = 0
FAILED = 1
USAGE = 2
WAITING = 3
STORE = 4
CANCELLED = 130

_OF_STATUS = {
    RunStatus.SUCCESS: SUCCESS,
    RunStatus.ERROR: FAILED,
    RunStatus.CANCELLED: CANCELLED,
    RunStatus.WAITING: WAITING,
    RunStatus.PAUSED: STORE,
}

_OF_STORE = frozenset({"in_use", "store_doubtful", "storage_not_writable", "storage_full", "storage_failed"})


class CommandFailed(Exception):
    """A command ends without a run to show: `failure` goes to stdout, `exit_code` to the shell."""

    def __init__(self, failure: Failed) -> None:
        super().__init__(failure.message)
        self.failure = failure

    @classmethod
    def of(cls, error: MetierError) -> "CommandFailed":
        return cls(Failed.of(error))

    @classmethod
    def usage(cls, code: str, message: str) -> "CommandFailed":
        return cls(Failed(code, message))

    @property
    def exit_code(self) -> int:
        return STORE if self.failure.code in _OF_STORE else USAGE


def of_run(status: str) -> int:
    """The exit code of a run in this state; one that is neither ended nor waiting stays for `resume`."""
    return _OF_STATUS.get(RunStatus(status), STORE)


def unwrap(outcome: Ok[T] | Failed) -> T:
    """The data of a service's answer. Raises CommandFailed if there is none."""
    if isinstance(outcome, Failed):
        raise CommandFailed(outcome)
    return outcome.data
