"""Times and numbers in the current language: `3 min`, `1 h 05`, `48.2k`, French `48,2 k`.

A number and its unit stay on one line.
"""

from datetime import date, datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QTime

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def duration(seconds: float) -> str:
    """Format a duration in at most two units: `240 ms`, `12 s`, `3 min`, `1 h 05`, `2 d 3 h`.

    A negative value, after the clock was set back, counts as 0.
    """
    seconds = max(0.0, seconds)
    whole = int(seconds)
    minutes = whole // _MINUTE % 60
    hours = whole // _HOUR
    if seconds < 1:
        text = translate("Formats", "{milliseconds} ms").format(milliseconds=int(seconds * 1000))
    elif whole < _MINUTE:
        text = translate("Formats", "{seconds} s").format(seconds=whole)
    elif whole < _HOUR:
        text = translate("Formats", "{minutes} min").format(minutes=minutes)
    elif whole < _DAY:
        text = translate("Formats", "{hours} h {minutes}").format(hours=hours, minutes=f"{minutes:02}")
    else:
        text = translate("Formats", "{days} d {hours} h").format(days=hours // 24, hours=hours % 24)
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def ago(seconds: float) -> str:
    """Format an age for a list that is read at a glance: `now` under a minute."""
    return translate("Formats", "now") if seconds < _MINUTE else duration(seconds)


def time_of_day(moment: datetime) -> str:
    """Format a local time as the locale writes it: `14:02`."""
    return QLocale().toString(QTime(moment.hour, moment.minute), QLocale.FormatType.ShortFormat)


def moment(then: datetime, now: datetime) -> str:
    """Format as `14:02`, preceded by the date if it differs from that of `now`. Both are local times."""
    time = time_of_day(then)
    if then.date() == now.date():
        return time
    date_text = QLocale().toString(QDate(then.year, then.month, then.day), QLocale.FormatType.ShortFormat)
    return f"{date_text} {time}"


def day(then: date, today: date) -> str:
    """Format a day before today: `Yesterday`, the weekday within a week, else the date."""
    days = (today - then).days
    if days == 1:
        return translate("Formats", "Yesterday")
    qt_day = QDate(then.year, then.month, then.day)
    if 1 < days < 7:
        name = QLocale().standaloneDayName(qt_day.dayOfWeek())
        return name[:1].upper() + name[1:]
    return QLocale().toString(qt_day, QLocale.FormatType.ShortFormat)


def number(value: int) -> str:
    """Format with group separators: `12,480`."""
    return QLocale().toString(value)


def compact(value: int) -> str:
    """Round for a gauge: `950`, `48.2k`, `1.3M`."""
    if value < 1000:
        return number(value)
    if value < 999_950:
        return translate("Formats", "{thousands}k").format(thousands=_one_place(value / 1e3))
    return translate("Formats", "{millions}M").format(millions=_one_place(value / 1e6))


def line_counts(added: int, removed: int) -> str:
    """Format how many lines a change adds and removes: `+14 −9`; empty if none."""
    counts = [f"+{number(added)}"] if added else []
    return " ".join([*counts, f"\N{MINUS SIGN}{number(removed)}"] if removed else counts)


def byte_size(size: int) -> str:
    """Format the size of a file: `340 B`, `12.4 kB`, `1.2 MB`."""
    if size < 1000:
        text = translate("Formats", "{size} B").format(size=number(size))
    elif size < 999_950:
        text = translate("Formats", "{size} kB").format(size=_one_place(size / 1e3))
    else:
        text = translate("Formats", "{size} MB").format(size=_one_place(size / 1e6))
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def percent(share: float) -> str:
    """Format a `share` from 0 to 1."""
    return translate("Formats", "{percent}%").format(percent=number(round(share * 100)))


def _one_place(value: float) -> str:
    return QLocale().toString(value, "f", 1)
