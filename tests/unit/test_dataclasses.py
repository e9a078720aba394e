"""Numbers of one type that could change places are given by name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBERS = ("int", "float")
MOST = 2
"""Numbers of one type that a class may take by their places."""


def _numbers(node: ast.ClassDef) -> Counter[str]:
    """How many fields of each type of number a class has; one that may be None counts as well."""
    found: Counter[str] = Counter()
    for field in node.body:
        if isinstance(field, ast.AnnAssign):
            types = [part.strip() for part in ast.unparse(field.annotation).split("|")]
            found.update(part for part in types if part in NUMBERS)
    return found


def _positional(node: ast.ClassDef) -> bool:
    """Whether a class is a NamedTuple, or a dataclass whose fields may be given by their places."""
    tuples = any(ast.unparse(base).endswith("NamedTuple") for base in node.bases)
    marks = [ast.unparse(mark) for mark in node.decorator_list if "dataclass" in ast.unparse(mark)]
    return tuples or any("kw_only=True" not in mark for mark in marks)


def careless(source: str) -> Iterator[str]:
    """Names of classes of a source file that take too many numbers of one type by their places."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.ClassDef)
            and _positional(node)
            and max(_numbers(node).values(), default=0) > MOST
        ):
            yield node.name


def test_three_numbers_of_one_type_are_given_by_name() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted((ROOT / "src" / "harness").rglob("*.py"))
        for name in careless(path.read_text(encoding="utf-8"))
    ]
    assert not found, "kw_only=True is missing: " + ", ".join(found)


def test_a_careless_class_is_found() -> None:
    fields = "    a: float = 0.0\n    b: float | None = None\n    c: float = 0.0\n"
    assert list(careless(f"@dataclass(frozen=True)\nclass Job:\n{fields}")) == ["Job"]
    assert list(careless(f"class Job(NamedTuple):\n{fields}")) == ["Job"]
    assert not list(careless(f"@dataclass(frozen=True, kw_only=True)\nclass Job:\n{fields}"))
