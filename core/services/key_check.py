"""Checks that the model of a run has its API key; a run without its key waits for it (COMMAND_LINE)."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.domain.ids import RunId
from core.domain.model import ModelChoice
from core.domain.run import ErrorInfo, Run, RunStatus, StepAgent
from core.errors import Refused
from core.llm.key_store import KeyStore
from core.ports import ChangeRun, Storage
from core.services.lookup import ignore_unreadable

KEY_MISSING = "key_missing"
RUNS_AT_ONCE = 50


class KeyCheck:
    """Checks which runs must wait for an API key. Answers are not cached: the next start that finds the key continues
    the run.
    """

    def __init__(self, keys: KeyStore, storage: Storage) -> None:
        self._keys = keys
        self._storage = storage

    async def check(self, model: ModelChoice) -> ModelChoice | None:
        """Return the choice for a new run, marked as needing a key again if a key was found; None if the key is
        missing.
        """
        if await self._keys.find(model) is not None:
            return model.model_copy(update={"needs_key": True})
        return None if model.needs_key else model

    async def require(self, model: ModelChoice) -> ModelChoice:
        """Return what `granted` does. Raises Refused `key_missing`."""
        granted = await self.check(model)
        if granted is None:
            raise refusal(key_missing(model))
        return granted

    async def require_for_run(self, run_id: RunId) -> None:
        """Raise Refused `key_missing` if the run waits for a key."""
        if (missing := await self.missing_key(run_id)) is not None:
            raise refusal(missing)

    async def check_all(self, cast: Mapping[str, StepAgent]) -> Mapping[str, StepAgent]:
        """Return the same for the model of each step of a new run. Raises Refused `key_missing`."""
        granted: dict[str, StepAgent] = {}
        for step, agent in cast.items():
            model = await self.require(agent.model) if agent.model is not None else None
            granted[step] = replace(agent, model=model)
        return granted

    async def missing_key(self, run_id: RunId) -> ErrorInfo | None:
        """Return the error of a run that waits for a key, None if it does not wait."""
        for model in await self._models(run_id):
            if model.needs_key and await self._keys.find(model) is None:
                return key_missing(model)
        return None

    async def find_waiting(self, runs: Sequence[Run]) -> frozenset[RunId]:
        """Return the runs that must wait for a key. Of these, runs that were running when their process died become
        enqueued.
        """
        waiting: set[RunId] = set()
        has_key: dict[str, bool] = {}
        for start in range(0, len(runs), RUNS_AT_ONCE):
            batch = runs[start : start + RUNS_AT_ONCE]
            choices = await asyncio.gather(*(self._models(run.id) for run in batch))
            for run, model in ((run, model) for run, models in zip(batch, choices, strict=True) for model in models):
                if not model.needs_key:
                    continue
                # runs of one account share the answer: asking the keyring may take seconds
                account = f"{model.origin} {model.provider} {model.key_env}"
                if account not in has_key:
                    has_key[account] = await self._keys.find(model) is not None
                if not has_key[account]:
                    waiting.add(run.id)
        # stored as enqueued, so that no other code takes it for a run in progress
        await self._enqueue(run.id for run in runs if run.id in waiting and run.status is RunStatus.RUNNING)
        return frozenset(waiting)

    async def _models(self, run_id: RunId) -> Sequence[ModelChoice]:
        with ignore_unreadable():  # its recovery reports that
            return (await self._storage.snapshots.of_run(run_id)).models
        return ()

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
