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
        ("contradicted", {"base": "contradicted", "a": "contradicted"}, "contradicted", "holds under 0"),
        (
            "contradicted",
            {"base": "contradicted", "a": "undecided"},
            "undecided",
            "holds under 0, undecided under a",
        ),
        (
            "reproduced",
            {"base": "direction", "a": "contradicted"},
            "reproduced",
            "holds under 1, not under a",
        ),
        (
            "reproduced",
            {"base": "undecided", "a": "contradicted"},
            "reproduced",
            "holds under 0, undecided under base",
        ),
    ],
)
def test_a_contradiction_that_depends_on_a_choice_is_undecided(
    own: Verdict, under: dict[str, Verdict], verdict: Verdict, said: str
) -> None:
    found = under_all(judged(own), {level: judged(word) for level, word in under.items()}, "base")
    assert found.verdict == verdict
    assert found.reason == f"because; by the runs of 2 open choices it {said}"


def test_choices_are_not_held_against_runs_that_they_do_not_have() -> None:
    """The choices' runs are fewer: where the base's among them do not contradict, those of the others tell nothing."""
    under = {"base": judged("direction"), "a": judged("direction")}
    found = under_all(judged("contradicted"), under, "base")
    assert (found.verdict, found.reason) == (
        "contradicted",
        "because; no runs under the other open choices tell",
    )


@pytest.mark.parametrize("own", ["not run", "paper inconsistent", "not testable here"])
def test_a_verdict_without_values_of_runs_stays(own: Verdict) -> None:
    found = judged(own)
    assert under_all(found, {"base": judged("direction"), "a": judged("direction")}, "base") == found


def test_a_contradiction_by_the_base_alone_says_so() -> None:
    found = under_all(
        judged("contradicted"), {"base": judged("contradicted"), "a": judged("not run")}, "base"
    )
    assert found.verdict == "contradicted"
    assert found.reason == "because; no runs under the other open choices tell"


def test_choices_without_runs_say_nothing() -> None:
    found = judged("direction")
    assert under_all(found, {"base": judged("not run"), "a": judged("not run")}, "base") == found
