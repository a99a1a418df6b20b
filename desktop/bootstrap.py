"""Start-up: an empty frame first, then everything else; and the shutdown.

The imports at the top are all that the first paint needs: PySide6 and the standard library.
"""

import gc
import os
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QApplication

from desktop import arguments, window_state
from desktop.arguments import Arguments
from desktop.imports import read_no_sources
from desktop.meeting_place import is_taken
from desktop.tokens import DARK, LIGHT
from desktop.window.frame.main_window import MainWindow
from desktop.window_state import WindowState


def start() -> int:
    """Open the window, run until it is closed, and return the exit code."""
    began = time.perf_counter() - _process_age_s()
    gc.disable()  # until all is loaded (core.app.tune_gc): it would walk through every module, and free none
    read_no_sources()
    options = arguments.read()
    if not _has_display():
        sys.stderr.write("Metier's window needs a display, and there is none; `python -m core` works without one.\n")
        return 2
    if options.smoke_test and options.data is None:
        with tempfile.TemporaryDirectory(prefix="metier-") as folder:
            return _open(options, Path(folder), began)
    return _open(options, Path(options.data) if options.data else None, began)


def _has_display() -> bool:
    """Return whether Qt has a display to try: without one it aborts the process with a message of its own."""
    if not sys.platform.startswith("linux"):
        return True
    if any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        return True
    runtime = os.environ.get("XDG_RUNTIME_DIR")  # a Wayland client without WAYLAND_DISPLAY looks for this socket
    return bool(runtime and Path(runtime, "wayland-0").exists())


def _process_age_s() -> float:
    """Return how long this process has lived, in seconds; 0 if the system does not report it."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        began_s = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began_s)
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0


def _open(options: Arguments, data: Path | None, began: float) -> int:
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Metier")
    app.setDesktopFileName("metier")
    state_file = _state_file(data)
    is_for_itself = options.smoke_test or options.screenshot is not None
    if not is_for_itself and _is_shown_elsewhere(state_file.parent):
        return 0
    state = window_state.read(state_file)
    window = MainWindow(_background(app, options, state), state.geometry, _opening(options, state))
    window.early_keys.begin()
    window.painted.connect(_leave_first_loop, Qt.ConnectionType.QueuedConnection)
    window.show()
    app.exec()
    first_paint_ms = (time.perf_counter() - began) * 1000
    window.painted.disconnect(_leave_first_loop)

    from core.app import Folders
    from core.wiring import open_core, repair_store, restore_store
    from desktop.loop import run
    from desktop.session import Session

    folders = Folders.choose(str(data) if data else None)
    session = Session(
        app, window, options, folders, open_core, state_file, state, first_paint_ms, repair_store, restore_store
    )
    try:
        return run(session.run(), app)
    finally:
        gc.freeze()  # the process ends: collected now, Qt's objects would go in an order that it does not survive


def _is_shown_elsewhere(folder: Path) -> bool:
    """Return whether a window with that folder is already open; it has then come to the front."""
    if not is_taken(folder):
        return False
    from desktop.single_instance import show_other

    return show_other(folder)


def _leave_first_loop() -> None:
    QApplication.exit(0)  # not `quit`, which asks the window whether it may close


def _state_file(data: Path | None) -> Path:
    """Return the path of `window.json`, beside the store; found by the standard library, without platformdirs."""
    if data is not None:
        return data.absolute() / "window.json"
    from platformdirs import user_data_path

    return user_data_path("metier", appauthor=False) / "window.json"


def _opening(options: Arguments, state: WindowState) -> str:
    """Return what the first frame says; the translations are not loaded yet."""
    language = options.language or state.language
    tag = QLocale.system().uiLanguages()[:1] if language == "system" else [str(language)]
    return "Ouverture…" if tag and tag[0].startswith("fr") else "Opening…"


def _background(app: QApplication, options: Arguments, state: WindowState) -> str:
    scheme = options.theme or state.scheme
    if scheme == "system":
        scheme = "dark" if app.styleHints().colorScheme() is Qt.ColorScheme.Dark else "light"
    return (DARK if scheme == "dark" else LIGHT).app
