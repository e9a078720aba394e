"""Makes the runs of a batch of simulations that are not there yet, side by side."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from harness.core.environment import git_state, machine, moment
from harness.core.errors import KvasirError
from harness.core.files import dump_json
from harness.plan.spec import BatchSpec, RunSpec
from harness.results.layout import folder_of_run
from harness.results.records import Outcome, read, record_failure, remove_leftovers
from harness.runs.run import Interrupted, run

SPECIFICATION = "specification"
"""Key of a record's environment: the digest of all that decides about the run's outcome."""


def digest_of(spec: RunSpec, built: dict[str, Any]) -> str:
    """Return the digest of a run's specification and its program: a record with the same one still counts."""
    text = spec.model_dump_json(exclude={"expected_s"}) + json.dumps(built, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class BatchDriver:
    """Makes the runs of one batch."""

    def __init__(self, spec: BatchSpec, built: dict[str, Any], job: dict[str, Any] | None = None) -> None:
        """Keep `built`, the facts of the program, and `job`, the scheduler's job that this is in."""
        self.spec = spec
        self.built = built
        self.job = job
        self.pending = [run for run in spec.runs if not self._is_there(run)]

    @classmethod
    def of(cls, spec: BatchSpec, job: dict[str, Any] | None = None) -> BatchDriver:
        """Return the driver of a batch with its program as it is now. Raises OSError when that is not built."""
        return cls(spec, json.loads(Path(spec.built).read_text(encoding="utf-8")), job)

    def _folder(self, spec: RunSpec) -> Path:
        return Path(folder_of_run(self.spec.results, spec.identity))

    def _is_there(self, spec: RunSpec) -> bool:
        try:
            record = read(self._folder(spec) / "run.json")
        except KvasirError:
            return False
        return record.environment.get(SPECIFICATION) == digest_of(spec, self.built)

    def make(self, cores: int) -> None:
        """Make all missing runs, `cores` at a time, and write batch.json.

        A run that fails or takes too long is recorded so. Raises KvasirError or OSError when a record cannot be
        written, and Interrupted when the workflow goes: records that are complete are kept.
        """
        total = len(self.spec.runs)
        done = total - len(self.pending)
        todo = f"{len(self.pending)} runs to make, {cores} at a time, {done} are there"
        print(f"batch {self.spec.batch}: {todo}", flush=True)
        pool = ThreadPoolExecutor(cores)
        # Levels mostly ascend, so that the last points take longest: begun first, they keep no core idle at the end.
        waiting: dict[Future[Outcome], RunSpec] = {
            pool.submit(self._run, spec): spec for spec in reversed(self.pending)
        }
        try:
            for future in as_completed(waiting):
                outcome, who = future.result(), waiting[future].identity
                done += 1
                seconds = "" if outcome.seconds is None else f" after {outcome.seconds:.2f} s"
                what = f"{who.point}, repetition {who.rep}: {outcome.status}{seconds} {outcome.reason}"
                print(f"[{done}/{total}] {' '.join(what.split())}", flush=True)
        except Interrupted:
            # Programs end with this process; until then each would still be waited for.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        pool.shutdown()
        self._finish()

    def _run(self, spec: RunSpec) -> Outcome:
        target = self._folder(spec)
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(target.parent, target.name)
        facts = {Path(self.spec.built).stem: self.built}
        return run(spec, facts, target, self.job, {SPECIFICATION: digest_of(spec, self.built)})

    def give_up(self, reason: str) -> None:
        """Record all missing runs as failed and write batch.json."""
        for spec in self.pending:
            facts = {**machine(), **moment(), "git": git_state(), SPECIFICATION: digest_of(spec, self.built)}
            record_failure(self._folder(spec), spec.identity, facts, reason)
        self._finish()

    def _finish(self) -> None:
        """Write batch.json, which the workflow waits for."""
        runs = [
            {
                "run": f"{spec.identity.point}/{spec.identity.rep}",
                "status": read(self._folder(spec) / "run.json").outcome.status,
            }
            for spec in self.spec.runs
        ]
        dump_json({"format": 1, "batch": self.spec.batch, "runs": runs}, Path(self.spec.file))
