"""What a site file may say about hosts, and what is said when it cannot be had here."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.hosts import HostError, HostsSettings, disk_refusal, hosts, probing, refusal
from harness.hosts.cli import load
from harness.hosts.model import shown, tail
from harness.kernel import cgroups


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"kind": "cloud"}, "kind: Input should be 'emulated', 'local' or 'slurm'; correct the site file"),
        ({"speed": 3}, "speed: Extra inputs are not permitted"),
        (
            {"interfaces": {"gbe": {"rate_mbit_s": 0}}},
            r"interfaces\.gbe\.rate_mbit_s: Input should be greater than 0",
        ),
        ({"interfaces": {"Gigabit-Ethernet": {}}}, "interface 'Gigabit-Ethernet': a name is a letter"),
        ({"interfaces": {"lo": {}}}, "the name is taken"),
        ({"interfaces": {}}, "at least 1 item"),
        ({"default": "eth"}, "default: 'eth' is none of the interfaces gbe, ib"),
        ({"kind": "local", "interfaces": {"gbe": {"rate_mbit_s": 1}}}, "only emulated hosts have a rate"),
        ({"kind": "local", "cpu_cores": 1}, "only emulated hosts have a quota"),
        (
            {"kind": "local", "disks": {"ram": {"medium": "memory", "size_mb": 16}}},
            "medium memory needs emulated",
        ),
        ({"kind": "slurm"}, "interface 'gbe': kind slurm needs a device"),
        ({"interfaces": {"gbe": {"device": "eth0"}}}, "kind emulated cannot have a device"),
        ({"disks": {"hdd": {"read_mb_s": 10}}}, "read_mb_s and write_mb_s need medium: throttled"),
        ({"disks": {"hdd": {"size_mb": 100}}}, "a folder has no size of its own"),
        ({"disks": {"hdd": {"medium": "device"}}}, "medium: device needs size_mb"),
        ({"disks": {"hdd": {"medium": "throttled"}}}, "medium: throttled needs read_mb_s or write_mb_s"),
        (
            {"disks": {"hdd": {"medium": "throttled", "read_mb_s": 1, "size_mb": 16}}},
            "a folder has no size of its own",
        ),
        (
            {"kind": "local", "disks": {"hdd": {"medium": "throttled", "read_mb_s": 1}}},
            "medium throttled needs emulated",
        ),
        ({"disks": {"ram": {"medium": "memory", "size_mb": 16, "path": "/x"}}}, "memory lies in no path"),
    ],
)
def test_wrong_settings_are_named(content: dict[str, Any], message: str) -> None:
    with pytest.raises(HostError, match=message):
        HostsSettings.parse(content)


def test_settings_survive_their_text() -> None:
    settings = HostsSettings.parse({"disks": {"hdd": {"medium": "device", "size_mb": 64, "write_mb_s": 5}}})
    assert HostsSettings.model_validate_json(settings.model_dump_json()) == settings


def test_settings_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text("description: x\nhosts:\n  kind: local\n")
    assert load(str(tmp_path / "site.yaml")).kind == "local"
    assert load("{kind: local}").kind == "local"
    with pytest.raises(HostError, match="settings of hosts"):
        load("{kind: [")


def refused(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> str:
    base = probing.Isolation(("unshare",), False, {}, "")
    monkeypatch.setattr(probing, "isolation", lambda: dataclasses.replace(base, **changes))
    return refusal(HostsSettings.parse({"interfaces": {"gbe": {"rate_mbit_s": 5}}}))


def test_refusals_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(monkeypatch) == ""
    assert "no namespaces: not permitted" in refused(monkeypatch, reason="no namespaces: not permitted")
    assert "modprobe veth" in refused(monkeypatch, failed={"veth": "Operation not supported"})
    assert "modprobe sch_tbf" in refused(monkeypatch, failed={"tbf": "No such file"})
    assert refusal(HostsSettings()) == ""  # no rate, no tbf
    assert "systempaths" in refused(monkeypatch, failed={"proc": "Operation not permitted"})


def test_hosts_that_are_refused_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    refused(monkeypatch, reason="no namespaces: not permitted")
    with (
        pytest.raises(HostError, match="emulated hosts: no namespaces: not permitted"),
        hosts(HostsSettings(), 1),
    ):
        pass


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "program", lambda name: None if name in ("ip", "tc") else name)
    assert "no ip, tc: install the packages" in probing.isolation.__wrapped__().reason


def test_forbidden_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a kernel or a container forbids them: every way fails, and the reason is the last error."""
    monkeypatch.setattr(probing, "_NAMESPACES", ["--no-such-option"])
    reason = probing.isolation.__wrapped__().reason
    assert reason.startswith("no namespaces: ")
    assert "kind: local" in reason


