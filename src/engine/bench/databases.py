"""Count the words of a text with DuckDB or Polars, for compare.py: databases.py duckdb --report FILE TEXT.

The text must be UTF-8 without control characters but white space. The report has what compare.py reads of the
mini-apps' reports, but no checksum, which would take longer than the count.
"""

import argparse
import codecs
import json
import os
import resource
import sys
from pathlib import Path

NO_SEPARATOR = "\x1f"
"""What ends a column for both: a line is one."""

WHITE_SPACE = b"\t\v\f\r"
"""White space besides space and newline."""
CONTROL = bytes(code for code in (*range(0x20), 0x7F) if code not in b"\n" + WHITE_SPACE)


def can_read(text: Path) -> bool:
    """Return whether the databases read this text as it is: UTF-8 without control characters."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with text.open("rb") as file:
        try:
            while part := file.read(1 << 24):
                decoder.decode(part)
                if len(part.translate(None, CONTROL)) < len(part):
                    return False
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def with_duckdb(text: Path, threads: int, white_space: list[str]) -> tuple[int, int]:
    """Words and distinct words by DuckDB."""
    import duckdb

    line = "line"
    for other in white_space:
        line = f"replace({line}, chr({ord(other)}), ' ')"
    query = f"""SELECT coalesce(sum(n), 0)::UBIGINT, count(*) FROM (
        SELECT word, count(*) AS n
        FROM (SELECT unnest(string_split({line}, ' ')) AS word
              FROM read_csv(?, columns = {{'line': 'VARCHAR'}}, delim = ?, quote = '', escape = '', header = false,
                            auto_detect = false, strict_mode = false, max_line_size = {1 << 26}))
        WHERE word <> '' GROUP BY word)"""
    with duckdb.connect(config={"threads": threads}) as database:
        row = database.execute(query, [str(text), NO_SEPARATOR]).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


def with_polars(text: Path, threads: int, white_space: list[str]) -> tuple[int, int]:
    """Words and distinct words by Polars."""
    os.environ["POLARS_MAX_THREADS"] = str(threads)  # read when it is imported
    import polars as pl

    line = pl.col("line")
    for other in white_space:
        line = line.str.replace_all(other, " ", literal=True)
    counts = (
        pl.scan_csv(
            text, has_header=False, separator=NO_SEPARATOR, quote_char=None, schema={"line": pl.String}
        )
        .select(word=line.str.split(" ").explode())
        .filter(pl.col("word") != "")
        .group_by("word")
        .len()
        .select(pl.col("len").sum(), pl.len().alias("distinct"))
        .collect(engine="streaming")
    )
    words, distinct = counts.row(0)
    return int(words), int(distinct)


DATABASES = {"duckdb": ("DuckDB", with_duckdb), "polars": ("Polars", with_polars)}
"""Names of the databases, and how they count, by the argument that chooses one."""


def cpu_s() -> float:
    """User and system time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(arguments: list[str]) -> int:
    """Count, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("database", choices=DATABASES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--white-space",
        default="",
        help="codes of the white space in the text besides space and newline, as 9,13",
    )
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("text", type=Path)
    options = parser.parse_args(arguments)
    white_space = [chr(int(code)) for code in options.white_space.split(",") if code]
    before = cpu_s()
    _, count = DATABASES[options.database]
    words, distinct = count(options.text, options.threads, white_space)
    metrics = {
        "words": words,
        "keys": distinct,
        "output.checksum": None,
        "cpu.total": cpu_s() - before,
        "mem.peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    options.report.write_text(
        json.dumps({"metrics": {name: {"value": value} for name, value in metrics.items()}})
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
