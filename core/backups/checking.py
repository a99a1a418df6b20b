"""Reading all of a store to find what cannot be read: a job of the process for work on whole stores."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.domain.backup import StoreProblem, StoreReport
from core.domain.fold import replay
from core.domain.ids import RunId
from core.errors import MetierError, StorageFailed
from core.persistence import dump, row_lines
from core.persistence.connection import Connection
from core.persistence.statements import Row
from core.persistence.surreal import SurrealStorage
from core.persistence.worker import Report

MAX_PROBLEMS = 50


async def check_store(report: Report, *, folder: str) -> dict[str, Any]:
    """Read every row of the store in `folder`, a copy that is thrown away, and fold every run.

    Reports {rows, of}; returns the fields of StoreReport. Raises StorageFailed if the store cannot be opened.
    """
    connection = await Connection.open_copy(Path(folder))
    check = _Check(connection, dump.Progress(report, await dump.count_rows(connection)))
    return asdict(await check.run())


def parse_report(fields: dict[str, Any]) -> StoreReport:
    """Return the report of a job."""
    return StoreReport(**{**fields, "problems": tuple(StoreProblem(**problem) for problem in fields["problems"])})


class _Check:
    def __init__(self, connection: Connection, progress: dump.Progress) -> None:
        self._connection = connection
        self._storage = SurrealStorage(connection)
        self._progress = progress
        self._problems: list[StoreProblem] = []
        self._problem_count = 0

    async def run(self) -> StoreReport:
        rows = {table: await self._read(table) for table in await dump.table_names(self._connection)}
        return StoreReport(
            {table: len(keys) for table, keys in rows.items() if keys},
            len(rows.get("run", ())),
            self._problem_count,
            tuple(self._problems),
        )

    async def _read(self, table: str) -> list[Any]:
        """Read the rows of a table, and return their keys."""
        keys: list[Any] = []
        try:
            async for _, rows in dump.read_pages(self._connection, [table]):
                for row in rows:
                    self._check_row(table, row)
                    keys.append(row["id"].id)
                    if table == "run":
                        await self._check_run(RunId(row["id"].id))
                self._progress.add(len(rows))
        except StorageFailed as error:
            self._note(table, None, error.message)
        return keys

    def _check_row(self, table: str, row: Row) -> None:
        try:
            row_lines.encode_row(row)
            if isinstance(row.get("data"), str):
                json.loads(row["data"])
        except (MetierError, ValueError, RecursionError) as error:
            self._note(table, row["id"].id, str(error))

    async def _check_run(self, run_id: RunId) -> None:
        try:
            run = await self._storage.runs.get(run_id)
            await self._storage.snapshots.of_run(run_id)
            live = replay(await self._storage.events.of_run(run_id))
        except MetierError as error:
            self._note("run", run_id, error.message)
            return
        if run is None or (run.error is not None and run.error.code == "unreadable"):
            self._note("run", run_id, "the row of the run cannot be read")
        elif live is None:
            self._note("run", run_id, "the run has no beginning")
        elif live.status.is_final != run.status.is_final:
            self._note("run", run_id, f"the run is {run.status}, its events say {live.status}")

    def _note(self, table: str, key: Any, message: str) -> None:
        self._problem_count += 1
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(StoreProblem(table, None if key is None else str(key), message))
