from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from power_trees import FileTree, knm_tree


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="kvasir-power-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def tree(tmp_path: Path) -> FileTree:
    return knm_tree(tmp_path / "powercap")
