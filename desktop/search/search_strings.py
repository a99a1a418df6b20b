"""The strings of the result rows."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QCoreApplication, QObject

from core.ports import Hit, HitKind
from desktop.search.results import GroupRow, HitRow, MoreRow, ResultRow
from desktop.theme import Icon, tool_icon
from desktop.translation import moment
from desktop.widgets import indicator_text, unread_text

translate = QCoreApplication.translate  # lupdate recognises only this name


class ResultStrings(QObject):
    """`now` returns the current time, for relative times. A QObject, since Qt's tools extract plural strings from no
    other class.
    """

    def __init__(self, now: Callable[[], datetime], parent: QObject) -> None:
        super().__init__(parent)
        self._now = now

    def note(self, row: GroupRow) -> str:
        """Return the number of hits in a workflow, and whether it is archived."""
        count = self.tr("%n hits", None, row.total) if row.total else ""
        archived = self.tr("archived") if row.label.is_archived else ""
        return " · ".join(filter(None, (archived, count)))

    def more(self, row: MoreRow) -> str:
        if row.workflow_id is None:
            return self.tr("More workflows")
        return self.tr("%n more in this workflow", None, row.count)

    def time(self, hit: Hit) -> str:
        """Return the time of the hit; empty for a title."""
        return moment(hit.at.astimezone(), self._now().astimezone()) if hit.at is not None else ""

    def accessible_text(self, row: ResultRow) -> str:
        """Return the accessible text of a row."""
        match row:
            case GroupRow():
                label = row.label
                state = indicator_text(label.sign)
                unread = unread_text() if label.is_unread else ""
                return ", ".join(filter(None, (row.title, state, unread, self.note(row))))
            case HitRow(hit=hit):
                return ", ".join(filter(None, (hit_source(hit), hit.snippet, self.time(hit))))
            case MoreRow():
                return self.more(row)


def hit_icon(hit: Hit) -> Icon:
    match hit.kind:
        case HitKind.USER:
            return Icon.MESSAGE_CIRCLE
        case HitKind.TOOL:
            return tool_icon(hit.label)
        case HitKind.STEP:
            return Icon.LIST_TODO
        case _:
            return Icon.BOT


def hit_source(hit: Hit) -> str:
    """Return who or what produced the hit, for a screen reader."""
    match hit.kind:
        case HitKind.USER:
            return translate("Search", "You")
        case HitKind.TOOL:
            return translate("Search", "Tool {name}").format(name=hit.label)
        case HitKind.STEP:
            return translate("Search", "Step {name}").format(name=hit.label)
        case _:
            return hit.label or translate("Search", "Agent")
