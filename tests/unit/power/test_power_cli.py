from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from power_trees import FileTree, gone, wait_until

from harness.measure import PowerError, PowerSettings


def power(*arguments: str | Path, **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harness.measure", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **options},
    )


def test_probe_as_json_lists_every_source(tree: FileTree) -> None:
    done = power("probe", "--json", "--root", tree.root)
    assert done.returncode == 0, done.stderr
    rows = {row["source"]: row for row in json.loads(done.stdout)}
    assert set(rows) == {"powercap", "papi", "redfish", "slurm", "emulated:knm-like", "none"}
    assert rows["powercap"]["usable"] and rows["powercap"]["gives"] == "emulated:files"
    assert all(row["usable"] or row["reason"] for row in rows.values())


def test_probe_for_a_human(tmp_path: Path) -> None:
    done = power("probe", "--root", tmp_path / "absent", COLUMNS="200")
    assert done.returncode == 0
    assert "powercap" in done.stdout and "does not exist" in done.stdout


@pytest.mark.parametrize(("program", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)])
def test_run_passes_the_exit_code_through(tmp_path: Path, program: str, code: int) -> None:
    trace = tmp_path / "trace.csv"
    done = power("run", "--source", "none", "-o", trace, "--", "sh", "-c", program)
    assert done.returncode == code, done.stderr
    assert trace.exists() and json.loads((tmp_path / "trace.json").read_text())["source"] == "none"


def test_run_leaves_the_programs_options_alone(tmp_path: Path) -> None:
    done = power("run", "--source", "none", "-o", tmp_path / "t.csv", "--", "echo", "-o", "--source", "x")
    assert done.stdout == "-o --source x\n"


def test_run_of_what_does_not_exist(tmp_path: Path) -> None:
    done = power("run", "--source", "none", "-o", tmp_path / "t.csv", "--", "/no/such/program")
    assert done.returncode == 1
    assert done.stderr == "harness.measure: /no/such/program: cannot be started: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []


