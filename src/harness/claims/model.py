"""Defines claim files: the claims of a paper, their checks, and the values that are accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from harness.core.models import Strict

Verdict = Literal[
    "reproduced",
    "direction",
    "undecided",
    "contradicted",
    "paper inconsistent",
    "not testable here",
    "not run",
    "check failed",
]
Op = Literal["<", "<=", ">", ">=", "=", "between", "is true"]
Word = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The symbol, colours and meaning of one verdict. `slug` is its CSS class, `colour` the terminal's."""

    word: Verdict
    symbol: str
    """Tells it apart without colour."""
    colour: str
    order: int
    meaning: str
    always: bool = True
    """Whether a count of verdicts names it also where no claim has it."""

    @property
    def slug(self) -> str:
        """Returns the word with hyphens for blanks."""
        return self.word.replace(" ", "-")


VERDICTS: dict[str, Wording] = {
    one.word: one
    for one in (
        Wording(
            word="reproduced",
            symbol="✓",
            colour="green",
            order=0,
            meaning="the paper's number or statement holds here, within the stated tolerance; by runs it is what ACM"
            " calls results replicated: another team, with programs of its own",
        ),
        Wording(
            word="direction",
            symbol="↗",
            colour="cyan",
            order=1,
            meaning="the effect goes the way the paper says; its size is another one here",
        ),
        Wording(
            word="undecided",
            symbol="?",
            colour="blue",
            order=2,
            meaning="the spread of the runs, or their small number, leaves it open",
        ),
        Wording(
            word="contradicted",
            symbol="✗",
            colour="red",
            order=3,
            meaning="what was measured here says otherwise",
        ),
        Wording(
            word="paper inconsistent",
            symbol="≠",
            colour="magenta",
            order=4,
            meaning="the paper's own numbers disagree with each other",
        ),
        Wording(
            word="not testable here",
            symbol="–",
            colour="yellow",
            order=5,
            meaning="needs hardware or a size that this machine or scale does not have",
        ),
        Wording(
            word="not run",
            symbol="○",
            colour="dim",
            order=6,
            meaning="the runs that the check needs have not been made, or failed",
        ),
        Wording(
            word="check failed",
            symbol="!",
            colour="bold red",
            order=7,
            meaning="the check itself is wrong and cannot run: mend it in the claim file",
            always=False,
        ),
    )
}


Basis = Literal["measured", "simulated", "arithmetic", "implementation", "calibration"]
"""What a verdict rests on: measured runs, simulated runs, the paper's own numbers, our programs, what we set by it."""

BASES: dict[Basis, str] = {
    "measured": "measured",
    "simulated": "simulated",
    "arithmetic": "arithmetic of the paper",
    "implementation": "property of this implementation",
    "calibration": "used for calibration",
}
"""The bases in words, in the order in which they are counted."""
EVIDENCE: tuple[Basis, ...] = ("measured", "simulated")
"""The bases that runs give."""


class Criterion(Strict):
    """The condition on a check's values. `between` takes `low` and `high`, `is true` nothing, the others `value`."""

    op: Op
    value: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float = Field(
        default=0.0,
        ge=0.0,
        description="what the values are known to vary by, to either side; counts where there are too few repetitions",
    )

    @model_validator(mode="after")
    def _bounds_fit_the_operator(self) -> Criterion:
        given = {name for name in ("value", "low", "high") if getattr(self, name) is not None}
        wanted = {"between": {"low", "high"}, "is true": set()}.get(self.op, {"value"})
        if given != wanted:
            raise ValueError(f"op '{self.op}' takes {sorted(wanted) or 'no number'}, found {sorted(given)}")
        if self.spread and self.op == "is true":
            raise ValueError("op 'is true' takes no spread: what it holds against are answers, not numbers")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low {self.low:g} is above high {self.high:g}")
        return self


