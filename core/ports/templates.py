"""Templates by name, for runs that start others."""

from dataclasses import dataclass
from typing import Protocol

from core.domain.ids import TemplateId
from core.domain.template import Template


@dataclass(frozen=True, slots=True)
class FoundTemplate:
    """A template that can start, and which version of a stored one it is, if it is one."""

    template: Template
    id: TemplateId | None = None
    version: int | None = None


class Templates(Protocol):
    async def named(self, template_id: TemplateId | None, title: str | None) -> FoundTemplate:
        """The newest version of that id, or the one of that title: exact, else without case.

        Raises NotFound; InvalidTemplate for one that cannot start.
        """
        ...
