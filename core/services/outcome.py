"""The outcome of a service call: the data, or the reason of the failure."""

import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar

from core.errors import MetierError, Refused, SearchFailed, StorageFailed

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Ok(Generic[T]):
    """The data that a call returned."""

    data: T


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a call failed, for users and scripts. `retryable`: the same request may succeed later."""

    code: str
    message: str
    retryable: bool = False
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, error: MetierError) -> "Failed":
        details = {key: value for key, value in error.as_dict().items() if key not in ("code", "message")}
        return cls(error.code, error.message, isinstance(error, StorageFailed | SearchFailed), details)

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, **self.details}


Outcome = Ok[T] | Failed


def returns_outcome(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[Ok[T] | Failed]]:
    """Make a service method return its outcome: the result becomes Ok, a MetierError becomes Failed."""

    @functools.wraps(method)
    async def answering(*args: P.args, **kwargs: P.kwargs) -> Ok[T] | Failed:
        try:
            return Ok(await method(*args, **kwargs))
        # only errors of the app: any other exception is a bug, and is reported as such
        except MetierError as error:
            return Failed.of(error)

    return answering


def unwrap(outcome: Ok[T] | Failed) -> T:
    """Return the data of an outcome. Raises Refused with code and details of a failure."""
    if isinstance(outcome, Failed):
        raise Refused(outcome.code, outcome.message, **outcome.details)
    return outcome.data
