"""Runs benchmarks with their input in HDFS's own cache of blocks in persistent memory."""

from __future__ import annotations

import re
import time
from typing import Any

from harness.cells.frameworks import Hadoop
from harness.core.errors import KvasirError
from harness.hadoop.benchmarks import Benchmark, Cell
from harness.hadoop.jobs import CLIENT_HEAP_MB

ADMIN = "org.apache.hadoop.hdfs.tools.CacheAdmin"
POOL = "kvasir"
LOADED_S = 120.0
"""Until all blocks of an input are in the cache."""
PAUSE_S = 1.0


class CachedHadoop(Hadoop):
    """Runs the benchmark's own jobs on inputs that the DataNodes have in their cache.

    The entry's `site` says where: `dfs.datanode.pmem.cache.dirs` of hdfs-site.xml.
    """

    def prepare(self, benchmark: Benchmark[Any], cell: Cell) -> None:
        """Put the input into the cache and wait until all of it is there. Raises KvasirError when it is not in time."""
        path = benchmark.input(cell)
        if path:
            cell.once(f"cached {path}", lambda: self._load(cell, path))

    def _load(self, cell: Cell, path: str) -> bool:
        cell.once("cache pool", lambda: self._admin(cell, "-addPool", POOL))
        folders = sorted({path, *_folders(cell, path)})
        for folder in folders:
            # A directive on a folder means the files in it, not those below.
            self._admin(cell, "-addDirective", "-path", folder, "-pool", POOL)
        deadline = time.monotonic() + LOADED_S
        while True:
            needed, cached = cached_bytes(self._admin(cell, "-listPools", "-stats", POOL))
            if needed > 0 and cached >= needed:
                return True
            if time.monotonic() > deadline:
                raise KvasirError(
                    f"hdfs:{path}: {cached} of {needed} bytes were in the DataNodes' cache after {LOADED_S:.0f} s: is "
                    "there room at dfs.datanode.pmem.cache.dirs?"
                )
            time.sleep(PAUSE_S)

    def _admin(self, cell: Cell, *arguments: str) -> str:
        cluster = cell.cluster
        command = cluster.hadoop.command(ADMIN, cluster.layout.master.conf, CLIENT_HEAP_MB)
        done = cluster.master.run([*command, *arguments], env=cluster.environment, timeout_s=LOADED_S)
        return done.stdout


def _folders(cell: Cell, path: str) -> list[str]:
    """Return the folders below a path."""
    found = [f"{path}/{entry.name}" for entry in cell.hdfs.list(path) if entry.folder]
    return found + [inner for folder in found for inner in _folders(cell, folder)]


def cached_bytes(listing: str) -> tuple[int, int]:
    """Return the bytes that a cache pool is to hold and those that it holds, from what CacheAdmin prints of it.

    Raises KvasirError when the text is no such list.
    """
    lines = [line.split() for line in listing.splitlines()]
    head = next((line for line in lines if "BYTES_NEEDED" in line and "BYTES_CACHED" in line), None)
    row = next((line for line in lines if line[:1] == [POOL]), None)
    if head is None or row is None or len(head) != len(row):
        raise KvasirError(f"the cache's pools are listed as {listing[-300:]!r}: expected one called {POOL}")
    numbers = [row[head.index(name)] for name in ("BYTES_NEEDED", "BYTES_CACHED")]
    if not all(re.fullmatch(r"\d+", number) for number in numbers):
        raise KvasirError(f"the cache's pools are listed as {listing[-300:]!r}: expected numbers of bytes")
    return int(numbers[0]), int(numbers[1])
