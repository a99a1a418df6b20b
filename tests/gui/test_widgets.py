"""The building blocks: plain text stays plain, everything has a name and keys, and French fits at every zoom."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QImage,
    QKeySequence,
    QPainter,
    QStandardItem,
    QStandardItemModel,
    QTextCursor,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.settings.parts.layout import ItemTable
from desktop.theme import Appearance, Icon, Scheme, Theme, paint_shadow
from desktop.tokens import LIGHT, SIZES
from desktop.translation import Language, Translation
from desktop.widgets import (
    Banner,
    Button,
    Chip,
    ChoiceCards,
    ElidedLabel,
    EmptyState,
    IconButton,
    Indicator,
    KeyHint,
    Label,
    MultiLineEdit,
    Paragraph,
    QuestionBox,
    SearchOverlay,
    Segmented,
    Shadow,
    StatusDot,
    ValueText,
    indicator_text,
    paint_indicator,
    paint_pulsing_ring,
    plain_tool_tip,
)

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

MARKUP = '<img src="file:///etc/hostname"><b>bold</b> & more'
MODE = (
    "Mode automatique\N{NARROW NO-BREAK SPACE}: les opérations seront approuvées sans confirmation. "
    "Le mode multi-workflow (jusqu’à 3 simultanés) sera disponible."
)


def role_of(widget: QWidget) -> QAccessible.Role:
    return QAccessible.queryAccessibleInterface(widget).role()


def name_of(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


# Labels


@pytest.mark.parametrize("make", [Label, ElidedLabel, Paragraph])
def test_markup_in_a_label_is_shown_as_it_is(theme: Theme, qtbot: QtBot, make: Callable[[str], QLabel]) -> None:
    label = make(MARKUP)
    qtbot.addWidget(label)
    assert label.textFormat() is Qt.TextFormat.PlainText
    assert name_of(label) == MARKUP
    assert role_of(label) is QAccessible.Role.StaticText


def test_markup_in_a_tool_tip_is_shown_as_it_is() -> None:
    assert "<img" not in plain_tool_tip(MARKUP)
    assert "&lt;img" in plain_tool_tip(MARKUP)


def test_an_elided_label_shows_the_whole_in_its_tool_tip_only_where_it_is_cut(theme: Theme, qtbot: QtBot) -> None:
    label = ElidedLabel("A title that is far too long for the sidebar")
    qtbot.addWidget(label)
    label.show()
    label.resize(label.sizeHint())
    assert label.toolTip() == ""
    label.resize(60, 20)
    assert "far too long" in label.toolTip()


def test_an_elided_label_is_drawn_within_its_width(theme: Theme, qtbot: QtBot) -> None:
    label = ElidedLabel("W" * 100)
    qtbot.addWidget(label)
    label.resize(80, 20)
    assert ink_columns(label.grab().toImage())[1] <= 80
    assert label.minimumSizeHint().width() < 80


def test_a_paragraph_has_the_line_height_of_the_design(theme: Theme, qtbot: QtBot) -> None:
    paragraph = Paragraph("one\ntwo\nthree", "body")
    qtbot.addWidget(paragraph)
    paragraph.ensurePolished()
    assert paragraph.heightForWidth(500) == -int(-3 * SIZES.text_l * SIZES.body_line // 1)


def test_a_paragraph_shows_no_more_lines_than_it_may(theme: Theme, qtbot: QtBot) -> None:
    paragraph = Paragraph(MODE, most_lines=2)
    qtbot.addWidget(paragraph)
    paragraph.ensurePolished()
    paragraph.resize(200, paragraph.heightForWidth(200))
    assert paragraph.is_cut()
    whole = Paragraph(MODE)
    qtbot.addWidget(whole)
    whole.ensurePolished()
    assert whole.heightForWidth(200) > paragraph.heightForWidth(200)
    assert not whole.is_cut()


def test_a_paragraph_breaks_a_word_that_is_wider_than_the_room(theme: Theme, qtbot: QtBot) -> None:
    paragraph = Paragraph("x" * 200)
    qtbot.addWidget(paragraph)
    assert paragraph.heightForWidth(100) > 3 * SIZES.text_m


def test_a_tone_colours_a_label_and_can_change(theme: Theme, qtbot: QtBot) -> None:
    label = Label("Failed", tone="error")
    qtbot.addWidget(label)
    label.ensurePolished()
    assert label.palette().color(label.foregroundRole()) == QColor(LIGHT.error)
    label.set_tone("muted")
    assert label.palette().color(label.foregroundRole()) == QColor(LIGHT.muted)


def ink_columns(image: QImage) -> tuple[int, int]:
    """The first and the last column that differ from the ground."""
    ground = image.pixelColor(0, 0)
    inked = [x for x in range(image.width()) if any(image.pixelColor(x, y) != ground for y in range(image.height()))]
    return inked[0], inked[-1]


# Buttons


def test_an_ampersand_in_a_button_is_no_mnemonic(theme: Theme, qtbot: QtBot) -> None:
    button = Button(theme, "R&D")
    qtbot.addWidget(button)
    assert button.shortcut().isEmpty()
    assert name_of(button) == "R&D"


def test_a_click_on_a_button_leaves_focus_where_it_is(theme: Theme, qtbot: QtBot) -> None:
    assert Button(theme, "Stop").focusPolicy() is Qt.FocusPolicy.TabFocus
    assert IconButton(theme, Icon.X, "Close").focusPolicy() is Qt.FocusPolicy.TabFocus


def test_an_icon_button_says_what_it_does_and_with_which_keys(theme: Theme, qtbot: QtBot) -> None:
    button = IconButton(theme, Icon.PANEL_LEFT, "Show the sidebar", QKeySequence("Ctrl+B"))
    qtbot.addWidget(button)
    assert name_of(button) == "Show the sidebar"
    assert "Show the sidebar (Ctrl+B)" in button.toolTip()


def test_a_button_is_pressed_by_the_space_bar(theme: Theme, qtbot: QtBot) -> None:
    button = Button(theme, "Stop")
    qtbot.addWidget(button)
    with qtbot.waitSignal(button.clicked):
        QTest.keyClick(button, Qt.Key.Key_Space)


# Signs


def test_every_sign_has_its_own_shape(theme: Theme, qtbot: QtBot) -> None:
    shapes = {silhouette(theme, indicator) for indicator in Indicator}
    assert len(shapes) == len(Indicator)


def test_every_sign_has_its_own_words() -> None:
    words = {indicator_text(indicator) for indicator in Indicator}
    assert len(words) == len(Indicator)


def silhouette(theme: Theme, indicator: Indicator) -> bytes:
    """Where it is inked, whatever its colour."""
    widget = QWidget()
    image = blank(16)
    painter = QPainter(image)
    paint_indicator(painter, theme, indicator, QPointF(8, 8), widget)
    painter.end()
    return bytes(image.pixelColor(x, y).alpha() > 128 for y in range(16) for x in range(16))


def test_a_sign_says_its_state_to_a_screen_reader(theme: Theme, qtbot: QtBot) -> None:
    dot = StatusDot(theme, Indicator.WAITING)
    qtbot.addWidget(dot)
    assert name_of(dot) == indicator_text(Indicator.WAITING) == "Waiting for you"
    dot.set_indicator(Indicator.ERROR)
    assert name_of(dot) == "Failed"


def test_a_running_sign_wakes_the_clock_and_any_other_lets_it_sleep(theme: Theme, qtbot: QtBot) -> None:
    theme.set_appearance(Appearance(Scheme.LIGHT))
    dot = StatusDot(theme, Indicator.RUNNING)
    qtbot.addWidget(dot)
    dot.show()
    qtbot.waitUntil(lambda: theme.pulse.is_running)
    dot.set_indicator(Indicator.SUCCESS)
    qtbot.waitUntil(lambda: not theme.pulse.is_running)


def test_the_ring_of_the_collapsed_sidebar_pulses_with_the_dots(theme: Theme, qtbot: QtBot) -> None:
    theme.set_appearance(Appearance(Scheme.LIGHT))
    tile = QWidget()
    qtbot.addWidget(tile)
    image = blank(36)
    painter = QPainter(image)
    paint_pulsing_ring(painter, theme, QRectF(0, 0, 36, 36), SIZES.radius_row, tile)
    painter.end()
    assert theme.pulse.is_running
    assert image.pixelColor(18, 0).alpha() > 60
    assert image.pixelColor(18, 18).alpha() == 0


def test_a_shadow_fades_with_the_distance(theme: Theme) -> None:
    image = blank(100)
    painter = QPainter(image)
    paint_shadow(painter, QRectF(30, 30, 40, 40), SIZES.radius_toast, theme.color("shadow"))
    painter.end()
    near, far, beyond = (image.pixelColor(50, y).alpha() for y in (72, 85, 98))
    assert near > far > beyond == 0


def blank(side: int) -> QImage:
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image


def key(keys: str) -> KeyHint:
    hint = KeyHint()
    hint.set_keys(QKeySequence(keys))
    return hint


def test_an_overlay_casts_a_shadow_while_it_is_open(theme: Theme, qtbot: QtBot) -> None:
    ground = QWidget()
    qtbot.addWidget(ground)
    ground.resize(400, 300)
    ground.show()
    overlay = _Overlay(theme, ground)
    overlay.show_field()
    (shadow,) = ground.findChildren(Shadow)
    assert shadow.isVisible()
    assert shadow.geometry().contains(overlay.geometry().adjusted(-20, -20, 20, 20))
    overlay.close_up()
    assert not shadow.isVisible()


class _Overlay(SearchOverlay):
    def _fit(self) -> None:
        self.setGeometry(100, 50, 200, 120)


def test_the_cells_of_a_table_begin_where_its_header_does(theme: Theme, qtbot: QtBot) -> None:
    model = QStandardItemModel(2, 1)
    model.setHorizontalHeaderLabels(["HHH"])
    model.setItem(1, 0, QStandardItem("HHH"))
    table = ItemTable(model, 0, QAbstractItemView.SelectionMode.NoSelection)
    qtbot.addWidget(table)
    table.resize(300, 120)
    with qtbot.waitExposed(table):
        table.show()
    bar, cell = table.horizontalHeader(), table.visualRect(model.index(1, 0))
    cell.translate(table.viewport().pos())
    assert abs(first_ink(table.grab(bar.geometry()).toImage()) - first_ink(table.grab(cell).toImage())) <= 1


def first_ink(image: QImage) -> int:
    """Return the first column with a pixel that differs clearly from the ground."""
    ground = image.pixelColor(1, 2)

    def is_inked(x: int, y: int) -> bool:
        color = image.pixelColor(x, y)
        return abs(color.alpha() - ground.alpha()) > 60 or abs(color.lightness() - ground.lightness()) > 60

    return next(x for x in range(2, image.width()) if any(is_inked(x, y) for y in range(4, image.height() - 4)))


def test_a_widget_that_shows_itself_does_not_become_a_window(qtbot: QtBot) -> None:
    widget = key("F5")
    qtbot.addWidget(widget)
    assert not widget.isVisible()


# Banner, empty state, choices


def warning(theme: Theme) -> Banner:
    banner = Banner(theme, "warning")
    banner.set_text(MODE)
    return banner


def test_a_banner_says_its_kind_before_its_text(theme: Theme, qtbot: QtBot) -> None:
    banner = warning(theme)
    qtbot.addWidget(banner)
    assert name_of(banner) == "Warning"
    assert QAccessible.queryAccessibleInterface(banner).text(QAccessible.Text.Description) == MODE


def test_an_empty_state_offers_one_next_step_with_its_keys(theme: Theme, qtbot: QtBot) -> None:
    empty = EmptyState(theme, Icon.INBOX)
    qtbot.addWidget(empty)
    empty.describe("Nothing needs you", "Questions come here.", "New workflow", QKeySequence("Ctrl+N"))
    empty.show()
    texts = [label.text() for label in empty.findChildren(QLabel) if label.isVisible()]
    assert texts == ["Nothing needs you", "Questions come here.", "Ctrl+N"]
    button = empty.findChild(QPushButton)
    assert isinstance(button, QPushButton)
    with qtbot.waitSignal(empty.acted):
        button.click()


def test_an_empty_state_without_an_action_has_no_button(theme: Theme, qtbot: QtBot) -> None:
    empty = EmptyState(theme, Icon.INBOX)
    qtbot.addWidget(empty)
    empty.describe("Nothing needs you", "Questions come here.")
    empty.show()
    assert not [button for button in empty.findChildren(QPushButton) if button.isVisible()]


def cards(theme: Theme) -> ChoiceCards:
    cards = ChoiceCards(theme)
    cards.set_choice("auto", "Automatique", "Les opérations s’exécutent sans confirmation.")
    cards.set_choice("manual", "Manuel", "Chaque opération demande votre accord. Un seul workflow à la fois.")
    cards.set_current("auto")
    return cards


def segments(theme: Theme) -> Segmented:
    segmented = Segmented(theme)
    segmented.set_segments([("auto", "Discussion"), ("manual", "Chronologie")])
    segmented.set_current("auto")
    return segmented


@pytest.mark.parametrize(("make", "key"), [(cards, Qt.Key.Key_Down), (segments, Qt.Key.Key_Right)])
def test_the_arrows_choose_and_tell(
    theme: Theme, qtbot: QtBot, make: Callable[[Theme], ChoiceCards | Segmented], key: Qt.Key
) -> None:
    choices = make(theme)
    qtbot.addWidget(choices)
    choices.show()
    choices.activateWindow()
    first = choices.findChildren(QPushButton)[0] if isinstance(choices, Segmented) else cards_of(choices)[0]
    first.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(first.hasFocus)
    with qtbot.waitSignal(choices.chosen) as told:
        QTest.keyClick(first, key)
    assert told.args == ["manual"]
    assert choices.current == "manual"


@pytest.mark.parametrize("make", [cards, segments])
def test_tab_reaches_the_chosen_one_alone(
    theme: Theme, qtbot: QtBot, make: Callable[[Theme], ChoiceCards | Segmented]
) -> None:
    window, before, after, choices = QWidget(), QLineEdit(), QLineEdit(), make(theme)
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    for widget in (before, choices, after):
        column.addWidget(widget)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    chosen = choices.findChildren(QAbstractButton)[1]
    QTest.mouseClick(chosen, Qt.MouseButton.LeftButton)
    before.setFocus()
    QTest.keyClick(before, Qt.Key.Key_Tab)
    assert window.focusWidget() is chosen
    QTest.keyClick(chosen, Qt.Key.Key_Tab)
    assert window.focusWidget() is after


def test_a_click_on_a_segment_leaves_focus_where_it_is(theme: Theme, qtbot: QtBot) -> None:
    choices = segments(theme)
    qtbot.addWidget(choices)
    choices.show()
    chosen = choices.findChildren(QPushButton)[1]
    QTest.mouseClick(chosen, Qt.MouseButton.LeftButton)
    assert choices.current == "manual"
    assert not chosen.hasFocus()


def cards_of(choices: ChoiceCards) -> list[QWidget]:
    return [child for child in choices.children() if isinstance(child, QWidget)]


def test_a_card_is_a_radio_button_for_a_screen_reader_and_is_chosen_anywhere(theme: Theme, qtbot: QtBot) -> None:
    choices = cards(theme)
    qtbot.addWidget(choices)
    choices.resize(300, 200)
    choices.show()
    last = cards_of(choices)[1]
    assert role_of(last) is QAccessible.Role.RadioButton
    assert name_of(last) == "Manuel"
    QTest.mouseClick(last, Qt.MouseButton.LeftButton, pos=last.rect().bottomRight() / 1.1)
    assert choices.current == "manual"


# French, at 100 % and at 200 %


def full_empty_state(theme: Theme) -> QWidget:
    empty = EmptyState(theme, Icon.INBOX)
    empty.describe(
        "Rien ne vous attend",
        "Les questions et les approbations de tous les workflows arrivent ici.",
        "Nouveau workflow",
        QKeySequence("Ctrl+Shift+N"),
    )
    return empty


LAYOUTS: dict[str, Callable[[Theme], QWidget]] = {
    "button": lambda theme: Button(theme, "Aller au workflow", "primary", Icon.ARROW_RIGHT),
    "small button": lambda theme: Button(theme, "Mettre en file d’attente", is_small=True),
    "label": lambda theme: Label("Terminés récemment", "section"),
    "chip": lambda theme: Chip("Attend votre réponse"),
    "key": lambda theme: key("Ctrl+Shift+N"),
    "paragraph": lambda theme: Paragraph(MODE),
    "banner": warning,
    "empty state": full_empty_state,
    "cards": cards,
    "segments": segments,
}


@pytest.mark.parametrize("zoom", [1.0, 2.0])
@pytest.mark.parametrize("make", LAYOUTS.values(), ids=LAYOUTS)
def test_french_is_not_cut(theme: Theme, qtbot: QtBot, make: Callable[[Theme], QWidget], zoom: float) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    widget = make(theme)
    column = QVBoxLayout(window)
    column.addWidget(widget)
    theme.set_appearance(Appearance(Scheme.LIGHT, zoom, reduced_motion=True))
    window.show()
    window.resize(window.minimumSizeHint().expandedTo(QSize(round(300 * zoom), 0)))
    height = column.totalHeightForWidth(window.width())
    window.resize(window.width(), max(height, window.minimumSizeHint().height()))
    QApplication.processEvents()
    texts = [widget, *widget.findChildren(QWidget)]
    assert [text_of(each) for each in texts if each.isVisible() and is_cut(each)] == []


def text_of(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, QLabel | QPushButton) else ""


def is_cut(widget: QWidget) -> bool:
    if isinstance(widget, Paragraph):
        return widget.height() < widget.heightForWidth(widget.width())
    if isinstance(widget, QLabel | QPushButton):
        text = widget.fontMetrics().size(Qt.TextFlag.TextSingleLine, widget.text())
        return widget.width() < text.width() or widget.height() < text.height()
    return False


def test_a_change_of_language_reaches_what_is_on_the_screen(qapp: QApplication, theme: Theme, qtbot: QtBot) -> None:
    translation = Translation(qapp, Language.ENGLISH)
    dot = StatusDot(theme, Indicator.RUNNING)
    qtbot.addWidget(dot)
    assert name_of(dot) == "Running"
    translation.set_language(Language.FRENCH)
    QApplication.processEvents()
    assert name_of(dot) == "En cours"
    translation.set_language(Language.ENGLISH)
    translation.deleteLater()


def test_a_question_has_the_same_room_on_both_sides(qapp: QApplication, theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    box = QuestionBox(window, "question")
    box.setText("Delete?")
    box.setInformativeText("It cannot be undone.")
    keep = box.addButton("Keep", QuestionBox.ButtonRole.RejectRole)
    box.open()
    words = box.findChild(QLabel, "qt_msgbox_label")
    assert words is not None
    right = keep.mapTo(box, keep.rect().topRight()).x()
    assert abs(words.x() - (box.width() - 1 - right)) <= 1


def test_a_long_value_ends_with_a_whole_line(qapp: QApplication, theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    value = ValueText(theme, window)
    value.resize(200, 101)
    window.show()
    value.show_text("\n".join(map(str, range(100))))
    line, margin = value.fontMetrics().lineSpacing(), int(value.document().documentMargin())
    assert (value.viewport().height() - margin) % line == 0
    value.show_text("1")
    assert value.viewportMargins().bottom() == 0


@pytest.mark.parametrize(
    "odd", ["\u00a0", "\u2028", "\u2029", "\ufdd0", "\ufdd1", "\r\n", "\ud800", "\x00", "\ufffc", "👨\u200d👩"]
)
def test_a_text_that_is_not_edited_is_the_very_text_that_was_set(qapp: QApplication, odd: str) -> None:
    text = f"a{odd}b\nc"
    field = MultiLineEdit(text)
    assert field.text() is text
    field.moveCursor(QTextCursor.MoveOperation.End)
    field.insertPlainText("d")
    assert field.text() == f"a{odd}b\ncd".replace("\r\n", "\n")
    field.undo()
    assert field.text() is text
    field.deleteLater()


def test_a_line_break_within_a_paragraph_is_the_end_of_a_line(qapp: QApplication) -> None:
    field = MultiLineEdit()
    QTest.keyClicks(field, "a")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(field, "b")
    assert field.text() == "a\nb"
    field.deleteLater()
