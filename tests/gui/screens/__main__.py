"""`python -m tests.gui.screens FOLDER`: pictures of every screen, in each look, language and size, to be looked at.

What a machine can see of them is written to stderr: words that do not fit, and dialogs larger than their window.
"""

import argparse
import asyncio
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QLocale, QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QWidget

from desktop.arguments import Arguments
from desktop.attention.focus_guard import GUARD_MS
from desktop.loop import run
from tests.gui.screens.audits import cut

THEMES = ("light", "dark")
LANGUAGES = ("en", "fr")
SIZES = ("800x600", "1440x900")
TOURS = ("tour", "working", "filled", "readme")
"""The modules that have one, a function `…screens` each."""


def main() -> int:
    """Take the tour once for each picture of a kind that is wanted; pictures of before are written over."""
    given = _read(sys.argv[1:])
    wanted = tuple(itertools.product(given.size or SIZES, given.theme or THEMES, given.lang or LANGUAGES))
    with tempfile.TemporaryDirectory() as scratch:
        if "QT_QPA_PLATFORM" not in os.environ:
            os.environ["QT_QPA_PLATFORM"] = _no_screen(Path(scratch))
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"  # nothing is told to the desktop of whoever takes them
        qInstallMessageHandler(_tell)
        QLocale.setDefault(QLocale("en_US"))
        qapp = QApplication(["screens"])
        return run(_take(given, wanted, Path(scratch), qapp), qapp)


def _read(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.gui.screens", description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    parser.add_argument("folder", type=Path, help="where they are put: SIZE/THEME-LANGUAGE/NUMBER NAME.png")
    parser.add_argument("--theme", action="append", choices=THEMES, help="this look alone (can be repeated)")
    parser.add_argument("--lang", action="append", choices=LANGUAGES, help="this language alone (can be repeated)")
    parser.add_argument("--size", action="append", type=_size, metavar="WxH", help="of the window (can be repeated)")
    parser.add_argument("--tour", action="append", choices=TOURS, help="this part alone (can be repeated)")
    parser.add_argument("--only", default="", metavar="WORDS", help="only the screens that have this in their name")
    return parser.parse_args(arguments)


def _size(text: str) -> str:
    """As it is written, if it is one."""
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 1440x900")
    return text


def _no_screen(scratch: Path) -> str:
    """A platform of Qt that needs no display, with room for large windows: its own screen has 800 × 800."""
    screen = {"name": "large", "x": 0, "y": 0, "width": 3840, "height": 2160, "dpr": 1}
    described = scratch / "screens.json"
    described.write_text(json.dumps({"screens": [screen | {"logicalDpi": 96, "logicalBaseDpi": 96}]}))
    return f"offscreen:configfile={described}"


def _tell(_kind: QtMsgType, _context: QMessageLogContext, words: str) -> None:
    """What Qt has to say, but for what a platform without a display cannot do."""
    if not words.startswith("This plugin does not support"):
        sys.stderr.write(f"{words}\n")


def _problems(root: QWidget, room: tuple[int, int]) -> Iterator[str]:
    yield from cut(root)
    if root.width() > room[0] or root.height() > room[1]:
        yield f"larger than the window: {root.size().toTuple()}"


async def _take(
    given: argparse.Namespace, wanted: Sequence[tuple[str, str, str]], scratch: Path, qapp: QApplication
) -> int:
    from tests.gui.screens.filled import filled_screens  # the rig wants an application
    from tests.gui.screens.readme import readme_screens
    from tests.gui.screens.tour import drawn, screens
    from tests.gui.screens.working import working_screens
    from tests.gui.window.rig import an_app

    tours = dict(zip(TOURS, (screens, working_screens, filled_screens, readme_screens), strict=True))
    for size, theme, language in wanted:
        width, height = map(int, size.split("x"))
        into = given.folder / size / f"{theme}-{language}"
        await asyncio.to_thread(into.mkdir, parents=True, exist_ok=True)
        arguments = Arguments(language=language, theme=theme)
        number = 0
        for tour in given.tour or TOURS[:-1]:
            data = await asyncio.to_thread(tempfile.mkdtemp, dir=scratch)
            async with an_app(Path(data), qapp, size=(width, height), arguments=arguments) as app:
                async for name, root in tours[tour](app):
                    number += 1
                    for problem in _problems(root, (width, height)):
                        sys.stderr.write(f"{into}: {name}: {problem}\n")
                    if app.content.chat.card.guard.is_on:  # else its buttons are pale: they hear nothing yet
                        await asyncio.sleep(GUARD_MS / 1000)
                        await drawn()
                    if given.only in name and not root.grab().save(str(into / f"{number:03} {name}.png")):
                        sys.stderr.write(f"screens: cannot write into {into}\n")
                        return 1
        sys.stdout.write(f"{into}: {number} screens\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
