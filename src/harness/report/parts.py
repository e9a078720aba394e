"""Collects what the paper and the artifact appendix say of each study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.claims.verdicts import Row, read_csv
from harness.config import Study
from harness.config.archive import read_provenance
from harness.core.errors import KvasirError
from harness.plan.planner import Planner
from harness.report.provenance import origin_of
from harness.results.layout import TableSpec, run_files, verdicts_of


@dataclass(frozen=True, kw_only=True)
class Part:
    """What is said of one study."""

    study: Study
    rows: list[Row]
    """Verdicts."""
    tables: list[TableSpec]
    """Experiments as they are planned."""
    runs: int
    """Records of runs."""
    seconds: float
    """Wall time of the jobs that made them."""
    memory: int
    """Bytes at most, of all processes."""
    disk: int
    """Bytes of data."""

    @property
    def key(self) -> Row:
        """Returns the verdict on the claim that answers the paper's question best. Raises KvasirError without one."""
        for row in self.rows:
            if row.id == self.study.key_claim:
                return row
        raise KvasirError(f"study {self.study.id}: no verdict on its key claim {self.study.key_claim}")


def of_runs(parts: Sequence[Part], origin: Mapping[str, Any]) -> dict[str, str]:
    """Returns the definitions that every text shares. `origin`: provenance of the runs."""
    return {
        "KvScale": origin["scale"],
        "KvFailed": str(sum(count for status, count in origin["runs"].items() if status != "ok")),
        "KvMachine": "; ".join(origin["machines"]),
        "KvClaims": str(sum(len(part.rows) for part in parts)),
    }


def origin_and_parts(planner: Planner) -> tuple[dict[str, Any], list[Part]]:
    """Returns the provenance of a scale's results and a part for each study. Raises KvasirError for a broken file."""
    config, top = planner.config, planner.config.top
    origin = read_provenance(Path(top.replay), top.scale).model_dump() if top.replay else origin_of(planner)
    parts = [
        Part(
            study=study,
            rows=read_csv(Path(verdicts_of(config, name)), name),
            tables=list(planner.plan(name).tables.values()),
            runs=len(run_files(planner.plan(name).tables.values())),
            seconds=origin["seconds"].get(name, 0.0),
            memory=planner.plan(name).needs.memory,
            disk=planner.plan(name).needs.disk + planner.plan(name).needs.scratch,
        )
        for name, study in config.studies.items()
    ]
    return origin, parts
