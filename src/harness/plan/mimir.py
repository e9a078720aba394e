"""Plans runs on a Mimir that the user has built, and looks whether its folder holds what they need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.config import Config, EngineStudy, Level
from harness.core.errors import KvasirError
from harness.plan.spec import RunSpec

BUILT = "build/mimir"
"""Folder of the driver, which is compiled against each Mimir: our own program with Mimir's library in it."""
PROGRAM = "mimir-words"
HEADERS = ("mimir.h", "mimircontext.h", "mimir_config.h")
LIBRARIES = ("lib/libmimir.a", "lib64/libmimir.a")
TO_DO = "build Mimir with ./configure --prefix=FOLDER && make && make install, and name FOLDER (docs/extending.md)"


def facts_of(framework: str) -> str:
    """Returns the file that says what the driver of a framework is."""
    return f"{BUILT}/{framework}/mimir.json"


def files_of(framework: str, home: Path) -> list[str]:
    """Returns the files of a home that the driver is compiled against.

    Raises KvasirError when the folder, a header or the library is missing.
    """
    where = f"config/frameworks.yaml: {framework}: home: found {home}"
    if not home.is_dir():
        raise KvasirError(f"{where}: there is no such folder; {TO_DO}")
    missing = [f"include/{name}" for name in HEADERS if not (home / "include" / name).is_file()]
    library = next((name for name in LIBRARIES if (home / name).is_file()), None)
    if library is None:
        missing.append(" or ".join(LIBRARIES))
    if missing or library is None:
        raise KvasirError(
            f"{where}: expected an installed Mimir, but there is no {', no '.join(missing)}; {TO_DO}"
        )
    return [*sorted(str(path) for path in (home / "include").glob("*.h")), str(home / library)]


def check_homes(config: Config) -> None:
    """Look at the homes of all frameworks that the chosen studies run on. Raises KvasirError as `files_of`."""
    for study in config.studies.values():
        if isinstance(study, EngineStudy):
            for name in sorted({e.framework for e in study.experiments.values() if e.framework}):
                entry = config.frameworks[name]
                if entry.home is not None and not entry.missing:
                    files_of(name, entry.home)


def refusal(levels: Mapping[str, Level], events: bool) -> str:
    """Returns why Mimir cannot run a point, '' if it can."""
    reasons = [
        (
            levels["combine"] not in ("none", "both"),
            "its combiner works before and after the exchange or not at all",
        ),
        (levels["strategy"] != "partition-full", "it has one way to exchange"),
        (levels["balance"] != "hash", "its answers to skew are not those of the engine"),
        (levels["pipeline"] != "pipelined", "it has no staged phases"),
        (events, "it keeps no log of its partitions"),
    ]
    return next((f"Mimir cannot run it: {reason}" for cannot, reason in reasons if cannot), "")


def by_mimir(run: RunSpec, framework: str) -> RunSpec:
    """Returns a run of the engine as one of the driver, on the same data."""
    factors = run.identity.factors
    kept = [
        part
        for part in run.program[1:]
        if not part.startswith("--") or part.startswith(("--report", "--output"))
    ]
    program = [
        f"{BUILT}/{framework}/bin/{PROGRAM}",
        f"--app={factors['app']}",
        f"--send-buffer={factors['buffer_bytes']}",
        f"--combine={factors['combine']}",
        *kept,
    ]
    return run.model_copy(update={"program": program, "built": facts_of(framework)})
