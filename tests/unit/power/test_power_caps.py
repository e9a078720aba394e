from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from power_trees import FileTree, as_nobody, gone, knm_tree, wait_until

from harness.kernel import guardian
from harness.measure import CapUnavailable, PowerError, PowerSettings, cap, restore

OLD = [215_000_000, 258_000_000]
OWNER = """
import os, sys, time
from pathlib import Path
from harness.measure import PowerSettings, cap
with cap(PowerSettings(source="powercap", root=Path(sys.argv[1]), state=Path(sys.argv[2])), 120):
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    print(children, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def settings(tree: FileTree, tmp_path: Path) -> PowerSettings:
    return PowerSettings(source="powercap", root=tree.root, state=tmp_path / "state")


def states(settings: PowerSettings) -> list[Path]:
    return sorted(settings.state_dir.glob("caps-*"))


def start_owner(tree: FileTree, settings: PowerSettings) -> tuple[subprocess.Popen[str], int]:
    """A process that holds a cap of 120 W, and the pid of its guardian."""
    source = Path(__file__).parents[3] / "src"
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tree.root), str(settings.state)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert owner.stdout is not None
    guardian_pid = int(owner.stdout.readline())
    owner.stdout.close()
    return owner, guardian_pid


def test_sets_both_limits_reads_them_back_and_restores(tree: FileTree, settings: PowerSettings) -> None:
    with cap(settings, 120) as held:
        assert tree.limits() == [120_000_000, 120_000_000]
        assert held.requested_w == 120
        assert [(entry["limit"], entry["W"]) for entry in held.read_back] == [
            ("long_term", 120.0),
            ("short_term", 120.0),
        ]
        assert held.source == "emulated:files"
        assert len(states(settings)) == 1
    assert tree.limits() == OLD
    assert states(settings) == []


def test_every_package_gets_the_cap(tree: FileTree, settings: PowerSettings) -> None:
    tree.zone("intel-rapl:1", "package-1", limits=True)
    with cap(settings, 90):
        assert tree.limits("intel-rapl:0") == tree.limits("intel-rapl:1") == [90_000_000] * 2
    assert tree.limits("intel-rapl:0") == tree.limits("intel-rapl:1") == OLD


def test_restores_when_the_run_fails(tree: FileTree, settings: PowerSettings) -> None:
    with pytest.raises(RuntimeError, match="run failed"), cap(settings, 120):
        raise RuntimeError("run failed")
    assert tree.limits() == OLD


def test_a_limit_that_was_switched_off_is_switched_on_and_off_again(
    tree: FileTree, settings: PowerSettings
) -> None:
    enabled = tree.root / "intel-rapl:0/enabled"
    enabled.write_text("0\n")
    with cap(settings, 120):
        assert enabled.read_text().split() == ["1"]
    assert enabled.read_text().split() == ["0"]


def test_peak_power_is_left_alone(tree: FileTree, settings: PowerSettings) -> None:
    zone = tree.root / "intel-rapl:0"
    (zone / "constraint_2_name").write_text("peak_power\n")
    (zone / "constraint_2_power_limit_uw").write_text("500000000\n")
    with cap(settings, 120):
        assert (zone / "constraint_2_power_limit_uw").read_text() == "500000000\n"


def test_a_limit_that_does_not_stick_is_no_cap(
    tree: FileTree, settings: PowerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clamp(path: Path, value: int) -> None:
        path.write_text(f"{max(value, 150_000_000)}\n" if "limit_uw" in path.name else f"{value}\n")

    monkeypatch.setattr(guardian, "write_value", clamp)
    with (
        pytest.raises(CapUnavailable, match="set to 120000000 uW but reads back 150000000"),
        cap(settings, 120),
    ):
        pytest.fail("entered without a cap")
    assert tree.limits() == OLD
    assert states(settings) == []


@pytest.mark.parametrize("watts", [0, -5])
def test_refuses_what_is_no_power(settings: PowerSettings, watts: float) -> None:
    with pytest.raises(CapUnavailable, match="is not a power"), cap(settings, watts):
        pytest.fail("entered without a cap")


def test_reason_without_tree_limits_or_rights(open_folder: Path, tmp_path: Path) -> None:
    def reason(root: Path) -> str:
        try:
            with cap(PowerSettings(source="powercap", root=root, state=tmp_path / "state"), 120):
                return "entered"
        except CapUnavailable as error:
            return str(error)

    assert "does not exist" in reason(tmp_path / "absent")
    bare = FileTree(tmp_path / "bare")
    bare.zone("intel-rapl:0", "package-0")
    assert "has a power limit" in reason(bare.root)
    tree = knm_tree(open_folder / "powercap")
    for path in tree.root.glob("*/constraint_*_power_limit_uw"):
        path.chmod(0o444)
    assert "permission denied" in as_nobody(lambda: reason(tree.root))
    assert tree.limits() == OLD


def test_an_emulated_cap_belongs_into_the_sampler() -> None:
    with (
        pytest.raises(CapUnavailable, match="give it cap_w"),
        cap(PowerSettings(source="emulated:knm-like"), 120),
    ):
        pytest.fail("entered without a cap")


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_guardian_restores_after_the_owner_was_killed(
    tree: FileTree, settings: PowerSettings, signum: signal.Signals
) -> None:
    owner, guardian_pid = start_owner(tree, settings)
    assert tree.limits() == [120_000_000] * 2
    owner.send_signal(signum)
    owner.wait()
    wait_until(lambda: tree.limits() == OLD and not states(settings), "guardian restored the limits")
    wait_until(lambda: gone(guardian_pid), "guardian ended")


@pytest.mark.parametrize("by", ["restore", "next cap"])
def test_limits_survive_the_death_of_owner_and_guardian(
    tree: FileTree, settings: PowerSettings, by: str
) -> None:
    owner, guardian_pid = start_owner(tree, settings)
    os.kill(guardian_pid, signal.SIGKILL)
    owner.kill()
    owner.wait()
    assert tree.limits() == [120_000_000] * 2
    if by == "restore":
        assert restore(settings) == [f"{tree.root}: 3 values restored"]
        assert tree.limits() == OLD
    else:
        with cap(settings, 140):
            content = json.loads(states(settings)[0].read_text())
            assert sorted(content["values"].values()) == [1, *OLD]
            assert tree.limits() == [140_000_000] * 2
    assert tree.limits() == OLD
    assert restore(settings) == []


def test_two_owners_at_once_are_refused(tree: FileTree, settings: PowerSettings) -> None:
    with cap(settings, 120):
        with pytest.raises(CapUnavailable, match=f"process {os.getpid()} holds one"), cap(settings, 140):
            pytest.fail("entered a second time")
        assert restore(settings) == [f"{tree.root}: cap is held by running process {os.getpid()}"]
        assert tree.limits() == [120_000_000] * 2
    assert tree.limits() == OLD


def forged(**changes: Any) -> dict[str, Any]:
    content = {"root": "/", "values": {}, "pid": 1, "start": "0", "boot": guardian.boot_id(), "token": "x"}
    return {**content, **changes}


@pytest.mark.parametrize(
    "values",
    [{"../../etc/passwd": 1}, {"intel-rapl:0/energy_uj": 1}, {"intel-rapl:0/enabled": "1"}, [], None],
)
def test_a_forged_state_writes_nothing(tmp_path: Path, values: Any) -> None:
    settings = PowerSettings(state=tmp_path / "state")
    guardian.private_folder(settings.state_dir)
    (settings.state_dir / "caps-x.json").write_text(json.dumps(forged(values=values)))
    with pytest.raises(PowerError, match="not a state of power limits"):
        restore(settings)


def test_a_truncated_state_is_an_error(tmp_path: Path) -> None:
    settings = PowerSettings(state=tmp_path / "state")
    guardian.private_folder(settings.state_dir)
    (settings.state_dir / "caps-x.json").write_text('{"root": "/sys')
    with pytest.raises(PowerError, match="check the limits by hand"):
        restore(settings)


def test_a_state_folder_that_others_can_write_is_refused(tree: FileTree, settings: PowerSettings) -> None:
    settings.state_dir.mkdir()
    settings.state_dir.chmod(0o777)
    with pytest.raises(CapUnavailable, match="not a private folder"), cap(settings, 120):
        pytest.fail("entered without a cap")
    assert tree.limits() == OLD


def test_limits_of_an_earlier_boot_are_forgotten(tree: FileTree, settings: PowerSettings) -> None:
    guardian.private_folder(settings.state_dir)
    key = "intel-rapl:0/constraint_0_power_limit_uw"
    state = settings.state_dir / "caps-x.json"
    state.write_text(json.dumps(forged(root=str(tree.root), values={key: 1}, boot="earlier")))
    restore(settings)
    assert tree.limits() == OLD and not state.exists()
