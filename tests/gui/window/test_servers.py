"""The settings page of MCP servers in the real window, driven by keyboard."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from core.domain.consent import Rule
from core.domain.mcp_server import ServerState, ServerStatus
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.settings.parts.page import PageId
from desktop.settings.servers.server_row import ServerRow
from desktop.settings.servers.servers_page import ServersPage
from desktop.translation import Language, short_tool_name
from tests.gui.window.rig import App, an_app
from tests.gui.window.settings_rig import Until, choose, control, dialog, notice, press, settings, texts, undo, write
from tests.support.command_line import write_template
from tests.support.mcp_rig import HOSTILE, START_S, hostile, needs_others, node_server, programs

SECRET = "sk-proj-0123456789abcdef0123"

pytestmark = [pytest.mark.usefixtures("bare"), pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]


def page(app: App) -> ServersPage:
    found = dialog(app).findChild(ServersPage)
    assert isinstance(found, ServersPage)
    return found


def row(app: App, name: str) -> ServerRow:
    return next(each for each in page(app).rows.values() if each.name == name)


def state(app: App, name: str) -> ServerState:
    return app.core.servers.named(name).state


async def added(app: App, name: str, *, confirmed: bool = True, **fields: Any) -> ServerStatus:
    made = await app.core.servers.save(name=name, confirmed=confirmed, **fields)
    assert isinstance(made, Ok), made
    return made.data


def answer_question(words: str) -> None:
    (box,) = [
        window for window in QApplication.topLevelWidgets() if isinstance(window, QMessageBox) and window.isVisible()
    ]
    button = next(each for each in box.buttons() if each.text() == words)
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)


async def test_a_server_is_added_by_the_form_agreed_to_tested_changed_and_removed(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    trace = tmp_path / "trace"
    async with an_app(tmp_path, qapp) as app:
        await settings(app, PageId.SERVERS, until)
        assert "There is none yet." in texts(app)
        press(app, "New server")
        write(app, "Name", "Files")
        write(app, "Command", sys.executable)
        arguments = control(app, "Arguments")
        assert isinstance(arguments, QPlainTextEdit)
        arguments.setPlainText(f"{HOSTILE}\ngood\n{trace}")
        press(app, "Add a variable")
        QTest.keyClicks(app.focused(), "MY_TOKEN")
        value = control(app, "Value of MY_TOKEN")
        assert isinstance(value, QLineEdit)
        assert value.echoMode() is QLineEdit.EchoMode.Password
        write(app, "Value of MY_TOKEN", SECRET)
        write(app, "Start limit", str(round(START_S)))
        press(app, "Save server")
        await until(lambda: notice(app) == "Files is saved, and runs once you allow it.")
        assert not trace.exists()
        assert f" {trace}" in row(app, "Files")._consent._launch.value.text
        assert "Environment: MY_TOKEN" in row(app, "Files")._consent._launch.value.text
        assert "Address" not in row(app, "Files")._consent._launch.value.text
        assert not control(app, "Test Files").isEnabled()
        assert not isinstance(app.focused(), QCheckBox)  # Space would switch it off
        press(app, "Allow it to run: Files")
        await until(lambda: state(app, "Files") is ServerState.RUNNING, 30)
        await until(lambda: row(app, "Files").state_text == "Running")
        assert not isinstance(app.focused(), QCheckBox)
        press(app, "Test Files")
        await until(lambda: notice(app) == "Files answers, and offers 7 tools.", 30)
        press(app, "Edit Files")
        kept = control(app, "Value of MY_TOKEN")
        assert isinstance(kept, QLineEdit)
        assert (kept.text(), kept.placeholderText()) == ("", "kept, not shown")
        write(app, "Name", "Folder")
        write(app, "Without these tools", "once, no-such*")
        press(app, "Save server")
        await until(lambda: notice(app) == "Folder is saved.")
        assert state(app, "Folder") is ServerState.RUNNING
        launch = await app.core.servers.launch_of(app.core.servers.named("Folder").server)
        assert launch.env == {"MY_TOKEN": SECRET}
        press(app, "Edit Folder")
        arguments.setPlainText(f"{HOSTILE}\ngood\n{trace}\nmore")
        press(app, "Save server")
        await until(lambda: notice(app) == "Folder is saved, and runs once you allow it.")
        await until(lambda: row(app, "Folder").state_text == "Waits for you")
        press(app, "Remove Folder")
        answer_question("Keep")
        press(app, "Remove Folder")
        answer_question("Remove")
        await until(lambda: notice(app) == "Folder is removed.")
        assert (page(app).rows, SECRET in (tmp_path / "keys.json").read_text()) == ({}, False)
        undo(app)
        await until(lambda: notice(app) == "Folder is back." and bool(page(app).rows))
        launch = await app.core.servers.launch_of(app.core.servers.named("Folder").server)
        assert launch.env == {"MY_TOKEN": SECRET}
        assert len(app.core.servers.named("Folder").tools) == 6
        assert SECRET not in texts(app)
    assert programs(trace) == []


PASTED = """{
  // as its documentation has it
  "servers": {
    "near": {"command": "PYTHON", "args": ["HOSTILE", "good", "${input:where}"]},
    "far": {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${input:token}"}},
  },
  "inputs": [{"id": "where", "description": "The file"}, {"id": "token", "description": "The token", "password": true}]
}"""


async def test_a_pasted_configuration_is_shown_asked_for_and_added_whole_or_not_at_all(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    text = PASTED.replace("PYTHON", sys.executable).replace("HOSTILE", str(HOSTILE))
    async with an_app(tmp_path, qapp) as app:
        await added(app, "near", confirmed=False, command="other")
        await settings(app, PageId.SERVERS, until)
        press(app, "Paste a configuration…")
        box = control(app, "Configuration")
        assert isinstance(box, QPlainTextEdit)
        box.setPlainText(text.replace('"args": [', '"args": [[], ').replace('"url"', '"where"'))
        press(app, "Read it")
        await until(lambda: "It cannot be used as it is. Nothing was added." in texts(app))
        assert "servers/near/args/0" in texts(app)
        assert "servers/far" in texts(app)
        box.setPlainText("mcpServers:\n  a: [")
        press(app, "Read it")
        await until(lambda: "It looks like YAML and cannot be read" in texts(app))
        assert "Line 2, column 7" in texts(app)
        box.setPlainText(text)
        assert "servers/far" not in texts(app)
        press(app, "Read it")
        await until(lambda: "Another server has this name." in texts(app))
        control(app, "Add 1 server")  # the other is left out, unless the user says what to do
        press(app, "near")
        choose(app, "The name near is taken", "Add it with a number")
        box.setPlainText(text.replace('"near"', '"close"'))
        press(app, "Read it")
        await until(lambda: "2 servers were understood." in texts(app))
        assert "good '${input:where}'" in texts(app)
        press(app, "Add 2 servers")
        assert "A value is needed." in texts(app)
        assert [each.server.name for each in app.core.servers.states] == ["near"]
        write(app, "The file", str(tmp_path / "trace"))
        token = control(app, "The token")
        assert isinstance(token, QLineEdit)
        assert token.echoMode() is QLineEdit.EchoMode.Password
        write(app, "The token", SECRET)
        press(app, "Add 2 servers")
        await until(lambda: notice(app) == "2 servers are added. Each waits for you to allow it.")
        states = {each.server.name: each.state for each in app.core.servers.states}
        assert states == dict.fromkeys(("close", "far", "near"), ServerState.UNCONFIRMED)
        assert [each.name for each in page(app).rows.values()] == ["close", "far", "near"]
        assert (box.toPlainText(), SECRET in texts(app)) == ("", False)
    assert not (tmp_path / "trace").exists()


async def test_each_failure_has_its_words_its_details_and_harms_no_other(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        ways: dict[str, dict[str, Any]] = {
            "missing": {"command": "no-such-command"},
            "exits": hostile("exits"),
            "silent": {**hostile("silent"), "start_timeout_s": 1.5},
            "future": hostile("future"),
            "banner": hostile("banner"),
        }
        for name, way in ways.items():
            await added(app, name, confirmed=False, **way)
        await settings(app, PageId.SERVERS, until)
        for name in ways:
            press(app, f"Allow it to run: {name}")
        await until(lambda: all(row(app, name).failure for name in ways if name != "banner"), 40)
        words = {name: row(app, name).failure for name in ways if name != "banner"}
        assert words == {
            "missing": "There is no program “no-such-command”.",
            "exits": "It ended at its start, with exit code 1.",
            "silent": "It did not answer within 1\N{NO-BREAK SPACE}s of its start.",
            "future": "It speaks a version of the protocol that is not known here.",
        }
        assert "folders of PATH" in texts(app)
        assert "PATH: " in row(app, "missing")._failure._details.value.text
        details = row(app, "exits")._failure._details.value.text
        for part in ("third line", "Exit code: 1", f"Command: {sys.executable}", " exits"):
            assert part in details
        await until(lambda: row(app, "banner").state_text == "Running")
        press(app, "Show the log of exits")
        log = control(app, "Log")
        assert isinstance(log, QPlainTextEdit)
        assert "second line" in log.toPlainText()
        log.setFocus()
        QTest.keySequence(log, "Ctrl+A")
        QTest.keySequence(log, "Ctrl+C")
        assert "first line" in QApplication.clipboard().text()
        for _ in range(3):
            press(app, "Test missing")
            await until(lambda: not row(app, "missing").is_testing)
        assert notice(app) == "missing does not answer: There is no program “no-such-command”."


async def test_a_crash_in_a_call_is_shown_with_its_last_output_and_focus_stays(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one = await added(app, "crash", **hostile("crash", tmp_path / "trace"))
        assert isinstance(await app.core.servers.test(one.server.id), Ok)
        await settings(app, PageId.SERVERS, until)
        button = control(app, "Show the log of crash")
        button.setFocus(Qt.FocusReason.TabFocusReason)
        file = write_template(tmp_path / "t.json", {"name": "a", "action": {"toolName": "mcp__crash__read"}})
        template = await app.core.templates.find(file)
        assert isinstance(template, Ok)
        run = await app.core.runs.start(template.data, {}, mode=ValidationMode.AUTO)
        assert isinstance(run, Ok)
        await app.core.engine.wait(run.data.id)
        await until(lambda: row(app, "crash").failure == "It ended by itself, with exit code 3.")
        assert "line two" in row(app, "crash")._failure._details.value.text
        assert app.focused() is button
        row(app, "crash").show_status(replace(app.core.servers.named("crash"), paused_s=42))
        assert row(app, "crash").state_text == "Paused after several failures"
        assert "tried again in 42\N{NO-BREAK SPACE}s, or when you test it" in texts(app)


async def test_an_address_is_added_with_a_secret_header_and_what_is_wrong_is_shown_at_its_field(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await settings(app, PageId.SERVERS, until)
        press(app, "New server")
        press(app, "Save server")
        await until(lambda: "A name has 1 to 64 characters that can be shown." in texts(app))
        write(app, "Name", "Far")
        press(app, "Save server")
        await until(lambda: "Write the command that starts it." in texts(app))
        control(app, "A program").setFocus(Qt.FocusReason.TabFocusReason)
        app.key(Qt.Key.Key_Right)
        write(app, "Address", "ftp://x.example")
        press(app, "Add a header")
        QTest.keyClicks(app.focused(), "X-Plain")
        write(app, "Value of X-Plain", SECRET)
        press(app, "X-Plain is a secret")
        press(app, "Save server")
        await until(lambda: "An address begins with http:// or https://." in texts(app))
        write(app, "Address", "http://127.0.0.1:9/mcp")
        press(app, "Save server")
        await until(lambda: notice(app) == "Far is saved, and runs once you allow it.")
        server = app.core.servers.named("Far").server
        assert SECRET not in repr(server)
        assert (await app.core.servers.launch_of(server)).headers == {"X-Plain": SECRET}
        press(app, "Allow the connection: Far")
        await until(lambda: row(app, "Far").failure == "Nothing answers at http://127.0.0.1:9.")


async def test_a_test_can_be_cancelled(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        one = await added(app, "silent", confirmed=False, **hostile("silent", tmp_path / "trace"))
        await settings(app, PageId.SERVERS, until)
        await app.core.servers.confirm(one.server.id, one.server.fingerprint)
        await until(lambda: row(app, "silent").state_text == "Starting")
        press(app, "Test silent")
        assert "Connecting…" in texts(app)
        press(app, "Cancel the test of silent")
        await until(lambda: state(app, "silent") is ServerState.STOPPED)
        await until(lambda: row(app, "silent").state_text == "Not started")
        assert row(app, "silent").failure == ""
        box = control(app, "silent is on")
        assert isinstance(box, QCheckBox)
        press(app, "silent is on")
        await until(lambda: row(app, "silent").state_text == "Off")
        assert not box.isChecked()
    assert programs(tmp_path / "trace") == []


@needs_others
async def test_tools_of_a_real_server_have_permissions_and_agents_find_them(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one = await added(app, "All", **node_server("mcp-server-everything"))
        assert isinstance(await app.core.servers.test(one.server.id), Ok)
        await settings(app, PageId.SERVERS, until)
        press(app, "Show the tools of All")
        table = row(app, "All")._tools.table
        assert isinstance(table, QTableView)
        model = row(app, "All")._tools.model
        shown = [[model.data(model.index(at, column)) for column in range(3)] for at in range(model.rowCount())]
        assert ["Echo Tool (echo)", "low, only reads", "As the mode says"] in shown
        table.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(table, Qt.Key.Key_Down)  # from the first, which focus went to
        tool = model.items[1].name
        chosen = row(app, "All")._tools._tools_rule
        first = next(button for button in chosen.findChildren(QPushButton) if button.isChecked())
        first.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(first, Qt.Key.Key_Right)
        QTest.keyClick(app.focused(), Qt.Key.Key_Right)
        await until(lambda: app.core.consent.exceptions == {tool: Rule.ALLOW})
        await until(lambda: model.data(model.index(1, 2)) == "Always allow")
        whole = row(app, "All")._tools._server_rule
        first = next(button for button in whole.findChildren(QPushButton) if button.isChecked())
        first.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(first, Qt.Key.Key_Right)
        await until(lambda: app.core.consent.exceptions.get("mcp__all") is Rule.ASK)
        assert model.data(model.index(0, 2)) == "As the server"
        await settings(app, PageId.AGENTS, until)
        press(app, "New agent")
        press(app, "All tools, also those to come")
        write(app, "Search tools", short_tool_name(tool))
        box = control(app, tool)
        assert isinstance(box, QCheckBox)
        with pytest.raises(AssertionError):
            control(app, "calculator")


async def test_tab_goes_through_the_rows_as_they_stand(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        await added(app, "b", command="no-such-command")
        await until(lambda: state(app, "b") is ServerState.FAILED)
        await settings(app, PageId.SERVERS, until)
        assert app.focused().accessibleName() == "Test b"
        await added(app, "a", command="no-such-command")
        await until(lambda: row(app, "a").failure != "")
        assert app.focused().accessibleName() == "Test b"  # what comes and changes takes no focus
        control(app, "Test a").setFocus(Qt.FocusReason.TabFocusReason)
        met = []
        for _ in range(14):
            met.append(app.focused().accessibleName())
            app.key(Qt.Key.Key_Tab)
        one = ["Test {}", "Show the tools of {}", "Show the log of {}", "{} is on", "Edit {}", "Remove {}"]
        first, second = [words.format("a") for words in one], [words.format("b") for words in one]
        assert [name for name in met if name not in ("Details", "Copy: Details")] == [*first, *second]
        press(app, "New server")
        for name in ("Name", "A program", "Command", "Arguments", "Add a variable"):
            assert app.focused().accessibleName() == name
            app.key(Qt.Key.Key_Tab)
        press(app, "Add a variable")
        for name in ("Value", "Secret", "Remove", "Add a variable", "Working folder"):
            app.key(Qt.Key.Key_Tab)
            assert app.focused().accessibleName() == name


async def test_french_is_whole_and_every_control_has_a_name(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        await added(app, "one", confirmed=False, command="npx", args=["-y", "x"], env={"A": "b"})
        await added(app, "two", command="no-such-command")
        await until(lambda: state(app, "two") is ServerState.FAILED)
        await settings(app, PageId.SERVERS, until)
        press(app, "New server")
        press(app, "Add a variable")
        app.session.translation.set_language(Language.FRENCH)
        QApplication.processEvents()
        for words in ("Échec", "Vous attend", "Il n’y a pas de programme « no-such-command »."):
            assert words in texts(app).replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{NO-BREAK SPACE}", " ")
        nameless = [
            widget
            for widget in page(app).findChildren(QWidget)
            if widget.isVisible()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not widget.accessibleName()
            and widget.focusProxy() is None
            and not isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox)
        ]
        assert nameless == []


async def test_a_server_is_imported_from_another_app_and_asks_for_what_it_lacks(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".cursor").mkdir(parents=True)
    (home / ".codex").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.delenv("NOT_SET_TOKEN", raising=False)
    entry = {"command": sys.executable, "args": [str(HOSTILE), "good", str(tmp_path / "trace")], "timeout": 60}
    cursor = {"bee": {**entry, "env": {"KEY": "${NOT_SET_TOKEN}"}}, "wasp": {"url": "https://x.example/mcp"}}
    (home / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": cursor}))
    (home / ".codex" / "config.toml").write_text("[mcp_servers.x]\ncommand = y")
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text('{"ui": {"theme": "x"}}')
    async with an_app(tmp_path, qapp) as app:
        await settings(app, PageId.SERVERS, until)
        press(app, "Import from…")
        await until(lambda: "2 servers were understood. Nothing runs before you allow it." in texts(app))
        assert "https://x.example/mcp" in texts(app)
        box = control(app, "Configuration of")
        assert isinstance(box, QComboBox)
        assert [box.itemText(at) for at in range(box.count())] == [
            "Cursor · 2 servers · ~/.cursor/mcp.json",
            "Codex · ~/.codex/config.toml",
        ]
        box.setCurrentIndex(1)
        assert "It looks like TOML and cannot be read" in texts(app)
        box.setCurrentIndex(0)
        press(app, "wasp")
        press(app, "Add 1 server")
        await until(lambda: notice(app) == "bee is saved, and runs once you allow it.")
        assert not (tmp_path / "trace").exists()
        press(app, "Allow it to run: bee")
        await until(lambda: row(app, "bee").failure == "It needs values that are not set: NOT_SET_TOKEN.")
        press(app, "Fill in what bee needs")
        press(app, "Use these values")
        assert "A value is needed." in texts(app)
        write(app, "NOT_SET_TOKEN", SECRET)
        press(app, "Use these values")
        await until(lambda: state(app, "bee") is ServerState.RUNNING, 30)
        await until(lambda: row(app, "bee").failure == "")
        assert (await app.core.servers.launch_of(app.core.servers.named("bee").server)).env == {"KEY": SECRET}
        assert SECRET not in texts(app)
    assert programs(tmp_path / "trace") == []
