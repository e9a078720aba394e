from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from power_trees import FileTree, as_nobody, knm_tree

from harness.config.power import POWER_SOURCES
from harness.core.errors import PowerError
from harness.measure import PowerSettings, rapl, resolve
from harness.measure.model import Reading
from harness.measure.probe import build
from harness.measure.sources import powercap
from harness.measure.sources.powercap import Powercap


def settings(tree: FileTree, **more: Any) -> PowerSettings:
    return PowerSettings(source="powercap", root=tree.root, **more)


def values(readings: list[Reading]) -> dict[str, float | None]:
    return {reading.domain: reading.value for reading in readings}


def test_reads_joules_since_opening(tree: FileTree) -> None:
    reader = Powercap(settings(tree), "").open()
    tree.set("intel-rapl:0", 43_000_000)
    tree.set("intel-rapl:0:0", 3_500_000)
    assert values(reader.read()) == {"package": pytest.approx(42.0), "dram": pytest.approx(2.5)}
    assert all(reading.before <= reading.after for reading in reader.read())
    reader.close()


def test_each_zone_wraps_at_its_own_range(tmp_path: Path) -> None:
    tree = FileTree(tmp_path)
    tree.zone("intel-rapl:0", "package-0", energy=199_000_000, range_uj=200_000_000)
    tree.zone("intel-rapl:0:0", "dram", energy=65_000_000, range_uj=65_700_000)
    reader = Powercap(settings(tree), "").open()
    tree.set("intel-rapl:0", 4_000_000)
    tree.set("intel-rapl:0:0", 300_000)
    assert values(reader.read()) == {"package": pytest.approx(5.0), "dram": pytest.approx(1.0)}
    assert [zone["wraps"] for zone in reader.details()["zones"]] == [1, 1]
    assert [zone["range_uJ"] for zone in reader.details()["zones"]] == [200_000_000, 65_700_000]


def test_packages_are_summed_and_psys_first_stays_apart(tmp_path: Path) -> None:
    tree = FileTree(tmp_path)
    tree.zone("intel-rapl:0", "psys")
    tree.zone("intel-rapl:1", "package-0")
    tree.zone("intel-rapl:1:0", "core")
    tree.zone("intel-rapl:1:1", "dram")
    tree.zone("intel-rapl:2", "package-1")
    tree.zone("intel-rapl:2:0", "dram")
    tree.zone("intel-rapl-mmio:0", "package-0")
    reader = Powercap(settings(tree), "").open()
    for folder, joules in {
        "intel-rapl:0": 100,
        "intel-rapl:1": 10,
        "intel-rapl:1:0": 7,
        "intel-rapl:1:1": 1,
        "intel-rapl:2": 20,
        "intel-rapl:2:0": 2,
        "intel-rapl-mmio:0": 10,
    }.items():
        tree.set(folder, 1_000_000 + joules * 1_000_000)
    assert values(reader.read()) == {
        "psys": pytest.approx(100),
        "package": pytest.approx(30),
        "dram": pytest.approx(3),
    }
    labels = [zone["zone"] for zone in reader.details()["zones"]]
    assert labels == ["psys", "package-0", "package-1", "dram-0", "dram-1"]


def test_missing_dram_is_a_missing_domain(tmp_path: Path) -> None:
    tree = FileTree(tmp_path)
    tree.zone("intel-rapl:0", "package-0")
    assert Powercap(settings(tree), "").probe().domains == ("package",)


def test_range_zero(tmp_path: Path) -> None:
    tree = FileTree(tmp_path)
    tree.zone("intel-rapl:0", "package-0")
    tree.zone("intel-rapl:0:0", "dram", range_uj=0)
    assert Powercap(settings(tree), "").probe().domains == ("package",)
    (tree.root / "intel-rapl:0/max_energy_range_uj").write_text("0\n")
    probe = Powercap(settings(tree), "").probe()
    assert not probe.usable and "max_energy_range_uj is 0" in probe.reason


def test_no_tree_and_no_package(tmp_path: Path) -> None:
    absent = Powercap(PowerSettings(root=tmp_path / "absent"), "").probe()
    assert not absent.usable and "does not exist" in absent.reason
    tree = FileTree(tmp_path / "tree")
    tree.zone("intel-rapl:0", "psys")
    only_psys = Powercap(settings(tree), "").probe()
    assert not only_psys.usable and "no zone named package-N (found: ['psys'])" in only_psys.reason
    with pytest.raises(PowerError, match="no zone named package-N"):
        Powercap(settings(tree), "").open()


def test_garbage_in_the_counter(tree: FileTree) -> None:
    (tree.root / "intel-rapl:0/energy_uj").write_text("garbage\n")
    probe = Powercap(settings(tree), "").probe()
    assert not probe.usable and "energy_uj" in probe.reason and "garbage" in probe.reason


def test_permission_is_reported_as_such(open_folder: Path) -> None:
    tree = knm_tree(open_folder / "powercap")
    counter = tree.root / "intel-rapl:0/energy_uj"
    counter.chmod(0o400 if os.geteuid() == 0 else 0)
    reason, cap_reason = as_nobody(
        lambda: [Powercap(settings(tree), "").probe().reason, resolve(settings(tree)).cap_reason]
    )
    assert "permission denied" in reason and str(counter) in reason and "administrator" in reason
    assert "permission denied" in cap_reason


