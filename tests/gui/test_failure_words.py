"""No failure is a bare code, and each that a person can do something about says what."""

import pytest
from PySide6.QtWidgets import QApplication

from desktop.translation import failure_text, run_failure_advice, run_failure_text

MODEL = ("key_missing", "key_refused", "connection_failed", "timeout", "truncated", "bad_response", "length")
STORE = ("storage_full", "storage_not_writable", "storage_failed", "store_doubtful", "in_use", "unreadable")


@pytest.mark.usefixtures("qapp")
def test_what_a_model_did_has_a_sentence_and_a_next_step() -> None:
    for code in MODEL:
        assert run_failure_text(code, "model")
        assert run_failure_advice(code, "model").endswith(".")
    parts = ("name", "refused", "unreachable", "slow", "broken", "proxy", "certificate", "tls")
    about = {"origin": "https://host", "variable": "ALL_PROXY"}
    failed = [{**about, "part": part} for part in parts]
    assert len({run_failure_text("connection_failed", "model", details) for details in failed}) == len(parts) - 1
    for details in failed:
        assert "host" in (run_failure_text("connection_failed", "model", details) or "") or details["part"] == "proxy"
        assert run_failure_advice("connection_failed", "model", details).endswith(".")
    for status in (400, 404, 429, 500, 503):
        assert run_failure_advice("provider_error", "model", {"status": status}).endswith(".")


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("code", "during"),
    [
        ("crashed", "code"),
        ("code_error", "code"),
        ("outcome_unknown", "tool_execution"),
        ("failed", "tool_execution"),
        ("round_limit", None),
        ("spending_limit", "engine"),
        ("no_progress", "engine"),
        ("deadline_exceeded", "engine"),
        ("timeout", "tool_execution"),
        ("rejected", None),
        ("not_allowed", "tool_execution"),
        ("not_found", "tool_execution"),
        ("not_registered", "tool_execution"),
        ("changed_since_read", "tool_execution"),
        ("bad_input", "engine"),
        ("output_too_large", None),
        ("child_failed", None),
        ("recovery_exhausted", "engine"),
        ("storage_full", "storage"),
        ("storage_failed", "storage"),
    ],
)
def test_so_has_what_a_run_met(code: str, during: str | None) -> None:
    assert run_failure_text(code, during)
    assert run_failure_advice(code, during)


@pytest.mark.usefixtures("qapp")
def test_advice_is_what_helps_with_that_failure() -> None:
    ways = {run_failure_advice(code, "tool_execution") for code in ("not_allowed", "not_found", "timeout", "failed")}
    assert len(ways) == 4  # by code, not only by what was being done
    assert "more time" not in run_failure_advice("no_progress", "engine")  # nothing in the window gives it


def test_the_store_says_what_is_safe_and_nothing_is_a_bare_code(qapp: QApplication) -> None:
    for code in STORE:
        assert failure_text(code, "") not in ("", code)
        assert len(failure_text(code, "").split(". ")) > 1
    assert failure_text("never_heard_of", "") not in ("", "never_heard_of")
