"""Configurations of many apps in the forms that their documentation or that of servers publishes, and what is read.

Each entry of the file has the address of the page whose form it has (`source`); names and values are our own. `fields`
are read, `asked` is asked for, `notes` are shown, `left_out` is named.
"""

import json
from typing import Any

import pytest

from core.errors import Refused
from core.tools.mcp.pasted_config import read_pasted
from tests.support.project import ROOT

PUBLISHED: list[dict[str, Any]] = json.loads((ROOT / "tests/vectors/mcp_configurations.json").read_text("utf-8"))


@pytest.mark.parametrize("published", PUBLISHED, ids=[f"{each['app']} {at}" for at, each in enumerate(PUBLISHED)])
def test_what_an_app_writes_is_read_for_what_it_means(
    published: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TOWN_TOKEN", "TOWN_DATABASE", "pat"):
        monkeypatch.delenv(name, raising=False)
    config = read_pasted(published["text"])
    (server,) = config.servers
    fields = {name: value for name, value in server.fields.items() if value or value is False}
    assert fields == {"name": published.get("name", "town"), **published["fields"]}
    assert [each.id for each in config.inputs] == published.get("asked", [])
    assert [note.code for note in server.notes] == published.get("notes", [])
    assert [each.code for each in config.left_out] == published.get("left_out", [])


def test_there_are_forty_of_fifteen_apps() -> None:
    assert len(PUBLISHED) >= 40
    assert len({each["app"].partition(" on ")[0] for each in PUBLISHED}) >= 15
    assert all(each["source"].startswith("https://") for each in PUBLISHED)


@pytest.mark.parametrize("text", ["npx -y @smithery/cli@latest install @town/mcp --client x", "docker build -t x ."])
def test_a_command_that_starts_no_server_is_not_taken_for_one(text: str) -> None:
    with pytest.raises(Refused):
        read_pasted(text)
