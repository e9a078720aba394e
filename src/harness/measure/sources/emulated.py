"""Reads source `emulated:<profile>`: a model's watts, for testing the pipeline and never as evidence."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from harness.config.power import PowerSettings
from harness.core.errors import PowerError
from harness.kernel.procfs import descendants
from harness.measure.emulator.model import Profile, load
from harness.measure.model import Probe, Reader, Reading, Source
from harness.measure.sources.powercap import PowercapReader


class Emulated(Source):
    """Gives a model's watts, only when named in full; the profile's name is in every number's source."""

    key: ClassVar[str] = "emulated"

    def probe(self) -> Probe:
        """Returns usable when the profile can be read."""
        try:
            profile = load(self._settings.profile_dir, self._argument)
        except PowerError as error:
            return Probe(False, reason=str(error), cap_reason=str(error))
        return Probe(True, f"emulated:{profile.name}", "", ("package", "dram"), True)

    def open(self) -> Reader:
        """Starts the emulator with a tree of its own."""
        return EmulatedReader(self._settings, load(self._settings.profile_dir, self._argument))


class EmulatedReader(Reader):
    """Reads the emulator's tree with the very reader that reads a real one."""

    def __init__(self, settings: PowerSettings, profile: Profile) -> None:
        super().__init__()
        self._profile = profile
        self._folder = Path(tempfile.mkdtemp(prefix="kvasir-emulated-"))
        self._inner: PowercapReader | None = None
        self._job: int | None = None
        self.cap_root = self._folder / "powercap"
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "harness.measure", "emulate", profile.name),
                *("--profiles", str(settings.profile_dir), "--tree", str(self.cap_root)),
                *("--parent", str(os.getpid())),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            self._throttle = self._answer()["throttle"]
            self._inner = PowercapReader(settings.model_copy(update={"root": self.cap_root}))
        except BaseException:
            self.close()
            raise
        self.kinds = self._inner.kinds

    def read(self) -> list[Reading]:
        """Reads as from a real tree; if the emulator ended, all domains are lost, as its counters stand still."""
        if self._inner is None or self._process.poll() is not None:
            now = monotonic()
            return [
                Reading(
                    domain=domain,
                    before=now,
                    after=now,
                    value=None,
                    problem="the emulator ended",
                    lasting=True,
                )
                for domain in self.kinds
            ]
        return self._inner.read()

    def watch(self, pid: int) -> None:
        """Tells the emulator to take the job into its slice."""
        self._job = pid
        self._ask(f"watch {pid}")

    def details(self) -> dict[str, Any]:
        """Returns zones, the whole profile with its hash, and the throttle's counts."""
        zones = self._inner.details() if self._inner else {}
        try:
            counts = self._ask("statistics")
        except PowerError as error:
            counts = {"throttle": self._throttle, "problem": str(error)}
        return {**zones, "emulated": {**self._profile.as_json(), **counts}}

    def close(self) -> None:
        """Ends the emulator, which lifts its limit on the job, and removes the tree."""
        if self._inner is not None:
            self._inner.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        if self._process.wait() != 0 and self._job is not None:
            # An emulator that was killed may have left ranks stopped.
            for pid in descendants(self._job):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _ask(self, line: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PowerError(f"the emulator ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer
