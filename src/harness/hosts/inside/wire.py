"""Sends and receives JSON messages with file descriptors over a stream socket."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from typing import Any

_MAX_FDS = 8


def send(sock: socket.socket, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
    """Send one message. OSError when the other side has gone."""
    body = json.dumps(message).encode()
    socket.send_fds(sock, [len(body).to_bytes(4, "big")], fds)
    sock.sendall(body)


def receive(sock: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Receive the next message and its descriptors (close-on-exec), None at the end."""
    try:
        head, fds, _, _ = socket.recv_fds(sock, 4, _MAX_FDS)
        for fd in fds:
            os.set_inheritable(fd, False)
        head += _exactly(sock, 4 - len(head)) if head else b""
        if len(head) < 4:
            return None
        size = int.from_bytes(head, "big")
        body = _exactly(sock, size)
    except ConnectionError:
        return None
    return (json.loads(body), fds) if len(body) == size else None


def _exactly(sock: socket.socket, size: int) -> bytes:
    parts = []
    while size > 0:
        part = sock.recv(min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
