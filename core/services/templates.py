"""Templates: found by name to be run, and stored as versions; the user's own, and the shipped templates."""

import asyncio
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.domain.ids import RunId, TemplateId, new_id
from core.domain.names import name_key
from core.domain.template import FORMAT, Template
from core.domain.text.held_json import read_held_json
from core.domain.text.json_text import encode, parse
from core.engine.plan.validation import ValidationResult, Validator
from core.errors import InvalidTemplate, NotFound, Refused
from core.ports import (
    Clock,
    Put,
    Remove,
    ResolvedTemplate,
    Storage,
    StoredTemplate,
    TemplateDetails,
    TemplateEntry,
    TemplatePage,
)
from core.services.outcome import returns_outcome

SHIPPED_FOLDER = Path(__file__).parents[2] / "resources" / "templates"
SHIPPED_PREFIX = "shipped:"
FILE_BYTES = 20_000_000


class TemplateService:
    """Finds and validates templates to run."""

    def __init__(self, storage: Storage, validator: Validator) -> None:
        self._storage = storage
        self._validator = validator

    @returns_outcome
    async def find(self, name: str) -> ResolvedTemplate:
        """Return a template by its file, else by its exact title, else by its title ignoring case (COMMAND_LINE).

        Fails with `not_found`, `invalid_template` and all problems, or `bad_input` for an unreadable file.
        """
        path = Path(name)
        if _exists(path):
            return await self._checked(read_text(path), None, None)
        return await self.named(None, name)

    async def named(self, template_id: TemplateId | None, title: str | None) -> ResolvedTemplate:
        """Return a template by id or title (`core.ports.templates.Templates`). Raises NotFound."""
        if template_id is not None:
            if is_shipped(template_id) and (text := shipped_by_id().get(template_id)) is not None:
                return await self._checked(text, template_id, None)
            template = await self._storage.templates.get(template_id)
            if template is None:
                raise NotFound("template", template_id)
            return await self._checked(template.text, template.id, template.version)
        name = title or ""
        stored = [
            (template.title, template.text, template.id, template.version)
            for template in await self._storage.templates.all()
        ]
        # the user's own templates win over shipped ones of the same title
        candidates = [*stored, *((shipped_title, text, None, None) for shipped_title, text in shipped())]
        for same in (str, str.casefold):
            for found_title, text, found_id, version in candidates:
                if same(found_title) == same(name):
                    return await self._checked(text, found_id, version)
        raise NotFound("template", name)

    async def _checked(self, text: str, template_id: TemplateId | None, version: int | None) -> ResolvedTemplate:
        return ResolvedTemplate((await self._validator.check_text(text)).require(), template_id, version)


async def check_file(validator: Validator, path: Path) -> ValidationResult:
    """Validate a file. Raises Refused `bad_input` if it is unreadable."""
    return await validator.check_text(read_text(path))


def shipped() -> list[tuple[str, str]]:
    """Return title and text of the shipped templates, sorted by title."""
    templates: list[tuple[str, str]] = []
    for text in shipped_by_id().values():
        data: dict[str, Any] = json.loads(text)
        templates.append((str(data["title"]), text))
    return sorted(templates)


def shipped_by_id() -> dict[TemplateId, str]:
    """Return the texts of the shipped templates by the ids that start them."""
    return {
        TemplateId(SHIPPED_PREFIX + path.stem): path.read_text("utf-8")
        for path in sorted(SHIPPED_FOLDER.glob("*.json"))
    }


def is_shipped(template_id: TemplateId) -> bool:
    """Return whether this is the id of a shipped template, even of another version of the app."""
    return template_id.startswith(SHIPPED_PREFIX)


def read_text(path: Path) -> str:
    """Return the text of a file of at most 20 MB. Raises Refused `bad_input` or `too_large`."""
    try:
        return io.TextIOWrapper(io.BytesIO(read_file(path)), "utf-8").read()
    except UnicodeDecodeError:
        raise Refused("bad_input", f"{path} is not UTF-8 text", path=str(path)) from None


