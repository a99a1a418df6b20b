"""Rows of agents."""

from collections.abc import Iterable

from core.domain.agent import Agent
from core.domain.ids import AgentId
from core.persistence.codec import DECODE_ERRORS, decode_data, decode_rows, encode_fields
from core.persistence.connection import Connection
from core.persistence.keys import by_name, record_id, text_key
from core.persistence.pages import pages_of_table
from core.persistence.statements import Row, Statement, batched_statements

PAGE = 50  # a prompt may have 40 KB

_PUT = "INSERT INTO agent $given ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE"
_REMOVE = "DELETE $given RETURN NONE"


class Agents:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, agents: Iterable[Agent]) -> list[Statement]:
        return batched_statements(_PUT, map(_row, agents))

    def remove(self, agent_ids: Iterable[AgentId]) -> list[Statement]:
        ids = [record_id("agent", text_key(one)) for one in agent_ids]
        return [Statement(_REMOVE, ids)] if ids else []

    async def get(self, agent_id: AgentId) -> Agent | None:
        row = await self._connection.read("SELECT * FROM ONLY $id", {"id": record_id("agent", text_key(agent_id))})
        try:
            return _agent(row) if row else None
        except DECODE_ERRORS:
            return None

    async def all(self) -> list[Agent]:
        """By name."""
        found: list[Agent] = []
        async for page in pages_of_table(self._connection, "SELECT * FROM $range", "agent", rows=PAGE):
            found.extend(decode_rows(page, _agent))
        return sorted(found, key=by_name)


def _row(agent: Agent) -> Row:
    return {
        "id": text_key(agent.id),
        "data": encode_fields(**agent.model_dump(mode="json", exclude={"id"}, exclude_none=True)),
    }


def _agent(row: Row) -> Agent:
    return Agent.model_validate({**decode_data(row), "id": row["id"].id})
