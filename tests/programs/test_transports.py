"""Start of Open MPI: without the probe of network libraries on one host, unless the user chose transports, and
without a daemon where there is no launcher.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.compiled import ROOT_MAY, build

TWO_RANKS = ["mpirun", "--oversubscribe", "-n", "2"]
CHOSEN = {"pml": "ob1", "btl": "self,vader,tcp"}


def transports(launcher: list[str], folder: Path) -> dict[str, str]:
    """Count a word under `launcher`; return the transports that Open MPI found in its environment."""
    text = folder / "text"
    text.write_text("word\n", encoding="utf-8")
    program = build("engine", "reduce-by-key") / "bin/reduce-by-key"
    environment = {**os.environ, **ROOT_MAY, "OMPI_MCA_mpi_show_mca_params": "enviro"}
    done = subprocess.run(
        [*launcher, str(program), "--top", "1", str(text)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b1\s+word\b|\bword\s+1\b", done.stdout), done.stdout
    shown = re.findall(r"\] (pml|btl)=(\S+) \(environment\)", done.stdout + done.stderr)
    return dict(shown)


@pytest.mark.parametrize(
    ("launcher", "found"),
    [
        pytest.param([], CHOSEN, id="alone"),
        pytest.param(TWO_RANKS, CHOSEN, id="one host"),
        pytest.param([*TWO_RANKS, "env", "OMPI_COMM_WORLD_LOCAL_SIZE=1"], {}, id="two hosts"),
        pytest.param(["env", "SLURM_STEP_NUM_NODES=1"], CHOSEN, id="one host of SLURM"),
        pytest.param(["env", "SLURM_STEP_NUM_NODES=2"], {}, id="two hosts of SLURM"),
        pytest.param([*TWO_RANKS, "--mca", "btl", "self,tcp"], {"btl": "self,tcp"}, id="the user's btl"),
        pytest.param([*TWO_RANKS, "--mca", "pml", "^ucx"], {"pml": "^ucx"}, id="the user's pml"),
    ],
)
def test_network_libraries_are_probed_only_where_ranks_need_them(
    launcher: list[str], found: dict[str, str], tmp_path: Path
) -> None:
    assert transports(launcher, tmp_path) == found


def test_a_program_without_a_launcher_starts_no_process_beside_it(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("\n".join(f"word{number}" for number in range(20_000)), encoding="utf-8")
    program = build("engine", "reduce-by-key") / "bin/reduce-by-key"
    with subprocess.Popen(
        [str(program), "--top", "20000", str(text)],
        env={**os.environ, **ROOT_MAY},
        stdout=subprocess.PIPE,
    ) as counting:
        # It has not ended: its output does not fit into the pipe.
        assert counting.stdout is not None and counting.stdout.read(1) != b""
        threads = Path(f"/proc/{counting.pid}/task").iterdir()
        children = "".join((thread / "children").read_text(encoding="utf-8") for thread in threads)
        lines = counting.stdout.read().count(b"\n")
    assert (counting.returncode, children) == (0, "")
    assert lines >= 20_000
