"""The steps of a reviewer by the clock: make's own variables stay out of them, and a wrong name is an error."""

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def test_steps_are_run_and_timed_without_the_variables_of_their_make(tmp_path: Path) -> None:
    targets = "kick replay appendix paper reproduce compare"
    (tmp_path / "Makefile").write_text(
        f"{targets}:\n\t@echo '$@ [$(ARGS)]' >> steps.log\n"
        "review:\n\t@'$(PY)' '$(SCRIPT)' --setup-seconds 61.5 $(ARGS)\n",
        encoding="utf-8",
    )
    given = [f"PY={sys.executable}", f"SCRIPT={PROJECT / 'scripts/review.py'}"]
    command = ["make", "-s", "review", *given, "ARGS=--leave-out 'make reproduce'"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "steps.log").read_text().splitlines() == [
        "kick []", "replay []", "appendix []", "paper []", "compare []"
    ]  # fmt: skip
    rows = (tmp_path / "build/review.csv").read_text().splitlines()
    assert rows[0] == "step,command,seconds,machine,day"
    assert [row.split(",")[1] for row in rows[1:]] == [
        "make setup", "make kick", "make replay", "make appendix", "make paper", "make compare"
    ]  # fmt: skip
    assert ",61.5," in rows[1]


def test_a_step_that_fails_ends_it_and_an_unknown_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("kick:\n\t@false\n", encoding="utf-8")
    review = [sys.executable, str(PROJECT / "scripts/review.py"), "--setup-seconds", "1"]
    done = subprocess.run(review, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "error: make kick: exit code 2 after" in done.stderr
    wrong = subprocess.run(
        [*review, "--leave-out", "make kik"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 1 and "'make kik': no such step" in wrong.stderr
