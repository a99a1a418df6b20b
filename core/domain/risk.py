"""The risk of a tool, as shown in a request for consent."""

from enum import StrEnum


class Risk(StrEnum):
    """How much harm a call can do."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
