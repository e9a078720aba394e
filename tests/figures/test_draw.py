"""The driver of all figures: what it refuses, in one line that names the cause, and with nothing half-written."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import mimir_tables
import pytest
from drawing import (
    FIGURES,
    HERE,
    ROOT,
    Drawn,
    Job,
    Row,
    draw,
    draw_many,
    draw_well,
    edited,
    figures_of,
    svg,
    without,
)

TABLES = figures_of("mimir")
Tables = dict[str, Path]

pytestmark = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)"
)


def bad_bytes(content: bytes) -> Callable[[Path, Tables], Tables]:
    """The first table of Fig. 1 is a file of these bytes."""

    def spoil(folder: Path, tables: Tables) -> Tables:
        (folder / "bad.csv").write_bytes(content)
        return tables | {"stages": folder / "bad.csv"}

    return spoil


def without_a_column(figure: str) -> Callable[[Path, Tables], Tables]:
    """The last table of a figure lacks one."""
    column = "capacity_bytes" if figure == "fig04" else "unique"
    name = TABLES[figure][-1]
    return lambda folder, tables: tables | {name: edited(tables[name], folder / "bad.csv", without(column))}


def without_rows(folder: Path, tables: Tables) -> Tables:
    """All tables have their header only; the last one is bad.csv."""
    last = list(tables)[-1]
    return {
        name: edited(path, folder / ("bad.csv" if name == last else f"{name}.csv"), lambda row: None)
        for name, path in tables.items()
    }


def cut_in_the_last_row(folder: Path, tables: Tables) -> Tables:
    whole = tables["stages"].read_text(encoding="utf-8")
    (folder / "bad.csv").write_text(whole[: whole.rindex(",")].rsplit(",", 3)[0] + "\n", encoding="utf-8")
    return tables | {"stages": folder / "bad.csv"}


def a_word_for_a_number(folder: Path, tables: Tables) -> Tables:
    def spoil(row: Row) -> Row:
        return row | ({"value": "fast"} if row["metric"] == "runtime" and row["rep"] == "2" else {})

    return tables | {"stages": edited(tables["stages"], folder / "bad.csv", spoil)}


def only(**tables: str) -> Callable[[Path, Tables], Tables]:
    """These tables instead; a name's underscore stands for a dot."""
    return lambda folder, _: {name.replace("_", "."): folder / path for name, path in tables.items()}


