"""Templates as they are kept: listed, read, saved as versions, removed; a `core.ports.template_book.TemplateBook`."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from core.domain.ids import RunId, TemplateId, new_id
from core.domain.json_text import encode, read
from core.domain.template import FORMAT
from core.engine.validation import Checked, Validator
from core.errors import InvalidTemplate, NotFound, Refused
from core.ports.clock import Clock
from core.ports.storage import PutTemplate, RemoveTemplate, Storage, StoredTemplate
from core.ports.template_book import TemplateEntry, TemplatePage, WholeTemplate
from core.services.templates import is_shipped, shipped_by_id

TITLE_CHARACTERS = 256


class TemplateBookService:
    """One change at a time, so that two cannot take the same title or make the same version; also a
    `core.ports.template_book.Titles`, for those who save a template with other things."""

    def __init__(self, storage: Storage, validator: Validator, clock: Clock) -> None:
        self._storage = storage
        self._validator = validator
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()

    async def listed(self, query: str | None, *, limit: int, after: TemplateId | None) -> TemplatePage:
        wanted = (query or "").casefold()
        entries = [one for one in await self._entries() if wanted in f"{one.title}\n{one.description or ''}".casefold()]
        begin = 0
        if after is not None:
            places = [place for place, one in enumerate(entries) if one.id == after]
            if not places:
                raise NotFound("template", after)
            begin = places[0] + 1
        page = entries[begin : begin + limit]
        return TemplatePage(page, page[-1].id if begin + limit < len(entries) else None)

    async def get(self, template_id: TemplateId, version: int | None = None) -> WholeTemplate:
        if is_shipped(template_id) and version is None:
            text = shipped_by_id().get(template_id)
            if text is None:
                raise NotFound("template", template_id)
            value = read(text)
            return await self._whole(_entry(template_id, value["title"], value), value, text)
        stored = await self._storage.template(template_id, version)
        if stored is None:
            name = template_id if version is None else f"{template_id} version {version}"
            raise NotFound("template", name)
        value = _value(stored.text)
        return await self._whole(_stored_entry(stored, value), value, stored.text)

    async def create(self, template: Mapping[str, Any], *, draft: bool = False) -> WholeTemplate:
        async with self._one_at_a_time:
            return await self._save(TemplateId(new_id("tpl")), 1, template, draft=draft)

    async def update(
        self, template_id: TemplateId, template: Mapping[str, Any], *, based_on: int | None = None, draft: bool = False
    ) -> WholeTemplate:
        async with self._one_at_a_time:
            newest = await self._newest(template_id)
            if based_on not in (None, newest.version):
                message = f"the newest version of {newest.title!r} is {newest.version}, not {based_on}"
                raise Refused("conflict", message, version=newest.version)
            return await self._save(template_id, newest.version + 1, template, draft=draft)

    async def delete(self, template_id: TemplateId) -> tuple[TemplateEntry, Sequence[RunId]]:
        async with self._one_at_a_time:
            newest = await self._newest(template_id)
            await self._storage.commit([RemoveTemplate(template_id)])
        unfinished = await self._storage.unfinished_runs()
        return _stored_entry(newest, _value(newest.text)), [
            one.id for one in unfinished if one.template_id == newest.id
        ]

    def held(self) -> AbstractAsyncContextManager[None]:
        return self._one_at_a_time

    async def require_free(self, title: str) -> None:
        await self._require_own_title(title, None)

    async def _newest(self, template_id: TemplateId) -> StoredTemplate:
        """The version that a change begins at. Raises NotFound, and Refused `not_allowed` for one of the app."""
        if template_id in shipped_by_id():
            raise Refused("not_allowed", "this template comes with the app; create one of your own in its place")
        newest = await self._storage.template(template_id)
        if newest is None:
            raise NotFound("template", template_id)
        return newest

    async def _save(
        self, template_id: TemplateId, version: int, template: Mapping[str, Any], *, draft: bool
    ) -> WholeTemplate:
        value = {"format": FORMAT, **template}
        text = encode(value)
        checked = await self._validator.check_text(text)
        title = value.get("title")
        has_title = isinstance(title, str) and 0 < len(title) <= TITLE_CHARACTERS
        is_too_large = any(one.code == "too_large" for one in checked.problems)
        if not checked.is_valid and (not draft or not has_title or is_too_large):
            raise InvalidTemplate([one.as_dict() for one in checked.problems])
        assert isinstance(title, str)
        await self._require_own_title(title, template_id)
        stored = StoredTemplate(template_id, version, title, text, self._clock.now())
        await self._storage.commit([PutTemplate(stored)])
        return _with_problems(_stored_entry(stored, value), value, checked)

    async def _require_own_title(self, title: str, template_id: TemplateId | None) -> None:
        """Raises Refused where another has it, in whatever case (ENGINE §1)."""
        for one in await self._entries():
            if one.id != template_id and one.title.casefold() == title.casefold():
                raise Refused("title_taken", f"there is a template {one.title!r} already", title=one.title, id=one.id)

    async def _entries(self) -> list[TemplateEntry]:
        """All, by title."""
        shipped = [(one, read(text)) for one, text in shipped_by_id().items()]
        entries = [_entry(one, value["title"], value) for one, value in shipped]
        entries += [_stored_entry(one, _value(one.text)) for one in await self._storage.templates()]
        return sorted(entries, key=lambda one: (one.title.casefold(), one.title, one.id))

    async def _whole(self, entry: TemplateEntry, value: Any, text: str) -> WholeTemplate:
        return _with_problems(entry, value, await self._validator.check_text(text))


def _with_problems(entry: TemplateEntry, value: Any, checked: Checked) -> WholeTemplate:
    return WholeTemplate(entry, value, [one.as_dict() for one in checked.problems])


def _value(text: str) -> Any:
    try:
        return read(text)
    except ValueError:
        return None


def _entry(template_id: TemplateId, title: str, value: Any) -> TemplateEntry:
    description = value.get("description") if isinstance(value, dict) else None
    return TemplateEntry(template_id, title, description if isinstance(description, str) else None, None, None)


def _stored_entry(stored: StoredTemplate, value: Any) -> TemplateEntry:
    entry = _entry(stored.id, stored.title, value)
    return replace(entry, version=stored.version, updated_at=stored.updated_at)
