"""What the page says, made from the sample inputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_sample import ENVIRONMENT, build_sample, sample_inputs, write_sample

from harness.claims.model import VERDICTS
from harness.report.build import build, read_figures
from harness.report.environments import environment
from harness.report.overview import Study
from harness.report.runs import read_jobs
from harness.report.view import Inputs, Page, page


def view(folder: Path, **changes: Any) -> Page:
    """The sample's page; `changes` are other results than the sample's."""
    shown = write_sample(folder)
    return page(shown, replace(sample_inputs(folder, shown, folder), **changes))


def test_counts_cover_all_verdicts_in_order(tmp_path: Path) -> None:
    found = view(tmp_path)
    assert [one.verdict.word for one in found.counts] == [
        word for word, one in VERDICTS.items() if one.always
    ]
    assert [one.count for one in found.counts] == [1, 2, 0, 1, 1, 1, 1]
    assert sum(one.share for one in found.counts) == pytest.approx(100)


def test_a_claim_shows_value_interval_n_unit_and_source(tmp_path: Path) -> None:
    claims = {claim.id: claim for claim in view(tmp_path).claims}
    first = claims["ALPHA-1"]
    assert (first.value, first.interval, first.n, first.unit, first.paper) == (
        "31.2",
        "29.1 … 33",
        "3",
        "%",
        "46",
    )
    assert [(link.text, link.anchor) for link in first.figures] == [("fig01", "fig-alpha-fig01")]
    assert (first.verdict.word, first.basis, claims["ALPHA-10"].basis) == ("direction", "measured", "")
    second = claims["ALPHA-2"]
    assert (second.value, second.unit, second.interval) == ("1,111,104", "", "")
    assert [(one.text, one.kind) for one in second.sources] == [
        ("measured:engine", "measured"), ("analytic", "analytic"),
    ]  # fmt: skip
    assert [(link.text, link.anchor) for link in second.figures] == [
        ("fig01", "fig-alpha-fig01"),
        ("fig09", ""),
    ]
    assert claims["ALPHA-3"].sources == ()
    assert claims["ALPHA-10"].paper_in_words
    assert [claim.id for claim in claims.values() if claim.emulated] == ["ALPHA-5"]


def test_a_figure_knows_its_claims_and_files(tmp_path: Path) -> None:
    first, second, third = view(tmp_path).studies[0].figures
    assert [claim.id for claim in first.claims] == ["ALPHA-1", "ALPHA-2"]
    assert first.links == [("PDF", "figures/alpha/fig01.pdf"), ("SVG", "figures/alpha/fig01.svg")]
    assert [claim.id for claim in second.claims] == ["ALPHA-10"]
    assert second.data == [("fig02.csv", "tables/alpha/fig02.csv")], "only what is there"
    assert third.svg is None and third.links == []


def test_a_study_with_nothing_is_not_listed(tmp_path: Path) -> None:
    assert [study.id for study in view(tmp_path).studies] == ["alpha", "beta"]


def test_missing_runs_are_grouped_by_reason_failures_first(tmp_path: Path) -> None:
    alpha, beta = view(tmp_path).studies
    assert [(one.what, one.reason) for one in alpha.problems] == [
        ("1 run failed", "rank 1: out of memory"),
        ("1 run ran out of time", "took more than 60 s"),
        ("4 levels not run", "no cap can be set here"),
    ]
    assert alpha.problems[0].places == {"stages": ["b-215, repetition 1"]}
    assert alpha.problems[2].places == {"stages": ["a-140", "a-120"], "skew": ["a-140", "a-120"]}
    assert beta.experiments is None and not beta.complete


def test_run_times(tmp_path: Path) -> None:
    found = view(tmp_path)
    stages, skew = found.studies[0].experiments or []
    assert (stages.ok, stages.failed, stages.timeout, stages.not_run) == (3, 1, 0, 2)
    assert (stages.median, stages.spread, stages.total) == ("1.50 s", "0.50 s … 4.00 s", "7.50 s")
    assert (skew.timeout, skew.total) == (1, "1 min 00 s")
    jobs = {group.name: group for group in found.jobs or []}
    assert list(jobs) == ["figures / alpha", "runs / alpha / stages"]
    runs = jobs["runs / alpha / stages"]
    assert (runs.jobs, runs.total, runs.median, runs.longest) == (2, "4.00 s", "2.00 s", "2.50 s")
    assert (runs.cpu, runs.memory) == ("2.00 s", "100 MiB")
    assert found.job_seconds == 74


def test_jobs_that_scales_share_have_a_name_of_their_own(tmp_path: Path) -> None:
    write_sample(tmp_path / "other")
    write_sample(tmp_path)
    found = [
        *read_jobs(tmp_path / "benchmarks"),
        *read_jobs(tmp_path / "other/benchmarks/figures/alpha", "texts"),
        *read_jobs(tmp_path / "nothing", "nothing"),
    ]
    jobs = {group.name: group for group in view(tmp_path, jobs=found).jobs or []}
    assert list(jobs) == ["figures / alpha", "runs / alpha / stages", "texts"]
    assert jobs["texts"].total == "1 min 10 s"


def test_one_environment_has_no_warning(tmp_path: Path) -> None:
    table = view(tmp_path).environment
    assert table is not None and table.warnings == () and table.heads == ("5 runs",)
    lines = {line.label: line.cells[0] for line in table.lines}
    assert lines["Memory"] == "16 GiB"
    assert lines["Power source"] == "none"
    assert "Power model" not in lines
    assert lines["Why no power source"] == "/sys/class/powercap is not there"


def test_different_environments_are_warned_of(tmp_path: Path) -> None:
    other = {**ENVIRONMENT, "kernel": "6.2", "git": {"commit": "fedcba", "dirty": True}}
    groups = [{"runs": 5, "values": ENVIRONMENT}, {"runs": 1, "values": other}]
    table = view(tmp_path, environments=[environment(group) for group in groups]).environment
    assert table is not None
    assert [line.label for line in table.lines if line.differs] == ["Kernel", "Commit", "Uncommitted changes"]
    assert len(table.warnings) == 3
    assert "differ in: Kernel, Commit, Uncommitted changes" in table.warnings[0]
    assert table.warnings[1].startswith("1 run was made with uncommitted changes")


def test_same_inputs_same_bytes_and_times_in_utc(tmp_path: Path) -> None:
    shown = write_sample(tmp_path)
    build(shown, sample_inputs(tmp_path, shown, tmp_path), tmp_path / "a.html")
    build(shown, sample_inputs(tmp_path, shown, tmp_path), tmp_path / "b.html")
    text = (tmp_path / "a.html").read_text()
    assert text == (tmp_path / "b.html").read_text()
    assert "21 November 2025, 11:22 UTC" in text


def test_text_of_the_tables_is_text_on_the_page(tmp_path: Path) -> None:
    text = build_sample(tmp_path).read_text()
    assert "Words &amp; &lt;b&gt;markup&lt;/b&gt; stay words." in text
    assert "<script>alert" not in text
    assert "1 value from an emulated meter:" in text


def test_what_does_not_exist_yet_is_said(tmp_path: Path) -> None:
    shown = write_sample(tmp_path)
    bare = replace(shown, studies=shown.studies[:1], git=None)
    found = Inputs(jobs=[])
    read_figures(bare, tmp_path, found)
    build(bare, found, tmp_path / "report.html")
    text = " ".join((tmp_path / "report.html").read_text().split())
    for sentence in (
        "The claims of First study have not been checked yet.",
        "Not known: the claims have not been checked yet.",
        "This figure is not drawn yet.",
        "No runs of First study have been recorded yet.",
        "No environment is known: no run has been recorded yet.",
        "The workflow has left no benchmark files",
        "not known: made outside a git checkout",
    ):
        assert sentence in text


def test_an_empty_report_says_so(tmp_path: Path) -> None:
    shown = replace(write_sample(tmp_path), studies=[Study(id="gamma", title="Waits", paper="C")])
    build(shown, Inputs(jobs=[]), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "No study has anything to show yet." in text
    assert "Waits" not in text


def test_a_claim_holds_the_query_of_its_check_and_the_page_the_figure_of_all_studies(tmp_path: Path) -> None:
    shown = write_sample(tmp_path)
    drawn = shown.studies[0].figures[0]
    shown = replace(shown, together=replace(drawn, title="All of them"), together_claims=("ALPHA-1",))
    found = sample_inputs(tmp_path, shown, tmp_path)
    read_figures(shown, tmp_path, found)
    found.queries["ALPHA-1"] = "SELECT 1 AS value WHERE 1 < 2\n"
    made = page(shown, found)
    assert made.together is not None and [claim.id for claim in made.together.claims] == ["ALPHA-1"]
    build(shown, found, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (
        text.count("SELECT 1 AS value WHERE 1 &lt; 2</pre>") == 1 and text.count("Query over the tables") == 1
    )
    assert 'href="#together"' in text and "All of them" in text
    assert view(tmp_path).together is None
