"""The page in a real browser, opened from disk."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from report_browser import Browser
from report_sample import build_sample

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: install the Debian package chromium")

SHOWN = "[...document.querySelectorAll('#claims tbody tr')].filter(r => r.checkVisibility()).map(r => r.id.slice(6))"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("report")
    build_sample(folder)
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def one_browser() -> Iterator[Browser]:
    assert CHROMIUM
    browser = Browser(CHROMIUM)
    yield browser
    browser.close()


@pytest.fixture
def browser(one_browser: Browser, url: str) -> Iterator[Browser]:
    one_browser.size(1440, 1000)
    one_browser.media()
    one_browser.open("about:blank")
    one_browser.open(url)
    yield one_browser
    assert one_browser.complaints == []
    assert [
        address for address in one_browser.requests if address != url and not address.startswith("data:")
    ] == []


def click(browser: Browser, selector: str) -> None:
    browser.run(f"document.querySelector({selector!r}).click()")


def sort_by(browser: Browser, name: str) -> None:
    browser.run(
        f"[...document.querySelectorAll('#claims thead button')].find(b => b.textContent === {name!r}).click()"
    )


def find(browser: Browser, words: str) -> None:
    browser.run(
        f"document.forms[0][0].value = {words!r}, document.forms[0][0].dispatchEvent(new Event('input'))"
    )


def test_it_opens_from_disk_without_any_request(browser: Browser, url: str) -> None:
    assert url.startswith("file://")
    assert [request for request in browser.requests if not request.startswith("data:")] == [url]
    assert browser.run("document.title") == "A sample of everything: report at scale laptop"
    assert browser.run(SHOWN) == [f"ALPHA-{n}" for n in (1, 2, 10, 3, 4, 5)] + ["BETA-1"]


def test_the_page_forbids_itself_the_network(browser: Browser, url: str) -> None:
    browser.run(
        "new Promise(done => { const i = new Image(); i.onerror = i.onload = done;"
        " i.src = 'https://example.org/a.png'; })"
    )
    assert any("Content Security Policy" in text for text in browser.complaints)
    browser.open("about:blank")
    browser.open(url)


def test_sort_by_number_and_by_name_with_empty_cells_last(browser: Browser) -> None:
    sort_by(browser, "Here")
    rising = ["ALPHA-5", "ALPHA-10", "ALPHA-1", "ALPHA-4", "ALPHA-2", "ALPHA-3", "BETA-1"]
    assert browser.run(SHOWN) == rising
    assert browser.run("document.querySelector('[aria-sort]').textContent") == "Here"
    sort_by(browser, "Here")
    assert browser.run(SHOWN) == rising[4::-1] + rising[5:]
    assert browser.run("document.querySelector('[aria-sort]').getAttribute('aria-sort')") == "descending"
    sort_by(browser, "Claim")
    assert browser.run(SHOWN) == [f"ALPHA-{n}" for n in (1, 2, 3, 4, 5, 10)] + ["BETA-1"]
    sort_by(browser, "Verdict")
    assert browser.run(SHOWN) == ["ALPHA-2", "ALPHA-1", "ALPHA-5", "ALPHA-10", "ALPHA-4", "ALPHA-3", "BETA-1"]


def test_every_column_sorts_without_losing_a_row(browser: Browser) -> None:
    before = sorted(browser.run(SHOWN))
    heads = browser.run("document.querySelectorAll('#claims thead button').length")
    assert heads == 8
    for column in range(heads):
        browser.run(f"document.querySelectorAll('#claims thead button')[{column}].click()")
        assert sorted(browser.run(SHOWN)) == before


def test_filter_by_one_and_by_several_verdicts(browser: Browser) -> None:
    click(browser, ".chip.direction")
    assert browser.run(SHOWN) == ["ALPHA-1", "ALPHA-5"]
    assert browser.run("document.querySelector('.chip.direction').getAttribute('aria-pressed')") == "true"
    assert browser.run("document.querySelector('#shown').textContent") == "2 of 7 shown"
    click(browser, ".bar .contradicted")
    assert browser.run(SHOWN) == ["ALPHA-1", "ALPHA-10", "ALPHA-5"]
    click(browser, ".chip.direction")
    assert browser.run(SHOWN) == ["ALPHA-10"]
    click(browser, "#reset")
    assert len(browser.run(SHOWN)) == 7


def test_a_card_for_each_paper_stands_first_with_its_key_claim_and_figure(browser: Browser) -> None:
    cards = browser.run("[...document.querySelectorAll('.card')].map(card => card.innerText.split(/\\n+/))")
    assert len(cards) == 2
    assert cards[0][:2] == ["alpha", "Does <it> combine?"]
    text = " ".join(cards[0]).replace("\u00a0", " ")
    assert (
        "The combiner takes 46 % off." in text
        and "Here 31.2 % (29.1 … 33, n = 3); the paper: 46. ALPHA-1" in text
    )
    assert "Sleeping saves." in " ".join(cards[1]) and "no run yet." in " ".join(cards[1])
    assert browser.run("document.querySelector('.card img').naturalWidth") > 100, "the figure is seen"
    assert browser.run("document.querySelectorAll('.card img').length") == 1, "no figure, no empty frame"
    bar = "document.querySelector('.card .bar').getAttribute('aria-label')"
    assert browser.run(bar) == (
        "1 reproduced, 2 direction, 1 contradicted, 1 paper inconsistent, 1 not testable here"
    )


def test_a_verdict_chosen_at_the_top_leads_to_the_table(browser: Browser) -> None:
    browser.run("document.documentElement.style.scrollBehavior = 'auto'")
    browser.run("scrollTo(0, 0)")
    click(browser, ".chip.direction")
    assert browser.run("scrollY") > 0
    assert browser.run("Math.abs(document.querySelector('#verdicts').getBoundingClientRect().top)") < 200
    click(browser, "#reset")


def test_contradictions_are_told_with_value_and_reason(browser: Browser) -> None:
    told = browser.run("[...document.querySelectorAll('#contradicted li')].map(one => one.innerText)")
    assert len(told) == 1
    assert all(
        word in told[0]
        for word in ("ALPHA-10", "Larger is slower.", "Here 0.97", "> 1", "smaller was slower")
    )


def test_filter_by_study_and_by_text(browser: Browser) -> None:
    browser.run("study.value = 'beta', study.dispatchEvent(new Event('change'))")
    assert browser.run(SHOWN) == ["BETA-1"]
    browser.run("study.value = '', study.dispatchEvent(new Event('change'))")
    find(browser, "MEDIAN three")
    assert browser.run(SHOWN) == ["ALPHA-1"]
    find(browser, "no such words")
    assert browser.run(SHOWN) == []
    assert browser.run("document.querySelector('#nothing').checkVisibility()")
    click(browser, "#again")
    assert len(browser.run(SHOWN)) == 7


def test_a_row_expands_by_keyboard(browser: Browser) -> None:
    why = "document.querySelector('#claim-ALPHA-1 .why')"
    assert not browser.run(f"{why}.checkVisibility()")
    browser.run("document.querySelector('#claim-ALPHA-1 summary').focus()")
    browser.press("Enter", 13)
    assert browser.run(f"{why}.checkVisibility()")
    text = browser.run(f"{why}.innerText")
    assert "31.2 % here, 46 % in the paper" in text and "Median of three runs." in text
    browser.run("document.querySelector('#claims thead button').focus()")
    browser.press("Space", 32)
    assert browser.run("document.querySelector('[aria-sort]').textContent") == "Claim"


def test_explain_all_and_back(browser: Browser) -> None:
    click(browser, "#expand")
    assert browser.run("document.querySelectorAll('#claims details[open]').length") == 7
    click(browser, "#expand")
    assert browser.run("document.querySelectorAll('#claims details[open]').length") == 0


def test_a_link_to_a_claim_shows_it_though_it_was_filtered_away(browser: Browser) -> None:
    click(browser, ".chip.not-run")
    assert browser.run(SHOWN) == ["BETA-1"]
    click(browser, "#fig-alpha-fig01 .refs a")
    browser.run("new Promise(done => setTimeout(done, 50))")
    assert "ALPHA-1" in browser.run(SHOWN)
    assert browser.run("document.querySelector('#claim-ALPHA-1 details').open")
    browser.run("history.replaceState(null, '', location.pathname)")


def test_every_inner_link_leads_somewhere_and_no_id_is_used_twice(browser: Browser) -> None:
    targets = browser.run(
        "[...document.links].filter(a => a.pathname.endsWith('/report.html')).map(a => a.hash.slice(1))"
    )
    ids = browser.run("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(targets) > 20 and set(targets) <= set(ids)
    assert len(ids) == len(set(ids))


def test_links_to_files_are_relative_and_there(browser: Browser, url: str) -> None:
    links = browser.run("[...document.querySelectorAll('.files a')].map(a => a.getAttribute('href'))")
    figures = [f"figures/alpha/fig0{n}.{kind}" for n in (1, 2) for kind in ("pdf", "svg")]
    assert sorted(links) == [*figures, *(f"tables/alpha/fig0{n}.csv" for n in (1, 2, 3))]
    folder = Path(url.removeprefix("file://")).parent
    assert all((folder / link).is_file() for link in links)


def test_figures_are_drawn_and_keep_to_themselves(browser: Browser) -> None:
    sizes = browser.run(
        "[...document.querySelectorAll('.paper-white > svg')].map(s => s.getBoundingClientRect().height)"
    )
    assert len(sizes) == 2 and all(size > 100 for size in sizes)
    fills = browser.run(
        "[...document.querySelectorAll('.paper-white g > rect')].map(r => getComputedStyle(r).fill)"
    )
    assert fills == ["rgb(0, 114, 178)"] * 2


def test_words_in_the_tables_never_become_elements(browser: Browser) -> None:
    assert browser.run("document.querySelectorAll('#claims summary b, #claims .why script').length") == 0


@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_it_fits_any_width(browser: Browser, width: int) -> None:
    browser.size(width, 900)
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert (
        browser.run("document.querySelector('#claim-ALPHA-1 .badge').getBoundingClientRect().right") <= width
    )


def test_all_columns_are_seen_on_a_small_laptop(browser: Browser) -> None:
    browser.size(1280, 900)
    box = "document.querySelector('#claims').parentElement"
    assert browser.run(f"{box}.scrollWidth - {box}.clientWidth") == 0


def test_it_sorts_where_the_header_has_no_room(browser: Browser) -> None:
    browser.size(400, 900)
    assert browser.run("sortby.checkVisibility()")
    browser.run("sortby.value = '5', sortby.dispatchEvent(new Event('change'))")
    assert browser.run(SHOWN)[0] == "ALPHA-5"


def test_text_can_be_read_in_light_and_dark(browser: Browser) -> None:
    contrast = """(() => {
      const lum = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const back = lum(getComputedStyle(document.body).backgroundColor);
      const over = e => { const f = lum(getComputedStyle(e).color);
        return (Math.max(f, back) + 0.05) / (Math.min(f, back) + 0.05); };
      const soft = document.querySelectorAll('.where, .interval, thead th, .over, h4, td a');
      return Math.min(...[document.body, ...soft].map(over));
    })()"""
    for dark in (False, True):
        browser.media(dark=dark)
        assert browser.run(contrast) >= 4.5


def test_without_scripts_it_is_a_plain_table(browser: Browser, url: str) -> None:
    browser.scripts(False)
    try:
        browser.open(url)
        assert len(browser.run(SHOWN)) == 7
        assert not browser.run("document.querySelector('.tools').checkVisibility()")
        assert browser.run("document.querySelectorAll('#claims thead button').length") == 0
    finally:
        browser.scripts(True)


@pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="no pdftotext: install the Debian package poppler-utils"
)
def test_the_print_holds_the_reasons_and_no_controls(browser: Browser, tmp_path: Path) -> None:
    browser.pdf(tmp_path / "report.pdf")
    done = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "report.pdf", "-"], capture_output=True, text=True, check=True
    )
    text = re.sub(r"\s+", " ", done.stdout)
    assert "Median of three runs." in text
    assert "no cap can be set here" in text
    assert "Explain all" not in text


def test_which_one_should_i_use(browser: Browser) -> None:
    rows = browser.run(
        "[...document.querySelectorAll('#choice tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
    )
    assert [row[:3] for row in rows] == [[name, "3", "ssd"] for name in ("dfsio-write", "grep", "terasort")]
    tie, alone, clear = (" ".join(row[3].split()) for row in rows)
    assert tie.startswith("tie Hadoop-IPoIB 21.0 s 20 … 22, n = 2 Engine <b> 22.5 s 21 … 24, n = 2")
    assert alone == "only one measured: Hadoop-GbE 12.5 s n = 1"
    assert clear.startswith("Hadoop-IPoIB 41.2 s 40.1 … 43, n = 3 1 other")
    assert rows[0][4] == "not measured 1"
    notes = browser.run(
        "[...document.querySelectorAll('#choice > p:not(:first-of-type)')].map(p => p.innerText)"
    )
    assert notes == [
        "1 Not measured: no power source: powercap: not there.",
        "2 Not measured: no run has it.",
    ]
    assert "emulated" in rows[2][4]
    assert browser.run("document.querySelector('#choice p').innerText").endswith(
        "30 Mbit/s (Hadoop-GbE), 300 Mbit/s (Hadoop-IPoIB)."
    )
    order = browser.run("[...document.querySelectorAll('main > section')].map(section => section.id)")
    assert order == ["contradicted", "study-alpha", "study-beta", "choice", "verdicts", *order[5:]]
