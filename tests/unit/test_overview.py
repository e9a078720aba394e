"""What the report says of the runs' environments: one group where nothing contradicts."""

from typing import Any

from harness.report.overview import environments
from harness.results.records import Identity, Outcome, Record


def record(**environment: Any) -> Record:
    identity = Identity(
        study="s", experiment="e", point="p", rep=1, seed=1, scale="smoke", site="local", factors={}
    )
    return Record(identity=identity, environment=environment, outcome=Outcome(status="ok"), metrics=[])


def test_studies_with_other_programs_share_an_environment() -> None:
    engine = record(
        kernel="6.1", programs={"engine": {"native": True}}, power={"source": "none", "reason": "x"}
    )
    netsim = record(kernel="6.1", programs={"netsim": {"native": False}}, load_before=2.0)
    (group,) = environments([engine, netsim])
    assert group["runs"] == 2
    assert set(group["values"]["programs"]) == {"engine", "netsim"}
    assert group["values"]["power"]["source"] == "none"
    assert group["values"]["load_before"] == "0.00 … 2.00"


def test_it_says_whether_programs_came_from_images() -> None:
    image = {"name": "engine-0123", "sha256": "ab"}
    (own,) = environments([record(programs={"engine": {"sha256": "a"}})])
    assert own["values"]["software"] == "this machine"
    (mixed,) = environments([record(programs={"engine": {"image": image}, "netsim": {"native": False}})])
    assert mixed["values"]["software"] == "images engine-0123; this machine: netsim"
    (all_of_them,) = environments([record(programs={"engine": {"image": image}, "hadoop": {"image": image}})])
    assert all_of_them["values"]["software"] == "images engine-0123"


def test_a_rebuilt_program_or_another_kernel_is_another_environment() -> None:
    first = record(kernel="6.1", programs={"engine": {"sha256": "a"}})
    rebuilt = record(kernel="6.1", programs={"engine": {"sha256": "b"}})
    upgraded = record(kernel="6.2", programs={"engine": {"sha256": "a"}})
    assert [group["runs"] for group in environments([first, first, rebuilt, upgraded])] == [2, 1, 1]
