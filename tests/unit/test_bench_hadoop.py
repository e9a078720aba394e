"""The comparison of Hadoop's variants: who takes which turn, and ratios within rounds."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from harness.config.load import parse, read_yaml
from harness.hadoop.plugins import job_properties, load_plugins

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compare() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("compare_hadoop", PROJECT / "src/hadoop/bench/compare.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look their own module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def turn(compare: ModuleType, variant: str, number: int, work_s: float) -> Any:
    return compare.Turn(
        benchmark="terasort",
        variant=variant,
        round=number,
        total_s=2 * work_s,
        work_s=work_s,
        maps_s=work_s / 2,
        shuffle_s=work_s / 4,
        reduce_s=work_s / 4,
        cpu_s=3 * work_s,
        received=2 << 20,
        crowded=1,
        shuffled=1 << 20,
        reduces_wrote=0,
    )


def test_variants_that_are_compared_are_there(compare: ModuleType) -> None:
    variants = parse(compare.FILE, read_yaml(PROJECT / compare.VARIANTS), "variants.yaml")
    stock, *others = variants.values()
    assert not stock.plugins and not stock.job_properties and others
    for variant in others:
        assert job_properties(variant.job_properties, load_plugins(variant.plugins).values())


def test_variants_take_turns_in_being_first(compare: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[str] = []
    benchmark = SimpleNamespace(name="terasort", prepare=prepared.append)
    started = SimpleNamespace(unlimited=contextlib.nullcontext)
    monkeypatch.setattr(
        compare, "one_turn", lambda hosts, cell, benchmark, name, number: f"{number} {name} {cell}"
    )
    cells = {"stock": "S", "one": "O", "other": "T"}
    found = list(compare.take_turns(started, cells, [benchmark], 4, lambda _: None))
    assert [text.split()[1] for text in found] == [
        *("stock", "one", "other"), *("one", "other", "stock"), *("other", "stock", "one"), *("stock", "one", "other")
    ]  # fmt: skip
    assert prepared == ["S"] and all(text.split()[2] == cells[text.split()[1]] for text in found)


def test_ratios_are_of_runs_of_one_round(compare: ModuleType, tmp_path: Path) -> None:
    turns = [
        turn(compare, "one", 2, 10.0),
        *(turn(compare, "stock", number, work_s) for number, work_s in ((1, 10.0), (2, 40.0), (3, 8.0))),
        *(turn(compare, "one", number, work_s) for number, work_s in ((1, 5.0), (3, 8.0))),
    ]
    turns = [*turns[1:], turns[0]]
    table = compare.table_of(turns, "title")
    columns = {column.header: list(column.cells) for column in table.columns}
    assert columns["variant"] == ["stock", "one"]
    assert columns["work ratio"] == ["1.00 (1.00..1.00)", "0.50 (0.25..1.00)"]
    assert columns["work s"] == ["10.00", "8.00"]
    assert [columns[name] for name in ("maps s", "shuffle s", "received MiB")] == [
        ["5.0", "4.0"],
        ["2.5", "2.0"],
        ["2.0", "2.0"],
    ]
    compare.write_csv(turns, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == (
        "terasort,stock,1,20.0,10.0,5.0,2.5,2.5,30.0,2097152,1,1048576,0"
    )
