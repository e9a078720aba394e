"""The driver of a Mimir that the user has built, compiled against it and run; KVASIR_MIMIR_HOME names its folder."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from harness.plan.mimir import files_of
from harness.runs.program_report import measured, read_report
from harness.runs.reference_counts import read_output
from harness.runs.run import launch_environment

PROJECT = Path(__file__).parents[2]
HOME = os.environ.get("KVASIR_MIMIR_HOME")
WORDS = ["a", "bc", "a", "longer-than-sixteen-letters", "d", "a"]

pytestmark = [
    pytest.mark.skipif(HOME is None, reason="needs a Mimir, named by KVASIR_MIMIR_HOME"),
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver, as rule build_mimir makes it."""
    assert HOME is not None and files_of("mimir", Path(HOME))
    facts = tmp_path_factory.mktemp("driver") / "mimir.json"
    script = [sys.executable, str(PROJECT / "scripts/build_programs.py"), str(PROJECT / "src/mimir")]
    done = subprocess.run(
        [*script, str(facts), "mimir-words", "--define", f"MIMIR_HOME={HOME}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    assert json.loads(facts.read_text())["sha256"].keys() == {"mimir-words"}
    return facts.parent / "bin/mimir-words"


def run(program: Path, ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["mpirun", "--oversubscribe", "-n", str(ranks), str(program), *arguments]
    return subprocess.run(command, env=launch_environment(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize(("app", "combine"), [("group-by-key", "none"), ("reduce-by-key", "both")])
def test_it_counts_every_word_once(program: Path, tmp_path: Path, ranks: int, app: str, combine: str) -> None:
    lines = [" ".join(WORDS) + f" \t w{number % 700}" for number in range(20_000)]
    text, report, output = tmp_path / "text.txt", tmp_path / "report.json", tmp_path / "output"
    text.write_text("\n".join(lines) + "\n")
    options = [f"--app={app}", f"--combine={combine}", "--send-buffer=20000"]
    done = run(program, ranks, *options, f"--report={report}", f"--output={output}", str(text), str(text))
    assert done.returncode == 0, done.stderr
    expected = Counter(word.encode() for line in lines for word in line.split())
    assert read_output(output) == {word: 2 * count for word, count in expected.items()}
    found = {metric.name: metric for metric in measured(read_report(report))}
    assert found["words"].value == 2 * expected.total() and found["keys"].value == len(expected)
    assert (found["runtime"].value or 0) > 0 and found["runtime"].source == "measured:clock"
    assert found["rounds"].source == "measured:mimir"
    assert found["work.map"].value is None and "does not time" in found["work.map"].reason


def test_its_checksum_is_that_of_the_engine(program: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("b\na b\n")
    report = tmp_path / "report.json"
    assert run(program, 2, f"--report={report}", str(text)).returncode == 0
    found = {metric.name: metric.value for metric in measured(read_report(report))}
    assert found["output.checksum"] == sum(checksum(word, n) for word, n in ((b"a", 1), (b"b", 2))) % 2**52


def checksum(word: bytes, count: int) -> int:
    """What one word adds, as the engine's README tells: FNV-1a, the count, the finaliser of splitmix64."""
    value = 0xCBF29CE484222325
    for byte in word:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    value ^= count * 0x9E3779B97F4A7C15 % 2**64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31


def test_map_and_aggregate_ends_before_words_are_grouped(program: Path, tmp_path: Path) -> None:
    text, report = tmp_path / "text.txt", tmp_path / "report.json"
    text.write_text("a b a\n" * 1000)
    assert run(program, 2, "--app=map-aggregate", f"--report={report}", str(text)).returncode == 0
    found = {metric.name: metric for metric in measured(read_report(report))}
    assert found["words"].value == 3000 and found["kv.received"].value == 3000
    assert found["keys"].value is None and "before its records are grouped" in found["keys"].reason


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--combine=before", "x"], 2, "error: --combine: before not in {none,both} (see --help)"),
        (["--send-buffer=much", "x"], 2, "error: --send-buffer: "),
        (["/there/is/nothing"], 1, "error: cannot read /there/is/nothing: No such file or directory"),
    ],
)
def test_mistakes_are_one_line(program: Path, arguments: list[str], code: int, said: str) -> None:
    done = run(program, 2, *arguments)
    assert done.returncode == code
    assert [line for line in done.stderr.splitlines() if line.startswith("error: ")] == [
        next(line for line in done.stderr.splitlines() if line.startswith(said))
    ]
