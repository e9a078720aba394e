"""The class archive: a Java that finds its classes there, ready to use, starts in half the time."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from harness.config.hadoop import Parameters
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.hadoop.cluster import cluster
from harness.hadoop.distribution import Distribution
from harness.hadoop.jobs import run_job
from harness.hosts import HostsSettings, hosts

TRAINING = Parameters(heap_mb=200, am_heap_mb=250, replication=1, start_timeout_s=300)
TIMEOUT_S = 300.0


class _Recording(Distribution):
    """A Hadoop whose programs write down which classes they load."""

    lists = Path()

    def flags(self, heap_mb: int, compiler: str = "c1") -> list[str]:
        return [*super().flags(heap_mb, compiler), f"-XX:DumpLoadedClassList={self.lists}/%p.classes"]


def merge(lists: Iterable[str]) -> str:
    """One list of classes from those of several programs. Classes of other loaders cannot be archived."""
    found: dict[str, None] = {}
    for text in lists:
        for line in text.splitlines():
            if "source:" not in line and not line.startswith("#"):
                found[line.split(" id: ")[0]] = None
    return "\n".join(found) + "\n"


def _train(root: Path, scratch: Path) -> str:
    """Start a cluster of two hosts and run jobs on it that use most of what tasks use; the classes loaded."""
    recording = _Recording(root)
    recording.lists = scratch / "classes"
    recording.lists.mkdir()
    settings = HostsSettings(kind="local")
    with (
        hosts(settings, 2) as here,
        cluster(here, recording, TRAINING, scratch / "cell", "gbe", "ssd") as trained,
    ):
        sequence = (
            "mapreduce.job.inputformat.class=org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat"
        )
        size = "mapreduce.randomtextwriter.totalbytes=20000"
        for name, main, arguments in (
            ("text", "org.apache.hadoop.examples.ExampleDriver", ["randomtextwriter", "-D", size, "/text"]),
            (
                "words",
                "org.apache.hadoop.examples.ExampleDriver",
                ["wordcount", "-D", sequence, "/text", "/words"],
            ),
            ("graph", "kvasir.graph.Generate", ["6", "1", "1", "/graph"]),
        ):
            run_job(trained, name, main, arguments, TIMEOUT_S)
        # A program writes its list while it ends.
        for handle in trained.handles.values():
            handle.stop()
    return merge(path.read_text(encoding="utf-8") for path in sorted(recording.lists.glob("*.classes")))


def usable(hadoop: Distribution) -> bool:
    """Whether Java accepts the archive for this class path as it is now."""
    if hadoop.facts.archive is None:
        return False
    command = [str(hadoop.java), *hadoop.flags(64), "-Xshare:on", "-cp", hadoop.class_path(), "-version"]
    return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0


def make(root: Path, name: str) -> None:
    """Make the archive of the Hadoop in `root` under a file name; raises KvasirError when that fails."""
    hadoop = Distribution(root)
    with (
        tempfile.TemporaryDirectory(prefix="training-", dir=root) as folder,
        replacing(root / name) as scratch,
    ):
        classes = Path(folder) / "all.classes"
        classes.write_text(_train(root, Path(folder)), encoding="utf-8")
        path = ":".join(str(root / jar) for jar in hadoop.facts.class_path)
        command = [str(hadoop.java), "-Xshare:dump", "-XX:+UseG1GC", f"-XX:SharedClassListFile={classes}"]
        command += [f"-XX:SharedArchiveFile={scratch}", "-cp", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
        if done.returncode or not scratch.exists():
            raise KvasirError(
                f"Java cannot make the class archive: {(done.stderr or done.stdout).strip()[-500:]}"
            )
