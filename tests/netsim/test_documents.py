"""The configurations that tables of figures show, as the real simulator takes them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.config import load_config
from harness.plan.figure_tables import flat, netsim_documents

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("scale", ["smoke", "laptop", "night", "paper"])
def test_simulator_completes_every_configuration_of_tables(
    netsim_bin: Path, tmp_path: Path, scale: str
) -> None:
    config = load_config({"scale": scale, "site": "local", "studies": ["eee"], "seed": 1}, ROOT / "config")
    documents = netsim_documents(config.studies["eee"], config)
    paths = [tmp_path / f"{number}.json" for number in range(len(documents))]
    for path, document in zip(paths, documents.values(), strict=True):
        path.write_text(json.dumps(document), encoding="utf-8")
    done = subprocess.run([netsim_bin / "netsim", "config", *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    completed: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    for given, whole in zip(documents.values(), completed, strict=True):
        assert dict(flat(given)).keys() < dict(flat(whole)).keys(), "what is not given is completed"
