"""Rows of snapshots: what runs were started with, written once."""

from core.domain.agent import Agent
from core.domain.ids import RunId
from core.domain.model import ModelChoice
from core.domain.run import Cast, Snapshot
from core.domain.template import Template, ValidationMode
from core.persistence.codec import BROKEN, data, data_of, optional
from core.persistence.connection import Connection
from core.persistence.keys import record, text_key
from core.persistence.statements import Row
from core.persistence.unreadable import unreadable


class Snapshots:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def of_run(self, run_id: RunId) -> Snapshot:
        """Raises StorageFailed `unreadable`, also where there is none."""
        row = await self._connection.read("SELECT * FROM ONLY $id", {"id": record("snapshot", text_key(run_id))})
        try:
            return _snapshot(row or {})
        except BROKEN as error:
            raise unreadable(run_id, "definition") from error


def snapshot_row(run_id: RunId, snapshot: Snapshot) -> Row:
    return {
        "id": text_key(run_id),
        "data": data(
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
            cast={step: _cast_row(one) for step, one in snapshot.cast.items()},
        ),
    }


def _snapshot(row: Row) -> Snapshot:
    found = data_of(row)
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
        cast={step: _cast(one) for step, one in found.get("cast", {}).items()},
    )


def _cast_row(cast: Cast) -> Row:
    profile, model = cast.profile, cast.model
    return {
        "profile": profile.model_dump(mode="json", exclude_none=True) if profile is not None else None,
        "model": model.model_dump(mode="json", exclude_none=True) if model is not None else None,
        "missing": cast.missing,
    }


def _cast(row: Row) -> Cast:
    return Cast(
        optional(Agent.model_validate, row["profile"]),
        optional(ModelChoice.model_validate, row["model"]),
        tuple(row["missing"]),
    )
