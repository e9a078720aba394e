"""After a run: the verdicts, what failed, and where everything lies."""

import subprocess
import sys
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.results.layout import records


def summary(choices: list[str] = typer.Argument(None, help="scale=NAME, site=NAME")) -> None:
    """Print what came out at the configured scale and site."""
    planner = choose(choices or [])
    config = planner.config
    results = Path(config.results)
    claims = [str(results / "claims" / f"{study}.csv") for study in config.studies]
    printing = [sys.executable, "scripts/claims.py", *[a for c in claims for a in ("--print", c)]]
    if code := subprocess.run(printing, check=False).returncode:
        sys.exit(code)  # it has said why
    runs = list(records(planner.tables))
    failed = [record for record in runs if record.outcome.status != "ok"]
    print(f"runs:    {len(runs)}, of which {len(failed)} failed or timed out")
    for record in failed:
        who, outcome = record.identity, record.outcome
        why = outcome.reason.partition("\n")[0]
        print(
            f"  {who.study}/{who.experiment}/{who.point}/{who.rep}: {outcome.status}: {why}", file=sys.stderr
        )
    print(f"report:  {results}/report.html\nfigures: {results}/figures\ntables:  {results}/tables")
    if failed:
        raise KvasirError(
            f"{len(failed)} runs failed and have no numbers; `make retry reproduce` runs them again"
        )


if __name__ == "__main__":
    main(summary)
