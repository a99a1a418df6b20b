"""Templates that can be run by name: the person's own, and those that ship with the app."""

import json
from pathlib import Path
from typing import Any

from core.domain.ids import TemplateId
from core.engine.validation import Checked, Validator
from core.errors import NotFound, Refused
from core.ports.storage import Storage
from core.ports.templates import FoundTemplate
from core.services.outcome import answers

SHIPPED = Path(__file__).parents[2] / "resources" / "templates"
SHIPPED_ID = "shipped:"
FILE_BYTES = 20_000_000


class TemplateService:
    def __init__(self, storage: Storage, validator: Validator) -> None:
        self._storage = storage
        self._validator = validator

    @answers
    async def find(self, name: str) -> FoundTemplate:
        """A template by its file, else by its exact title, else by its title without case (COMMAND_LINE).

        Fails with `not_found`, `invalid_template` and all its problems, or `bad_input` for a file that cannot be read.
        """
        path = Path(name)
        if _exists(path):
            return await self._checked(read_text(path), None, None)
        return await self.named(None, name)

    async def named(self, template_id: TemplateId | None, title: str | None) -> FoundTemplate:
        """A `core.ports.templates.Templates`."""
        if template_id is not None:
            if is_shipped(template_id) and (text := shipped_by_id().get(template_id)) is not None:
                return await self._checked(text, template_id, None)
            one = await self._storage.template(template_id)
            if one is None:
                raise NotFound("template", template_id)
            return await self._checked(one.text, one.id, one.version)
        name = title or ""
        stored = [(one.title, one.text, one.id, one.version) for one in await self._storage.templates()]
        candidates = [*stored, *((shipped_title, text, None, None) for shipped_title, text in shipped())]
        for same in (str, str.casefold):
            for found_title, text, found_id, version in candidates:
                if same(found_title) == same(name):
                    return await self._checked(text, found_id, version)
        raise NotFound("template", name)

    async def _checked(self, text: str, template_id: TemplateId | None, version: int | None) -> FoundTemplate:
        return FoundTemplate((await self._validator.check_text(text)).require(), template_id, version)


async def check_file(validator: Validator, path: Path) -> Checked:
    """Validate a file. Raises Refused `bad_input` if it cannot be read."""
    return await validator.check_text(read_text(path))


def shipped() -> list[tuple[str, str]]:
    """Title and text of the templates that come with the app, by title."""
    found: list[tuple[str, str]] = []
    for text in shipped_by_id().values():
        data: dict[str, Any] = json.loads(text)
        found.append((str(data["title"]), text))
    return sorted(found)


def shipped_by_id() -> dict[TemplateId, str]:
    """The texts of the templates that come with the app, by the ids that they can be started with."""
    return {TemplateId(SHIPPED_ID + path.stem): path.read_text("utf-8") for path in sorted(SHIPPED.glob("*.json"))}


def is_shipped(template_id: TemplateId) -> bool:
    """Whether it is the id of a template that comes with the app, were it of an older version."""
    return template_id.startswith(SHIPPED_ID)


def read_text(path: Path) -> str:
    """The text of a file, at most 20 MB. Raises Refused `bad_input` if there is none to be read."""
    try:
        if path.stat().st_size > FILE_BYTES:
            raise Refused("too_large", f"{path} is larger than 20 MB", path=str(path))
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise Refused("bad_input", f"{path} is not UTF-8 text", path=str(path)) from None
    except OSError as error:
        raise Refused("bad_input", f"{path} cannot be read: {error.strerror}", path=str(path)) from None


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a title that is no path: too long, with a NUL
        return False
