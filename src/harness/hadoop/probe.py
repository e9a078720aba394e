"""Looks at a cluster from one of its hosts. Plain Python without the harness: it starts in a few milliseconds.

probe.py ports PORT...                     prints the ports that are taken
probe.py space FOLDER                      prints the bytes that are free there
probe.py listening SECONDS HOST PORT       waits until somebody listens there
probe.py ready SECONDS URL PATH LEAST ...  waits until the number at PATH of the JSON at each URL is at least LEAST
probe.py idle SECONDS URL PATH             waits until the number at PATH of the JSON at URL is 0
probe.py finished SECONDS URL              waits until the ResourceManager lists no application at URL
probe.py terminate ARGUMENT TEXT           sends SIGTERM to processes of this user with ARGUMENT, and TEXT in any
probe.py moved TEXT CLASS...               prints what storage has read and written for processes with CLASS and TEXT
probe.py get URL | delete URL              WebHDFS; the answer goes to standard output
"""

import json
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path


def taken(ports: list[int]) -> list[int]:
    """Return those of `ports` that nobody can listen on here."""
    found = []
    for port in ports:
        with socket.socket() as test:
            test.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                test.bind(("0.0.0.0", port))
            except OSError:
                found.append(port)
    return found


def listening(seconds: float, host: str, port: int) -> str:
    """Wait until somebody listens; return why nobody does, or an empty text."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((host, port), timeout=5).close()
            return ""
        except OSError as error:
            if time.monotonic() > deadline:
                return f"{host}:{port}: {error}"
        time.sleep(0.05)


def look(document: object, path: str) -> float:
    """Return the number at a path such as `beans.0.NumLiveDataNodes`; raise LookupError, TypeError or ValueError."""
    for step in path.split("."):
        document = document[int(step)] if isinstance(document, list) else document[step]  # type: ignore[index]
    return float(document)  # type: ignore[arg-type]


def document(url: str) -> object:
    """Return the JSON that a service answers with. Raises OSError or ValueError."""
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    with _opener.open(request, timeout=10) as answer:
        found: object = json.load(answer)
        return found


def number(url: str, path: str) -> tuple[float, str]:
    """Return the number at a path of the JSON that a service answers with, or what is amiss."""
    try:
        return look(document(url), path), ""
    except (OSError, LookupError, TypeError, ValueError) as error:
        return 0, f"{url}: {error}"


def ready(url: str, path: str, least: float) -> str:
    """Return an empty text when the service is ready, otherwise what is amiss."""
    value, amiss = number(url, path)
    return amiss or ("" if value >= least else f"{url}: {path} is {value:g}, not yet {least:g}")


def idle(url: str, path: str) -> str:
    """Return an empty text when the service has nothing to do, otherwise what is amiss."""
    value, amiss = number(url, path)
    return amiss or ("" if value == 0 else f"{url}: {path} is {value:g}, not yet 0")


def finished(url: str) -> str:
    """Return an empty text when the ResourceManager lists no application at `url`, otherwise what is amiss."""
    try:
        answer = document(url)
        apps = answer["apps"] or {}  # type: ignore[index]
        left = [f"{app['id']} is {app['state']}" for app in apps.get("app", [])]
    except (OSError, AttributeError, LookupError, TypeError, ValueError) as error:
        return f"{url}: {error!r}"
    return f"{url}: {', '.join(left)}" if left else ""


def terminate(argument: str, text: str, processes: Path = Path("/proc")) -> str:
    """Send SIGTERM to other processes of this user with `argument`, and `text` in any; return an empty text.

    A shell that waits for such a process has its whole command line as one argument: it ends after it, by itself.
    """
    for folder in processes.glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            mine = folder.stat().st_uid == os.getuid() and int(folder.name) != os.getpid()
            if mine and argument in arguments and any(text in one for one in arguments):
                os.kill(int(folder.name), signal.SIGTERM)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended by itself
    return ""


def moved(text: str, classes: list[str], processes: Path = Path("/proc")) -> dict[str, list[int]]:
    """Return the bytes that processes have made storage read and write, by the class in their arguments.

    Only of those with `text` in any argument, and not of this program and what started it. The kernel adds to a process
    what its children had moved that it has waited for: a NodeManager has its tasks' there.
    """
    found: dict[str, list[int]] = {}
    for folder in processes.glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if "moved" in arguments or not any(text in one for one in arguments):
                continue
            for name in set(classes) & set(arguments):
                lines = (line.split(": ") for line in (folder / "io").read_text().splitlines())
                values = {key: int(value) for key, value in lines}
                sums = found.setdefault(name, [0, 0])
                sums[0] += values["read_bytes"]
                sums[1] += values["write_bytes"] - values["cancelled_write_bytes"]
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it has ended by itself, or is somebody else's
    return found


def wait(seconds: float, checks: list[Callable[[], str]]) -> str:
    """Wait for all checks; return what is amiss with the first that failed to the end, or an empty text."""
    deadline = time.monotonic() + seconds
    for check in checks:
        while amiss := check():
            if time.monotonic() > deadline:
                return amiss
            time.sleep(0.1)
    return ""


def request(method: str, url: str) -> str:
    """Print the answer to a WebHDFS operation; return what went wrong, or an empty text."""
    try:
        with _opener.open(urllib.request.Request(url, method=method), timeout=120) as answer:
            while chunk := answer.read(1 << 20):
                sys.stdout.buffer.write(chunk)
    except urllib.error.HTTPError as error:
        return f"{url}: {error.code}: {error.read(2000).decode(errors='replace')}"
    except OSError as error:
        return f"{url}: {error}"
    return ""


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def main(arguments: list[str]) -> str:
    """Run one command; return what went wrong, if anything."""
    command, *rest = arguments
    if command == "ports":
        print(json.dumps(taken([int(port) for port in rest])))
        return ""
    if command == "space":
        free = os.statvfs(rest[0])
        print(free.f_bavail * free.f_frsize)
        return ""
    if command == "listening":
        return listening(float(rest[0]), rest[1], int(rest[2]))
    if command == "ready":
        seconds, *triples = rest
        wanted = zip(triples[::3], triples[1::3], triples[2::3], strict=True)
        return wait(float(seconds), [partial(ready, url, path, float(least)) for url, path, least in wanted])
    if command == "idle":
        return wait(float(rest[0]), [partial(idle, rest[1], rest[2])])
    if command == "finished":
        return wait(float(rest[0]), [partial(finished, rest[1])])
    if command == "moved":
        print(json.dumps(moved(rest[0], rest[1:])))
        return ""
    if command == "terminate":
        return terminate(rest[0], rest[1])
    return request(command.upper(), rest[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or 0)
