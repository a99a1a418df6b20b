"""Templates by name, for runs that start others."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.domain.ids import RunId, TemplateId
from core.domain.template import Template


@dataclass(frozen=True, slots=True)
class ResolvedTemplate:
    """A template that can start, and which version of a stored one it is, if it is one."""

    template: Template
    id: TemplateId | None = None
    version: int | None = None


class TemplateResolver(Protocol):
    async def named(self, template_id: TemplateId | None, title: str | None) -> ResolvedTemplate:
        """The newest version of that id, or the one of that title: exact, else without case.

        Raises NotFound; InvalidTemplate for one that cannot start.
        """
        ...


Problems = Sequence[Mapping[str, Any]]
"""As `{code, step, path, message, severity}`."""


@dataclass(frozen=True, slots=True)
class TemplateEntry:
    """A template without its steps. One that comes with the app has no version and no time."""

    id: TemplateId
    title: str
    description: str | None
    version: int | None
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class TemplatePage:
    """Templates by title. `next_cursor` leads to the rest, None where there is none."""

    entries: Sequence[TemplateEntry]
    next_cursor: TemplateId | None = None


@dataclass(frozen=True, slots=True)
class TemplateDetails:
    """A version of a template as it was saved, with what is wrong with it now. `template` None: it is no JSON."""

    entry: TemplateEntry
    template: Any
    problems: Problems


class TemplateLibrary(Protocol):
    async def listed(self, query: str | None, *, limit: int, after: TemplateId | None) -> TemplatePage:
        """The newest version of each whose title or description has `query` in it, without case. Raises `not_found`
        where there is no template `after` which to go on."""
        ...

    async def get(self, template_id: TemplateId, version: int | None = None) -> TemplateDetails:
        """That version, or the newest."""
        ...

    async def create(self, template: Mapping[str, Any], *, draft: bool = False) -> TemplateDetails:
        """Save a new template as version 1. Raises `title_taken`, and InvalidTemplate unless it is to be a `draft`,
        which needs a title alone and cannot start."""
        ...

    async def update(
        self, template_id: TemplateId, template: Mapping[str, Any], *, based_on: int | None = None, draft: bool = False
    ) -> TemplateDetails:
        """Save it as the next version; runs go on with the one that they have. Raises as `create`, `conflict` where the
        newest version is not the one that the change is `based_on`, and `not_allowed` for one that comes with the
        app."""
        ...

    async def delete(self, template_id: TemplateId) -> tuple[TemplateEntry, Sequence[RunId]]:
        """Remove every version. Gives what is gone and the runs of it that go on. Raises `not_allowed` for one that
        comes with the app."""
        ...


class TemplateTitles(Protocol):
    """The titles of templates: no two have the same, in whatever case (ENGINE §1)."""

    def held(self) -> AbstractAsyncContextManager[None]:
        """Nobody else saves a template meanwhile: a title that is free stays free."""
        ...

    async def require_free(self, title: str) -> None:
        """Raises Refused `title_taken`, with title and id of the template that has it."""
        ...
