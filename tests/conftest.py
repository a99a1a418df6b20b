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
