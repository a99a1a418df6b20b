"""A machine without a keyring, and without the keys of whoever runs the tests."""

import keyring
import pytest
from keyring.backends.fail import Keyring as NoneAtAll

KEY_VARIABLES = ("METIER_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "MISTRAL_API_KEY")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """For `pytestmark = pytest.mark.usefixtures("bare")`."""
    for name in KEY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(keyring, "get_keyring", NoneAtAll)
