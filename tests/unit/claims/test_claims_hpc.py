"""The claims of study hpc against made-up tables: all of them run, and say what the tables hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cells_tables import write_tables
from cells_world import PAPER, Change, Factors, Numbers, Recount, Resample, World
from judging import Judge, with_verdict

from harness.claims.files import read_claims
from harness.claims.model import Verdict

CLAIMS = Path(__file__).parents[3] / "config" / "claims" / "hpc.yaml"
IDS = list(range(1, 76))
HAVE = ("own-machines", "infiniband", "two-disks", "node-meter", "datampi", "rdma-hadoop-itself")
"""What the paper's own site has."""
INCONSISTENT = {54, 72}
ANALYTIC = {1, 2, 45, 62, 68, 73}
COUNTED = {17, 70}
"""Counts that are literal at any size."""
VARIANTS = {6, 7, 8, 14, 15, 25, 26, 27, 28, 31, 32, 33, 38, 42, 47, 48, 49, 50, 56, 61, 66, 67, 71, 75}
"""Claims about frameworks that nothing runs yet."""
ENERGY = {19, 36, 46, 74}
"""Claims about joules that the model cannot stand in for: of other nodes, other disks, DataMPI."""
MODELLED = {18, 21, 34}
"""Claims about joules for which the model of watts stands in."""
DISKS = {9, 10, 11, 12, 22, 30, 43, 44}
CONSTRUCTED = {4, 5, 69}
"""Set by the emulated rates of the interfaces."""
DATAMPI = {16, 29, 35, 40, 55, 64}
"""Claims about DataMPI or about sizes that a laptop has not."""
LAPTOP = World(nodes=(3, 5), disks=("ssd",), size=0.01, ungrouped=True)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(
        CLAIMS, lambda place, world: write_tables(place, "hpc", world), tmp_path_factory.mktemp("worlds")
    )


def test_all_claims_are_there_in_order() -> None:
    assert [claim.id for claim in read_claims(CLAIMS).claims] == [f"HPC-{number:02}" for number in IDS]


def test_where_the_paper_holds_every_claim_is_reproduced_or_inconsistent(judge: Judge) -> None:
    rows = judge.rows(PAPER, HAVE)
    assert with_verdict(rows, "paper inconsistent") == INCONSISTENT
    assert with_verdict(rows, "reproduced") == set(IDS) - INCONSISTENT - {50}
    assert "no run of it failed" in rows[50].reason
    assert "0.5543 (MB of 2^14 vertices" in rows[72].reason


def test_a_size_that_is_too_large_is_one_at_which_runs_fail(judge: Judge) -> None:
    rows = judge.rows(replace(PAPER, failing=frozenset({("rdma-hadoop", "terasort", 3)})), HAVE)
    assert (rows[50].verdict, rows[50].high) == ("reproduced", pytest.approx(50))


def test_a_gap_that_is_open_on_the_smallest_cluster_does_not_open_later(judge: Judge) -> None:
    def open_from_the_start(study: str, f: Factors, rep: int, found: Numbers) -> None:
        if f["framework"] == "hadoop-gbe" and f["nodes"] == 3:
            found["time.total"] *= 2

    rows = judge.rows(replace(PAPER, change=open_from_the_start), HAVE)
    assert rows[23].verdict != "reproduced"


def test_on_a_laptop_variants_are_not_run_and_joules_not_testable(judge: Judge) -> None:
    rows = judge.rows(LAPTOP)
    assert with_verdict(rows, "not run") == VARIANTS
    assert with_verdict(rows, "not testable here") == ENERGY | DISKS | CONSTRUCTED | DATAMPI
    assert with_verdict(rows, "reproduced") == ANALYTIC | COUNTED
    assert with_verdict(rows, "contradicted") == with_verdict(rows, "undecided") == set()
    assert "no power source" in rows[36].reason
    assert "this scale makes none of the runs" in rows[6].reason
    assert "have only ssd" in rows[12].reason
    assert "by a proxy, use of the workers' processors" in rows[52].reason


