"""Bayes: multinomial naive Bayes, trained on labelled documents and tried on others."""

from __future__ import annotations

from pydantic import Field, NonNegativeInt, PositiveInt

from harness.hadoop.benchmarks.base import MIB, Benchmark, Cell, Settings, metric, require
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

OUTPUT = "/output/bayes"
WORD_BYTES = 8
"""Most bytes of a word and what separates it from the next."""


class BayesSettings(Settings):
    """Number and size of the documents."""

    documents: PositiveInt = Field(default=100_000, description="to train on; a tenth as many are held out")
    labels: PositiveInt = Field(default=20, ge=2)
    vocabulary: PositiveInt = Field(default=10_000, ge=2)
    mean_words: PositiveInt = Field(default=100, ge=2, description="of a document")
    seed: NonNegativeInt = 1
    least_accuracy: float = Field(
        default=0.9, ge=0, le=1, description="share of held-out documents that must get their label"
    )
    compare_documents: NonNegativeInt = Field(
        default=200_000, description="up to so many documents one process trains and labels again, to compare"
    )


class Bayes(Benchmark[BayesSettings]):
    """Runs our own jobs: training and labelling."""

    name = "bayes"
    output = OUTPUT
    settings_type = BayesSettings

    @property
    def size(self) -> float:
        """Number of words in the documents to train on."""
        return float(self.settings.documents * self.settings.mean_words)

    @property
    def held_out(self) -> int:
        """Number of documents to label."""
        return max(1, self.settings.documents // 10)

    @property
    def path(self) -> str:
        """Where the documents are."""
        s = self.settings
        return f"/input/documents-{s.documents}-{s.labels}-{s.vocabulary}-{s.mean_words}-{s.seed}"

    def prepare(self, cell: Cell) -> None:
        """Write both sets of documents."""
        s = self.settings
        for name, first, count in (("train", 0, s.documents), ("test", s.documents, self.held_out)):
            numbers = [first, count, s.labels, s.vocabulary, s.mean_words, s.seed, cell.map_slots]
            cell.generated(
                f"{self.path}/{name}",
                f"documents-{name}",
                ["kvasir.bayes.Generate"],
                [*map(str, numbers)],
                s.timeout_s,
                alone=self.size * WORD_BYTES / MIB <= s.alone_mb,
            )

    def input(self, cell: Cell) -> str:
        """Return the folder of the documents."""
        return self.path

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Train and label."""
        cell.hdfs.remove(OUTPUT)
        arguments = [*cell.options(), f"{self.path}/train", f"{self.path}/test", OUTPUT]
        return cell.program(name, "kvasir.bayes.Bayes", arguments, self.settings.timeout_s)

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that all held-out documents are labelled, enough rightly, and as one process labels them."""
        found = {}
        for line in cell.hdfs.read_parts(f"{OUTPUT}/labels").splitlines():
            pair, _, count = line.rpartition("\t")
            require(
                count.isdecimal(), self.name, f"expected LABEL, LABEL, COUNT in a line, found {line[:80]!r}"
            )
            found[pair] = int(count)
        labelled = sum(found.values())
        require(labelled == self.held_out, self.name, f"{labelled} of {self.held_out} documents are labelled")
        correct = sum(count for pair, count in found.items() if len(set(pair.split("\t"))) == 1)
        accuracy = correct / labelled
        least = self.settings.least_accuracy
        require(accuracy >= least, self.name, f"accuracy {accuracy:.3f} is below {least:g}")
        checks = {"accuracy": f"{accuracy:.4f} of {labelled} held-out documents, at least {least:g}"}
        if self.settings.documents <= self.settings.compare_documents:
            arguments = [f"{self.path}/train", f"{self.path}/test"]
            expected = cell.once(
                f"{self.path} labels",
                lambda: cell.check("kvasir.check.Labels", arguments, self.settings.timeout_s)["labels"],
            )
            require(found == expected, self.name, "labels differ from those that one process gives")
            checks["labels"] = f"each of {len(found)} pairs of labels as often as one process gives it"
        cell.hdfs.remove(OUTPUT)
        return ([metric("accuracy", accuracy, "1", "measured:output")], checks)