REFUSED: dict[str, tuple[str, Callable[[Path, Tables], Tables], list[str]]] = {
    **{
        f"no column, {figure}": (figure, without_a_column(figure), ["bad.csv: column '", "' is missing"])
        for figure in TABLES
    },
    **{
        f"no rows, {figure}": (figure, without_rows, ["bad.csv", "nothing to draw"])
        for figure in ("fig01", "fig04", "sweetspot", "table1")
    },
    "empty": ("fig01", bad_bytes(b""), ["bad.csv", "the file is empty"]),
    "truncated": ("fig01", bad_bytes(b"study,experiment,point\nmimir,stages\n"), ["bad.csv", "not a whole CSV table"]),
    "binary": ("fig01", bad_bytes(bytes(range(256)) * 4), ["bad.csv", "not a whole CSV table"]),
    "cut in its last row": ("fig01", cut_in_the_last_row, ["bad.csv", "not a whole"]),
    "no number": ("fig01", a_word_for_a_number, ["bad.csv", "column 'value', row", "'fast' is not a number"]),
    "absent": ("fig01", only(stages="nowhere.csv", stages_trace="nowhere.csv"), ["nowhere.csv: no such file"]),
    "too few": ("fig01", only(stages="a.csv"), ["table 'stages.trace' is not given"]),
    "too many": ("fig01", only(stages="a", stages_trace="a", other="a"), ["unknown table 'other'"]),
    "no figure": ("fig99", only(stages="a"), ["fig99.R: no such script"]),
}  # fmt: skip


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of a machine without a power source."""
    folder = tmp_path_factory.mktemp("tables")
    mimir_tables.write_tables(folder)
    return folder / "none"


def tables_of(figure: str, made: Path) -> Tables:
    return {name: made / f"{name}.csv" for name in TABLES.get(figure, [])}


@pytest.fixture(scope="session")
def refused(made: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Drawn]]:
    """How each of REFUSED ended, and the folder it was to be drawn into."""
    folder = tmp_path_factory.mktemp("refused")
    jobs = {}
    for number, (name, (figure, change, _)) in enumerate(REFUSED.items()):
        own = folder / str(number)
        own.mkdir()
        jobs[name] = Job(f"mimir/{figure}", change(own, tables_of(figure, made)), own / "out" / "fig")
    ended = draw_many(list(jobs.values()), folder)
    return {name: (job.stem.parent, end) for (name, job), end in zip(jobs.items(), ended, strict=True)}


@pytest.mark.parametrize("name", REFUSED)
def test_one_line_says_what_is_wrong_and_nothing_is_written(
    name: str, refused: dict[str, tuple[Path, Drawn]]
) -> None:
    figure, _, said = REFUSED[name]
    folder, drawn = refused[name]
    assert drawn.status == 1
    assert drawn.said.startswith(f"{figure}: ") and "\\n" not in drawn.said
    for words in said:
        for file in ("bad.csv", "nowhere.csv"):
            words = words.replace(file, str(folder.parent / file))
        assert words in drawn.said
    assert not folder.exists() or list(folder.iterdir()) == []


def test_the_command_ends_with_status_1_and_one_line(made: Path, tmp_path: Path) -> None:
    job = Job("mimir/fig01", {"stages": made / "stages.csv"}, tmp_path / "out" / "fig")
    run = draw(job)
    assert run.returncode == 1
    assert run.stderr.strip().splitlines() == [
        "fig01: table 'stages.trace' is not given; it takes stages=FILE.csv stages.trace=FILE.csv"
    ]
    assert not (tmp_path / "out").exists()


def test_the_command_draws_all_three_files_and_says_nothing(made: Path, tmp_path: Path) -> None:
    (tmp_path / ".fig.4242.svg").write_text("of a process that was killed")
    run = draw(Job("mimir/fig04", tables_of("fig04", made), tmp_path / "fig"), cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fig.pdf", "fig.png", "fig.svg"]


def test_a_line_stands_above_the_figure_in_its_font(made: Path, tmp_path: Path) -> None:
    job = Job("mimir/fig04", tables_of("fig04", made), tmp_path / "fig", above="TRIAL: tiny data.")
    draw_well([job], tmp_path)
    assert re.search(r'font-weight: bold;[^>]*font-family: "Inter"[^>]*>TRIAL: tiny data\.<', svg(job.stem))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no --out STEM is given"),
        (["a.R", "--out"], "found --out without or with two values"),
        (["a.R", "--out", "a", "--out", "b"], "found --out without or with two values"),
        (["--out", "fig", "a=b"], "the script of the figure is not given"),
        (["a.R", "--out", "fig", "b"], "cannot read the argument 'b'"),
    ],
    ids=["nothing", "no stem", "two stems", "no script", "no table"],
)
def test_the_usage_is_told(words: list[str], said: str, tmp_path: Path) -> None:
    run = subprocess.run(
        ["Rscript", "--vanilla", str(FIGURES / "draw.R"), *words],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1 and said in run.stderr and "usage: draw.R SCRIPT.R --out STEM" in run.stderr


def test_a_folder_that_cannot_be_made_is_named(made: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    job = Job("mimir/fig04", tables_of("fig04", made), tmp_path / "file" / "fig")
    (drawn,) = draw_many([job], tmp_path)
    assert drawn.status == 1 and "cannot create the folder" in drawn.said and "\\n" not in drawn.said


def test_an_older_figure_survives_a_failure(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "fig.svg").write_text("older")
    job = Job("mimir/fig04", {"schematic.fill": tmp_path / "absent.csv"}, folder / "fig")
    assert draw_many([job], tmp_path)[0].status == 1
    assert [path.name for path in folder.iterdir()] == ["fig.svg"]
    assert (folder / "fig.svg").read_text() == "older"


def test_r_library() -> None:
    code = "testthat::test_dir(commandArgs(TRUE), reporter = 'check', stop_on_failure = TRUE)"
    run = subprocess.run(
        ["Rscript", "-e", code, str(HERE / "testthat")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
