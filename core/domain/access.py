"""What a run may access: folders and files for its file tools, origins for `http_fetch` (AGENTS_AND_TOOLS §5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath
from typing import Any, Literal

from core.domain.grants import FolderGrant, folders_in, origins_in, read_only_in
from core.domain.ids import CallId
from core.domain.interruption import APPROVAL_SCOPES, Interruption, InterruptionKind, InterruptionStatus, approval_scope
from core.domain.text.web_address import is_origin


class Access(StrEnum):
    """What a place is for. WRITE includes READ; of an origin, READ are the methods GET and HEAD."""

    READ = "read"
    WRITE = "write"


class RealPath(str):
    """An absolute path that was free of links when the user allowed it: with a link in it, it allows nothing."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, a file or an origin, and the access to it. `is_file` is for the user's eyes."""

    name: str
    access: Access = Access.READ
    is_file: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Place":
        """Return the place of `as_dict`. Raises KeyError or ValueError."""
        return cls(str(fields["place"]), Access(fields["access"]), fields.get("kind") == "file")

    @property
    def kind(self) -> Literal["folder", "file", "origin"]:
        if is_origin(self.name):
            return "origin"
        return "file" if self.is_file else "folder"

    def as_dict(self) -> dict[str, str]:
        """Return {place, access, kind}."""
        return {"place": self.name, "access": self.access, "kind": self.kind}

    def covers(self, other: "Place") -> bool:
        """Return whether whoever may access this place may access the other."""
        if self.access is Access.READ and other.access is Access.WRITE:
            return False
        if is_origin(self.name) or is_origin(other.name):
            return self.name == other.name
        return PurePath(other.name).is_relative_to(self.name)


@dataclass(frozen=True, slots=True)
class Allowance:
    """A place that the user allowed while the run was at work: for a single call, or from then on."""

    place: Place
    call_id: CallId | None = None


@dataclass(slots=True)
class RunAccess:
    """What a run may access: what it started with, and what the user has allowed since."""

    start: tuple[str, ...] = ()
    allowances: list[Allowance] = field(default_factory=list)

    @property
    def lasting(self) -> tuple[Allowance, ...]:
        """The allowances that hold for every call of the run, and for its children and forks."""
        return tuple(allowance for allowance in self.allowances if allowance.call_id is None)

    def add(self, allowances: Iterable[Allowance]) -> None:
        self.allowances += [allowance for allowance in allowances if allowance not in self.allowances]

    def of_call(self, call_id: CallId) -> "CallAccess":
        """Return what the call may access. Every attempt of a step counts as the same call."""
        first = CallId(call_id.partition(" attempt ")[0])
        given = [allowance.place for allowance in self.allowances if allowance.call_id in (None, first)]
        return CallAccess.of(self.start, given)


@dataclass(frozen=True, slots=True)
class CallAccess:
    """What a call may access: folders, files among them, and origins. Those of `read_only` it may only read."""

    folders: tuple[str, ...]
    origins: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()

    @classmethod
    def of(cls, start: Sequence[str], given: Sequence[Place]) -> "CallAccess":
        """Return what the `start` of the run grants, as text, and what the user has allowed since."""
        folders, origins, read_only = folders_in(start), origins_in(start), read_only_in(start)
        writable = {place.name for place in given if place.access is Access.WRITE}
        more = [name for name in dict.fromkeys(place.name for place in given) if name not in (*folders, *origins)]
        return cls(
            (*folders, *(RealPath(name) for name in more if not is_origin(name))),
            (*origins, *(name for name in more if is_origin(name))),
            tuple(name for name in (*read_only, *more) if name not in writable),
        )


def is_granted(request: Interruption) -> bool:
    """Return whether this is a request for access that the user granted."""
    return request.ask.kind is InterruptionKind.ACCESS and request.status is InterruptionStatus.APPROVED


def places_of(options: Any) -> list[Place]:
    """Return the places that a request for access with these options is about."""
    return [Place.of(fields) for fields in options["places"]]


def access_scopes(options: Any) -> Sequence[str]:
    """Return what a request for access with these options can be granted for. `always` is for the later runs of the
    workflow, which keeps folders and files, and no addresses.
    """
    return APPROVAL_SCOPES[:2] if any(is_origin(place.name) for place in places_of(options)) else APPROVAL_SCOPES


def kept_grants(options: Any) -> list[FolderGrant]:
    """Return what a workflow keeps of a request that was granted for always."""
    return [FolderGrant(place.name, place.access is Access.READ) for place in places_of(options)]


def allowances_of(closed: Interruption) -> list[Allowance]:
    """Return what the answer to a request allows."""
    if not is_granted(closed):
        return []
    call_id = closed.ask.call_id if approval_scope(closed.answer) == "once" else None
    return [Allowance(place, call_id) for place in places_of(closed.ask.options)]


def covered_requests(requests: Iterable[Interruption], given: Sequence[Allowance]) -> list[Interruption]:
    """Return the open requests for access that ask for nothing more than what was allowed from now on."""
    places = [allowance.place for allowance in given if allowance.call_id is None]
    asking = [request for request in requests if request.is_open and request.ask.kind is InterruptionKind.ACCESS]
    return [
        request
        for request in asking
        if all(any(known.covers(place) for known in places) for place in places_of(request.ask.options))
    ]
