"""Files of the output directory of cells, as claims see them."""

from pathlib import Path

from harness.cells.outputs import outputs
from harness.plan.planner import choose
from harness.results.tables import LISTED

PROJECT = Path(__file__).parents[2]


def test_every_file_has_a_row_with_its_part(tmp_path: Path) -> None:
    plan = choose(["scale=smoke"], PROJECT / "config").plan("mrev")
    cell = next(iter(plan.cells.values()))
    run = cell.runs[0].model_copy(update={"folder": str(tmp_path / "run/1")})
    report = tmp_path / "mrev"
    graphs = report / "resources" / cell.cell
    for folder in (Path(run.folder), report / "mrev", graphs):
        folder.mkdir(parents=True)
    (Path(run.folder) / "trace.csv").write_text("t_s,host\n0,n1\n")
    (Path(run.folder) / "log.txt").write_text("done\n")
    (graphs / f"{run.identity.point}.pdf").write_bytes(b"%PDF\xff")
    (report / "mrev/summary.md").write_text("# Runs\n")
    (report / "mrev/.scratch").write_text("")
    rows = list(outputs(report, "mrev", [cell.model_copy(update={"runs": [run]})]))
    assert [(row["part"], row["file"], row["columns"]) for row in rows] == [
        ("report", "summary.md", ""),
        ("execution", "log.txt", ""),
        ("execution", "trace.csv", "t_s host"),
        ("graph", f"{run.identity.point}.pdf", ""),
    ]
    assert all(set(row) <= set(LISTED) for row in rows)
    assert {row["cell"] for row in rows[1:]} == {cell.cell} and rows[3]["bytes"] == 5
