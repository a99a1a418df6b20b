"""The settings, loaded once and saved before they apply, and the model providers and API keys among them."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from psygnal import Signal
from pydantic import ValidationError

from core.bus import Bus, SettingsChanged
from core.domain.model import PRICES, TEXTS_TAKEN, FilesTaken, ModelChoice, WireFormatName
from core.domain.server_address import (
    AddressChange,
    BadAddress,
    MendedAddress,
    mended_address,
    mended_model,
    near_addresses,
)
from core.domain.settings import KeyLocation, Settings
from core.domain.text.json_text import encode
from core.errors import NotFound, Refused, StepFailed
from core.llm.catalogue import LISTING_S, Catalogue, ListedModel, LocalServer
from core.llm.key_store import KeySource, KeyStore
from core.llm.presets import PRESETS, Preset, files_taken, preset_at, preset_of, wire_format_at
from core.llm.wire_formats import WIRE_FORMATS
from core.network.routes import UnusableAuthority, require_authorities
from core.ports import PutSetting, Storage
from core.services.catalogue import bad_input
from core.services.outcome import Failed, returns_outcome
from core.stores.base import emit


class SettingsService:
    """`current` holds the settings; `changed` is emitted after each change."""

    changed = Signal()

    def __init__(self, current: Settings, storage: Storage, bus: Bus) -> None:
        self.current = current
        self._storage = storage
        self._bus = bus
        self.lock = asyncio.Lock()

    def read(self) -> Settings:
        """Return the current settings."""
        return self.current

    @returns_outcome
    async def change(self, **fields: Any) -> Settings:
        """Save some fields, then apply them. Fails with `bad_input` and changes nothing.

        Setting a mode discards the mode that the demo would restore.
        """
        if "validation_mode" in fields:
            fields = {"mode_before_demo": None, **fields}
        if (file := fields.get("authorities_file")) is not None:
            try:
                await asyncio.to_thread(require_authorities, str(file))
            except UnusableAuthority as error:
                why = "unreadable" if error.is_pem else "not_pem"
                raise Refused("bad_input", str(error), field="authorities_file", why=why) from None
        async with self.lock:
            return await self._change(fields)

    def adopt(self, values: Mapping[str, Any]) -> None:
        """Follow settings that were saved beside this service, under its `lock`."""
        if values:
            self._apply(Settings.model_validate({**self.current.model_dump(), **values}))

    def _apply(self, changed: Settings) -> None:
        self.current = changed
        self._bus.publish(SettingsChanged(changed))
        emit(self.changed)

    async def _change(self, fields: dict[str, Any]) -> Settings:
        try:
            changed = Settings.model_validate({**self.current.model_dump(), **fields})
        except ValidationError as error:
            raise bad_input(error, "the settings") from None
        values = changed.model_dump(mode="json")
        # only the given fields: others keep their defaults, which a later version may change
        await self._storage.commit([PutSetting(name, encode(values[name])) for name in fields if name in values])
        self._apply(changed)
        return changed


def parse_settings(stored: Any) -> Settings:
    """Return the stored settings. An unreadable field gets its default, because the app must start."""
    values = dict(stored)
    # an error may hide others, so that fields are dropped until the rest is valid
    while True:
        try:
            return Settings.model_validate(values)
        except ValidationError as error:
            for name in {str(problem["loc"][0]) for problem in error.errors()}:
                values.pop(name, None)


CHOICE_TIMEOUT_S = 3.0


class CheckedServer(NamedTuple):
    """A server that answers: the choice with the address at which it does, and its models."""

    choice: ModelChoice
    models: list[ListedModel]


class ProviderService:
    """Manages the models of the settings and the keys of their servers."""

    def __init__(self, catalogue: Catalogue, keys: KeyStore, settings: SettingsService) -> None:
        self._catalogue = catalogue
        self._keys = keys
        self._settings = settings

    def mended(self, address: str) -> MendedAddress:
        """Return the address of an API as it is used, and what was mended. Raises BadAddress."""
        return _mended(address)

    @property
    def presets(self) -> Mapping[str, Preset]:
        """The known providers by id."""
        return PRESETS

    @property
    def wire_formats(self) -> Sequence[WireFormatName]:
        """The APIs that can be chosen for a server."""
        return tuple(WIRE_FORMATS)

    def wire_format_at(self, base_url: str) -> WireFormatName:
        """Return the API of a server, as far as its address tells."""
        return wire_format_at(base_url) or WireFormatName.CHAT_COMPLETIONS

    @returns_outcome
    async def choose(
        self,
        *,
        provider: str | None = None,
        base_url: str | None = None,
        model: str | None = None,
        key_env: str | None = None,
        wire_format: WireFormatName | None = None,
        finds_api: bool = True,
    ) -> ModelChoice:
        """Return the choice of a preset, an address, or both; a model alone changes the model of the settings' choice.
        Without a wire format it is that which the address names, else the preset's.

        Without a model it is the only model that the server lists; a server without a list is asked without a model
        name. With `finds_api`, an address without a path is asked whether its API is below it.

        Fails with `bad_input`, also if there are several models to choose from, and `not_found` for the preset.
        """
        choice = _parse_choice(self._settings.current.model, provider, base_url, model, key_env, wire_format)
        # an address without a path may lack the `/v1` of its API
        is_whole = base_url is None or not finds_api or urlsplit(choice.base_url).path != ""
        if choice.model is not None and is_whole:
            return _with_listed(choice, None)
        try:
            choice, listed = await self._listed(choice, CHOICE_TIMEOUT_S)
        except StepFailed:
            return _with_listed(choice, None)
        if choice.model is not None:
            return _with_listed(choice, None)
        # a guess could cost money
        if len(listed) > 1:
            names = ", ".join(model.id for model in listed[:20]) + (", …" if len(listed) > 20 else "")
            raise Refused("bad_input", f"the server has several models, so one has to be named: {names}")
        return _with_listed(choice, listed[0] if listed else None)

    @returns_outcome
    async def check(self, choice: ModelChoice) -> CheckedServer:
        """Return the models that the server lists, also if it does so at a near address, with or without `/v1`. Fails
        with the errors of a request to the address of the choice.
        """
        return CheckedServer(*await self._listed(choice))

    async def _listed(self, choice: ModelChoice, limit_s: float = LISTING_S) -> tuple[ModelChoice, list[ListedModel]]:
        """Return a choice at the address that lists models, and these. Raises StepFailed."""
        key = await self._keys.find(choice)
        try:
            return choice, await self._catalogue.models(choice, key, limit_s)
        except StepFailed as error:
            if error.parameters.get("part") != "address":
                raise
            for url in near_addresses(choice.base_url):
                near = choice.model_copy(update={"base_url": url})
                try:
                    return near, await self._catalogue.models(near, key, limit_s)
                except StepFailed:
                    continue
            raise

    @returns_outcome
    async def models(self, choice: ModelChoice) -> list[ListedModel]:
        """Return the models that the server lists. Fails with the errors of a request to it."""
        return await self._catalogue.models(choice, await self._keys.find(choice))

    def as_listed(self, choice: ModelChoice, listed: ListedModel) -> ModelChoice:
        """Return the choice of that model, completed by its server's list, else by its preset."""
        return _with_listed(choice.model_copy(update={"model": None, "context_tokens": None}), listed)

    def files_taken(self, choice: ModelChoice | None) -> FilesTaken:
        """Return what the model takes beside text; None is the offline agent."""
        return TEXTS_TAKEN if choice is None else files_taken(choice)

    @returns_outcome
    async def add_model(self, choice: ModelChoice, **details: Any) -> ModelChoice:
        """Add a model to the settings, in place of the same model; `details` are fields of it. The first model is the
        default, unless there is a default. Fails with `bad_input`, or with the errors of changing settings.
        """
        added = _validated_choice({**choice.model_dump(), **details})
        settings = self._settings.current
        others = [other for other in settings.models if not other.is_same(added)]
        # the first model becomes the default; a changed default stays the default
        is_usual = added.is_same(settings.model) or (settings.model is None and not settings.models)
        await self._change(models=(*others, added), **({"model": added} if is_usual else {}))
        return added

    @returns_outcome
    async def remove_model(self, choice: ModelChoice) -> None:
        """Remove a model from the settings. If it was the default, the offline agent becomes the default; workflows and
        runs that use the model keep it.
        """
        settings = self._settings.current
        others = tuple(other for other in settings.models if not other.is_same(choice))
        await self._change(models=others, **({"model": None} if choice.is_same(settings.model) else {}))

    @returns_outcome
    async def discover(self) -> list[LocalServer]:
        """Return the servers on this machine that answer within 300 ms."""
        return await self._catalogue.discover()

    @returns_outcome
    async def save_key(self, choice: ModelChoice, key: str) -> KeyLocation:
        """Save the key for the address of a choice and return its place. Fails with `bad_input`, `keys_unreadable`,
        `keys_not_writable`, or with the errors of changing settings.
        """
        place = await self._keys.put(choice.origin, key)
        await self._save_key_place(choice.origin, place)
        return place

    @returns_outcome
    async def remove_key(self, choice: ModelChoice) -> None:
        """Delete the key. Fails with `no_keyring`, `keys_unreadable`, `keys_not_writable`, or with the errors of
        changing settings.
        """
        await self._keys.remove(choice.origin)
        await self._save_key_place(choice.origin, None)

    @returns_outcome
    async def key_source(self, choice: ModelChoice) -> KeySource | None:
        """Return where the key of a choice would be read from; never the key."""
        return await self._keys.source(choice)

    async def _save_key_place(self, origin: str, place: KeyLocation | None) -> None:
        places = {
            name: known_place for name, known_place in self._settings.current.key_places.items() if name != origin
        }
        await self._change(key_places=places if place is None else {**places, origin: place})

    async def _change(self, **fields: Any) -> None:
        """Change settings. Raises Refused if that fails."""
        changed = await self._settings.change(**fields)
        if isinstance(changed, Failed):
            raise Refused(changed.code, changed.message, **changed.details)


