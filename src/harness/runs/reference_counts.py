"""Compares the engine's word counts of a text with those of another program."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import KvasirError
from harness.results.records import Metric


@dataclass(frozen=True)
class Counts:
    """Numbers of words, of distinct words, and of each word where they are known; `source` counted them."""

    words: int
    keys: int
    each: Counter[bytes] | None
    source: str


def read_counts(path: Path) -> Counts:
    """Reads the generator's report (.json) or the list that `uniq -c` made (.counts)."""
    if path.suffix == ".json":
        report = json.loads(path.read_text(encoding="utf-8"))
        return Counts(report["words"], report["unique"], None, "measured:generator")
    each: Counter[bytes] = Counter()
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        count, _, word = line.lstrip(b" ").partition(b" ")
        if not count.isdigit() or not word:
            raise KvasirError(f"{path}: line {number}: expected a count and a word, as `uniq -c` prints them")
        each[word] = int(count)
    return Counts(each.total(), len(each), each, "measured:coreutils")


def in_passes(counts: Counts, passes: int) -> Counts:
    """Returns the counts of a text that is read so many times."""
    each = None if counts.each is None else Counter({word: n * passes for word, n in counts.each.items()})
    return Counts(counts.words * passes, counts.keys, each, counts.source)


def read_output(folder: Path) -> Counter[bytes]:
    """Reads the engine's own list of words: files part-* of lines `word<TAB>count`."""
    each: Counter[bytes] = Counter()
    for part in sorted(folder.glob("part-*")):
        for line in part.read_bytes().split(b"\n"):
            if line:
                word, _, count = line.rpartition(b"\t")
                each[word] += int(count)
    return each


def compare(expected: Counts, output: Counter[bytes] | None) -> list[Metric]:
    """Returns the reference's counts, and the number of words whose counts differ where both lists are there."""
    metrics = [
        Metric(name="words.expected", value=expected.words, unit="1", source=expected.source),
        Metric(name="keys.expected", value=expected.keys, unit="1", source=expected.source),
    ]
    if expected.each is not None and output is not None:
        wrong = sum(1 for word in expected.each.keys() | output.keys() if expected.each[word] != output[word])
        metrics.append(Metric(name="coreutils.mismatches", value=wrong, unit="1", source=expected.source))
    return metrics
