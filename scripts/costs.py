"""Say what the studies cost at another scale, from what their runs took at one that was made."""

import csv
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from harness.config.load import read_yaml
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.plan.costs import Cost, Taken, of_cells, of_runs, per_size, size_of_cell_run
from harness.plan.planner import Planner
from harness.plan.requirements import MIB, cell_data_mb
from harness.plan.spec import RunSpec
from harness.results.layout import folder_of_run
from harness.results.records import Record, read

COLUMNS = ["study", "runs", "node_hours", "data_gb", "joules", "how"]


def record_of(folder: str) -> Record | None:
    """A record that ended well."""
    path = Path(folder) / "run.json"
    record = read(path) if path.is_file() else None
    return record if record is not None and record.outcome.status == "ok" else None


def seconds_of(planner: Planner, run: RunSpec) -> float | None:
    """What a run took."""
    record = record_of(folder_of_run(planner.config.results, run.identity))
    return None if record is None else record.outcome.seconds


def taken(planner: Planner) -> dict[tuple[str, str], list[Taken]]:
    """What benchmarks took on the clusters that were made."""
    found: dict[tuple[str, str], list[Taken]] = {}
    for cell in planner.cells.values():
        for run in cell.runs:
            if (record := record_of(run.folder)) is None:
                continue
            values = {metric.name: metric.value or 0.0 for metric in record.metrics}
            size = size_of_cell_run(run, max(1, cell.nodes - 1))
            startup = values["time.startup"] + values.get("time.between", 0.0)
            one = Taken(startup=startup, work=values["time.work"], size=size)
            found.setdefault((run.framework, run.benchmark), []).append(one)
    return found


def costs_of(wanted: Planner, made: Planner, watts: float | None) -> list[Cost]:
    """One row a study, and one for the clusters that studies share."""
    costs = []
    batch = wanted.config.site.batch
    for study in wanted.config.studies:
        plan = wanted.plan(study)
        if plan.runs:
            known = per_size(made.plan(study).runs, lambda run: seconds_of(made, run))
            cores = batch.cores_per_node if batch else 1
            costs.append(
                of_runs(wanted.config.studies[study], plan.runs, known, plan.needs.disk, watts, cores)
            )
    if wanted.cells:
        data = max(cell_data_mb(cell) for cell in wanted.cells.values()) * MIB / 1e9
        sharing = [study for study in wanted.config.studies if wanted.plan(study).cells]
        costs.append(of_cells(" and ".join(sharing), wanted.cells.values(), taken(made), data, watts))
    return costs


def text(value: float | None) -> str:
    """A number for people."""
    return "" if value is None else f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def costs(
    scale: str = typer.Option("paper", help="what to say the cost of"),
    measured: str = typer.Option("smoke", "--from", help="a scale whose runs were made"),
    site: str = typer.Option("", help="default: what config.yaml says"),
    watts: float | None = typer.Option(None, min=1, help="of one node under load; none: no joules are said"),
    output: Path | None = typer.Option(None, help="a CSV file to write as well"),
) -> None:
    """Print node-hours, data and joules of each study at SCALE, from the runs of another scale, with the rule."""
    chosen = {**read_yaml(Path("config/config.yaml")), **({"site": site} if site else {})}
    made = Planner({**chosen, "scale": measured})
    found = costs_of(Planner({**chosen, "scale": scale}), made, watts)
    if all(cost.node_hours is None for cost in found):
        raise KvasirError(f"{made.config.results}: no runs are there: `make {measured}` makes them")
    table = Table(*COLUMNS, title=f"scale {scale}, from the runs of scale {measured} (analytic)")
    for cost in found:
        numbers = [text(value) for value in (cost.node_hours, cost.data_gb, cost.joules)]
        table.add_row(cost.study, f"{cost.runs:,}", *numbers, cost.how)
    Console().print(table)
    if output is not None:
        with replacing(output) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*COLUMNS, "source"])
            writer.writerows([*(getattr(cost, column) for column in COLUMNS), "analytic"] for cost in found)


if __name__ == "__main__":
    main(costs)
