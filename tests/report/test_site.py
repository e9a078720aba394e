"""The site: documents, gallery, verdicts and times as pages that MkDocs builds, with links that lead somewhere."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import markdown
import pytest
import yaml
from report_browser import Browser
from report_sample import figure as drawn_figure
from report_sample import sample_inputs, write_sample

from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.report.claims import anchor_of_figure
from harness.report.overview import overview
from harness.report.runs import Job, read_jobs
from harness.report.site.build import repository_of, source_column, write_site
from harness.report.site.documents import converted, navigation, page_of, relaid
from harness.report.site.markdown import code, escaped, heading, table
from harness.report.site.results import Files, TableFile, drawn_sources, figure, gallery, job_rows, times
from harness.report.view import Inputs, Page, page

PROJECT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HOSTILE = "a | b <i>c</i> _d_ *e* `f` [g](h) {#i} \\ & #j"
NO_FILES = Files(image="", drawn=(), tabled=(), tables=())


def rendered(text: str) -> str:
    return markdown.markdown(text, extensions=["tables", "attr_list", "md_in_html", "toc"])


def sample(folder: Path) -> Page:
    """The report's sample with a title that Markdown would take for its own."""
    shown = write_sample(folder)
    first, *others = shown.studies
    hostile = replace(first.figures[0], title=HOSTILE, paper_says=HOSTILE, discussion="It <differs>.")
    shown = replace(
        shown,
        studies=[replace(first, figures=[hostile, *first.figures[1:]]), *others],
        together=drawn_figure(folder, "all", "levers"),
        together_claims=("BETA-1",),
    )
    return page(shown, sample_inputs(folder, shown, folder))