def test_emulated_joules_are_shown_and_are_no_evidence(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5), size=0.01, meter="emulated:knm-like"))
    assert rows[36].verdict == "not testable here"
    assert rows[36].n > 1
    assert "only emulated numbers" in rows[36].reason
    assert with_verdict(rows, "reproduced") == ANALYTIC | COUNTED
    assert {rows[number].source for number in MODELLED} == {"model:processor-use"}


def test_two_disks_give_directions(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5), size=0.01, meter="measured:rapl-powercap"))
    assert {9, 10, 12, 22, 18, 19, 21, 34, 43, 44, 74} <= with_verdict(rows, "direction")
    assert rows[11].verdict == "not testable here"
    assert "the rank correlation of two is 1 or -1" in rows[11].reason
    assert rows[62].verdict == "reproduced"


@pytest.mark.parametrize("status", ["not-run", "failed"])
def test_tables_without_a_single_number_give_not_run(judge: Judge, status: str) -> None:
    rows = judge.rows(World(nodes=(3,), disks=("ssd",), status=status))
    assert with_verdict(rows, "reproduced") == ANALYTIC
    # Attempts that failed have not been validated either.
    judged = ANALYTIC | INCONSISTENT | CONSTRUCTED | ({70} if status == "failed" else set())
    assert with_verdict(rows, "not run") == set(IDS) - judged
    assert "Hadoop is not built" in rows[51].reason


def wrong(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """Networks change places, disks too; energy falls with time; the engine is slow."""
    fast = f["framework"].endswith("-gbe")
    slow_disk = 3.0 if f["disk"] == "ssd" else 1.0
    found["time.total"] = (50.0 if fast else 100.0 + f["nodes"]) * slow_disk + 0.01 * rep
    if f["framework"] == "engine-ipoib":
        found["time.total"] *= 2
    if "throughput.stream" in found:
        found["throughput.stream"] = (90.0 if fast else 30.0) / slow_disk
    found["time.work"] = found["time.total"]
    found["ed2p"] = 1e9 / found["time.total"]
    found["shuffle.bytes"] = 0.5 * found["input.bytes"]


@pytest.mark.parametrize(
    ("change", "number", "said"),
    [
        (wrong, 3, "accepted: 0.8 to 1.2"),
        (wrong, 9, "value 0, accepted: >= 0.8"),
        (wrong, 12, "median 3"),
        (wrong, 13, "accepted: 0.9 to 1.1"),
        (wrong, 18, "value -0.9"),
        (wrong, 17, "true in 0 of"),
        (wrong, 22, "accepted: < 1 (in"),
        (wrong, 37, "accepted: < 1 (in 0 of"),
        (wrong, 62, "accepted: <= 1e-06"),
        (wrong, 65, "accepted: < 1 (in 0 of"),
    ],
)
def test_a_claim_reads_what_is_in_the_tables(judge: Judge, change: Change, number: int, said: str) -> None:
    row = judge.rows(World(nodes=(3, 5), meter="measured:rapl-powercap", change=change))[number]
    if number == 12:
        assert row.verdict == "direction"  # "barely improves" has no upper bound on getting worse
    else:
        assert row.verdict == "contradicted"
    assert said in row.reason


def test_traces_the_other_way_round_contradict_the_peak(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3,), disks=("ssd",), turned=True))
    # Of the processor, which falls where it rose: still at the same place.
    assert rows[52].verdict == "direction"
    assert rows[53].verdict == "contradicted"
    assert rows[58].verdict == "direction"


def test_what_the_emulated_rates_decide_is_not_judged(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5), size=0.01, change=wrong))
    assert {rows[number].verdict for number in CONSTRUCTED} == {"not testable here"}
    assert all("rates" in rows[number].reason for number in CONSTRUCTED)


def test_no_engine_stands_for_datampi(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5, 9), size=0.01))
    assert {rows[number].verdict for number in DATAMPI - {40}} == {"not testable here"}


