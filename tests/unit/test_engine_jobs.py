"""The engine as a framework of cells: its command line and what is made of its report."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cells import engine
from harness.cells.engine import Engine
from harness.core.errors import KvasirError
from harness.hadoop.jobs import JobError

REPORT: dict[str, Any] = {
    "format": "kvasir-hdfs-report-1",
    "job": "pagerank",
    "o_ranks": 2,
    "a_ranks": 1,
    "time": {"launched_s": 1000.0, "ready_s": 1000.4, "end_s": 1002.0, "startup": 0.4, "work": 1.6},
    "bytes": {"read": 5, "sent": 7},
    "blocks": {"written": 1},
    "facts": {"vertices": 9},
    "per_rank": [
        {
            "host": "n1",
            "o": 0,
            "a": 0,
            "spans": [
                {"kind": "map", "phase": "map", "start_s": 1000.5, "end_s": 1001.0},
                {"kind": "reduce", "phase": "shuffle", "start_s": 1000.5, "end_s": 1001.1},
            ],
        },
        {"host": "n2", "o": 1, "a": None},
    ],
}


def test_command_names_one_interface_and_no_shared_memory() -> None:
    words = engine.mpirun(["n1", "n2"], 3, "ib", ["/py thon", "rsh.py"], ["program", "--x"])
    assert words[:5] == ["mpirun", "-n", "3", "--host", "n1:2,n2:2"]
    assert words[-2:] == ["program", "--x"]
    settings = {words[i + 1]: words[i + 2] for i in range(len(words) - 2) if words[i] == "--mca"}
    assert settings["btl"] == "tcp,self"
    assert settings["btl_tcp_if_include"] == settings["oob_tcp_if_include"] == "ib"
    assert settings["plm_rsh_agent"] == "'/py thon' rsh.py"
    assert "plm_rsh_agent" not in engine.mpirun(["n1"], 1, "eth0", [], ["program"])


def test_history_has_the_form_of_hadoops() -> None:
    job = engine.history_of(REPORT, "x")
    assert (job.status, job.maps, job.reduces) == ("SUCCEEDED", 2, 1)
    assert job.submitted_ms == 1_000_000
    assert job.finished_s - job.launched_s == pytest.approx(1.6)
    assert job.counter("Count", "VERTICES") == 9
    assert [(span.attempt, span.host, span.phase) for span in job.spans] == [
        ("m_000000_0", "n1", "map"),
        ("r_000000_0", "n1", "shuffle"),
    ]
    assert job.spans[0].start_s == pytest.approx(0.5)


def test_refusals_name_what_there_is() -> None:
    assert Engine.refusal("sort") == ""
    assert Engine.refusal("bayes") == ("the engine runs only wordcount, grep, sort, terasort, pagerank")


def test_complaint_is_the_engines_own_line() -> None:
    said = "error: rank 0: no such file\n-----\nPrimary job terminated normally\n"
    assert engine.complaint(said) == "error: rank 0: no such file"
    assert engine.complaint("a\n\nb\n") == "a\nb"


def test_reports_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    with pytest.raises(JobError, match="the engine left no report"):
        engine.read_report(path)
    path.write_text(json.dumps({"format": "other"}))
    with pytest.raises(KvasirError, match="expected format kvasir-hdfs-report-1, found 'other'"):
        engine.read_report(path)
    path.write_text(json.dumps(REPORT))
    assert engine.read_report(path) == REPORT
