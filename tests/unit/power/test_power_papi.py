from __future__ import annotations

import ctypes.util
import os
import subprocess
from pathlib import Path

import pytest
from power_trees import FileTree, as_nobody, knm_tree

from harness.measure import PowerError, PowerSettings, rapl, resolve
from harness.measure.sources.papi import Papi

RANGE = 200_000_000


@pytest.fixture(scope="session")
def double(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("papi") / "libpapi.so"
    source = Path(__file__).with_name("papi_double.c")
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source], check=True)
    for folder in (library, *library.parents):
        if folder.owner() == Path.home().owner() and "pytest" in str(folder):
            folder.chmod(0o755)
    return library


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileTree:
    """A tree whose counters turn every 200 J, and which the double reads."""
    tree = FileTree(tmp_path / "powercap")
    tree.zone("intel-rapl:0", "package-0", energy=123_456_789, range_uj=RANGE)
    tree.zone("intel-rapl:0:0", "core", range_uj=RANGE)
    tree.zone("intel-rapl:0:1", "dram", energy=50_000_000, range_uj=RANGE)
    monkeypatch.setenv("PAPI_DOUBLE_ROOT", str(tree.root))
    return tree


def settings(tree: FileTree, double: Path) -> PowerSettings:
    return PowerSettings(source="papi", root=tree.root, papi_library=str(double))


def test_absolute_value_of_a_counter_that_has_not_moved_is_no_energy(small: FileTree, double: Path) -> None:
    reader = Papi(settings(small, double), "").open()
    for _ in range(3):
        assert [reading.value for reading in reader.read()] == [0.0, 0.0]
    small.set("intel-rapl:0", 130_456_789)
    package, dram = reader.read()
    assert (package.value, dram.value) == (pytest.approx(7.0), 0.0)
    small.set("intel-rapl:0:1", 51_000_000)
    assert [reading.value for reading in reader.read()] == [pytest.approx(7.0), pytest.approx(1.0)]
    reader.close()


def test_no_energy_is_lost_at_a_turn(small: FileTree, double: Path) -> None:
    reader = Papi(settings(small, double), "").open()
    for step in range(1, 12):
        small.set("intel-rapl:0", (123_456_789 + step * 72_000_000) % RANGE)
        assert reader.read()[0].value == pytest.approx(72.0 * step)
    assert reader.details()["zones"][0]["energy_J"] == pytest.approx(792.0)
    reader.close()


def test_events_follow_the_names_of_zones(small: FileTree, double: Path) -> None:
    reader = Papi(settings(small, double), "").open()
    events = {zone["zone"]: zone["event"] for zone in reader.details()["zones"]}
    assert events == {
        "package-0": "powercap:::ENERGY_UJ:ZONE0",
        "dram-0": "powercap:::ENERGY_UJ:ZONE0_SUBZONE1",
    }
    assert reader.details()["papi"] == {"version": "7.1", "library": str(double)}
    reader.close()


def test_ranges_that_differ_are_refused(small: FileTree, double: Path) -> None:
    small.zone("intel-rapl:1", "package-1", range_uj=RANGE + 1)
    probe = Papi(settings(small, double), "").probe()
    assert not probe.usable and "one energy range for zones that differ" in probe.reason


def test_three_packages_are_refused(small: FileTree, double: Path) -> None:
    for index in (1, 2):
        small.zone(f"intel-rapl:{index}", f"package-{index}", range_uj=RANGE)
    probe = Papi(settings(small, double), "").probe()
    assert not probe.usable and "room for 2 packages, this machine has 3" in probe.reason


def test_permission_is_the_reason_and_not_a_missing_event(
    open_folder: Path, double: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = knm_tree(open_folder / "powercap")
    monkeypatch.setenv("PAPI_DOUBLE_ROOT", str(tree.root))
    (tree.root / "intel-rapl:0/energy_uj").chmod(0o400 if os.geteuid() == 0 else 0)
    reason = as_nobody(lambda: Papi(settings(tree, double), "").probe().reason)
    assert "permission denied" in reason and "mode 0" in reason


def test_zone_that_fails_mid_run(small: FileTree, double: Path) -> None:
    reader = Papi(settings(small, double), "").open()
    (small.root / "intel-rapl:0/energy_uj").unlink()
    assert [(r.value, r.lasting) for r in reader.read()] == [(None, True), (None, True)]
    reader.close()


def test_library_without_the_component(
    small: FileTree, double: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPI_DOUBLE_BARE", "1")
    assert "built without the powercap component" in Papi(settings(small, double), "").probe().reason


def test_a_library_that_is_none(tmp_path: Path) -> None:
    bad = tmp_path / "libpapi.so"
    bad.write_text("no library")
    for path in (bad, tmp_path / "absent.so"):
        probe = Papi(PowerSettings(papi_library=str(path)), "").probe()
        assert not probe.usable and "not a usable libpapi" in probe.reason


def test_never_measured_out_of_files_or_a_marked_tree(
    small: FileTree, double: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert resolve(settings(small, double)).source_name == "emulated:files"
    monkeypatch.setattr(rapl, "is_sysfs", lambda path: True)
    assert resolve(settings(small, double)).source_name == "measured:rapl-papi"
    (small.root / "EMULATED").write_text("knm-like")
    assert resolve(settings(small, double)).source_name == "emulated:knm-like"


def test_the_tree_that_papi_really_reads_must_be_the_kernels_too(
    small: FileTree, double: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rapl, "is_sysfs", lambda path: path == small.root)
    assert resolve(settings(small, double)).source_name == "emulated:files"


def test_the_installed_libpapi() -> None:
    """Measures where it can; elsewhere gives a reason that a person can act on."""
    if ctypes.util.find_library("papi") is None:
        assert Papi(PowerSettings(), "").probe().reason == "libpapi is not installed"
        return
    probe = Papi(PowerSettings(), "").probe()
    if probe.usable:
        reader = Papi(PowerSettings(), "").open()
        assert "package" in reader.kinds
        reader.close()
    else:
        known = (
            "without the powercap component",
            "does not exist",
            "permission denied",
            "Intel processors only",
        )
        assert any(text in probe.reason for text in known), probe.reason
        with pytest.raises(PowerError):
            Papi(PowerSettings(), "").open()
