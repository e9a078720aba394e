"""Sets a power cap, reads it back, and restores the old limits whatever happens."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.config.power import PowerSettings
from harness.core.errors import PowerError
from harness.kernel import guardian
from harness.measure.model import CapUnavailable
from harness.measure.rapl import Zone, find_zones, label, read_number

_TOLERANCE_UW = 500_000  # RAPL counts watts in eighths


@dataclass(frozen=True)
class CapState:
    """Describes a cap in force: watts per package as asked for, and what each limit reads back."""

    requested_w: float
    read_back: tuple[dict[str, Any], ...]
    source: str

    def as_json(self) -> dict[str, Any]:
        """Returns the summary's entry `cap`."""
        return {
            "requested_W": self.requested_w,
            "read_back": list(self.read_back),
            "source": self.source,
        }


@contextmanager
def cap(settings: PowerSettings, watts: float, root: Path | None = None) -> Iterator[CapState]:
    """Holds every package at `watts` (long and short term) and restores the old limits at the end.

    The old limits are in a state file before the first write, and a guardian process restores them when this
    one ends without doing so (signals and kill -9 included). A cap per package is what RAPL offers: a node of
    two packages draws up to twice `watts`.

    Raises CapUnavailable with the reason when it cannot be set, does not read back, or another process holds
    one.
    """
    if watts <= 0:
        raise CapUnavailable(f"no cap: {watts:g} W is not a power")
    if settings.source.startswith("emulated:") and root is None:
        raise CapUnavailable("no cap: an emulated cap acts inside the sampler; give it cap_w")
    tree = (root or settings.root).absolute()
    problem = cap_problem(settings, tree)
    if problem:
        raise CapUnavailable(problem)
    state = _state_file(settings, tree)
    with ExitStack() as undo:
        try:
            guardian.private_folder(state.parent)
            with guardian.locked(state.parent):
                _restore_leftover(state)
                limits = find_limits(tree)
                watcher = _start_guardian(state, _remember(state, tree, limits))
                undo.callback(_release, state, watcher)
                held = _apply(limits, watts, label(tree, "measured:rapl-powercap"))
        except CapUnavailable:
            raise
        except (guardian.StateError, OSError, PowerError, ValueError) as error:
            raise CapUnavailable(f"no cap: {error}") from error
        yield held


def restore(settings: PowerSettings) -> list[str]:
    """Restores the limits that ended processes left behind; returns a line per state file.

    Raises PowerError when some cannot be restored.
    """
    folder = settings.state_dir
    if not folder.is_dir():
        return []
    lines = []
    try:
        guardian.private_folder(folder)
        with guardian.locked(folder):
            for state in sorted(folder.glob("caps-*.json")):
                content = guardian.load(state)
                if content is None:
                    continue
                if guardian.owner_alive(content):
                    lines.append(f"{content['root']}: cap is held by running process {content['pid']}")
                    continue
                guardian.put_back(state, content)
                lines.append(f"{content['root']}: {len(content['values'])} values restored")
    except (guardian.StateError, OSError) as error:
        raise PowerError(str(error)) from error
    return lines


def _state_file(settings: PowerSettings, tree: Path) -> Path:
    digest = hashlib.sha256(str(tree.resolve()).encode()).hexdigest()[:12]
    return settings.state_dir / f"caps-{digest}.json"


def _restore_leftover(state: Path) -> None:
    content = guardian.load(state)
    if content is None:
        return
    if guardian.owner_alive(content):
        raise CapUnavailable(f"no cap: process {content['pid']} holds one on {content['root']}")
    guardian.put_back(state, content)


def _remember(state: Path, tree: Path, limits: list[Limit]) -> str:
    token = uuid.uuid4().hex
    values = {limit.key: read_number(limit.path) for limit in limits}
    values |= {f"{path.parent.name}/enabled": read_number(path) for path in enabled_files(limits)}
    pid = os.getpid()
    guardian.save(
        state,
        {
            "root": str(tree),
            "values": values,
            "pid": pid,
            "start": guardian.start_of(pid),
            "boot": guardian.boot_id(),
            "token": token,
        },
    )
    return token


