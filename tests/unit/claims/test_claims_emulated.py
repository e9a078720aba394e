"""An emulated number never decides: whatever it is, the verdict and every value that counts stay the same."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from small import RATIO, claim, run, write_claims, write_table

from harness.claims.check import check_claims
from harness.claims.verdicts import Row

SOURCES = ["measured:rapl-powercap", "emulated:box", "emulated:other"]
CAPPED = (
    "SELECT c.runtime / f.runtime AS value FROM s_e_runs AS c JOIN s_e_runs AS f USING (app, rep) "
    "WHERE c.cap_w = 120 AND f.cap_w = 215"
)
LONG_FORM = "SELECT avg(value) AS value FROM s_e WHERE metric = 'energy.pkg' GROUP BY rep"
CLAIMS = [
    claim(check=RATIO.format("energy_pkg")),
    claim(id="S-2", check=LONG_FORM, direction=[]),
    claim(id="S-3", check=CAPPED, literal={"op": ">", "value": 1, "tolerance": "none"}, direction=[]),
    claim(id="S-4", check="SELECT count(energy_pkg) AS value FROM s_e_runs HAVING count(energy_pkg) > 0"),
]
RUNS = [(app, rep, cap) for app in "ab" for rep in (1, 2) for cap in (215, 120)]
numbers = st.floats(0.1, 10.0)
meters = st.lists(st.sampled_from(SOURCES), min_size=len(RUNS), max_size=len(RUNS))
tables = st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=len(RUNS), max_size=len(RUNS))


def judged(meters: list[str], cells: list[tuple[float, ...]], second: bool) -> list[Row]:
    """Verdicts by tables whose emulated numbers are the first or the second pair of `cells`."""
    rows: list[dict[str, Any]] = []
    for (app, rep, cap), source, (energy, seconds, energy2, seconds2) in zip(
        RUNS, meters, cells, strict=True
    ):
        emulated = "emulated" in source
        joules = energy2 if second and emulated else energy
        time = seconds2 if second and emulated and cap == 120 else seconds
        rows += run(app, rep, cap, energy_pkg=(joules, source), runtime=(time, "measured:clock"))
    with tempfile.TemporaryDirectory() as folder:
        claims = write_claims(Path(folder) / "s.yaml", *CLAIMS)
        return check_claims(claims, write_table(Path(folder) / "tables", rows), []).rows


@settings(max_examples=25)
@given(meters, tables)
def test_no_emulated_number_decides(meters: list[str], cells: list[tuple[float, ...]]) -> None:
    for one, other in zip(judged(meters, cells, False), judged(meters, cells, True), strict=True):
        assert one.verdict == other.verdict
        if one.verdict in ("reproduced", "direction", "contradicted", "undecided"):
            assert one == other
            assert "emulated" not in one.source
        else:
            assert "emulated" in one.reason


def test_only_emulated_meters_leave_no_judged_claim() -> None:
    cells = [(1.0, 1.0, 1.0, 1.0)] * len(RUNS)
    rows = judged([SOURCES[1]] * len(RUNS), cells, False)
    assert {row.verdict for row in rows} == {"not testable here"}
    assert all(row.n > 0 and "emulated:box" in row.source for row in rows)


def test_only_measured_meters_judge_every_claim() -> None:
    cells = [(1.0, 1.0, 1.0, 1.0)] * len(RUNS)
    rows = judged([SOURCES[0]] * len(RUNS), cells, False)
    assert {row.verdict for row in rows} <= {"reproduced", "direction", "contradicted", "undecided"}
