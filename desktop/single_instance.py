"""One window per data folder: a second start brings the first to the front (UI §11).

The first window listens on a socket for its own user only. The store's lock decides which process is first; this module
only sends the request to it.
"""

import os
import re
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from desktop.meeting_place import address

_SHOW, _SHOWN = b"show", b"shown\n"
_CONNECT_MS = 500
_ANSWER_MS = 2000  # a window that does not answer for so long is no help
_LONGEST_LINE = 512
_TOKEN = "XDG_ACTIVATION_TOKEN"  # Wayland lets a window come to the front only with the token of whoever asked
_IS_TOKEN = re.compile(rb"[\w.:-]{1,256}")


class Instance(QObject):
    """The window that is open with a data folder."""

    asked = Signal()
    """Another start wants it at the front."""

    def __init__(self, folder: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._address = address(folder)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)

    def listen(self) -> bool:
        """Listen for requests. Called by the process that holds the store's lock: an existing socket is left over from
        a process that died.
        """
        if self._address is None:
            return False
        QLocalServer.removeServer(self._address)
        return self._server.listen(self._address)

    def close(self) -> None:
        self._server.close()

    def _answer(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.setReadBufferSize(_LONGEST_LINE)
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(self._read)
            if socket.bytesAvailable():
                self._take(socket)

    def _read(self) -> None:
        for socket in self._server.findChildren(QLocalSocket):
            self._take(socket)

    def _take(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() >= _LONGEST_LINE:
                socket.abort()
            return
        word, _, token = bytes(socket.readLine().data()).strip().partition(b" ")
        if word != _SHOW:
            socket.abort()
            return
        if _IS_TOKEN.fullmatch(token):
            os.environ[_TOKEN] = token.decode()
        self.asked.emit()
        socket.write(_SHOWN)
        socket.disconnectFromServer()


def show_other(folder: Path) -> bool:
    """Ask the window that is open with this folder to come to the front; return whether there is one."""
    found = address(folder)
    if found is None:
        return False
    socket = QLocalSocket()
    socket.connectToServer(found)
    if not socket.waitForConnected(_CONNECT_MS):
        return False
    token = os.environ.get(_TOKEN, "").encode()
    socket.write(_SHOW + (b" " + token if _IS_TOKEN.fullmatch(token) else b"") + b"\n")
    return bool(socket.waitForReadyRead(_ANSWER_MS)) and bytes(socket.readAll().data()) == _SHOWN
