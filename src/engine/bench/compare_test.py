"""compare.py with real programs: the yardstick against itself, one that counts wrong, one that fails.

Usage: compare_test.py BIN [unittest arguments]
"""

import csv
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

COMPARE = Path(__file__).with_name("compare.py")
SORTS = Path(__file__).with_name("sorts.py")
BIN = Path()


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="compare test ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "scratch").mkdir()


class Compare(InAFolder):
    def setUp(self):
        super().setUp()
        self.yardstick = f"'{BIN}/wordcount-yardstick' --report {{report}} {{input}}"

    def compare(self, *arguments, words=20000):
        command = [
            sys.executable,
            COMPARE,
            "--bin",
            BIN,
            f"--words={words}",
            f"--scratch={self.folder}/scratch",
        ]
        environment = {**os.environ, "COLUMNS": "200"}
        return subprocess.run(
            [*command, *arguments], capture_output=True, text=True, env=environment, check=False
        )

    def leftovers(self):
        return [path.name for path in self.folder.rglob("*") if path.name != "scratch"]

    def test_every_program_has_its_turn_on_every_text_in_every_round(self):
        output = self.folder / "out.csv"
        done = self.compare("--rounds=2", f"--candidate=again={self.yardstick}", f"--output={output}")
        self.assertEqual(done.returncode, 0, done.stderr)
        with output.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        turns = [(row["data"], row["round"], row["program"]) for row in rows]
        texts = ("u72", "u5k", "zipf", "u1m", "u4m")
        self.assertEqual(
            turns,
            [(data, turn, program) for data in texts for turn in "12" for program in ("yardstick", "again")],
        )
        self.assertEqual([row["unique"] for row in rows[::4]], ["72", "5000", "5000", "5000", "5000"])
        for row in rows:
            self.assertEqual(row["words"], "20000")
            self.assertGreater(float(row["cpu_s"]), 0)
            self.assertGreater(int(row["peak_rss_bytes"]), 1 << 20)
            if row["program"] == "yardstick":
                self.assertEqual(float(row["cpu_ratio"]), 1)
        self.assertIn("again", done.stdout)
        self.assertEqual(self.leftovers(), ["out.csv"])

    def test_a_text_of_the_users_own_is_compared_and_left_alone(self):
        output, text = self.folder / "out.csv", self.folder / "my text.txt"
        text.write_text("a b a\nb a\n" * 1000)
        done = self.compare(
            "--rounds=1",
            "--data",
            f"--text={text}",
            f"--candidate=again={self.yardstick}",
            f"--output={output}",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        with output.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(
            [(row["data"], row["words"], row["unique"]) for row in rows], [("my text", "5000", "2")] * 2
        )
        self.assertEqual(sorted(self.leftovers()), ["my text.txt", "out.csv"])

    def test_an_empty_text_has_no_words(self):
        output, text = self.folder / "out.csv", self.folder / "empty.txt"
        text.touch()
        again = f"--candidate=again={self.yardstick}"
        done = self.compare("--rounds=1", "--data", f"--text={text}", again, f"--output={output}")
        self.assertEqual(done.returncode, 0, done.stderr)
        with output.open(encoding="utf-8") as file:
            self.assertEqual(
                [(row["words"], row["unique"]) for row in csv.DictReader(file)], [("0", "0")] * 2
            )

    def test_databases_count_the_words_of_any_white_space(self):
        output, text = self.folder / "out.csv", self.folder / "text.txt"
        text.write_bytes('a  b\ta\r\nb é\v\fa\n\n \r\n\'b "a" \\'.encode() * 1000 + b"\nend")
        databases = [
            f"--candidate={name}='{sys.executable}' '{COMPARE.with_name('databases.py')}' {name} --white-space"
            " {white-space} --report {report} {input}"
            for name in ("duckdb", "polars")
        ]
        done = self.compare("--rounds=1", "--data", f"--text={text}", *databases, f"--output={output}")
        self.assertEqual(done.returncode, 0, done.stderr)
        with output.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["program"] for row in rows], ["yardstick", "duckdb", "polars"])
        self.assertEqual({(row["words"], row["unique"]) for row in rows}, {("8002", "8")})

    def test_databases_are_left_out_of_a_text_that_they_cannot_read(self):
        for name, content in (
            ("latin", b"caf\xe9 noir"),
            ("cut", "caf\u00e9".encode()[:-1]),
            ("nul", b"a\0b c"),
        ):
            output, text = self.folder / "out.csv", self.folder / f"{name}.txt"
            text.write_bytes(content)
            done = self.compare("--rounds=1", "--data", f"--text={text}", f"--output={output}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{name}: without databases, which need UTF-8", done.stdout)
            with output.open(encoding="utf-8") as file:
                programs = {row["program"].split(",")[0] for row in csv.DictReader(file)}
            self.assertEqual(programs, {"yardstick", "reduce-by-key", "group-by-key"})

    def test_ratio_is_that_of_the_same_round(self):
        output = self.folder / "out.csv"
        thrice = 'thrice=sh -c \'"$0" "$2" >/dev/null; "$0" "$2" >/dev/null; "$0" --report "$1" "$2"\''
        thrice += f" '{BIN}/wordcount-yardstick' {{report}} {{input}}"
        done = self.compare("--data=u4m", f"--candidate={thrice}", f"--output={output}", words=1_000_000)
        self.assertEqual(done.returncode, 0, done.stderr)
        with output.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for base, row in zip(rows[::2], rows[1::2], strict=True):
            ratio = float(row["cpu_s"]) / float(base["cpu_s"])
            self.assertAlmostEqual(float(row["cpu_ratio"]), ratio, delta=0.001 * ratio)
        # CPU of what a program starts counts: three counts of which two are children of a child.
        self.assertGreater(max(float(row["cpu_ratio"]) for row in rows), 1.5)

    def test_a_program_that_counts_wrong_is_an_error(self):
        output = self.folder / "out.csv"
        wrong = f"--candidate=twice={self.yardstick} {{input}}"
        done = self.compare("--data=u72", wrong, f"--output={output}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("u72: twice: words, keys and checksum are (40000, 72,", done.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_programs_that_fail_or_are_not_there_are_named(self):
        for command, expected in (
            (
                f"'{BIN}/wordcount-yardstick' --report {{report}} {{input}} /no/such/file",
                "/no/such/file: no such file",
            ),
            ("/no/such/program {report} {input}", "/no/such/program: cannot be started: No such file"),
            ("true {report} {input}", "report.json: expected JSON with metrics words, keys"),
        ):
            done = self.compare("--data=u72", f"--candidate=bad={command}")
            self.assertEqual(done.returncode, 1)
            self.assertIn(expected, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(self.leftovers(), [])

    def test_wrong_arguments_are_refused_before_anything_runs(self):
        for argument, expected in (
            ("--words=-3", "expected a whole number above 0"),
            ("--rounds=none", "expected a whole number above 0"),
            ("--data=u9", "invalid choice: 'u9'"),
            ("--candidate=nothing", "expected NAME=COMMAND"),
        ):
            done = self.compare(argument)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr)
        done = self.compare(
            "--data=u72", f"--candidate=again={self.yardstick}", "--output=/no/such/folder/out.csv"
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/folder/out.csv: cannot be written", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_stopped_it_takes_its_programs_and_texts_along(self):
        pid_file = self.folder / "pid"
        sleeper = f"--candidate=sleeper=sh -c 'echo $$ > \"{pid_file}\"; exec sleep 600' {{report}} {{input}}"
        command = [sys.executable, COMPARE, "--bin", BIN, "--words=2000", "--data=u72"]
        process = subprocess.Popen(
            [*command, f"--scratch={self.folder}/scratch", sleeper],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        sleeper_pid = int(pid_file.read_text())
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 143)
        with self.assertRaises(ProcessLookupError):
            os.kill(sleeper_pid, 0)
        self.assertEqual(self.leftovers(), ["pid"])


class Sorts(InAFolder):
    def sorts(self, programs, *arguments):
        command = [sys.executable, SORTS, "--bin", programs, f"--scratch={self.folder}/scratch", "--rounds=2"]
        return subprocess.run(
            [*command, "--records=3000", *arguments], capture_output=True, text=True, check=False
        )

    def test_all_programs_sort_the_same_bytes_in_turns(self):
        for unique in ([], ["--unique=7"]):
            output = self.folder / "out.csv"
            done = self.sorts(BIN, f"--output={output}", *unique)
            self.assertEqual(done.returncode, 0, done.stderr)
            with output.open(encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            names = ["sort-yardstick", "sort-records, 1 rank", "sort-records, 2 ranks"]
            names += ["sort --parallel=1", "sort --parallel=2"]
            self.assertEqual([row["program"] for row in rows], 2 * names)
            self.assertEqual([row["cores"] for row in rows], 2 * ["1", "1", "2", "1", "2"])
            self.assertEqual([row["cpu_ratio"] for row in rows[::5]], ["1.000000"] * 2)
            self.assertIn("Sorting 3,000 records", done.stdout)
            self.assertEqual(list((self.folder / "scratch").iterdir()), [])

    def test_a_program_that_sorts_otherwise_is_an_error(self):
        programs = self.folder / "bin"
        programs.mkdir()
        for name in ("generate", "sort-records"):
            (programs / name).symlink_to(BIN / name)
        (programs / "sort-yardstick").write_text('#!/bin/sh\nexec cp "$1" "$3"\n')
        (programs / "sort-yardstick").chmod(0o755)
        done = self.sorts(programs)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stderr.splitlines()[-1],
            "sorts: sort-records, 1 rank: its output is not that of sort-yardstick",
        )
        self.assertEqual(list((self.folder / "scratch").iterdir()), [])


if __name__ == "__main__":
    BIN = Path(sys.argv.pop(1)).resolve()
    unittest.main()
