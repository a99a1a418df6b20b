"""What a toast says of a run that failed: why, as well as that can be known."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.domain.toast import Toast, ToastId, ToastType
from desktop.toasts.toast_strings import toast_text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"error": "provider_error", "during": "model", "status": 429}, "The provider’s limit is reached"),
        ({"error": "provider_error", "during": "model", "status": 503}, "The provider has trouble of its own"),
        ({"error": "provider_error", "during": "model"}, "The provider refused the request"),
        ({"error": "timeout", "during": "model"}, "The server did not answer in time"),
        ({"error": "timeout", "during": "tool_execution"}, "A tool did not end in time"),
        ({"error": "not_registered", "during": "tool_execution"}, "A tool that it needs is missing"),
        ({"error": "unheard_of"}, "in its own words"),
    ],
)
@pytest.mark.usefixtures("qapp")
def test_why_a_run_failed_is_said_in_a_sentence(parameters: dict[str, Any], message: str) -> None:
    toast = Toast(
        ToastId("t"),
        ToastType.ERROR,
        "workflow_error",
        "Letters",
        "in its own words",
        datetime(2026, 1, 1, tzinfo=UTC),
        parameters=tuple(parameters.items()),
    )
    assert toast_text(toast).message.startswith(message)