def test_readable_but_not_cappable(open_folder: Path) -> None:
    tree = knm_tree(open_folder / "powercap")
    for limit in tree.root.glob("*/constraint_*_power_limit_uw"):
        limit.chmod(0o444)
    if os.geteuid() != 0:
        assert not os.access(limit, os.W_OK)
    probe = as_nobody(lambda: list(vars(Powercap(settings(tree), "").probe()).values()))
    usable, _, _, domains, can_cap, cap_reason = probe
    assert usable and list(domains) == ["package", "dram"] and not can_cap
    assert "constraint_0_power_limit_uw is mode 0444" in cap_reason


def test_zone_that_vanishes_takes_its_domain_along(tree: FileTree) -> None:
    # A file below /proc/<pid> behaves like one of a zone that is removed: reading it fails although it is open.
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        counter = tree.root / "intel-rapl:0:0/energy_uj"
        counter.unlink()
        counter.symlink_to(f"/proc/{process.pid}/oom_score_adj")
        counter.write_text("100")
        reader = Powercap(settings(tree), "").open()
        counter.write_text("600")
        tree.set("intel-rapl:0", 2_000_000)
        assert values(reader.read()) == {"package": pytest.approx(1.0), "dram": pytest.approx(0.0005)}
    finally:
        process.kill()
        process.wait()
    tree.set("intel-rapl:0", 3_000_000)
    package, dram = reader.read()
    assert package.value == pytest.approx(2.0)
    assert dram.value is None and dram.lasting and "dram-0" in dram.problem


def test_reset_counter_is_lost_with_a_reason(tree: FileTree) -> None:
    tree.set("intel-rapl:0", 10**11)
    reader = Powercap(settings(tree), "").open()
    tree.set("intel-rapl:0", 5)
    assert reader.read()[0].value == 0.0
    package = reader.read()[0]
    assert package.value is None and "jumped" in package.problem


class TestProvenance:
    def test_files_are_never_measured(self, tree: FileTree) -> None:
        assert resolve(settings(tree)).source_name == "emulated:files"

    def test_marked_tree_keeps_its_name_even_on_sysfs(
        self, tree: FileTree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rapl, "is_sysfs", lambda path: True)
        assert resolve(settings(tree)).source_name == "measured:rapl-powercap"
        for place in (tree.root, tree.root.parent, tree.root / "intel-rapl:0:0"):
            marker = place / "EMULATED"
            marker.write_text("knm-like\nwhatever\n")
            assert resolve(settings(tree)).source_name == "emulated:knm-like"
            marker.write_text("measured:rapl-powercap")
            assert resolve(settings(tree)).source_name == "emulated:measuredrapl-powercap"
            marker.write_text("")
            assert resolve(settings(tree)).source_name == "emulated:unnamed"
            marker.unlink()

    def test_link_to_a_marked_tree(
        self, tree: FileTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rapl, "is_sysfs", lambda path: True)
        (tree.root / "EMULATED").write_text("x")
        link = tmp_path / "other" / "link"
        link.parent.mkdir()
        link.symlink_to(tree.root)
        assert resolve(PowerSettings(source="powercap", root=link)).source_name == "emulated:x"

    def test_is_sysfs_asks_the_kernel(self, tmp_path: Path) -> None:
        assert not rapl.is_sysfs(tmp_path)
        assert not rapl.is_sysfs(tmp_path / "absent")
        assert rapl.is_sysfs(Path("/sys/kernel"))


class TestAuto:
    def test_joins_the_reasons(self, tmp_path: Path) -> None:
        found = resolve(PowerSettings(root=tmp_path / "absent"))
        assert found.source_name == "none" and not found.can_cap and found.domains == ()
        assert found.reason.startswith("no power source: powercap: ") and "; papi: " in found.reason

    def test_never_takes_an_emulated_tree(self, tree: FileTree) -> None:
        found = resolve(PowerSettings(root=tree.root))
        assert found.source_name == "none" and "emulated:files" in found.reason

    def test_takes_powercap_first(self, tree: FileTree, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rapl, "is_sysfs", lambda path: True)
        found = resolve(PowerSettings(root=tree.root))
        assert found.source_name == "measured:rapl-powercap" and found.can_cap
        assert isinstance(found.source, powercap.Powercap)


def test_every_source_is_registered_by_its_key() -> None:
    names = {key: f"{key}:x" if entry.argument else key for key, entry in POWER_SOURCES.items()}
    found = {key: build(PowerSettings.model_construct(source=name)).key for key, name in names.items()}
    assert found == {key: key for key in POWER_SOURCES}
    assert set(POWER_SOURCES) == {"powercap", "papi", "redfish", "slurm", "emulated", "none"}


def test_none_says_that_it_was_asked_for() -> None:
    found = resolve(PowerSettings(source="none"))
    assert (found.source_name, found.domains, found.can_cap) == ("none", (), False)
    assert "'none' was asked for" in found.reason
