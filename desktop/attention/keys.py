"""The keys of the card: those that its buttons show, and what each does for the request that is shown."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from core.domain.interruption import InterruptionKind
from desktop.attention.attention_strings import kind_label
from desktop.attention.request import Request
from desktop.shortcuts.command import ActiveKeys

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

MOST_PICKS = 9


@dataclass(frozen=True, slots=True)
class CardKeys:
    """The shortcuts that the card displays. Its key handling uses the defaults."""

    focus: QKeySequence
    previous: QKeySequence
    next: QKeySequence
    later: QKeySequence
    submit: QKeySequence
    reject: QKeySequence
    whole: QKeySequence


def active_keys(kind: InterruptionKind, request: Request | None, count: int) -> ActiveKeys:
    """Return the commands whose keys act on the card. `request` is None once it is closed; `count` are all requests."""
    labels: dict[str, str] = {}
    if request is not None:
        labels["attention.submit"] = request.label_of(request.submit_action)
        if request.reject_action is not None:
            labels["attention.reject"] = request.label_of(request.reject_action)
    labels["attention.later"] = "" if request is not None else translate("Attention", "Close")
    options = request.options if request is not None else None
    if options is not None and options.count:
        is_single = options.is_single
        labels["attention.confirm"] = translate("Attention", "Choose and answer") if is_single else ""
        labels |= dict.fromkeys(("attention.remember", "attention.up", "attention.down"), "")
        labels |= {f"attention.pick.{number}": "" for number in range(1, min(options.count, MOST_PICKS) + 1)}
    else:
        labels |= dict.fromkeys(("attention.confirm", "attention.remember"), "")
    if count > 1:
        labels |= dict.fromkeys(("attention.next", "attention.previous"), "")
    return ActiveKeys(kind_label(kind), labels)