def _parse_choice(
    usual: ModelChoice | None,
    provider: str | None,
    base_url: str | None,
    model: str | None,
    key_env: str | None,
    wire_format: WireFormatName | None,
) -> ModelChoice:
    """Return the choice without a lookup at the server. Raises Refused `bad_input`, NotFound."""
    if provider is not None and provider not in PRESETS:
        raise NotFound("provider", provider)
    if provider is None and base_url is None:
        if usual is None:
            raise Refused("bad_input", "a model needs an address or a provider")
        changed = {"key_env": key_env or usual.key_env, "wire_format": wire_format or usual.wire_format}
        return _validated_choice({**usual.model_dump(), "model": model, **changed})
    if base_url is not None:
        wire_format = wire_format or wire_format_at(base_url)
        try:
            base_url = _mended(base_url).url
        except BadAddress as error:
            raise Refused("bad_input", f"base_url: {error}", field="base_url", fault=error.fault.value) from None
    preset = PRESETS[provider] if provider is not None else preset_at(base_url or "")
    if base_url is None and not preset.base_url:
        raise Refused("bad_input", f"{preset.title} needs an address")
    fields: dict[str, Any] = {
        "provider": preset.id,
        "base_url": base_url if base_url is not None else preset.base_url,
        "model": model,
        "key_env": key_env,
        "wire_format": wire_format,
        "needs_key": key_env is not None or (base_url is None and preset.needs_key),
    }
    if preset.is_local:
        fields |= {"price_in": 0.0, "price_out": 0.0}
    return _validated_choice(fields)


def _mended(address: str) -> MendedAddress:
    mended = mended_address(address)
    known = preset_at(mended.url).base_url
    if known and not urlsplit(mended.url).path and urlsplit(known).path:
        return MendedAddress(known, (*mended.changes, AddressChange.VERSION))
    return mended


def _validated_choice(fields: Mapping[str, Any]) -> ModelChoice:
    try:
        if isinstance(fields.get("model"), str) and isinstance(fields.get("base_url"), str):
            fields = {**fields, "model": mended_model(fields["model"], fields["base_url"])}
        return ModelChoice.model_validate(fields)
    except ValidationError as error:
        raise bad_input(error, "the choice") from None


def _with_listed(choice: ModelChoice, listed: ListedModel | None) -> ModelChoice:
    """Return the choice of the listed model, completed by server list and preset; fields chosen before stay."""
    details: dict[str, Any] = {"context_tokens": preset_of(choice).context_tokens}
    if listed is not None:
        names = (*PRICES, "takes_pictures")
        details |= {"model": listed.id, **{name: getattr(listed, name) for name in names}}
        details["context_tokens"] = listed.context_tokens or details["context_tokens"]
    return choice.model_copy(update={name: value for name, value in details.items() if getattr(choice, name) is None})
