"""Does small operations on the cluster's HDFS, by WebHDFS from the master: no Java needs to start for them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from harness.core.errors import KvasirError
from harness.hadoop.layout import Layout
from harness.hosts import Host

PROBE = [sys.executable, "-I", "-S", str(Path(__file__).with_name("probe.py"))]


@dataclass(frozen=True)
class Entry:
    """Describes a file or folder."""

    name: str
    folder: bool
    size: int
    """Bytes of one replica."""


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Counts what is below a path."""

    files: int
    size: int
    """Bytes of one replica."""
    stored: int
    """Bytes of all replicas."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Describes the files below a folder as HDFS holds them."""

    files: int
    size: int
    """Bytes of one replica."""
    block: int
    """Largest block size of a file, bytes."""
    replication: int
    """Least number of replicas that a file is to have."""
    changed_s: float
    """When the youngest file was last written, seconds since 1970 by the NameNode's clock."""


class Hdfs:
    """Accesses the file system of one cluster."""

    def __init__(self, master: Host, layout: Layout) -> None:
        """Operations are done on the host `master`."""
        self._master = master
        self._root = f"http://{layout.master.at('namenode_http')}/webhdfs/v1"

    def _do(self, method: str, operation: str, path: str, query: str = "") -> str:
        url = f"{self._root}{quote(path)}?op={operation}{query}"
        return self._master.run([*PROBE, method, url], timeout_s=180).stdout

    def _json(self, method: str, operation: str, path: str, query: str = "") -> dict[str, Any]:
        answer = self._do(method, operation, path, query)
        try:
            found = json.loads(answer)
        except ValueError:
            raise KvasirError(f"hdfs:{path}: {operation} answered {answer[:200]!r}") from None
        assert isinstance(found, dict)
        return found

    def list(self, path: str) -> list[Entry]:
        """Return what is in a folder; raise KvasirError when there is none."""
        statuses = self._json("get", "LISTSTATUS", path)["FileStatuses"]["FileStatus"]
        return [Entry(s["pathSuffix"], s["type"] == "DIRECTORY", s["length"]) for s in statuses]

    def stored(self, path: str, begins: str = "") -> Stored:
        """Return facts of all files below a folder whose names begin so; raise KvasirError when there are none."""
        found = [status for status in self._statuses(path) if status["pathSuffix"].startswith(begins)]
        if not found:
            raise KvasirError(f"hdfs:{path}: holds no files")
        return Stored(
            files=len(found),
            size=sum(status["length"] for status in found),
            block=max(status["blockSize"] for status in found),
            replication=min(status["replication"] for status in found),
            changed_s=max(status["modificationTime"] for status in found) / 1000,
        )

    def _statuses(self, path: str) -> Sequence[dict[str, Any]]:
        statuses = self._json("get", "LISTSTATUS", path)["FileStatuses"]["FileStatus"]
        found = [status for status in statuses if status["type"] != "DIRECTORY"]
        for status in statuses:
            if status["type"] == "DIRECTORY":
                found += self._statuses(f"{path}/{status['pathSuffix']}")
        return found

    def read(self, path: str) -> str:
        """Return a small text file; raise KvasirError when it cannot be read."""
        return self._do("get", "OPEN", path)

    def read_parts(self, path: str) -> str:
        """Return a job's output, its parts in order, as one text; raise KvasirError when there is none."""
        parts = sorted(entry.name for entry in self.list(path) if entry.name.startswith("part-"))
        if not parts:
            raise KvasirError(f"hdfs:{path}: holds no output of a job")
        return "".join(self.read(f"{path}/{part}") for part in parts)

    def usage(self, path: str) -> Usage:
        """Return files and bytes below a path; raise KvasirError when there is nothing."""
        summary = self._json("get", "GETCONTENTSUMMARY", path)["ContentSummary"]
        return Usage(files=summary["fileCount"], size=summary["length"], stored=summary["spaceConsumed"])

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder."""
        parent, _, name = path.rstrip("/").rpartition("/")
        try:
            return any(entry.name == name for entry in self.list(parent or "/"))
        except KvasirError:
            return False

    def remove(self, path: str) -> None:
        """Remove a file or folder, if it is there."""
        self._json("delete", "DELETE", path, "&recursive=true")
