"""Rules and scripts name the interpreter they mean: Debian has no program called python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
FILES = [
    PROJECT / "Makefile",
    PROJECT / "Snakefile",
    *sorted(PROJECT.glob("rules/*.smk")),
    *sorted(PROJECT.glob("scripts/*.sh")),
    PROJECT / ".ci/run",
]
# A word of a command, not an option's or a package's name, nor .venv/bin/python.
BARE = re.compile(r"""(?:^|[\s"'(;|&])python\s+[\w./$-]""")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_no_command_is_a_bare_python(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.lstrip().startswith("#") and BARE.search(line)] == []


@pytest.mark.parametrize("line", ['        "python scripts/tables.py x"', "python -m pip", "(python x.py)"])
def test_a_bare_python_is_found(line: str) -> None:
    assert BARE.search(line)
