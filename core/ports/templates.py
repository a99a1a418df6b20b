"""Templates, as tools and runs that start others use them (AGENTS_AND_TOOLS §5, ENGINE §1, §2)."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.domain.ids import RunId, TemplateId
from core.domain.template import Template


@dataclass(frozen=True, slots=True)
class ResolvedTemplate:
    """A template that can start, with id and version if it is stored."""

    template: Template
    id: TemplateId | None = None
    version: int | None = None


class TemplateResolver(Protocol):
    """Resolves templates for runs that start others."""

    async def named(self, template_id: TemplateId | None, title: str | None) -> ResolvedTemplate:
        """Return the newest version by id, or the template by title: exact, else ignoring case.

        Raises NotFound, or InvalidTemplate for a template that cannot start.
        """


Problems = Sequence[Mapping[str, Any]]  # as `{code, step, path, message, severity}`


@dataclass(frozen=True, slots=True)
class TemplateEntry:
    """A template without its steps. Templates that ship with the app have neither version nor time."""

    id: TemplateId
    title: str
    description: str | None
    version: int | None
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class TemplatePage:
    """Templates by title. `next_cursor` is None on the last page."""

    entries: Sequence[TemplateEntry]
    next_cursor: TemplateId | None = None


@dataclass(frozen=True, slots=True)
class TemplateDetails:
    """A saved version with its current problems. `template` is None if the text is not JSON."""

    entry: TemplateEntry
    template: Any
    problems: Problems


class TemplateLibrary(Protocol):
    """The stored templates, for tools. Methods raise NotFound, StorageFailed, and what they name."""

    async def page(self, query: str | None, *, limit: int, after: TemplateId | None) -> TemplatePage:
        """Return the newest versions whose title or description contains `query`, ignoring case.

        Raises `not_found` if there is no template `after`.
        """

    async def get(self, template_id: TemplateId, version: int | None = None) -> TemplateDetails:
        """Return the version, or the newest."""

    async def create(self, template: Mapping[str, Any], *, draft: bool = False) -> TemplateDetails:
        """Save a new template as version 1.

        Raises `title_taken`, and InvalidTemplate unless it is a `draft`, which needs only a title and cannot start.
        """

    async def update(
        self, template_id: TemplateId, template: Mapping[str, Any], *, based_on: int | None = None, draft: bool = False
    ) -> TemplateDetails:
        """Save the template as the next version. Active runs keep their version.

        Raises like `create`, `conflict` if the newest version is not `based_on`, and `not_allowed` for a template that
        ships with the app.
        """

    async def delete(self, template_id: TemplateId) -> tuple[TemplateEntry, Sequence[RunId]]:
        """Remove all versions. Returns the removed template and its active runs.

        Raises `not_allowed` for a template that ships with the app.
        """


class TemplateTitles(Protocol):
    """The titles of templates, which are unique ignoring case (ENGINE §1)."""

    def locked(self) -> AbstractAsyncContextManager[None]:
        """Block other saves of templates, so that a free title stays free."""

    async def require_free(self, title: str) -> None:
        """Raise Refused `title_taken`, with title and id of the template that has the title."""
