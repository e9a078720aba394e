"""The engine's counts against coreutils' own, on texts full of odd bytes."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.core.errors import KvasirError
from harness.runs.reference_counts import compare, read_counts, read_output

SCRIPT = Path(__file__).parents[2] / "scripts/count_words.sh"
ODD = st.lists(
    st.sampled_from([b"a", b"b", b"\xff", b"\x00x", b" ", b"\n", b"\t", b"\r", b"\v", b"\f", "ø".encode()])
)


@settings(max_examples=30)
@given(pieces=ODD)
def test_coreutils_count_words(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("count words")
    text, counts = folder / "a text.txt", folder / "a text.counts"
    text.write_bytes(b"".join(pieces))
    subprocess.run(["bash", str(SCRIPT), str(text), str(counts)], check=True)
    assert read_counts(counts).each == Counter(text.read_bytes().split())


def test_comparison_names_every_difference(tmp_path: Path) -> None:
    counts = tmp_path / "x.counts"
    counts.write_bytes(b"      3 a\n      1 b\n")
    output = tmp_path / "output"
    output.mkdir()
    (output / "part-00000").write_bytes(b"a\t2\n")
    (output / "part-00001").write_bytes(b"a\t1\nc\t1\n")
    found = {m.name: m.value for m in compare(read_counts(counts), read_output(output))}
    assert found == {"words.expected": 4, "keys.expected": 2, "coreutils.mismatches": 2}, (
        "b is missing, c is new"
    )


@pytest.mark.parametrize("content", [b"no number here\n", b"     12\n", b"\x1f\x8b\x08binary\n"])
def test_foreign_counts_are_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.counts"
    path.write_bytes(content)
    with pytest.raises(KvasirError, match=r"x\.counts: line 1: expected a count and a word"):
        read_counts(path)
