"""The engine's headers: the tree shows which ones a program may include."""

import re
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "src/engine"
HEADERS = ENGINE / "include/kvasir"
INTERNAL = sorted((HEADERS / "detail").glob("*.hpp"))
PUBLIC = sorted(path for path in HEADERS.rglob("*.hpp") if path not in INTERNAL)
NAMESPACE = re.compile(r"^namespace ([a-z:]+) \{", re.MULTILINE)


def namespaces(header: Path) -> set[str]:
    """Namespaces that a header opens."""
    return set(NAMESPACE.findall(header.read_text(encoding="utf-8")))


def test_programs_include_public_headers_only() -> None:
    sources = [path for path in (ENGINE / "apps").rglob("*") if path.suffix in {".cpp", ".hpp"}]
    assert len(sources) > 20
    for path in sources:
        text = path.read_text(encoding="utf-8")
        assert "detail::" not in text and "kvasir/detail/" not in text, path


@pytest.mark.parametrize("header", INTERNAL, ids=lambda path: path.name)
def test_internal_headers_declare_internal_names_only(header: Path) -> None:
    assert namespaces(header) == {"kvasir::detail"}


@pytest.mark.parametrize("header", PUBLIC, ids=lambda path: str(path.relative_to(HEADERS)))
def test_public_headers_declare_public_names_only(header: Path) -> None:
    expected = "kvasir::hdfs" if header.parent.name == "hdfs" else "kvasir"
    assert namespaces(header) == {expected}
