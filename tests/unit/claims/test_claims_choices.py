"""Verdicts under open choices: what they share, and what depends on a choice."""

import pytest

from harness.claims.choices import under_all
from harness.claims.judge import Judged
from harness.claims.model import Verdict
from harness.claims.observe import Gap, Observed, Sample


def judged(verdict: Verdict) -> Judged:
    gap = Gap(verdict, "nothing was run") if verdict == "not run" else None
    return Judged(verdict, "because", Observed((Sample(1.0),), "simulated:x", gap), "1")


@pytest.mark.parametrize(
    ("own", "under", "verdict", "said"),
    [
        (
            "contradicted",
            {"base": "contradicted", "a": "direction"},
            "undecided",
            "holds under 1, not under base",
        ),
        ("contradicted", {"base": "contradicted", "a": "undecided"}, "contradicted", "holds under 0"),
        (
            "reproduced",
            {"base": "direction", "a": "contradicted"},
            "reproduced",
            "holds under 1, not under a",
        ),
    ],
)
def test_a_contradiction_that_depends_on_a_choice_is_undecided(
    own: Verdict, under: dict[str, Verdict], verdict: Verdict, said: str
) -> None:
    found = under_all(judged(own), {level: judged(word) for level, word in under.items()}, "base")
    assert found.verdict == verdict
    assert found.reason == f"because; by the runs of 2 open choices it {said}"


def test_what_only_more_runs_contradict_is_contradicted() -> None:
    """The choices' runs are fewer: where the base holds by them as well, no choice makes the difference."""
    under = {"base": judged("direction"), "a": judged("direction")}
    assert under_all(judged("contradicted"), under, "base").verdict == "contradicted"


@pytest.mark.parametrize("own", ["not run", "paper inconsistent", "not testable here"])
def test_a_verdict_without_values_of_runs_stays(own: Verdict) -> None:
    found = judged(own)
    assert under_all(found, {"base": judged("direction"), "a": judged("direction")}, "base") == found


def test_choices_without_runs_say_nothing() -> None:
    found = judged("contradicted")
    assert under_all(found, {"base": judged("not run"), "a": judged("not run")}, "base") == found
