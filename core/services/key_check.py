"""Checks that the model of a run has its API key; a run without its key waits for it (COMMAND_LINE)."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.domain.ids import RunId
from core.domain.model import ModelChoice
from core.domain.run import ErrorInfo, Run, RunStatus, StepAgent
from core.errors import Refused, StorageFailed
from core.llm.key_store import KeyStore
from core.ports.storage import Storage
from core.ports.writes import ChangeRun

KEY_MISSING = "key_missing"
RUNS_AT_ONCE = 50


class KeyCheck:
    """Checks which runs must wait for an API key. Answers are not cached: the next start that finds the key continues
    the run.
    """

    def __init__(self, keys: KeyStore, storage: Storage) -> None:
        self._keys = keys
        self._storage = storage

    async def granted(self, model: ModelChoice) -> ModelChoice | None:
        """Return the choice for a new run, marked as needing a key again if a key was found; None if the key is
        missing.
        """
        if await self._keys.find(model) is not None:
            return model.model_copy(update={"needs_key": True})
        return None if model.needs_key else model

    async def all_granted(self, cast: Mapping[str, StepAgent]) -> Mapping[str, StepAgent]:
        """Return the same for the model of each step of a new run. Raises Refused `key_missing`."""
        found: dict[str, StepAgent] = {}
        for step, one in cast.items():
            model = await self.granted(one.model) if one.model is not None else None
            if one.model is not None and model is None:
                raise refusal(key_missing(one.model))
            found[step] = replace(one, model=model)
        return found

    async def missing(self, run_id: RunId) -> ErrorInfo | None:
        """Return the error of a run that waits for a key, None if it does not wait."""
        for model in await self._models(run_id):
            if model.needs_key and await self._keys.find(model) is None:
                return key_missing(model)
        return None

    async def waiting(self, runs: Sequence[Run]) -> frozenset[RunId]:
        """Return the runs that must wait for a key. Of these, runs that were running when their process died become
        enqueued.
        """
        found: set[RunId] = set()
        has_key: dict[str, bool] = {}
        for at in range(0, len(runs), RUNS_AT_ONCE):
            some = runs[at : at + RUNS_AT_ONCE]
            asked = await asyncio.gather(*(self._models(run.id) for run in some))
            for run, model in ((run, model) for run, models in zip(some, asked, strict=True) for model in models):
                if not model.needs_key:
                    continue
                place = f"{model.origin} {model.provider} {model.key_env}"
                if place not in has_key:
                    has_key[place] = await self._keys.find(model) is not None
                if not has_key[place]:
                    found.add(run.id)
        await self._enqueue(run.id for run in runs if run.id in found and run.status is RunStatus.RUNNING)
        return frozenset(found)

    async def _models(self, run_id: RunId) -> Sequence[ModelChoice]:
        try:
            return (await self._storage.snapshots.of_run(run_id)).models
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
            return ()  # its recovery says so

    async def _enqueue(self, run_ids: Iterable[RunId]) -> None:
        at_work = frozenset({RunStatus.RUNNING})
        changes = [ChangeRun(run_id, at_work, RunStatus.ENQUEUED) for run_id in run_ids]
        if changes:
            await self._storage.commit(changes)


def key_missing(model: ModelChoice) -> ErrorInfo:
    """Return the error of a run whose model has no key."""
    message = f"there is no key for {model.origin}; the run goes on at the next start that finds one"
    return ErrorInfo(KEY_MISSING, message, failed_during="model", parameters={"origin": model.origin})


def refusal(error: ErrorInfo) -> Refused:
    """Return the exception that refuses a request for this reason."""
    return Refused(error.code, error.message, **error.parameters)
