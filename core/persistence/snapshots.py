"""Rows of snapshots, which are what a run started with, and of files that the user picked for a run later."""

import hashlib
from collections.abc import Iterable

from core.domain.agent import Agent
from core.domain.ids import RunId
from core.domain.model import ModelChoice
from core.domain.run import Snapshot, StepAgent
from core.domain.template import Template, ValidationMode
from core.persistence.codec import (
    DECODE_ERRORS,
    decode_data,
    decode_rows,
    decode_text,
    encode_fields,
    encode_text,
    optional,
)
from core.persistence.connection import Connection
from core.persistence.keys import record_id, text_key
from core.persistence.pages import pages_in_range
from core.persistence.statements import Row, Statement, batched_statements
from core.persistence.unreadable import unreadable_error
from core.ports.writes import AllowFile


class SnapshotRepository:
    """The snapshots of runs, each written once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def of_run(self, run_id: RunId) -> Snapshot:
        """Return the snapshot. Raises StorageFailed `unreadable`, also if there is none."""
        row = await self._connection.read("SELECT * FROM ONLY $id", {"id": record_id("snapshot", text_key(run_id))})
        try:
            return _decode_snapshot(row or {})
        except DECODE_ERRORS as error:
            raise unreadable_error(run_id, "definition") from error


def encode_snapshot(run_id: RunId, snapshot: Snapshot) -> Row:
    return {
        "id": text_key(run_id),
        "data": encode_fields(
            template=snapshot.template.model_dump(by_alias=True, exclude_unset=True),
            input=dict(snapshot.input),
            mode=snapshot.mode,
            allow=snapshot.allow,
            base=snapshot.base,
            agent=snapshot.agent,
            script=[dict(line) for line in snapshot.script],
            gated=snapshot.gated,
            model=snapshot.model.model_dump(mode="json", exclude_none=True) if snapshot.model is not None else None,
            profile=snapshot.profile.model_dump(mode="json", exclude_none=True)
            if snapshot.profile is not None
            else None,
            cast={step: _encode_cast(one) for step, one in snapshot.cast.items()},
        ),
    }


def _decode_snapshot(row: Row) -> Snapshot:
    found = decode_data(row)
    return Snapshot(
        Template.model_validate(found["template"]),
        found["input"],
        mode=ValidationMode(found["mode"]),
        allow=tuple(found["allow"]),
        base=found.get("base"),
        agent=found.get("agent"),
        script=tuple(found["script"]),
        gated=bool(found.get("gated")),
        model=optional(ModelChoice.model_validate, found.get("model")),
        profile=optional(Agent.model_validate, found.get("profile")),
        cast={step: _decode_cast(one) for step, one in found.get("cast", {}).items()},
    )


def _encode_cast(cast: StepAgent) -> Row:
    profile, model = cast.profile, cast.model
    return {
        "profile": profile.model_dump(mode="json", exclude_none=True) if profile is not None else None,
        "model": model.model_dump(mode="json", exclude_none=True) if model is not None else None,
        "missing": cast.missing,
    }


def _decode_cast(row: Row) -> StepAgent:
    return StepAgent(
        optional(Agent.model_validate, row["profile"]),
        optional(ModelChoice.model_validate, row["model"]),
        tuple(row["missing"]),
    )


_PUT_FILES = "INSERT IGNORE INTO allowed_file $given RETURN NONE"


class AllowedFileRepository:
    """The files that the user picked for runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, allowed: Iterable[AllowFile]) -> list[Statement]:
        return batched_statements(_PUT_FILES, map(_encode_file, allowed))

    async def of_run(self, run_id: RunId) -> list[str]:
        """Return the readable paths, sorted."""
        found: list[str] = []
        async for page in pages_in_range(self._connection, "SELECT * FROM $range", "allowed_file", text_key(run_id)):
            found.extend(decode_rows(page, lambda row: decode_text(row["path"])))
        return sorted(found)


def _encode_file(allowed: AllowFile) -> Row:
    hashed = hashlib.sha256(allowed.path.encode("utf-8", "surrogatepass")).hexdigest()
    return {"id": [text_key(allowed.run_id), hashed], "path": encode_text(allowed.path)}
