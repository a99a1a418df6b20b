"""What a person has begun to answer, in a form that can be kept over the end of the window."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Begun:
    """`fields` has what stands in each field of the form, in their order: JSON, None where nobody changed anything.

    What an approval was to cover is not in it: that is chosen anew by who looks at the request again.
    """

    fields: tuple[Any, ...] = ()
    reason: str = ""
