"""Says on one screen what a dry run would do: jobs by rule, why, and how long they may take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from snakemake_logger_plugin_kvasir.progress import Plan, Progress

REASONS = {
    "Missing output files": "results are not there",
    "Params have changed": "parameters have changed",
    "Code has changed": "the rule has changed",
    "Set of input files has changed": "it has other inputs",
    "Updated input files": "inputs have changed",
    "Input files updated by another job": "inputs are made again",
    "Forced execution": "forced",
    "Incomplete": "it was interrupted",
}
"""What people are told for the beginnings of Snakemake's reasons, the most telling first."""


def why(reason: str) -> str:
    """Returns the reason of a job in a few words."""
    return next((words for start, words in REASONS.items() if start in reason), "it was asked for")


@dataclass
class DryRun:
    """Collects the jobs that a dry run names."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)

    def take(self, rule: str, reason: str) -> None:
        """Add one job."""
        self.counts[rule] += 1
        self.reasons.setdefault(rule, Counter())[why(reason)] += 1

    def text(self, expected: Plan) -> str:
        """The screen: a line a rule, the longest first. `expected`: what the plan knows of runs and cells."""
        progress = Progress()
        progress.plan(dict(self.counts), expected)
        minutes = {rule: progress.waiting_s(rule) / 60 for rule in self.counts}
        total = sum(minutes.values())
        lines = [f"dry run: {self.counts.total()} jobs, about {total:.0f} min; nothing was started"]
        lines.append(f"  {'jobs':>5} {'min':>6}  {'rule':<18} why")
        for rule in sorted(self.counts, key=lambda name: (-minutes[name], name)):
            said = ", ".join(
                words if len(self.reasons[rule]) == 1 else f"{words} ({count})"
                for words, count in self.reasons[rule].most_common()
            )
            lines.append(f"  {self.counts[rule]:>5} {minutes[rule]:>6.1f}  {rule:<18} {said}")
        return "\n".join(lines)