def read_file(path: Path) -> bytes:
    """Return the bytes of a file of at most 20 MB. Raises Refused `bad_input` or `too_large`."""
    try:
        # before it is read: a huge file would fill the memory
        if path.stat().st_size > FILE_BYTES:
            raise Refused("too_large", f"{path} is larger than 20 MB", path=str(path))
        return path.read_bytes()
    except OSError as error:
        raise Refused("bad_input", f"{path} cannot be read: {error.strerror}", path=str(path)) from None


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a title that is no path: too long, with a NUL
        return False


TITLE_CHARACTERS = 256


class TemplateBookService:
    """Changes one template at a time, so that two changes cannot take the same title or version. Also a
    `core.ports.templates.TemplateTitles`, for callers that save a template with other data.
    """

    def __init__(self, storage: Storage, validator: Validator, clock: Clock) -> None:
        self._storage = storage
        self._validator = validator
        self._clock = clock
        self._lock = asyncio.Lock()

    async def page(self, query: str | None, *, limit: int, after: TemplateId | None) -> TemplatePage:
        text = (query or "").casefold()
        entries = [
            entry for entry in await self._entries() if text in f"{entry.title}\n{entry.description or ''}".casefold()
        ]
        start = 0
        if after is not None:
            indexes = [index for index, entry in enumerate(entries) if entry.id == after]
            if not indexes:
                raise NotFound("template", after)
            start = indexes[0] + 1
        page = entries[start : start + limit]
        return TemplatePage(page, page[-1].id if start + limit < len(entries) else None)

    async def get(self, template_id: TemplateId, version: int | None = None) -> TemplateDetails:
        if is_shipped(template_id) and version is None:
            text = shipped_by_id().get(template_id)
            if text is None:
                raise NotFound("template", template_id)
            value = parse(text)
            return await self._whole(_entry(template_id, value["title"], value), value, text)
        stored = await self._storage.templates.get(template_id, version)
        if stored is None:
            name = template_id if version is None else f"{template_id} version {version}"
            raise NotFound("template", name)
        value = _parsed(stored.text)
        return await self._whole(_stored_entry(stored, value), value, stored.text)

    async def create(self, template: Mapping[str, Any], *, draft: bool = False) -> TemplateDetails:
        async with self._lock:
            return await self._save(TemplateId(new_id("tpl")), 1, template, draft=draft)

    async def update(
        self, template_id: TemplateId, template: Mapping[str, Any], *, based_on: int | None = None, draft: bool = False
    ) -> TemplateDetails:
        async with self._lock:
            newest = await self._newest(template_id)
            if based_on not in (None, newest.version):
                message = f"the newest version of {newest.title!r} is {newest.version}, not {based_on}"
                raise Refused("conflict", message, version=newest.version)
            return await self._save(template_id, newest.version + 1, template, draft=draft)

    async def delete(self, template_id: TemplateId) -> tuple[TemplateEntry, Sequence[RunId]]:
        async with self._lock:
            newest = await self._newest(template_id)
            await self._storage.commit([Remove(StoredTemplate, template_id)])
        unfinished = await self._storage.runs.unfinished()
        return _stored_entry(newest, _parsed(newest.text)), [
            run.id for run in unfinished if run.template_id == newest.id
        ]

    def locked(self) -> AbstractAsyncContextManager[None]:
        return self._lock

    async def require_free(self, title: str) -> None:
        await self._require_own_title(title, None)

    async def _newest(self, template_id: TemplateId) -> StoredTemplate:
        """Return the newest version, which a change starts from. Raises NotFound, and Refused `not_allowed` for a
        shipped template.
        """
        if template_id in shipped_by_id():
            raise Refused("not_allowed", "this template comes with the app; create one of your own in its place")
        newest = await self._storage.templates.get(template_id)
        if newest is None:
            raise NotFound("template", template_id)
        return newest

    async def _save(
        self, template_id: TemplateId, version: int, template: Mapping[str, Any], *, draft: bool
    ) -> TemplateDetails:
        value = {"format": FORMAT, **await asyncio.to_thread(_as_meant, template)}
        text = encode(value)
        checked = await self._validator.check_text(text)
        title = value.get("title")
        has_title = isinstance(title, str) and 0 < len(title) <= TITLE_CHARACTERS
        is_too_large = any(problem.code == "too_large" for problem in checked.problems)
        # a draft may be invalid, but it must be listed and found
        if not checked.is_valid and (not draft or not has_title or is_too_large):
            raise InvalidTemplate([problem.as_dict() for problem in checked.problems])
        assert isinstance(title, str)
        await self._require_own_title(title, template_id)
        stored = StoredTemplate(template_id, version, title, text, self._clock.now())
        await self._storage.commit([Put(stored)])
        return _whole_template(_stored_entry(stored, value), value, checked)

    async def _require_own_title(self, title: str, template_id: TemplateId | None) -> None:
        """Raise Refused `title_taken` if another template has the title, ignoring case (ENGINE §1)."""
        for entry in await self._entries():
            if entry.id != template_id and name_key(entry.title) == name_key(title):
                raise Refused(
                    "title_taken", f"there is a template {entry.title!r} already", title=entry.title, id=entry.id
                )

    async def _entries(self) -> list[TemplateEntry]:
        """Return all templates, sorted by title."""
        shipped = [(template, parse(text)) for template, text in shipped_by_id().items()]
        entries = [_entry(template, value["title"], value) for template, value in shipped]
        entries += [_stored_entry(template, _parsed(template.text)) for template in await self._storage.templates.all()]
        return sorted(entries, key=lambda template: (name_key(template.title), template.title, template.id))

    async def _whole(self, entry: TemplateEntry, value: Any, text: str) -> TemplateDetails:
        return _whole_template(entry, value, await self._validator.check_text(text))


