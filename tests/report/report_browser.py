"""A headless Chromium driven through its DevTools pipe: no port, no extra program, no extra library.

Commands and events are JSON, ended by a zero byte, on file descriptors 3 (to the browser) and 4 (from it). When this
process dies the pipe closes and the browser ends by itself.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--no-default-browser-check", "--disable-extensions", "--remote-debugging-pipe",
)  # fmt: skip


class PageError(Exception):
    """The page threw, or the browser refused a command."""


def _high_pipe() -> tuple[int, int]:
    """A pipe whose ends are not 3 or 4, the numbers the browser wants."""
    low = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low]
    for end in low:
        os.close(end)
    return high[0], high[1]


class Browser:
    """One page in one browser. Every event is kept in `events`, in order."""

    def __init__(self, program: str, timeout_s: float = 60) -> None:
        self._timeout_s = timeout_s
        self._buffer = b""
        self._last_id = 0
        self.events: list[dict[str, Any]] = []
        self._profile = tempfile.TemporaryDirectory(prefix="report-browser.", ignore_cleanup_errors=True)
        to_read, self._to = _high_pipe()
        self._from, from_write = _high_pipe()
        # bash, because sh need not understand the two digits on the right of <&.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write} {to_read}<&- {from_write}>&-', "browser",
             program, *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            pass_fds=(to_read, from_write), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read)
        os.close(from_write)
        targets = self.call("Target.getTargets", browser=True)["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        attached = self.call("Target.attachToTarget", browser=True, targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the browser and everything it started."""
        os.close(self._to)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._from)
        self._profile.cleanup()

    def call(self, method: str, *, browser: bool = False, **parameters: Any) -> dict[str, Any]:
        """Send one command and wait for its answer."""
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": parameters}
        if not browser:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") != self._last_id:
                self.events.append(answer)
            elif "error" in answer:
                raise PageError(f"{method}: {answer['error']['message']}")
            else:
                return dict(answer["result"])

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + self._timeout_s
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise PageError(f"the browser said nothing for {self._timeout_s} s")
            chunk = os.read(self._from, 1 << 20)
            if not chunk:
                raise PageError(f"the browser ended with code {self._process.wait()}")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def open(self, url: str) -> None:
        """Load `url` and wait until it is complete."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        while self.run("document.readyState") != "complete" or self.run("location.href") != url:
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        """The JSON value of a JavaScript expression, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise PageError(f"{script}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press and release one key where the focus is."""
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        names = {"key": " " if key == "Space" else key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **names)
        self.call("Input.dispatchKeyEvent", type="keyUp", **names)

    def size(self, width: int, height: int) -> None:
        """Set the window's inner size, CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def media(self, media: str = "", dark: bool = False) -> None:
        """Show the page as on paper (`print`) and in light or dark colours."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def scripts(self, on: bool) -> None:
        """Allow or forbid the page's own scripts, from the next page on."""
        self.call("Emulation.setScriptExecutionDisabled", value=not on)

    def screenshot(self, path: Path, whole: bool = False) -> None:
        """Save what the window (or the whole page) shows as PNG."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self, path: Path) -> None:
        """Print to PDF with the page size of the style sheet."""
        data = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
        path.write_bytes(base64.b64decode(data))

    @property
    def requests(self) -> list[str]:
        """Addresses that the page asked for since it was opened."""
        sent = (one["params"] for one in self.events if one["method"] == "Network.requestWillBeSent")
        return [one["request"]["url"] for one in sent]

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings in the console since the page was opened."""
        found = []
        for one in self.events:
            if one["method"] == "Runtime.exceptionThrown":
                found.append(str(one["params"]["exceptionDetails"]))
            elif one["method"] == "Runtime.consoleAPICalled" and one["params"]["type"] in (
                "error",
                "warning",
                "assert",
            ):
                found.append(str(one["params"]["args"]))
            elif one["method"] == "Log.entryAdded" and one["params"]["entry"]["level"] in (
                "error",
                "warning",
            ):
                found.append(one["params"]["entry"]["text"])
        return found
