"""Settings: kept before they hold, and read so that the app always starts."""

from typing import Any

from core.bus import Bus, SettingsChanged
from core.domain.settings import Settings
from core.domain.template import ValidationMode
from core.ports import PutSetting
from core.services.outcome import Failed, Ok
from core.services.settings import SettingsService, parse_settings
from tests.support.in_memory.storage import InMemoryStorage


async def a_service(storage: InMemoryStorage, bus: Bus | None = None) -> SettingsService:
    return SettingsService(parse_settings(await storage.settings.all()), storage, bus or Bus())


async def test_a_change_is_saved_and_published() -> None:
    storage, bus, told = InMemoryStorage(), Bus(), list[Settings]()
    bus.subscribe(SettingsChanged, lambda changed: told.append(changed.settings))
    service = await a_service(storage, bus)
    assert isinstance(await service.change(validation_mode=ValidationMode.AUTO), Ok)
    assert service.current.validation_mode is ValidationMode.AUTO
    assert told == [service.current]
    assert (await a_service(storage)).current.validation_mode is ValidationMode.AUTO


async def test_a_value_out_of_bounds_changes_nothing() -> None:
    storage = InMemoryStorage()
    service = await a_service(storage)
    for field, value in (("max_running_runs", 0), ("max_workflows_auto", 21), ("validation_mode", "brave")):
        answer = await service.change(**{field: value})
        assert isinstance(answer, Failed)
        assert answer.code == "bad_input"
        assert field in answer.message
    assert service.current == Settings()
    assert await storage.settings.all() == {}


async def test_what_cannot_be_read_has_its_default_and_the_rest_holds() -> None:
    storage = InMemoryStorage()
    kept: list[tuple[str, Any]] = [
        ("validation_mode", '"brave"'),
        ("max_running_runs", "7"),
        ("of_a_later_version", "[1]"),
    ]
    await storage.commit([PutSetting(name, text) for name, text in kept])
    service = await a_service(storage)
    assert service.current == Settings(max_running_runs=7)
    await service.change(max_workflows_auto=5)
    assert (await storage.settings.all())["of_a_later_version"] == [1]