class Elements(HTMLParser):
    """What a page links to and loads, and what of it can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link":
            self.loads.append(found["href"])
        self.loads += [found["src"]] if "src" in found else []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the sample's results and the project's own documents, built by MkDocs."""
    folder = tmp_path_factory.mktemp("a site")
    view = sample(folder / "results")
    write_site(PROJECT, folder / "pages", view, read_jobs(folder / "results/benchmarks"), {"alpha": 90.0})
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        folder / "pages/mkdocs.yml",
    ]
    done = subprocess.run(
        [*command, "--site-dir", folder / "site"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_links_of_all_pages_lead_to_files_and_headings(site: Path) -> None:
    pages = {path: Elements(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for path, elements in pages.items():
        if path.name == "404.html":  # its addresses are those of a server
            continue
        for link in [*elements.links, *elements.loads]:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https") and link in elements.links:
                continue
            assert not parts.scheme and not parts.netloc, f"{path}: {link}: not a file of the site"
            target = (path.parent / unquote(parts.path)).resolve() if parts.path not in ("", ".") else path
            assert target.is_file(), f"{path}: {link}: no such file"
            # Material's own link to the top of a page has no target.
            if parts.fragment and target in pages and parts.fragment != "__skip":
                assert unquote(parts.fragment) in pages[target].ids, f"{path}: {link}: no such heading"


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        for address in Elements(path.read_text(encoding="utf-8")).loads:
            assert not re.match(r"(?:https?:)?//", address), f"{path}: {address}"
    for path in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", path.read_text()), path


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: install the Debian package chromium")
def test_a_page_opened_as_a_file_can_be_searched(site: Path) -> None:
    assert CHROMIUM
    browser = Browser(CHROMIUM)
    try:
        browser.size(1440, 1000)
        browser.open((site / "index.html").as_uri())
        typed = "document.querySelector('.md-search__input')"
        browser.run("document.querySelector('#__search').click()")
        browser.run(f"{typed}.value = 'coalescing', {typed}.dispatchEvent(new Event('keyup'))")
        found = browser.run(
            "new Promise(done => { const wait = setInterval(() => {"
            " const all = [...document.querySelectorAll('.md-search-result__link')].map(a => a.href);"
            " if (all.length) { clearInterval(wait); done(all); } }, 50); setTimeout(() => done([]), 20000); })"
        )
        assert found and all(address.startswith("file://") for address in found)
        assert [one for one in browser.requests if not one.startswith(("file:", "data:", "about:"))] == []
        assert browser.complaints == []
    finally:
        browser.close()


def test_the_gallery_has_every_figure_with_command_script_and_tables() -> None:
    config = choose(["scale=laptop"], PROJECT / "config").config
    view = page(overview(config, {}, datetime.now(UTC)), Inputs())
    assert [study.id for study in view.studies] == list(config.studies)
    for study in view.studies:
        files = {
            one.anchor: replace(
                NO_FILES, tables=tuple(TableFile(path=str(path), size=None) for path in one.figure.tables)
            )
            for one in study.figures
        }
        text = gallery(study, files)
        assert text.count("\n## ") == len(config.studies[study.id].figures) > 0
        parts = text.split("\n## ")[1:]
        for part, entry in zip(parts, config.studies[study.id].figures, strict=True):
            assert f"{{#{anchor_of_figure(study.id, entry.id)}}}" in part
            assert f"snakemake --cores 2 fig_{study.id}_{entry.alias}\n" in part
            assert code(f"scripts/figures/{study.id}/{entry.id}.R") in part
            assert entry.tables and all(
                code(f"{config.results}/tables/{study.id}/{name}.csv") in part for name in entry.tables
            )


def test_a_figure_shows_its_words_sources_claims_and_tables(tmp_path: Path) -> None:
    view = sample(tmp_path).studies[0].figures[0]
    known = TableFile(
        path="results/laptop/tables/alpha/fig01.csv", size=2048, target="tables/alpha/fig01.csv"
    )
    absent = TableFile(path="results/laptop/tables/alpha/no_such.csv", size=None)
    files = Files(
        image="figures/alpha/fig01.svg",
        drawn=("measured:clock",),
        tabled=("emulated:tbf", "measured:clock"),
        tables=(known, absent),
    )
    shown = rendered(figure(view, files))
    plain = html.unescape(re.sub(r"<[^>]*>", "", shown))
    assert f"fig01: {HOSTILE}" in plain and f"The paper. {HOSTILE}" in plain and "It <differs>." in plain
    assert '<h2 id="fig-alpha-fig01">' in shown
    assert "Sources of what it shows. measured:clock" in plain and "Also in its tables. emulated:tbf" in plain
    assert 'class="mark emulated"' in shown and shown.count('class="mark measured"') == 1
    assert '<a href="../tables/alpha/fig01.csv">fig01.csv</a> (2 KiB)' in shown
    assert "no_such.csv (not there)" in plain
    assert '<a href="../verdicts.md#claim-ALPHA-1">ALPHA-1</a>' in shown


def test_text_stays_text_in_headings_tables_and_code() -> None:
    made = rendered(
        "\n\n".join([heading(2, HOSTILE, "here"), table(("a", "b"), [[escaped(HOSTILE), code(HOSTILE)]])])
    )
    assert re.findall(r'<h2 id="here">(.*?)</h2>', made) == [html.escape(HOSTILE, quote=False)]
    words, shown = re.findall(r"<td>(.*?)</td>", made)
    assert html.unescape(words) == HOSTILE
    assert html.unescape(shown) == f"<code>{HOSTILE}</code>"


def test_verdicts_are_in_the_site_claim_by_claim(site: Path) -> None:
    text = (site / "verdicts.html").read_text(encoding="utf-8")
    assert {f"claim-ALPHA-{n}" for n in (1, 2, 3, 4, 5, 10)} <= Elements(text).ids
    plain = html.unescape(re.sub(r"<[^>]*>", "", text))
    assert "Words & <b>markup</b> stay words." in plain
    assert "31.2 % [29.1 … 33], n = 3" in plain and "−1,230 J [−1,300 … −1,200], n = 3 emulated" in plain


def test_the_figure_of_all_studies_has_a_page(site: Path) -> None:
    text = (site / "gallery/together.html").read_text(encoding="utf-8")
    assert "snakemake --cores 2 fig_all_levers" in html.unescape(re.sub(r"<[^>]*>", "", text))
    assert 'href="../verdicts.html#claim-BETA-1"' in text
    assert "together.html#figure-together" in (site / "gallery/index.html").read_text(encoding="utf-8")
    assert (site / "figures/together/levers.svg").is_file()


def test_times_count_jobs_by_kind_and_name_the_slowest(tmp_path: Path) -> None:
    def job(*path: str, seconds: float) -> Job:
        return Job(path=path, seconds=seconds, cpu_seconds=None, memory_mib=None)

    jobs = [
        job("runs", "alpha", "stages", "a", "1", seconds=1),
        job("runs", "alpha", "stages", "a", "2", seconds=3),
        job("programs", "engine", seconds=70),
        job("report", seconds=2),
    ]
    rows = job_rows(jobs)
    assert [row[:2] for row in rows] == [["build", "1"], ["run", "2"], ["report, or another page", "1"]]
    assert rows[1][2:] == ["2.00 s", "3.00 s", "4.00 s"]
    text = times(sample(tmp_path), jobs, {"alpha": 90.0})
    assert "| <code>alpha</code> | 5 | 1 min 08 s | 1 min 30 s | <code>skew</code> 1 min 00 s, " in text
    assert "| build | 1 | 1 min 10 s |" in text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "Runs. Sources: measured:clock, simulated:closed-form.",
            ("measured:clock", "simulated:closed-form"),
        ),
        ("17 jobs.</text><text x='1'>Sources:</text><text>analytic. Measured once.", ("analytic",)),
        ("25 Mbit/s (emulated). Source: the job history.", ()),
    ],
)
def test_sources_of_a_figure_are_those_of_its_caption(words: str, expected: tuple[str, ...]) -> None:
    assert drawn_sources(f"<svg><text>{words}</text></svg>") == expected


def test_sources_of_a_table_are_those_of_its_column(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('value,source\n1,measured:clock\n2,none\n3,\n4,analytic\n5,"analytic, measured:rusage"\n')
    assert source_column(path) == ["analytic", "measured:clock", "measured:rusage"]
    path.write_text("value\n1\n")
    assert source_column(path) == []
    path.write_bytes(b"")
    with pytest.raises(KvasirError, match=re.escape(f"{path}: the table cannot be read")):
        source_column(path)


SOURCES = ["README.md", "docs/power.md", "docs/report.png", "config/README.md", "config/claims/README.md"]


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("README.md", "[power](docs/power.md#caps)", "[power](power.md#caps)"),
        ("README.md", "![the `report`](docs/report.png)", "![the `report`](report.png)"),
        ("docs/power.md", "[start](../README.md), [a](#b)", "[start](index.md), [a](#b)"),
        ("docs/power.md", "[one](https://example.org/a.md)", "[one](https://example.org/a.md)"),
        ("config/README.md", "[claims](claims)", "[claims](claims/index.md)"),
        (
            "config/README.md",
            "[scales](scales) and [these](power.md)",
            "`config/scales` and these (`config/power.md`)",
        ),
        ("docs/power.md", "`[a](x.md)` stays", "`[a](x.md)` stays"),
        ("docs/power.md", "```\n[](int a) {}\n* b\n```", "```\n[](int a) {}\n* b\n```"),
        ("docs/power.md", "| `a\\|b` | c |", "| <code>a\\|b</code> | c |"),
    ],
)
def test_links_of_documents_lead_to_pages_of_the_site(source: str, text: str, expected: str) -> None:
    assert converted(text, source, SOURCES) == f"{expected}\n"


