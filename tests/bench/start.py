"""How long the window takes to its first paint, and what was imported until then.

Each start is a process of its own, from the interpreter to the first paint; beside it a bare window of Qt.
"""

import ast
import os
import subprocess
import sys
import tempfile
import time

from tests.bench.measure import Contest, line, report

BENCH = "start"
ROUNDS = 7

_BARE = """
import sys
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        QApplication.exit(0)
app = QApplication(sys.argv)
window = Window()
window.show()
app.exec()
"""

_OURS = """
import sys
from desktop import bootstrap
from PySide6.QtWidgets import QApplication
exec_ = QApplication.exec
def first(*_):
    exec_()
    own = ("desktop", "PySide6", "shiboken", "signature_bootstrap", "_", "__main__")
    foreign = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
    print(sorted(name for name in foreign if not name.startswith(own)))
    sys.stdout.flush()
    import os
    os._exit(0)
QApplication.exec = first
sys.argv = ["metier", "--data", DATA]
bootstrap.start()
"""


def _run(code: str) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - began, done.stdout.strip()


def main() -> None:
    ours: list[float] = []
    bare: list[float] = []
    foreign = ""
    with tempfile.TemporaryDirectory() as data:
        code = _OURS.replace("DATA", repr(data))
        for number in range(ROUNDS + 1):
            seconds, foreign = _run(code)
            other, _ = _run(_BARE)
            if number:
                ours.append(seconds)
                bare.append(other)
    report(BENCH, "process start to first paint", Contest(ours, {"a bare window": bare}))
    name = f"imported before it beside PySide6 and the standard library: {foreign}"
    line(BENCH, name, len(ast.literal_eval(foreign)), "modules", 1)
