"""What all tests share: the hook that runs `async def` tests, and settings that hold with and without Qt."""

import pytest
from hypothesis import HealthCheck, settings

# Other tests run beside each: how long an example takes says nothing.
settings.register_profile("beside others", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("beside others")

pytest_plugins = ["tests.support.async_tests", "tests.support.bare"]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Make pytest-qt's settings known where it is not installed or switched off: the core's tests need no Qt."""
    if not pluginmanager.has_plugin("pytest-qt"):
        parser.addini("qt_api", "read by pytest-qt")
        parser.addini("qt_log_level_fail", "read by pytest-qt")
        parser.addini("qt_log_ignore", "read by pytest-qt", type="linelist")


# The folders with the slowest tests: they start processes, or open the window.
_SLOW = ("e2e", "crash", "persistence", "simulation"), ("gui/window", "gui/settings", "gui/screens")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put an equal share of the slow tests at the head of what each worker begins with.

    What is left over at the end, and taken over from each other, is quick: they end together.
    """
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers == 1:
        return
    folders = [tuple(f"tests/{folder}/" for folder in kind) for kind in _SLOW]
    ranks = [
        next((rank for rank, kind in enumerate(folders) if item.nodeid.startswith(kind)), len(folders))
        for item in items
    ]
    kinds = [[item for item, its in zip(items, ranks, strict=True) if its == rank] for rank in range(len(folders) + 1)]
    shares = [
        [kind[len(kind) * n // workers : len(kind) * (n + 1) // workers] for kind in kinds] for n in range(workers)
    ]
    items[:] = [item for share in shares for part in share for item in part]
