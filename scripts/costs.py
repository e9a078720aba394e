"""Say what the studies cost at another scale and how long they take, from what their runs took at one that was made."""

import csv
from collections import Counter
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from harness.claims.check import tables_in
from harness.claims.database import table_of
from harness.claims.files import checks_of, read_claims
from harness.config.load import read_yaml
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.plan.costs import (
    Cost,
    Known,
    Taken,
    of_cells,
    of_runs,
    per_size,
    size_of_cell_run,
    works_of,
)
from harness.plan.makespan import Experiment, Work, jobs_of, leave_out, makespan
from harness.plan.planner import Planner
from harness.plan.requirements import MIB, cell_data_mb
from harness.plan.spec import RunSpec
from harness.results.layout import folder_of_run
from harness.results.records import Record, read
from harness.slurm.preflight import kinds_of_nodes

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


def known_of(made: Planner) -> dict[str, Known]:
    """What a unit of size took, by study."""
    return {
        study: per_size(made.plan(study).runs, lambda run: seconds_of(made, run))
        for study in made.config.studies
    }


def costs_of(
    wanted: Planner, seconds: dict[str, Known], cells: dict[tuple[str, str], list[Taken]], watts: float | None
) -> list[Cost]:
    """One row a study, and one for the clusters that studies share."""
    costs = []
    batch = wanted.config.site.batch
    for study in wanted.config.studies:
        plan = wanted.plan(study)
        if plan.runs:
            cores = batch.cores_per_node if batch else 1
            model, known = wanted.config.studies[study], seconds[study]
            costs.append(of_runs(model, plan.runs, known, plan.needs.disk, watts, cores))
    if wanted.cells:
        data = max(cell_data_mb(cell) for cell in wanted.cells.values()) * MIB / 1e9
        sharing = [study for study in wanted.config.studies if wanted.plan(study).cells]
        costs.append(of_cells(" and ".join(sharing), wanted.cells.values(), cells, data, watts))
    return costs


def claims_of(planner: Planner) -> Counter[Experiment]:
    """How many claims read the tables of each experiment."""
    found: Counter[Experiment] = Counter()
    for study, model in planner.config.studies.items():
        names = {
            in_sql: name
            for name in model.experiments
            for ending in model.endings(name)
            for table in [table_of(Path(study, f"{name}{ending}.csv"))]
            for in_sql in (table.name, table.wide)
        }
        for claim in read_claims(Path(f"config/claims/{study}.yaml")).claims:
            read = {table for check in checks_of(claim) for table in tables_in(check)}
            found.update({(study, names[table]) for table in read if table in names})
    return found


def hours(seconds: float) -> str:
    """Seconds for people."""
    return f"{seconds / 60:,.0f} min" if seconds < 5400 else f"{seconds / 3600:,.1f} h"


def say_makespan(works: list[Work], nodes: int, limit_min: int | None) -> None:
    """Print how long a cluster takes, what bounds it, and what cannot run there."""
    found = makespan(jobs_of(works), nodes)
    if found.longest is None:
        raise KvasirError(f"{nodes} nodes: no job fits: the smallest has {min(w.nodes for w in works)} nodes")
    busy = found.node_seconds / (nodes * found.seconds)
    print(
        f"{nodes} nodes, free of others' jobs: {hours(found.seconds)} for {found.jobs:,} jobs; nodes are busy for"
        f" {busy:.0%} of it; the critical path is {found.longest.name}: {hours(found.longest.seconds)}"
    )
    for job in found.too_large:
        print(f"left out: {job.name} needs {job.nodes} nodes")
    late = [job for job in jobs_of(works) if limit_min is not None and job.seconds > 60 * limit_min]
    for job in late:
        print(f"too long for the partition's limit of {limit_min} min: {job.name}: {hours(job.seconds)}")


def say_omissions(works: list[Work], claims: Counter[Experiment], budget: float, nodes: int | None) -> None:
    """Print what to leave out so that the rest takes no more node-hours than the budget."""
    total = sum(work.seconds * work.nodes for work in works) / 3600
    omitted = leave_out(works, claims, budget * 3600)
    if not omitted:
        print(f"budget of {budget:,g} node-hours: all {total:,.3g} of them fit")
        return
    table = Table("leave_out of the scale", "node-hours saved", "left", "claims without runs")
    for one in omitted:
        total -= one.node_seconds / 3600
        name = ": ".join(one.experiment)
        table.add_row(name, text(one.node_seconds / 3600), text(total) or "0", str(one.claims))
    Console().print(table)
    gone = {one.experiment for one in omitted}
    kept = [work for work in works if work.experiments - gone]
    if kept and nodes:
        print(f"then {hours(makespan(jobs_of(kept), nodes).seconds)} on {nodes} nodes")


def text(value: float | None) -> str:
    """A number for people."""
    return "" if value is None else f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def costs(
    scale: str = typer.Option("paper", help="what to say the cost of"),
    measured: str = typer.Option("smoke", "--from", help="a scale whose runs were made"),
    site: str = typer.Option("", help="default: what config.yaml says"),
    watts: float | None = typer.Option(None, min=1, help="of one node under load; none: no joules are said"),
    nodes: int | None = typer.Option(
        None, min=1, help="of the cluster; default: those of the site's partition"
    ),
    budget: float | None = typer.Option(None, min=0, help="node-hours to keep to: says what to leave out"),
    output: Path | None = typer.Option(None, help="a CSV file to write as well"),
) -> None:
    """Print node-hours, data and joules of each study at SCALE, from the runs of another scale, and the makespan."""
    chosen = {**read_yaml(Path("config/config.yaml")), **({"site": site} if site else {})}
    made = Planner({**chosen, "scale": measured})
    wanted, seconds, cells = Planner({**chosen, "scale": scale}), known_of(made), taken(made)
    found = costs_of(wanted, seconds, cells, watts)
    if all(cost.node_hours is None for cost in found):
        raise KvasirError(f"{made.config.results}: no runs are there: `make {measured}` makes them")
    table = Table(*COLUMNS, title=f"scale {scale}, from the runs of scale {measured} (analytic)")
    for cost in found:
        numbers = [text(value) for value in (cost.node_hours, cost.data_gb, cost.joules)]
        table.add_row(cost.study, f"{cost.runs:,}", *numbers, cost.how)
    Console().print(table)
    works = works_of(wanted, seconds, cells)
    there = kinds_of_nodes(wanted.config.site.batch) if nodes is None else []
    nodes = nodes or sum(kind.nodes for kind in there) or None
    limits = [kind.minutes for kind in there if kind.minutes is not None]
    if nodes is not None:
        say_makespan(works, nodes, min(limits, default=None))
    if budget is not None:
        say_omissions(works, claims_of(wanted), budget, nodes)
    if output is not None:
        with replacing(output) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*COLUMNS, "source"])
            writer.writerows([*(getattr(cost, column) for column in COLUMNS), "analytic"] for cost in found)


if __name__ == "__main__":
    main(costs)
