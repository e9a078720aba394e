"""Records: what is written is read back, and nothing half-written ever looks finished."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.errors import KvasirError
from harness.core.files import dump_json
from harness.results.records import (
    Identity,
    Metric,
    Outcome,
    Record,
    read,
    remove_leftovers,
    save,
    write_folder,
)

IDENTITY = Identity(
    study="s",
    experiment="e",
    point="p",
    rep=1,
    seed=7,
    scale="smoke",
    site="local",
    factors={"app": "x", "n": 3, "none": None},
)


def record(*metrics: Metric) -> Record:
    outcome = Outcome(status="ok", exit_code=0, started="2026-01-01T00:00:00+00:00", seconds=1.5)
    return Record(identity=IDENTITY, environment={"cpu": "c"}, outcome=outcome, metrics=list(metrics))


@given(
    value=st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    name=st.text(min_size=1, max_size=20),
)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, value: float | None, name: str) -> None:
    source, reason = ("none", "no meter") if value is None else ("measured:clock", "")
    made = record(Metric(name=name, value=value, unit="s", source=source, reason=reason))
    target = tmp_path_factory.mktemp("r") / "1"
    with write_folder(target) as folder:
        save(made, folder)
    assert read(target / "run.json") == made


@pytest.mark.parametrize(
    ("value", "source", "reason"), [(None, "none", ""), (None, "measured:clock", "x"), (1.0, "none", "x")]
)
def test_a_number_has_a_source_and_an_empty_one_a_reason(
    value: float | None, source: str, reason: str
) -> None:
    with pytest.raises(ValueError, match="metric m"):
        Metric(name="m", value=value, unit="s", source=source, reason=reason)


def test_failure_inside_leaves_the_old_record_and_no_scratch(tmp_path: Path) -> None:
    target = tmp_path / "1"
    with write_folder(target) as folder:
        save(record(), folder)
    before = (target / "run.json").read_bytes()
    with pytest.raises(RuntimeError), write_folder(target) as folder:
        (folder / "run.json").write_text("half")
        raise RuntimeError
    assert (target / "run.json").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["1"]


def test_a_new_record_replaces_all_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "1"
    with write_folder(target) as folder:
        (folder / "events.csv").write_text("old")
        save(record(), folder)
    with write_folder(target) as folder:
        save(record(), folder)
    assert [p.name for p in target.iterdir()] == ["run.json"]


def test_killed_writer_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from harness.results.records import write_folder\n"
        "with write_folder(Path(sys.argv[1])) as f:\n"
        "    (f / 'run.json').write_text('{}'); print('ready', flush=True); time.sleep(60)\n"
    )
    target = tmp_path / "3"
    writer = subprocess.Popen([sys.executable, "-c", program, str(target)], stdout=subprocess.PIPE)
    assert writer.stdout is not None and writer.stdout.readline() == b"ready\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert not (target / "run.json").exists()
    assert any(tmp_path.iterdir()), "the test has killed nothing"
    remove_leftovers(tmp_path, "3")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "Invalid JSON"),
        ('{"format": 1', "Invalid JSON"),
        ('{"format": 2}', "format"),
        ('{"format": 1}', "identity"),
    ],
)
def test_bad_record_is_named(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(KvasirError) as caught:
        read(path)
    assert str(path) in str(caught.value) and expected in str(caught.value)


def test_full_disk_leaves_no_file(tmp_path: Path) -> None:
    # A limit on file size is what a full disk looks like to the writer: an error in the middle of a write.
    program = (
        "import resource, signal, sys; from pathlib import Path; from harness.core.files import dump_json\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "dump_json(['x' * 100] * 1000, Path(sys.argv[1]))\n"
    )
    target = tmp_path / "big.json"
    done = subprocess.run(
        [sys.executable, "-c", program, str(target)], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0 and "File too large" in done.stderr
    assert not any(tmp_path.iterdir())
    dump_json({"small": 1}, target)
    assert target.exists()
    assert time.time() - os.stat(target).st_mtime < 60
