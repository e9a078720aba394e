"""Hosts for the tests: two interfaces with rates of ratio ten, with root's rights and without."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.hosts import HostsSettings, plan, probing, refusal

RATES = {"gbe": {"rate_mbit_s": 30}, "ib": {"rate_mbit_s": 300}}


def without_root() -> probing.Isolation:
    """How an ordinary user gets namespaces; root can go the same way."""
    unshare = probing.program("unshare") or "unshare"
    return probing.Isolation((unshare, *probing._USER, *probing._NAMESPACES), False, {}, "")


def ways() -> list[str]:
    return ["root", "user"] if os.geteuid() == 0 else ["user"]


@pytest.fixture(params=ways())
def way(request: pytest.FixtureRequest) -> str:
    """With root's rights, and in a user namespace."""
    return str(request.param)


@pytest.fixture
def emulated(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostsSettings:
    return settings_of(way, tmp_path, monkeypatch)


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostsSettings:
    return settings_of("local", tmp_path, monkeypatch)


SRUN = """#!/bin/sh
# Does on this machine what srun does with one task; its arguments are kept for the test.
echo "$@" >> "$SRUN_CALLS"
while :; do
    case $1 in
        --chdir=*) cd "${1#--chdir=}" || exit 1 ;;
        --*) ;;
        *) break ;;
    esac
    shift
done
SLURM_STEP_ID=7 "$@"
"""


def settings_of(way: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> HostsSettings:
    """Hosts of a kind, emulated ones by a way; `slurm` with a stand-in for srun."""
    (folder / "scratch").mkdir()
    content: dict[str, Any] = {"kind": "local", "scratch": str(folder / "scratch")}
    if way == "slurm":
        srun = folder / "srun"
        srun.write_text(SRUN)
        srun.chmod(0o755)
        monkeypatch.setenv("SLURM_JOB_ID", "1")
        monkeypatch.setenv("SRUN_CALLS", str(folder / "calls"))
        content |= {"kind": "slurm", "interfaces": {"gbe": {"device": "lo", "names": "{host}"}}}
        content["slurm"] = {"srun": [str(srun)], "nodes": ["n0", "n1"], "python": sys.executable}
    elif way != "local":
        content |= {"kind": "emulated", "interfaces": RATES}
    if way == "user":
        monkeypatch.setattr(plan, "isolation", without_root)
    settings = HostsSettings.parse(content)
    if reason := refusal(settings):
        pytest.skip(reason)
    return settings
