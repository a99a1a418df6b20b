"""Texts in any script: whole signs, and the direction of their own first letter, wherever they stand."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt, QTextBoundaryFinder
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.text.graphemes import truncate
from core.domain.workflow import normalized_title as title_of
from core.services.chat import title_from
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.text_view import TextView
from desktop.theme import Theme
from desktop.widgets import ElidedLabel, paint_text
from tests.gui.chat.sight import views
from tests.gui.window.rig import App, an_app

Until = Callable[..., Awaitable[None]]
GREETING = "مرحبا"
ARABIC = "أحب لغة Python كثيرا."
SIGNS = "👨‍👩‍👧‍👦🏳️‍🌈👍🏽🇫🇷🇩🇪漢字한국어ไทยกำe\u0301\u200bé각"
FROM_THE_RIGHT, FROM_THE_LEFT = "\N{RIGHT-TO-LEFT MARK}", "\N{LEFT-TO-RIGHT MARK}"


def boundaries(text: str) -> set[int]:
    """Where Qt would let a cursor stand, in characters."""
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, text)
    units = {0}
    while (at := finder.toNextBoundary()) >= 0:
        units.add(at)
    lengths = [len(text[:at].encode("utf-16-le")) // 2 for at in range(len(text) + 1)]
    return {at for at, unit in enumerate(lengths) if unit in units}


def test_a_text_is_cut_between_whole_signs_at_every_length() -> None:
    for text in (SIGNS, "x" + SIGNS, SIGNS * 5):
        allowed = boundaries(text)
        longest = max(b - a for a, b in zip(sorted(allowed), sorted(allowed)[1:], strict=False))
        for most in range(longest, len(text) + 2):
            cut = truncate(text, most)
            assert text.startswith(cut)
            assert len(cut) in allowed
            assert most - longest < len(cut) <= most or cut == text


def test_a_title_is_made_of_whole_signs() -> None:
    for shift in range(12):
        text = "x" * shift + "👨‍👩‍👧‍👦" * 30
        title = title_from(text).removesuffix("…")
        assert title
        assert len(title) in boundaries(text)
        assert title_of(text[:60]) == text[:60]


def picture(label: ElidedLabel, text: str) -> QImage:
    label.setText(text)
    return label.grab().toImage()


@pytest.mark.parametrize(("text", "mark"), [(ARABIC, FROM_THE_RIGHT), ("I love بايثون.", FROM_THE_LEFT)])
def test_a_line_runs_in_the_direction_of_its_first_letter(theme: Theme, text: str, mark: str) -> None:
    label = ElidedLabel()
    label.resize(260, 24)
    other = FROM_THE_LEFT if mark == FROM_THE_RIGHT else FROM_THE_RIGHT
    is_quiet = text == ARABIC  # among Latin letters such a sign is shown
    assert (picture(label, text) == picture(label, mark + text)) is is_quiet
    assert picture(label, text) != picture(label, other + text)

    def painted(words: str) -> QImage:
        image = QImage(260, 24, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as in a window
        paint_text(painter, theme, words, QRect(0, 0, 120, 24), "row", "text")
        painter.end()
        return image

    assert (painted(text) == painted(mark + text)) is is_quiet
    assert painted(text) != painted(other + text)


def directions(app: App) -> list[tuple[str, bool]]:
    """The beginning of each paragraph of the conversation, and whether it runs from the right."""
    found = []
    for view in views(app.content.chat.transcript, TextView):
        block = view.document().firstBlock()
        while block.isValid():
            found.append((block.text()[:3], block.textDirection() is Qt.LayoutDirection.RightToLeft))
            block = block.next()
    return found


async def test_each_paragraph_has_its_own_direction_and_code_runs_from_the_left(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    said = f"{ARABIC}\n\nIn English.\n\n```python\n{GREETING} = 1\n```\n\n- {ARABIC}\n- An item\n"
    async with an_app(tmp_path, qapp) as app:
        run = await app.say(ARABIC, script=({"say": said},))
        await app.core.engine.wait(run.id)
        app.content.opener.open(run.workflow_id)
        await until(lambda: len(directions(app)) >= 6)
        arabic = (ARABIC[:3], True)
        assert directions(app) == [arabic, arabic, ("In ", False), ("مرح", False), arabic, ("An ", False)]
        (code,) = views(app.content.chat.transcript, CodeView)
        assert GREETING in code.toPlainText()
        box = app.content.chat.composer.text_box
        app.content.chat.focus_composer()
        box.insertPlainText(f"{ARABIC}\nIn English.")
        block = box.document().firstBlock()
        assert block.textDirection() is Qt.LayoutDirection.RightToLeft
        assert block.next().textDirection() is Qt.LayoutDirection.LeftToRight


async def test_the_caret_moves_as_it_is_seen_and_backspace_takes_a_whole_sign(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Qt.Key.Key_N)
        box = app.content.chat.composer.text_box
        box.insertPlainText("ab בגד ef")
        app.key(Qt.Key.Key_Home)
        seen = []
        for _ in range(9):
            seen.append(box.cursorRect().x())
            app.key(Qt.Key.Key_Right)
        assert seen == sorted(seen)
        app.control(Qt.Key.Key_A)
        app.key(Qt.Key.Key_Backspace)
        signs = ("👨‍👩‍👧‍👦", "🏳️‍🌈", "漢", "e\u0301")
        for sign in signs:
            box.insertPlainText(sign)
        for left in range(len(signs) - 1, -1, -1):
            QTest.keyClick(box, Qt.Key.Key_Backspace)
            rest = box.text()
            assert rest in {"".join(signs[:left]), "".join(signs[:left]) + "e"}  # an accent goes by itself
            if rest.endswith("e"):
                QTest.keyClick(box, Qt.Key.Key_Backspace)
