"""Which files of a program's folder its build depends on."""

from __future__ import annotations

from pathlib import Path

COMPILED = ("CMakeLists.txt", "cmake", "include", "source", "apps")


def compiled(folder: Path | str) -> list[str]:
    """Sources of the programs in a folder: not its tests, benchmarks and documents. Sorted paths."""
    return sorted(
        str(path)
        for path in Path(folder).rglob("*")
        if path.is_file()
        and path.relative_to(folder).parts[0] in COMPILED
        and not path.name.endswith("_test.cpp")
    )
