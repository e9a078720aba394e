"""Lists the files of a program's folder that its build depends on."""

from __future__ import annotations

from pathlib import Path

COMPILED = ("CMakeLists.txt", "cmake", "include", "source", "apps")
SHARED = "cmake"
"""Folder beside the C++ programs with what their CMakeLists.txt include."""


def modules(folder: Path | str) -> list[Path]:
    """Return the folders of the Java modules in a folder (src/hadoop): workloads, then plug-ins by name."""
    folder = Path(folder)
    return [folder / "workloads", *sorted(pom.parent for pom in folder.glob("plugins/*/pom.xml"))]


def compiled(folder: Path | str) -> list[str]:
    """Return the sources of the programs or Java modules in a folder: no tests, benchmarks or documents.

    Sorted paths.
    """
    folder = Path(folder)
    if (folder / "pom.xml").is_file():
        poms = [folder / "pom.xml", *(module / "pom.xml" for module in modules(folder))]
        found = [*poms, *(path for module in modules(folder) for path in (module / "src/main").rglob("*"))]
    else:
        found = [
            *(folder.parent / SHARED).glob("*.cmake"),
            *(
                path
                for path in folder.rglob("*")
                if path.relative_to(folder).parts[0] in COMPILED and not path.name.endswith("_test.cpp")
            ),
        ]
    return sorted(str(path) for path in found if path.is_file())
