"""Identifiers: opaque, unique, sorted by the time of creation."""

import hashlib
import secrets
import time
from typing import NewType

WorkflowId = NewType("WorkflowId", str)
TemplateId = NewType("TemplateId", str)
RunId = NewType("RunId", str)
MessageId = NewType("MessageId", str)
AgentId = NewType("AgentId", str)
CallId = NewType("CallId", str)
SubAgentId = NewType("SubAgentId", str)
InterruptionId = NewType("InterruptionId", str)
AuditId = NewType("AuditId", str)
ServerId = NewType("ServerId", str)
TaskId = NewType("TaskId", str)
MemoryId = NewType("MemoryId", str)
PromptId = NewType("PromptId", str)
OfferId = NewType("OfferId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: sorts numerically, no look-alikes


def _base32(number: int, digits: int) -> str:
    return "".join(_ALPHABET[(number >> 5 * digit) & 31] for digit in reversed(range(digits)))


def new_id(prefix: str) -> str:
    """Generate an id `prefix_…`: 10 digits of milliseconds, then 80 random bits."""
    return f"{prefix}_{_base32(time.time_ns() // 1_000_000, 10)}{_base32(secrets.randbits(80), 16)}"


def id_from_key(prefix: str, key: str) -> str:
    """Derive an id from an idempotency key. The same key always gives the same id."""
    # "k" keeps derived ids apart from random ids, which begin with "0" for the next thousand years.
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return f"{prefix}_k{_base32(int.from_bytes(digest[:16]), 26)}"
