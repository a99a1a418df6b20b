"""Pictures in the results of servers: kept by hash, whatever stands beside them."""

from base64 import b64encode
from typing import Any

import mcp_types
import pytest

from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.result_pictures import pictures_in
from core.ports import CallContext
from core.tools.mcp.results import result_value
from core.tools.result_pictures import ResultPictures
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.pictures import picture

PNG = picture(3, 2)
TEXT: dict[str, Any] = {"type": "text", "text": "drawn"}
IMAGE: dict[str, Any] = {"type": "image", "mimeType": "image/jpeg", "data": b64encode(PNG).decode()}
BLOB = {"uri": "file:///a.png", "mimeType": "image/png", "blob": b64encode(PNG).decode()}
AUDIO: dict[str, Any] = {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}


@pytest.mark.parametrize(
    ("result", "others"),
    [
        ({"content": [TEXT, IMAGE]}, {"text": "drawn"}),
        ({"content": [{"type": "resource", "resource": BLOB}]}, {"text": ""}),
        ({"content": [IMAGE], "structuredContent": {"n": 1}}, {"n": 1}),
    ],
)
async def test_a_picture_is_kept_and_referred_to_by_what_it_is(result: dict[str, Any], others: dict[str, Any]) -> None:
    storage = InMemoryStorage()
    context = CallContext(RunId("run_1"), WorkflowId("wf_1"), CallId("c"), pictures=ResultPictures(storage.commit))
    value = await result_value(mcp_types.CallToolResult.model_validate(result), context)
    (item,) = value.pop("content")
    assert value == others
    assert (item["type"], item["mime"], item["bytes"]) == ("image", "image/png", len(PNG))
    (about,) = pictures_in({"content": [item]})
    assert (about.width, about.height, await storage.files.get(about.hash)) == (3, 2, PNG)
    assert await storage.files.of_workflow(WorkflowId("wf_1")) == [("run_1", about.hash)]


@pytest.mark.parametrize("data", ["AAAA", "no Base64 at all!", b64encode(PNG[:30]).decode()])
async def test_what_cannot_be_shown_is_named(data: str) -> None:
    context = CallContext(
        RunId("run_1"), WorkflowId("wf_1"), CallId("c"), pictures=ResultPictures(InMemoryStorage().commit)
    )
    result = {"content": [{**IMAGE, "data": data}, AUDIO]}
    value = await result_value(mcp_types.CallToolResult.model_validate(result), context)
    assert [(item["type"], item["mime"], "hash" in item) for item in value["content"]] == [
        ("image", "image/jpeg", False),
        ("audio", "audio/wav", False),
    ]