def odd_times(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """All take about the same time, a little less where the processors do more."""
    more = f["framework"] == "hadoop-ipoib"
    found["time.total"] = found["time.work"] = 100 - 0.001 * more - 0.01 * f["nodes"]


def odd_use(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """WordCount's use of the processors grows as its time falls, that of the others is a little less over IPoIB."""
    more = f["framework"] == "hadoop-ipoib"
    use = 0.5 - 0.01 * more
    if f["benchmark"] == "wordcount":
        use = {3: 0.2, 5: 0.6}.get(f["nodes"], 0.6) + 0.35 * more
    use = use + 0.0001 * at
    values["cpu", "user"], values["cpu", "system"] = use, 0.0


@pytest.mark.parametrize("number", [18, 21, 34, 57, 60])
def test_another_use_of_the_processors_contradicts(judge: Judge, number: int) -> None:
    world = World(nodes=(3, 5), disks=("ssd",), size=0.01, change=odd_times, resample=odd_use)
    row = judge.rows(world)[number]
    assert row.verdict == "contradicted", row.reason
    assert "by a proxy" in row.reason


def slow_ssd(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """SSDs take more time than magnetic disks; more nodes as well."""
    found["time.total"] *= (2.0 if f["disk"] == "ssd" else 1.0) * f["nodes"] ** 2


@pytest.mark.parametrize("number", [19, 46, 74])
def test_the_model_of_watts_follows_disks_and_nodes(judge: Judge, number: int) -> None:
    without_a_meter = World(nodes=(3, 5, 9), missing=(), meter="")
    good = judge.rows(without_a_meter)[number]
    bad = judge.rows(replace(without_a_meter, change=slow_ssd))[number]
    assert (good.verdict, bad.verdict) == ("direction", "contradicted"), f"{good.reason}\n{bad.reason}"
    assert good.source == bad.source == "model:processor-use"
    assert good.basis == "simulated"


def test_the_model_says_nothing_of_nodes_on_one_machine(judge: Judge) -> None:
    assert judge.rows(World(nodes=(3, 5), disks=("ssd",), size=0.01))[19].verdict == "not testable here"


def test_one_repetition_decides_nothing_by_the_model(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5), disks=("ssd",), size=0.01, reps=1))
    assert {rows[number].verdict for number in MODELLED} == {"undecided"}


def lopsided(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """DataMPI draws most, over a small range, IPoIB far more than GbE; nothing falls from its peak."""
    level = {"engine-ipoib": 300.0, "hadoop-ipoib": 190.0}.get(f["framework"], 100.0)
    values["power", "power"] = level + 10 * at
    values["cpu", "user"] = 0.3 + 0.5 * at - 0.1 * (f["framework"] == "hadoop-ipoib")


@pytest.mark.parametrize("number", [52, 57, 60, 61])
def test_other_watts_contradict(judge: Judge, number: int) -> None:
    row = judge.rows(replace(PAPER, resample=lopsided, change=wrong_watts), HAVE)[number]
    assert row.verdict == "contradicted", row.reason


def wrong_watts(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """GbE draws most."""
    found["power.mean"] *= 2 if f["framework"] == "hadoop-gbe" else 1


def merged_on_disk(f: Factors, job: int, kind: str, counts: Numbers) -> None:
    """UDA and RDMA-Hadoop merge in several passes, as stock Hadoop."""
    if kind == "reduce":
        counts["SPILLED_RECORDS"] = 2 * counts["REDUCE_INPUT_RECORDS"]


def written_uncounted(f: Factors, job: int, kind: str, counts: Numbers) -> None:
    """Local files get what no merge counts."""
    if kind == "reduce":
        counts["FILE_BYTES_WRITTEN"] = 1.5 * counts["REDUCE_SHUFFLE_BYTES"]


@pytest.mark.parametrize("recount", [merged_on_disk, written_uncounted])
def test_bytes_on_disks_contradict_a_merge_in_memory(judge: Judge, recount: Recount) -> None:
    row = judge.rows(replace(PAPER, recount=recount), HAVE)[71]
    assert row.verdict == "contradicted", row.reason
    assert "true in 0 of" in row.reason


def kept_from_hdfs(f: Factors, job: int, kind: str, counts: Numbers) -> None:
    """The second job hands its output to the third by other means."""
    if job == 1:
        counts.pop("HDFS_BYTES_WRITTEN", None)


@pytest.mark.parametrize("world", [PAPER, LAPTOP])
def test_a_job_that_writes_nothing_to_hdfs_contradicts(judge: Judge, world: World) -> None:
    row = judge.rows(replace(world, recount=kept_from_hdfs), HAVE if world is PAPER else ())[51]
    assert row.verdict == "contradicted", row.reason


def less_on_small(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """SSDs help, most on large clusters; the gap between networks grows with the nodes, and is less with SSDs."""
    ssd, slow = f["disk"] == "ssd", f["framework"].endswith("-gbe")
    found["time.total"] = 100 / f["nodes"] if ssd else 100.0
    found["time.work"] = 100.0 * ((0.4 if ssd else 1.0) * f["nodes"] if slow else 1.0)


@pytest.mark.parametrize(("number", "said"), [(22, "(in 4 of 6 scenarios)"), (23, "(in 2 of 4 scenarios)")])
def test_the_second_half_of_a_statement_counts(judge: Judge, number: int, said: str) -> None:
    row = judge.rows(World(nodes=(3, 5), size=0.01, change=less_on_small))[number]
    assert row.verdict == "contradicted", row.reason
    assert said in row.reason


def closer(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """Frameworks differ by their names' lengths, less the more nodes there are."""
    found["time.total"] = 100 + 50 * len(f["framework"]) / f["nodes"] ** 2


@pytest.mark.parametrize("number", [14, 35])
def test_frameworks_that_come_closer_contradict(judge: Judge, number: int) -> None:
    row = judge.rows(replace(PAPER, change=closer), HAVE)[number]
    assert row.verdict == "contradicted", row.reason


def unsteady(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """GbE takes ten times as long in all executions but the first."""
    slow = f["framework"].endswith("-gbe") and rep > 1
    found["time.total"] = found["time.work"] = 1000.0 if slow else 100.0 + 0.001 * len(f["framework"])


def test_a_variation_that_executions_do_not_share_is_undecided(judge: Judge) -> None:
    world = World(nodes=(3, 5), disks=("ssd",), size=0.01, change=unsteady, resample=odd_use)
    row = judge.rows(world)[21]
    assert row.verdict == "undecided", row.reason


def test_thirteen_nodes_give_their_own_direction(judge: Judge) -> None:
    row = judge.rows(World(size=0.01))[40]
    assert (row.verdict, row.n) == ("direction", 3), row.reason


def test_claims_about_networks_are_told_with_the_emulated_rates(judge: Judge) -> None:
    rows = judge.rows(LAPTOP)
    assert rows[13].explanation.endswith("Emulated links, limited to 200 and 800 Mbit/s.")
    assert "Mbit/s" not in rows[2].explanation
    assert "Mbit/s" not in judge.rows(PAPER, HAVE)[13].explanation


def test_start_up_decides_nothing_about_networks(judge: Judge) -> None:
    def late(study: str, f: Factors, rep: int, found: Numbers) -> None:
        """Over GbE every run starts late, the work takes equally long."""
        found["time.work"] = 20.0 + 0.01 * rep * (-1) ** (rep + f["framework"].endswith("-gbe"))
        found["time.total"] = found["time.work"] + (30.0 if f["framework"].endswith("-gbe") else 1.0)

    rows = judge.rows(World(nodes=(3, 5), disks=("ssd",), size=0.01, change=late))
    assert rows[13].verdict == "direction"
    assert {rows[number].verdict for number in (23, 37, 39, 41, 65)} <= {"undecided", "contradicted"}


def on_the_link(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """Nothing but the link is busy, all the time."""
    values["cpu", "user"], values["cpu", "system"], values["disk", "utilisation"] = 0.1, 0.0, 0.0
    for key in values:
        if key[0].startswith("net:"):
            values[key] = 1e6


def on_the_processor(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """The link is busy at the end alone."""
    on_the_link(f, at, values)
    values["cpu", "user"] = 0.9
    for key in values:
        if key[0].startswith("net:"):
            values[key] = 1e6 if at > 0.8 else 1e3


@pytest.mark.parametrize(
    ("resample", "verdict"), [(on_the_link, "direction"), (on_the_processor, "contradicted")]
)
def test_a_link_counts_whose_rate_is_emulated(judge: Judge, resample: Resample, verdict: Verdict) -> None:
    row = judge.rows(World(nodes=(3, 5), disks=("ssd",), size=0.01, resample=resample))[24]
    assert row.verdict == verdict, row.reason