def test_run_with_a_cap_that_cannot_be_set(tmp_path: Path) -> None:
    done = power(
        "run", "--root", tmp_path / "absent", "--cap-w", "120", "-o", tmp_path / "t.csv", "--", "true"
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1 and "does not exist" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_program_dies_with_its_wrapper(tmp_path: Path) -> None:
    wrapper = subprocess.Popen(
        [
            *(sys.executable, "-m", "harness.measure", "run", "--source", "none", "-o", tmp_path / "t.csv"),
            *("--", "sh", "-c", "echo $$; exec sleep 1000"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert wrapper.stdout is not None
    program = int(wrapper.stdout.readline())
    wrapper.kill()
    wrapper.wait()
    wrapper.stdout.close()
    wait_until(lambda: gone(program), "the program ended")
    wait_until(lambda: list(tmp_path.iterdir()) == [], "the unfinished trace was removed")


DAEMON = "sleep 1000 & echo $!; {end}"


def test_what_the_program_left_behind_ends_with_it(tmp_path: Path) -> None:
    done = power(
        "run", "--source", "none", "-o", tmp_path / "t.csv", "--", "sh", "-c", DAEMON.format(end="exit 4")
    )
    assert done.returncode == 4
    wait_until(lambda: gone(int(done.stdout)), "the orphan ended")


def test_ranks_end_when_the_wrapper_is_killed(tmp_path: Path) -> None:
    wrapper = subprocess.Popen(
        [
            *(sys.executable, "-m", "harness.measure", "run", "--source", "none", "-o", tmp_path / "t.csv"),
            *("--", "sh", "-c", DAEMON.format(end="sleep 1; echo seen; wait")),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert wrapper.stdout is not None
    rank = int(wrapper.stdout.readline())
    assert wrapper.stdout.readline() == "seen\n"  # by now the sampler has found the rank
    wrapper.kill()
    wrapper.wait()
    wrapper.stdout.close()
    wait_until(lambda: gone(rank), "the rank ended")


def test_signals_reach_the_program(tmp_path: Path) -> None:
    wrapper = subprocess.Popen(
        [
            *(sys.executable, "-m", "harness.measure", "run", "--source", "none", "-o", tmp_path / "t.csv"),
            *("--", "sh", "-c", "trap 'exit 5' TERM; echo up; while :; do sleep 0.02; done"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert wrapper.stdout is not None and wrapper.stdout.readline() == "up\n"
    wait_until(lambda: _handles(wrapper.pid, signal.SIGTERM), "the wrapper handles signals")
    wrapper.send_signal(signal.SIGTERM)
    assert wrapper.wait() == 5
    wrapper.stdout.close()
    assert (tmp_path / "t.csv").exists()


def _handles(pid: int, signum: int) -> bool:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "SigCgt" in line)
    return bool(int(line.split()[1], 16) >> (signum - 1) & 1)


def test_restore_without_anything_to_restore(tmp_path: Path) -> None:
    done = power("restore", "--settings", json.dumps({"state": str(tmp_path / "state")}))
    assert (done.returncode, done.stdout) == (0, "nothing to restore\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"source": "rapl"}', "power setting source"),
        ('{"max_power_w": -1}', "power setting max_power_w: Input should be greater than 0; found -1"),
        ('{"watts": 1}', "power setting watts: Extra inputs"),
        ('{"redfish": {"url": "bmc"}}', "power setting redfish.url"),
        ('{"source": "redfish"}', "needs the section 'redfish'"),
        ("{", "power setting (whole document)"),
        ("/no/such/file.json", "/no/such/file.json: cannot read the power settings"),
    ],
)
def test_bad_settings_name_key_and_value(text: str, message: str) -> None:
    with pytest.raises(PowerError) as error:
        PowerSettings.load(text)
    assert message in str(error.value)


def test_settings_survive_the_trip_to_the_sampler() -> None:
    settings = PowerSettings.load('{"source": "redfish", "redfish": {"url": "https://bmc.example"}}')
    assert PowerSettings.load(settings.model_dump_json()) == settings


OUTSIDE = """
from harness.measure.model import Probe, Reader, Reading, Source, timed
from time import monotonic

class Lamp(Source):
    key = "lamp"

    def probe(self):
        return Probe(True, "measured:lamp", "", ("node",))

    def open(self):
        return LampReader(self._settings.options["watts"])

class LampReader(Reader):
    def __init__(self, watts):
        super().__init__()
        self.kinds = {"node": "gauge"}
        self._watts = watts

    def read(self):
        return [timed("node", lambda: self._watts)]

class Broken(Source):
    key = "broken"
"""


def test_a_source_from_outside_is_named_by_its_class(tmp_path: Path) -> None:
    (tmp_path / "meters").mkdir()
    (tmp_path / "meters" / "lamp.py").write_text(OUTSIDE)
    settings = json.dumps({"source": "meters.lamp:Lamp", "options": {"watts": 40}})
    words = ["run", "--settings", settings, "--period-ms", "20", "-o", tmp_path / "trace.csv"]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = power(*words, "--", "sleep", "0.4", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "trace.json").read_text())
    assert (summary["source"], summary["domains"]["node"]["power_mean_W"]) == ("measured:lamp", 40)
    rows = json.loads(power("probe", "--json", "--settings", settings, PYTHONPATH=path).stdout)
    assert rows[-1]["source"] == "meters.lamp:Lamp" and rows[-1]["usable"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("meters.lamp:Broken", "meters.lamp:Broken: expected a class that defines open, probe"),
        ("meters.lamp:OUTSIDE", "meters.lamp:OUTSIDE: module meters.lamp has no OUTSIDE"),
        ("no.such:Source", "is its folder on PYTHONPATH?"),
    ],
)
def test_a_class_that_is_no_source_is_one_message(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "meters").mkdir()
    (tmp_path / "meters" / "lamp.py").write_text(OUTSIDE)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = power("run", "--source", name, "-o", tmp_path / "trace.csv", "--", "true", PYTHONPATH=path)
    assert done.returncode == 1
    assert message in done.stderr and "Traceback" not in done.stderr