def _whole_template(entry: TemplateEntry, value: Any, checked: ValidationResult) -> TemplateDetails:
    return TemplateDetails(entry, value, [problem.as_dict() for problem in checked.problems])


def _parsed(text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        return None


def _as_meant(template: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a template of a client or a model with lists and objects that came as JSON in a text, also those that are
    the input of a step whose input is an object.
    """
    read: Mapping[str, Any] = read_held_json(_template_schema(), template)
    read = _with_read_object(read, "inputSchema")
    steps = read.get("steps")
    if not isinstance(steps, list):
        return read
    return {**read, "steps": [_step_as_meant(step) if isinstance(step, Mapping) else step for step in steps]}


def _step_as_meant(step: Mapping[str, Any]) -> Mapping[str, Any]:
    action = step.get("action")
    takes_object = isinstance(action, Mapping) and ("toolName" in action or "workflow" in action)
    step = _with_read_object(step, "outputSchema")
    return _with_read_object(step, "input") if takes_object else step


def _with_read_object(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object with one of its fields read, if a text stands there that holds an object."""
    read = read_held_json({"type": "object"}, holder.get(name))
    return holder if read is holder.get(name) else {**holder, name: read}


@lru_cache(maxsize=1)
def _template_schema() -> dict[str, Any]:
    return Template.model_json_schema(by_alias=True)


def _entry(template_id: TemplateId, title: str, value: Any) -> TemplateEntry:
    description = value.get("description") if isinstance(value, dict) else None
    return TemplateEntry(template_id, title, description if isinstance(description, str) else None, None, None)


def _stored_entry(stored: StoredTemplate, value: Any) -> TemplateEntry:
    entry = _entry(stored.id, stored.title, value)
    return replace(entry, version=stored.version, updated_at=stored.updated_at)
