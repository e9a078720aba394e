"""A full disk, folders that cannot be read, garbage for text: one clear error each, and nothing left behind."""

import json
import os
import shlex
import subprocess
from pathlib import Path

from tests.compiled import ROOT_MAY

from .checkout import Checkout

GENERATE = (
    "python scripts/generate_text.py build/programs/bin/generate --law interleaved --words 1000000 --unique 5000 "
    "--parameter 0 --seed 1 {folder}/t.txt {folder}/t.json"
)


def on_small_disk(checkout: Checkout, megabytes: int, command: str) -> tuple[int, str, list[str]]:
    """Run a command with {folder} on a file system of few megabytes; exit code, output, files left there."""
    folder = checkout.folder.parent / "small disk"
    folder.mkdir(exist_ok=True)
    disk, here = shlex.quote(str(folder)), shlex.quote(str(checkout.folder))
    script = (
        f"mount -t tmpfs -o size={megabytes}m small {disk} && cd {here} && "
        f"{{ {command.format(folder=disk)}; }} >/dev/shm/kvasir-test-output.$$ 2>&1; echo code $?; "
        f"cat /dev/shm/kvasir-test-output.$$; rm /dev/shm/kvasir-test-output.$$; echo 'left:'; ls -A {disk}"
    )
    # A mount namespace of its own: as root at once, as anyone else through a user namespace.
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    done = subprocess.run(
        [*unshare, "bash", "-c", script], env=checkout.environment, capture_output=True, text=True, check=True
    )
    told, _, left = done.stdout.partition("left:\n")
    head, _, output = told.partition("\n")
    return int(head.removeprefix("code ")), output, left.split()


def test_full_disk_while_generating(smoke: Checkout) -> None:
    code, output, left = on_small_disk(smoke, 2, GENERATE)
    assert code != 0 and "the disk has" in output and "free some or choose fewer words" in output
    assert "Traceback" not in output and left == []
    code, output, left = on_small_disk(smoke, 20, GENERATE)
    assert code == 0, output
    assert sorted(left) == ["t.json", "t.txt"]


def test_full_disk_while_recording(smoke: Checkout) -> None:
    fill = "head -c 1008k /dev/zero > {folder}/ballast; "  # 16 KB are left for samples and record
    run = (
        "python scripts/run_point.py mimir combiner group-by-key_215W 1 {folder}/1/run.json "
        "--choose scale=smoke"
    )
    code, output, left = on_small_disk(smoke, 1, fill + run)
    assert code != 0 and "No space left" in output
    assert "Traceback" not in output
    assert "run.json" not in " ".join(left), "nothing that looks finished"


def test_text_that_cannot_be_read(smoke: Checkout, tmp_path: Path) -> None:
    done = smoke.run(
        "bash", "scripts/collect_realtext.sh", str(tmp_path / "o.txt"), str(tmp_path / "nowhere")
    )
    assert done.returncode != 0 and "nowhere: no such readable file or folder" in done.stdout
    (tmp_path / "binary only").mkdir()
    (tmp_path / "binary only" / "x").write_bytes(bytes(range(256)) * 10)
    done = smoke.run(
        "bash", "scripts/collect_realtext.sh", str(tmp_path / "o.txt"), str(tmp_path / "binary only")
    )
    assert done.returncode != 0 and "no text found" in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["binary only"]


def engine(checkout: Checkout, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            "mpirun",
            "--oversubscribe",
            "--bind-to",
            "none",
            "-n",
            "2",
            "build/programs/bin/reduce-by-key",
            *arguments,
        ],
        cwd=checkout.folder,
        env={**checkout.environment, **ROOT_MAY},
        capture_output=True,
        text=True,
        check=False,
    )


def test_binary_garbage_is_text_like_any_other(smoke: Checkout, tmp_path: Path) -> None:
    garbage = bytes(i * 7919 % 256 for i in range(100_000))
    (tmp_path / "garbage").write_bytes(garbage)
    done = engine(smoke, f"--report={tmp_path / 'r.json'}", str(tmp_path / "garbage"))
    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "r.json").read_text())["metrics"]
    assert metrics["words"]["value"] == len(garbage.split())
    assert metrics["keys"]["value"] == len(set(garbage.split()))


def test_engine_names_a_file_it_cannot_find_once(smoke: Checkout, tmp_path: Path) -> None:
    done = engine(smoke, f"--report={tmp_path / 'r.json'}", str(tmp_path / "nowhere.txt"))
    assert done.returncode != 0
    assert done.stderr.count("nowhere.txt") == 1, done.stderr
    assert not list(tmp_path.iterdir())
