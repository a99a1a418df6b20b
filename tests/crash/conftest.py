"""What the tests of this folder share: the process that forks."""

from collections.abc import Iterator

import pytest

from tests.support.killing import Forks


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    with Forks() as forks:
        yield forks
