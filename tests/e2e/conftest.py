"""The command line on a data folder of the test's own."""

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine


@pytest.fixture
def metier(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "data")
