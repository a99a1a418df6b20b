"""No failure is a bare code, and each that a person can do something about says what."""

import pytest
from PySide6.QtWidgets import QApplication

from desktop.translation import failure_text, run_failure_advice, run_failure_text

MODEL = ("key_missing", "key_refused", "connection_failed", "timeout", "truncated", "bad_response")
STORE = ("storage_full", "storage_not_writable", "storage_failed", "store_doubtful", "in_use", "unreadable")


@pytest.mark.usefixtures("qapp")
def test_what_a_model_did_has_a_sentence_and_a_next_step() -> None:
    for code in MODEL:
        assert run_failure_text(code, "model")
        assert run_failure_advice(code, "model").endswith(".")
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
        ("no_progress", None),
        ("rejected", None),
        ("storage_full", "storage"),
        ("storage_failed", "storage"),
    ],
)
def test_so_has_what_a_run_met(code: str, during: str | None) -> None:
    assert run_failure_text(code, during)
    assert run_failure_advice(code, during)


def test_the_store_says_what_is_safe_and_nothing_is_a_bare_code(qapp: QApplication) -> None:
    for code in STORE:
        assert failure_text(code, "") not in ("", code)
        assert len(failure_text(code, "").split(". ")) > 1
    assert failure_text("never_heard_of", "") not in ("", "never_heard_of")
