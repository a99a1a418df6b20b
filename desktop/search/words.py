"""What rows of results say."""

from datetime import datetime

from PySide6.QtCore import QCoreApplication

from core.ports.search import Hit, HitKind
from desktop.search.rows import GroupRow, HitRow, MoreRow, ResultRow
from desktop.theme.icon_names import Icon
from desktop.theme.tool_icons import tool_icon
from desktop.translation.formats import moment

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def group_note(row: GroupRow) -> str:
    """How many hits a workflow has, and whether it is archived."""
    count = translate("Search", "%n hits", "", row.total)
    archived = translate("Search", "archived")
    return f"{archived} · {count}" if row.is_archived else count


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
    """Who said it or what gave it, for a screen reader."""
    match hit.kind:
        case HitKind.USER:
            return translate("Search", "You")
        case HitKind.TOOL:
            return translate("Search", "Tool {name}").format(name=hit.label)
        case HitKind.STEP:
            return translate("Search", "Step {name}").format(name=hit.label)
        case _:
            return hit.label or translate("Search", "Agent")


def hit_time(hit: Hit, now: datetime) -> str:
    return moment(hit.at.astimezone(), now.astimezone()) if hit.at is not None else ""


def more_words(row: MoreRow) -> str:
    if row.workflow_id is None:
        return translate("Search", "More workflows")
    return translate("Search", "%n more in this workflow", "", row.count)


def spoken(row: ResultRow, now: datetime) -> str:
    """What a screen reader says of a row."""
    match row:
        case GroupRow():
            return f"{row.title}, {group_note(row)}"
        case HitRow(hit=hit):
            return ", ".join(one for one in (hit_source(hit), hit.snippet, hit_time(hit, now)) if one)
        case MoreRow():
            return more_words(row)
