"""Rows of snapshots, which are what a run started with, and of files that the user picked for a run later."""

import hashlib
from collections.abc import Iterable

from pydantic import BaseModel

from core.domain.agent import Agent
from core.domain.ids import RunId
from core.domain.model import ModelChoice
from core.domain.run import Snapshot, StepAgent
from core.domain.template import Template, ValidationMode
from core.persistence import codec
from core.persistence.keys import text_key
from core.persistence.repository import Repository, decode_pages
from core.persistence.statements import Row, Statement, batched_statements
from core.ports import AllowFile

_PUT_FILES = "INSERT IGNORE INTO allowed_file $argument RETURN NONE"


class SnapshotRepository(Repository):
    """The snapshots of runs, each written once."""

    async def of_run(self, run_id: RunId) -> Snapshot:
        """Return the snapshot. Raises StorageFailed `unreadable`, also if there is none."""
        row = await self._row("snapshot", text_key(run_id))
        with codec.raising_unreadable(run_id, "definition"):
            return _decode_snapshot(row or {})


def encode_snapshot(run_id: RunId, snapshot: Snapshot) -> Row:
    return {
        "id": text_key(run_id),
        "data": codec.encode_fields(
            template=snapshot.template.model_dump(by_alias=True, exclude_unset=True),
            input=dict(snapshot.input),
            mode=snapshot.mode,
            allow=snapshot.allow,
            base=snapshot.base,
            agent=snapshot.agent,
            script=[dict(line) for line in snapshot.script],
            gated=snapshot.gated,
            model=codec.optional(_dump, snapshot.model),
            profile=codec.optional(_dump, snapshot.profile),
            cast={step: _encode_step_agent(agent) for step, agent in snapshot.cast.items()},
        ),
    }


def _decode_snapshot(row: Row) -> Snapshot:
    fields = codec.decode_data(row)
    return Snapshot(
        Template.model_validate(fields["template"]),
        fields["input"],
        mode=ValidationMode(fields["mode"]),
        allow=tuple(fields["allow"]),
        base=fields.get("base"),
        agent=fields.get("agent"),
        script=tuple(fields["script"]),
        gated=bool(fields.get("gated")),
        model=codec.optional(ModelChoice.model_validate, fields.get("model")),
        profile=codec.optional(Agent.model_validate, fields.get("profile")),
        cast={step: _decode_step_agent(agent) for step, agent in fields.get("cast", {}).items()},
    )


def _encode_step_agent(agent: StepAgent) -> Row:
    profile, model = codec.optional(_dump, agent.profile), codec.optional(_dump, agent.model)
    return {"profile": profile, "model": model, "missing": agent.missing}


def _decode_step_agent(fields: Row) -> StepAgent:
    return StepAgent(
        codec.optional(Agent.model_validate, fields["profile"]),
        codec.optional(ModelChoice.model_validate, fields["model"]),
        tuple(fields["missing"]),
    )


def _dump(model: BaseModel) -> Row:
    return model.model_dump(mode="json", exclude_none=True)


class AllowedFileRepository(Repository):
    """The files that the user picked for runs."""

    def put(self, allowed: Iterable[AllowFile]) -> list[Statement]:
        return batched_statements(_PUT_FILES, map(_encode_file, allowed))

    async def of_run(self, run_id: RunId) -> list[str]:
        """Return the readable paths, sorted."""
        pages = self._pages_in_range("allowed_file", text_key(run_id))
        return sorted(await decode_pages(pages, lambda row: codec.decode_text(row["path"])))


def _encode_file(allowed: AllowFile) -> Row:
    digest = hashlib.sha256(allowed.path.encode("utf-8", "surrogatepass")).hexdigest()
    return {"id": [text_key(allowed.run_id), digest], "path": codec.encode_text(allowed.path)}
