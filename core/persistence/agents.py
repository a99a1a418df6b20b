"""Rows of agents."""

from collections.abc import Iterable

from core.domain.agent import Agent
from core.domain.ids import AgentId
from core.persistence.codec import BROKEN, data, data_of, readable
from core.persistence.connection import Connection
from core.persistence.keys import record, text_key
from core.persistence.order import by_name
from core.persistence.pages import of_table
from core.persistence.statements import Row, Statement, each

PAGE = 50  # a prompt may have 40 KB

_PUT = "INSERT INTO agent $given ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE"
_REMOVE = "DELETE $given RETURN NONE"


class Agents:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, agents: Iterable[Agent]) -> list[Statement]:
        return each(_PUT, map(_row, agents))

    def remove(self, agent_ids: Iterable[AgentId]) -> list[Statement]:
        ids = [record("agent", text_key(one)) for one in agent_ids]
        return [Statement(_REMOVE, ids)] if ids else []

    async def get(self, agent_id: AgentId) -> Agent | None:
        row = await self._connection.read("SELECT * FROM ONLY $id", {"id": record("agent", text_key(agent_id))})
        try:
            return _agent(row) if row else None
        except BROKEN:
            return None

    async def all(self) -> list[Agent]:
        """By name."""
        found: list[Agent] = []
        async for page in of_table(self._connection, "SELECT * FROM $range", "agent", rows=PAGE):
            found.extend(readable(page, _agent))
        return sorted(found, key=by_name)


def _row(agent: Agent) -> Row:
    return {"id": text_key(agent.id), "data": data(**agent.model_dump(mode="json", exclude={"id"}, exclude_none=True))}


def _agent(row: Row) -> Agent:
    return Agent.model_validate({**data_of(row), "id": row["id"].id})
