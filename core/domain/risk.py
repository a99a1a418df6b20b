"""How much harm a tool can do, as a person is told before they consent."""

from enum import StrEnum


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