def _start_guardian(state: Path, token: str) -> subprocess.Popen[str]:
    # A session of its own: Ctrl-C in the terminal must not reach it before it has restored.
    watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", str(guardian.__file__), str(state), token],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert watcher.stdout is not None
    if watcher.stdout.readline() != "ready\n":
        watcher.kill()
        watcher.wait()
        state.unlink(missing_ok=True)
        raise CapUnavailable("no cap: the process that would restore the limits did not start")
    return watcher


def _apply(limits: list[Limit], watts: float, source: str) -> CapState:
    want = round(watts * 1e6)
    for path in enabled_files(limits):
        if read_number(path) == 0:
            guardian.write_value(path, 1)
            if read_number(path) != 1:
                raise CapUnavailable(f"no cap: {path} stays 0: the firmware has locked power limits")
    for limit in limits:
        guardian.write_value(limit.path, want)
    read_back = []
    for limit in limits:
        got = read_number(limit.path)
        read_back.append({"zone": limit.zone.label, "limit": limit.term, "W": got / 1e6})
        if abs(got - want) > _TOLERANCE_UW:
            raise CapUnavailable(f"no cap: {limit.path} was set to {want} uW but reads back {got} uW")
    return CapState(watts, tuple(read_back), source)


def _release(state: Path, watcher: subprocess.Popen[str]) -> None:
    """Restores the limits of the state file, then ends the guardian, which finds nothing left to do."""
    assert watcher.stdin is not None and watcher.stdout is not None
    try:
        with guardian.locked(state.parent):
            content = guardian.load(state)
            if content is not None:
                guardian.put_back(state, content)
    except guardian.StateError as error:
        raise PowerError(str(error)) from error
    finally:
        watcher.stdin.close()
        watcher.stdout.close()
        watcher.wait()


_LIMIT = re.compile(r"^constraint_(\d+)_power_limit_uw$")


@dataclass(frozen=True)
class Limit:
    """Names one settable limit of a package: long_term (PAPI's A) or short_term (B)."""

    zone: Zone
    term: str
    path: Path

    @property
    def key(self) -> str:
        """Returns the path relative to the tree."""
        return f"{self.path.parent.name}/{self.path.name}"


def find_limits(root: Path) -> list[Limit]:
    """Finds long and short term limit of every package (not peak_power); PowerError without packages."""
    limits = []
    for zone in find_zones(root):
        if zone.domain != "package":
            continue
        for path in sorted(zone.path.iterdir()):
            match = _LIMIT.match(path.name)
            if not match:
                continue
            try:
                term = (zone.path / f"constraint_{match[1]}_name").read_text().strip()
            except OSError:
                term = {"0": "long_term", "1": "short_term"}.get(match[1], "")
            if term in ("long_term", "short_term"):
                limits.append(Limit(zone, term, path))
    return limits


def enabled_files(limits: list[Limit]) -> list[Path]:
    """Returns the files `enabled` of the packages in `limits`, where there are any."""
    zones = dict.fromkeys(limit.zone.path for limit in limits)
    return [zone / "enabled" for zone in zones if (zone / "enabled").exists()]


def cap_problem(settings: PowerSettings, root: Path | None = None) -> str:
    """Returns why no cap can be set below `root` (default: the settings' tree), '' if one can."""
    try:
        limits = find_limits(root or settings.root)
    except PowerError as error:
        return f"no cap: {error}"
    if not limits:
        return f"no cap: no package zone below {root or settings.root} has a power limit"
    off = [path for path in enabled_files(limits) if _is_zero(path)]
    for path in [limit.path for limit in limits] + off:
        if not os.access(path, os.W_OK):
            status = path.stat()
            return (
                f"no cap: permission denied: {path} is mode {status.st_mode & 0o7777:04o} of uid "
                f"{status.st_uid}, this process is uid {os.geteuid()}; the administrator must grant write "
                "access or set the cap"
            )
    return ""


def _is_zero(path: Path) -> bool:
    try:
        return read_number(path) == 0
    except (OSError, ValueError):
        return False