class Literally(Criterion):
    """The check with the paper's own value; the accepted bounds hold the tolerance, which is explained."""

    tolerance: Text = Field(description="how the accepted bounds follow from the paper's value")


class Direction(Criterion):
    """The weaker check, that the effect goes the paper's way, by SQL of its own or that of the claim."""

    check: Text | None = Field(default=None, description="own SQL; the claim's own check if there is none")
    proxy: Text | None = Field(default=None, description="what is looked at in place of the claim's quantity")
    unit: str | None = Field(default=None, description="unit of the own SQL's values")


class Inconsistency(Strict):
    """The paper's own numbers against each other: one row per reading; none of them meets `expected`."""

    text: Text
    check: Text
    expected: Criterion


class Paper(Strict):
    """The statement of the paper, in words and as numbers where it gives any."""

    text: Text
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str | None = None


class Claim(Strict):
    """One claim. `check` is a SELECT with a column `value` (and maybe `label`, `source`), one row a comparison."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9]*-[0-9]+$")]
    tier: Annotated[int, Field(ge=1, le=3)]
    where: Text
    statement: Text
    kind: Literal["number", "ratio", "ordering", "shape", "capability", "analytic"]
    paper: Paper
    needs: list[Word] = Field(default_factory=list, description="what a literal check relies on")
    check: Text
    unit: str
    literal: Literally
    direction: list[Direction] = Field(default_factory=list, description="tried in turn; one may stand alone")
    inconsistent: Inconsistency | None = None
    absent: Text | None = Field(
        default=None, description="what it means if no run has what the check selects"
    )
    scaled: Text | None = Field(default=None, description="how the check reads at another scale")
    note: Text | None = Field(default=None, description="shown with every verdict")
    explain: dict[Verdict, Text] = Field(default_factory=dict, description="shown with that verdict")
    figure: str = ""
    about: Literal["effect", "implementation", "calibration"] = Field(
        default="effect",
        description="`implementation`: what our own programs do by design, whatever the paper's do; `calibration`: "
        "what a parameter was set by, which is no evidence",
    )
    construction: Text | None = Field(
        default=None,
        description="why it holds by construction where a literal check lacks something: no run here can tell it",
    )
    least: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="fewest repetitions that decide it; by default what its kind needs"
    )

    @field_validator("direction", mode="before")
    @classmethod
    def _wrap_single_value(cls, value: Any) -> Any:
        return [value] if isinstance(value, dict) else value


class Tag(Strict):
    """Something a literal check can need. A site says it has it (`--have`), or the tables prove it by SQL."""

    meaning: Text
    check: Text | None = Field(default=None, description="SELECT of one boolean over the tables")


class Choices(Strict):
    """Open choices: each claim that reads one of `tables` is judged once more under every one of them."""

    factor: Word = Field(description="the column that tells the choices apart")
    base: Word = Field(description="its level in the runs of `tables` themselves")
    tables: dict[Word, Word] = Field(
        min_length=1, description="by experiment: the one that has its runs under each choice"
    )


class ClaimFile(Strict):
    """The claims of one paper."""

    study: Word
    metrics: dict[Word, Text] = Field(description="metrics a check may use, and what they are")
    tags: dict[Word, Tag] = Field(default_factory=dict)
    pending: list[Word] = Field(
        default_factory=list,
        description="levels that a scale may leave out: a claim that names one is then not run",
    )
    choices: Choices | None = Field(
        default=None, description="open choices: only what all of them contradict is contradicted"
    )
    claims: list[Claim]

    @model_validator(mode="after")
    def _names_are_known_and_unique(self) -> ClaimFile:
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise ValueError(f"claim {claim.id} is there twice")
            seen.add(claim.id)
            unknown = set(claim.needs) - set(self.tags)
            if unknown:
                raise ValueError(
                    f"claim {claim.id}: needs {sorted(unknown)}: allowed are the tags {sorted(self.tags)}"
                )
        return self