def test_scratch_folders_are_looked_at(tmp_path: Path) -> None:
    settings = HostsSettings(kind="local", scratch=tmp_path / "none")
    assert f"{tmp_path}/none: no such folder" in refusal(settings)
    assert "disk 'hdd': the site's hosts have only ssd" in disk_refusal(settings, "hdd")


def test_a_throttled_folder_needs_a_compiler_and_a_plain_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disks = {"hdd": {"medium": "throttled", "write_mb_s": 1}}
    blank = tmp_path / "a b"
    blank.mkdir()
    settings = HostsSettings.parse({"disks": disks, "scratch": str(blank)})
    assert f"{blank}: the loader of programs takes no library" in disk_refusal(settings, "hdd")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install the package gcc" in disk_refusal(settings, "hdd")


@pytest.mark.skipif(os.geteuid() == 0, reason="as root disks with rates may be possible")
def test_devices_need_root() -> None:
    settings = HostsSettings.parse({"disks": {"hdd": {"medium": "device", "size_mb": 16, "read_mb_s": 1}}})
    assert "needs root" in disk_refusal(settings, "hdd")


def test_disks_with_rates_need_real_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "isolation", lambda: probing.Isolation(("unshare",), False, {}, ""))
    settings = HostsSettings.parse({"disks": {"hdd": {"medium": "device", "size_mb": 16, "read_mb_s": 1}}})
    assert "needs root" in disk_refusal(settings, "hdd")


def test_a_disk_that_is_not_asked_for_may_be_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disks = {"ssd": {}, "bad": {"path": str(tmp_path / "none")}}
    settings = HostsSettings.parse({"kind": "local", "scratch": str(tmp_path), "disks": disks})
    with pytest.raises(HostError, match="no such folder"), hosts(settings, 1):
        pass
    with hosts(settings, 1, disks=["ssd"]) as h:
        assert h[0].scratch("ssd").is_dir()


def test_quota_needs_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    refused(monkeypatch)
    monkeypatch.setattr(cgroups, "place", lambda _: "no control groups with cpu are mounted")
    assert "cpu_cores: no control group can be made: no control groups" in refusal(HostsSettings(cpu_cores=1))


def test_commands_and_tails_are_shortened() -> None:
    assert shown(["a b", "c"]) == "'a b' c"
    assert len(shown(["x" * 500])) == 200
    assert tail("\n".join(map(str, range(100))), 2) == "98\n99"


def test_command_line(tmp_path: Path) -> None:
    def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", "harness.hosts", *arguments]
        return subprocess.run(command, capture_output=True, text=True, input=text, env=env, timeout=120)

    probe = run("probe")
    assert probe.returncode == 0
    assert "local hosts          yes" in probe.stdout
    shell = run(
        "shell", "--settings", "{kind: local}", "--hosts", "2", "--on", "1", text="echo from here; exit 5\n"
    )
    assert (shell.returncode, shell.stdout, shell.stderr) == (5, "from here\n", "")
    wrong = run("shell", "--settings", "{kind: locl}")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("hosts: settings of hosts: kind: Input should be")
    assert run("shell", "--on", "7").stderr == "hosts: --on 7: there are hosts 0 to 1\n"
