"""Sizes and names of data sets: the paper's 4 billion words at another scale. Pure functions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from harness.config import Dataset, EngineScale, EngineStudy


@dataclass(frozen=True, kw_only=True)
class Text:
    """A text file of the workflow: `words` in all, `unique` distinct (None where only counting will tell).

    `parameter` is the law's own number (0 if it has none). `content` is the text itself where it is an example,
    and the folders to look in, a line each, where it is real text.
    """

    distribution: str
    words: int | None
    unique: int | None
    parameter: float = 0.0
    seed: int = 0
    content: str = ""

    @property
    def name(self) -> str:
        """File name without ending; tells everything the bytes depend on."""
        if self.distribution == "example":
            return f"example-{'-'.join(''.join(line.split()) for line in self.content.splitlines())}"
        if self.distribution == "realtext":
            return f"realtext-{hashlib.sha256(self.content.encode()).hexdigest()[:8]}"
        return f"{self.distribution}-{self.words}w-{self.unique}u-{self.parameter:g}p-s{self.seed}"

    @property
    def path(self) -> str:
        """Path of the text below the project."""
        return f"data/{'text' if self.generated else 'small'}/{self.name}.txt"

    @property
    def counts(self) -> str:
        """Path of what another program counted: the generator's report, or coreutils' list of words."""
        return f"{self.path.removesuffix('.txt')}.{'json' if self.generated else 'counts'}"

    @property
    def generated(self) -> bool:
        """Made by the generator, which knows its exact counts."""
        return self.distribution in ("interleaved", "zipf", "superkey")


def ranks_of(platform: str, study: EngineStudy, scale: EngineScale) -> int:
    """Returns the ranks on a platform of the study."""
    return study.fixed_ranks[platform] if platform in study.fixed_ranks else scale.ranks[platform]


def combinability(words: float, unique: float, processes: float) -> float:
    """Returns Eq. 1 of the paper: the fraction of the words that combining before the exchange can remove."""
    return (words - processes * unique) / words


def scaled_unique(unique: int, paper_words: int, paper_ranks: int, words: int, ranks: int) -> int:
    """Returns the distinct words for which Eq. 1 gives the paper's rate with other `words` and `ranks` (at least 1).

    (Nw - Np Nu)/Nw stays the same when Nu is scaled by the words per rank.
    """
    return max(1, round(unique * (words / ranks) / (paper_words / paper_ranks)))


def text_of(
    dataset: Dataset, ranks: int, study: EngineStudy, scale: EngineScale, seed: int, passes: int = 1
) -> Text:
    """Returns the text that stands for a paper's data set at this scale (`ranks` matters for examples only).

    Runs read it `passes` times: its distinct words are those for which Eq. 1 keeps its value over all passes.
    """
    if dataset.distribution == "example" and dataset.words is not None:
        letters = dataset.words.split()
        return Text(
            distribution="example",
            words=len(letters) * ranks,
            unique=len(set(letters)),
            content="\n".join([dataset.words] * ranks),
        )
    if dataset.distribution == "realtext":
        return Text(distribution="realtext", words=None, unique=None, content="\n".join(scale.realtext))
    assert dataset.unique is not None, "the model has seen to it"
    words = scale.words_of(dataset.size)
    platform = dataset.platform or study.platform
    if dataset.distribution == "interleaved":
        unique = scaled_unique(
            dataset.unique,
            study.paper_words,
            study.paper_ranks[platform],
            words * passes,
            ranks_of(platform, study, scale),
        )
    else:
        unique = min(dataset.unique, max(1, words // 10))
    return Text(
        distribution=dataset.distribution,
        words=words,
        unique=unique,
        parameter=dataset.exponent or dataset.share or 0.0,
        seed=seed,
    )


def scaled_buffer(buffer_mb: float, study: EngineStudy, scale: EngineScale, passes: int = 1) -> int:
    """Returns the bytes of the send buffer that stands for the paper's `buffer_mb` (10^6 bytes) per rank.

    `passes`: how often a run reads its text.

    A buffer of the paper holds a certain share of the distinct words a rank meets. These are scaled with the
    words per rank, so the buffer is as well; with the paper's sizes it is exactly `buffer_mb`.
    """
    share = (scale.words * passes / ranks_of(study.platform, study, scale)) / (
        study.paper_words / study.paper_ranks[study.platform]
    )
    return max(4096, round(buffer_mb * 1_000_000 * share))


def buffer_bytes(
    buffer_mb: float, dataset: Dataset, study: EngineStudy, scale: EngineScale, passes: int = 1
) -> int:
    """Returns the bytes of the send buffer of a run; the tiny examples use their buffer as it is."""
    if dataset.distribution == "example":
        return round(buffer_mb * 1_000_000)
    return scaled_buffer(buffer_mb, study, scale, passes)
