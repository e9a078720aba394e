"""Runs a command on another host of the same cluster, called as `ssh` is: rsh.py HOST COMMAND...

For launchers that want a remote shell, such as Open MPI's. The words of the command are joined and given to a
shell there, with this program's environment, folder and standard descriptors; its code is this program's code.
"""

from __future__ import annotations

import os
import socket
import sys

from harness.hosts.inside import wire

FOLDER = "KVASIR_HOSTS_RSH"
"""Environment variable with the folder of the hosts' sockets."""


def main(argv: list[str]) -> int:
    """Connect to the host's server and wait for the end of the command."""
    while argv and argv[0].startswith("-"):
        argv = argv[2:] if argv[0] in ("-l", "-o", "-p") else argv[1:]
    if len(argv) < 2:
        sys.stderr.write("rsh: HOST COMMAND... are needed\n")
        return 255
    host, command = argv[0], " ".join(argv[1:])
    env = {**os.environ, "HOSTNAME": host}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        try:
            folder = os.open(os.environ.get(FOLDER, "/"), os.O_PATH)  # a socket's path must be short
            sock.connect(f"/proc/self/fd/{folder}/{host}")
            wire.send(
                sock, {"command": ["/bin/sh", "-c", command], "env": env, "cwd": os.getcwd()}, [0, 1, 2]
            )
            answer = wire.receive(sock)
        except OSError as error:
            sys.stderr.write(f"rsh: host {host}: {error.strerror}\n")
            return 255
    if answer is None or "error" in answer[0]:
        sys.stderr.write(f"rsh: host {host}: {answer[0]['error'] if answer else 'it has gone'}\n")
        return 255
    code = int(answer[0]["code"])
    return code if code >= 0 else 128 - code