def test_other_files_are_links_into_the_repository_where_it_is_known(tmp_path: Path) -> None:
    made = converted("[it](../src/a_b.c)", "docs/power.md", SOURCES, "https://example.org/kvasir/")
    assert made == "[it](https://example.org/kvasir/blob/HEAD/src/a_b.c)\n"
    citation = tmp_path / "CITATION.cff"
    citation.write_text("title: A title\n")
    assert repository_of(citation) == ""
    citation.write_text("repository-code: https://example.org/kvasir\n")
    assert repository_of(citation) == "https://example.org/kvasir"
    citation.write_text("a: [\n")
    with pytest.raises(KvasirError, match=r"CITATION\.cff: cannot be read"):
        repository_of(citation)


def test_lists_of_documents_are_read_as_forges_read_them() -> None:
    nested = "  ```\n    kept\n  ```\n  1. deeper\n"
    text = f"Words:\n* one,\n  more\n\n  | a |\n  | --- |\n  | b |\n\n* two\n{nested}\nAfter\n4. words\n"
    made = rendered(relaid(text))
    assert made.count("<ul>") == made.count("<table>") == made.count("<ol>") == 1
    assert "<p>After\n4. words</p>" in made
    assert "\n      kept\n" in relaid(text)
    made = rendered(relaid("* one\n\n  again\n  and more\n* two\n* three\n"))
    assert made.count("<li>") == 3 and made.count("*") == 0
    assert relaid("1. one\n   more\n2. two\n") == "1. one\n    more\n2. two\n"


def test_every_document_is_in_the_navigation_once() -> None:
    sources = [*SOURCES, "CHANGELOG.md", "src/new/README.md", "docs/faq.md"]
    listed = re.findall(r"[\w/-]+\.md", yaml.safe_dump(navigation(sources, ["alpha"])))
    made = ["gallery/index.md", "gallery/alpha.md", "verdicts.md", "times.md"]
    assert sorted(listed) == sorted([*map(page_of, (one for one in sources if one.endswith(".md"))), *made])
