"""Catalogues: collections of documents that the user names, loaded once and saved before they apply."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from psygnal import Signal
from pydantic import ValidationError

from core.domain.agent import Agent
from core.domain.ids import new_id
from core.domain.names import by_name, is_name_taken
from core.domain.prompt import Prompt
from core.errors import NotFound, Refused
from core.ports import Put, Remove, Storage
from core.services.outcome import returns_outcome
from core.stores.base import emit

T = TypeVar("T", bound=Agent | Prompt)


class Catalogue(Generic[T]):
    """Documents of one type, in the order of `current`: sorted by name. `changed` is emitted after each change.

    `kind` names the type in ids and errors; `parse` validates fields, `remove` makes the write that removes a document.
    `built_in` documents always exist; the user may save another version under their ids.
    """

    changed = Signal()

    def __init__(
        self,
        kind: str,
        parse: Callable[[Mapping[str, Any]], T],
        remove: Callable[[str], Remove],
        items: Iterable[T],
        storage: Storage,
        built_in: tuple[T, ...] = (),
    ) -> None:
        self._kind = kind
        self._parse = parse
        self._make_remove = remove
        self._storage = storage
        self._built_in = built_in
        self.lock = asyncio.Lock()
        self.current: tuple[T, ...] = self._sorted(items)

    def get(self, item_id: str | None) -> T | None:
        """Return the document, or None if it does not exist."""
        return next((item for item in self.current if item.id == item_id), None)

    def require(self, item_id: str) -> T:
        """Return the document. Raises NotFound."""
        item = self.get(item_id)
        if item is None:
            raise NotFound(self._kind, item_id)
        return item

    def adopt(self, items: Iterable[T]) -> None:
        """Follow documents that were saved beside the catalogue, under its `lock`."""
        added = tuple(items)
        if added:
            ids = {item.id for item in added}
            self._replace_all((*(item for item in self.current if item.id not in ids), *added))

    @returns_outcome
    async def save(self, item_id: str | None = None, **fields: Any) -> T:
        """Create a document, or replace all of it; fields that are not given have their defaults.

        Fails with `bad_input` (`field` names the field) and `name_taken`; names are compared ignoring case.
        """
        async with self.lock:
            try:
                item = self._parse({**fields, "id": item_id or new_id(self._kind)})
            except ValidationError as error:
                raise bad_input(error, self._kind) from None
            self._require_unique_name(item)
            await self._storage.commit([Put(item)])
            self._replace_all((*self._others(item.id), item))
            return item

    async def _remove(self, item_id: str) -> T:
        """Remove a document and return it: `save` with its fields restores it. Raises NotFound, StorageFailed."""
        async with self.lock:
            item = self.require(item_id)
            await self._storage.commit([self._make_remove(item_id)])
            self._replace_all(self._others(item_id))
            return item

    def _require_unique_name(self, item: T) -> None:
        """Raise Refused `name_taken` if another document has the name."""
        if is_name_taken(self.current, item.name, item.id):
            raise name_taken(self._kind, item.name)

    def _others(self, item_id: str) -> tuple[T, ...]:
        return tuple(item for item in self.current if item.id != item_id)

    def _replace_all(self, items: Iterable[T]) -> None:
        self.current = self._sorted(items)
        emit(self.changed)

    def _sorted(self, items: Iterable[T]) -> tuple[T, ...]:
        return tuple(sorted({item.id: item for item in (*self._built_in, *items)}.values(), key=by_name))


def name_taken(kind: str, name: str) -> Refused:
    """Return the error of a name that another document has."""
    return Refused("name_taken", f"another {kind} is named {name!r}", field="name")


def bad_input(error: ValidationError, default_field: str, depth: int | None = 1) -> Refused:
    """Return the first problem as an error. `field` is its path, cut to `depth` parts; `whole` if it has none."""
    first = error.errors(include_input=False, include_context=False, include_url=False)[0]
    field = "/".join(str(part) for part in first["loc"][:depth]) or default_field
    return Refused("bad_input", f"{field}: {first['msg'].removeprefix('Value error, ')}", field=field)
