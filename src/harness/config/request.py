"""Checks what a user asked for: the configuration with the choices on top of it, and the names of targets."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.config.load import Config, load_config, read_top
from harness.config.study import Figure, Study
from harness.core.errors import KvasirError

RULE = re.compile(r"^ *(?:rule|use rule \w+ as) (\w+)(?::| with:)", re.MULTILINE)


def typed_in(values: Mapping[str, Any], folder: Path = Path("config")) -> dict[str, str]:
    """Returns, by key, `key=value` for each of the `values` that config.yaml does not have: somebody typed it."""
    known = read_top(folder)
    typed = {key: value for key, value in values.items() if key not in known or known[key] != value}
    return {
        key: f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in typed.items()
    }


def check_choices(
    scale: str = "", site: str = "", studies: str = "", replay: str = "", folder: Path = Path("config")
) -> Config:
    """Loads the configuration with the variables of make that are not empty.

    Raises KvasirError naming the variable, as in `SCALE=huge: allowed: ...`, or the file that is wrong.
    """
    chosen = {"scale": scale, "site": site, "studies": studies, "replay": replay}
    told = {key: value for key, value in chosen.items() if value}
    typed = {key: f"{key.upper()}={value}" for key, value in told.items()}
    return load_config({**read_top(folder), **told}, folder, typed)


def rule_names(root: Path = Path()) -> list[str]:
    """Returns the names of all rules that the Snakefile and rules/*.smk define by their names."""
    files = [root / "Snakefile", *sorted((root / "rules").glob("*.smk"))]
    return [name for path in files for name in RULE.findall(path.read_text(encoding="utf-8"))]


def figure_targets(config: Config) -> list[str]:
    """Returns the targets of single figures, as fig_mimir_3."""
    return [
        f"fig_{name}_{figure.alias}" for name, study in config.studies.items() for figure in study.figures
    ]


def study_named(config: Config, name: str) -> Study:
    """Returns a chosen study by its id, as mimir. Raises KvasirError listing the chosen studies."""
    if name not in config.studies:
        raise KvasirError(f"{name}: no such study is chosen: {_there(name, config.studies, config.studies)}")
    return config.studies[name]


def figure_named(config: Config, study: str, name: str) -> Figure:
    """Returns the figure of a study by its id, as fig03. Raises KvasirError listing the study's figures."""
    figures = {figure.id: figure for figure in study_named(config, study).figures}
    if name not in figures:
        raise KvasirError(f"study {study} has no figure {name}: {_there(name, figures, figures)}")
    return figures[name]


FORCE = re.compile(r"--force(run)?$|-[a-zA-Z]*[fR][a-zA-Z]*$")
"""Snakemake's options that force what they name."""


def forced_figures(arguments: Sequence[str]) -> set[str]:
    """Returns the targets of single figures that a command line names and forces, as in `--force fig_mimir_3`."""
    if not any(FORCE.match(word) for word in arguments):
        return set()
    return {word for word in arguments if word.startswith("fig_")}


def check_targets(names: Iterable[str], config: Config, rules: Iterable[str]) -> None:
    """Raises KvasirError for a target that is neither a file's path nor a rule, a study or a figure.

    The message lists what there is: the figures of the study for a figure, else studies and rules.
    """
    figures = figure_targets(config)
    known = [*config.studies, *figures, *rules]
    for name in names:
        if name in known or "/" in name or "." in name:
            continue
        if name.startswith("fig_"):
            study = name.split("_")[1]
            mine = [figure for figure in figures if figure.startswith(f"fig_{study}_")]
            there = mine or [f"fig_{name}_..." for name in config.studies]
            raise KvasirError(f"{name}: no such figure: {_there(name, there, figures)}")
        targets = [*config.studies, "all", "smoke", "tables", "figures", "claims", "report", "mrev_report"]
        raise KvasirError(
            f"{name}: no such target: {_there(name, [*targets, 'fig_mimir_3 and so on'], known)}; a file that the"
            " workflow makes is a target by its path"
        )


def _there(name: str, shown: Iterable[str], known: Iterable[str]) -> str:
    """Returns `there are A, B`, and which of the `known` names was probably meant."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f"there are {', '.join(shown)}" + (f"; did you mean {close[0]!r}?" if close else "")
