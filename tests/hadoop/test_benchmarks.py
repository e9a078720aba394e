"""A real cluster of a master and two workers: every benchmark at smoke size, and what can go wrong."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.cells.conditions import hadoop_facts
from harness.core.errors import KvasirError
from harness.hadoop.benchmarks import CLASSES, Benchmark, Cell, InvalidOutput, make
from harness.hadoop.cluster import APPLICATION_MASTER, Cluster, choose_ports, cluster, settle
from harness.hadoop.distribution import Distribution
from harness.hadoop.jobs import JobError, JobResult, JobTimeout, job_configuration, run_job
from harness.hosts import Hosts, HostsSettings, hosts
from tests.hadoop.small import PARAMETERS, SMOKE, TEXT

HERE = HostsSettings(kind="local")


def run_checked(benchmark: Benchmark[Any], cell: Cell, name: str) -> tuple[JobResult, dict[str, str]]:
    """Run a benchmark once; return the result and what was checked of its output."""
    benchmark.prepare(cell)
    result = benchmark.execute(cell, name)
    _, checks = benchmark.validate(cell, result)
    return result, checks


SLOW = {"kmeans", "adjacency-list", "inverted-index", "sequence-count", "ranked-inverted-index"}
"""Those with many jobs, and those whose like is run anyway."""


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CLASSES]
)
def test_benchmark(cell: Cell, name: str) -> None:
    measured, checks = run_checked(make(name, SMOKE[name]), cell, name)
    print(f"{name}: {measured.seconds:.1f} s, of which work {measured.work_seconds:.1f} s; {checks}")
    assert checks
    assert not measured.disturbed
    assert 0 < measured.work_seconds < measured.seconds
    phases = {span.phase for job in measured.jobs for span in job.spans}
    assert phases == {"map", "shuffle", "merge", "reduce"}
    for job in measured.jobs:
        assert {span.host for span in job.spans} <= {"n1", "n2"}
        assert all(0 <= span.start_s <= span.end_s <= job.finished_s + 1 for span in job.spans)
        assert len([span for span in job.spans if span.phase == "map"]) == job.maps


def test_traffic_takes_the_chosen_interface(cell: Cell, nodes: Hosts) -> None:
    run_checked(make("terasort", SMOKE["terasort"]), cell, "terasort-traffic")
    # Each byte of HDFS, shuffle and control went over one network.
    for host in nodes:
        traffic = nodes.counters(host).interfaces
        assert traffic["gbe"].sent + traffic["gbe"].received < 10_000, host.name
        assert traffic["ib"].sent + traffic["ib"].received > 1_000_000, host.name


def test_nothing_of_a_job_is_left_when_the_next_one_begins(cell: Cell, nodes: Hosts) -> None:
    """An application master would delete `_temporary` of an output folder where another job writes by then."""
    run_checked(make("wordcount", TEXT), cell, "wordcount-before")
    settle(cell.cluster)
    masters = [host.run(["pgrep", "-f", "MRAppMaster"], check=False).stdout for host in nodes]
    assert masters == ["", "", ""]


def test_application_masters_that_only_sleep_are_terminated(cell: Cell, nodes: Hosts) -> None:
    """Those of another cluster on the same host are left alone."""
    code = "import signal; signal.pause()"
    own, other = (
        nodes[1].start(["python3", "-c", code, APPLICATION_MASTER, folder], log=os.devnull)
        for folder in (cell.cluster.layout.workers[0].scratch, "/elsewhere")
    )
    try:
        settle(cell.cluster)
        assert own.wait(60) == -signal.SIGTERM
        assert other.poll() is None
    finally:
        other.stop()


def test_wrong_outputs_are_no_times(cell: Cell) -> None:
    wordcount = make("wordcount", TEXT)
    wordcount.prepare(cell)
    facts = next(value for key, value in cell.made.items() if key.startswith("/input/text") and " " in key)
    facts["words"]["unheard-of"] = 1
    try:
        with pytest.raises(InvalidOutput, match="'unheard-of' occurs 1 times, the output says 0"):
            run_checked(wordcount, cell, "wordcount-wrong")
    finally:
        del facts["words"]["unheard-of"]


def test_failed_program_says_why(cell: Cell) -> None:
    with pytest.raises(
        JobError, match=r"exit code \d+ .*\n.*Input path does not exist: hdfs:.*/nothing"
    ) as caught:
        arguments = ["wordcount", "/nothing", "/output/nothing"]
        run_job(cell.cluster, "failing", "org.apache.hadoop.examples.ExampleDriver", arguments, 120)
    assert "failing.log" in str(caught.value)


def state_of_last_job(made: Cluster) -> str:
    url = f"http://{made.layout.master.at('resourcemanager_http')}/ws/v1/cluster/apps"
    script = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())"
    apps = json.loads(made.master.run(["python3", "-c", script, url], timeout_s=30).stdout)["apps"]["app"]
    return str(max(apps, key=lambda app: app["id"])["state"])


def test_program_that_takes_too_long_is_stopped(cell: Cell) -> None:
    began = time.monotonic()
    with pytest.raises(JobError, match=r"took longer than 12 s, stopped"):
        cell.program("endless", "org.apache.hadoop.examples.ExampleDriver", ["pi", "2", "1000000000000"], 12)
    assert time.monotonic() - began < 60
    assert state_of_last_job(cell.cluster) in ("KILLED", "FINISHED")


def test_a_port_that_is_taken(hadoop: Distribution, shared: Path) -> None:
    with socket.socket() as listener, hosts(HERE, 1) as here:
        port = choose_ports(here, 0)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        parameters = PARAMETERS.model_copy(update={"port_base": port})
        with (
            pytest.raises(KvasirError, match=rf"port {port} of host \w+ is taken; choose another port_base"),
            cluster(here, hadoop, parameters, shared / "taken", "gbe", "ssd"),
        ):
            pass


def test_a_folder_with_a_blank(hadoop: Distribution, shared: Path) -> None:
    (shared / "a b").mkdir()
    with (
        hosts(HostsSettings(kind="local", scratch=shared / "a b"), 1) as here,
        pytest.raises(KvasirError, match=r"files in '.*a b.*', expected a name without blanks: name another"),
        cluster(here, hadoop, PARAMETERS, shared / "blank", "gbe", "ssd"),
    ):
        pass


def test_a_full_disk(hadoop: Distribution, shared: Path) -> None:
    wanting = PARAMETERS.model_copy(update={"least_free_mb": 1 << 40})
    with (
        hosts(HERE, 1) as here,
        pytest.raises(
            KvasirError, match=r"host \w+ has \d+ MB free in .*, expected at least 1099511627776; make room"
        ),
        cluster(here, hadoop, wanting, shared / "full", "gbe", "ssd"),
    ):
        pass


def of_hadoop() -> set[str]:
    """What Hadoop's daemons and the web servers in them put into /tmp where nobody tells them otherwise."""
    names = {path.name for path in Path("/tmp").iterdir()}
    return {name for name in names if name.startswith(("jetty-", "hadoop-yarn-"))}


def test_one_host_alone_and_nothing_left(hadoop: Distribution, shared: Path) -> None:
    before = of_hadoop()
    with hosts(HERE, 1) as here:
        root = here[0].scratch("ssd")
        with cluster(here, hadoop, PARAMETERS, shared / "alone", "gbe", "ssd") as alone:
            assert sorted(alone.handles)[0] == "datanode-0"
            assert alone.dead() == []
            arguments = ["pi", "1", "10"]
            done = run_job(alone, "pi", "org.apache.hadoop.examples.ExampleDriver", arguments, 200)
            assert "Estimated value of Pi is 3.6" in done.output
            assert of_hadoop() <= before
        assert not (root / "hadoop").exists()
    assert not root.exists()
    left = [p.pid for p in psutil.process_iter(["cmdline"]) if str(root) in " ".join(p.info["cmdline"] or [])]
    assert left == []


def test_a_daemon_that_cannot_start(hadoop: Distribution, shared: Path) -> None:
    wrong = PARAMETERS.model_copy(
        update={"extra": {"hdfs-site.xml": {"dfs.namenode.name.dir": "file:///proc/none"}}}
    )
    began = time.monotonic()
    with (
        hosts(HERE, 1) as here,
        pytest.raises(
            KvasirError, match=r"namenode-0 ended while starting: .*Cannot create directory /proc/none"
        ),
        cluster(here, hadoop, wrong, shared / "broken", "gbe", "ssd"),
    ):
        pass
    assert time.monotonic() - began < 60


WORDS = """
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.*;
import org.apache.hadoop.mapreduce.*;
import org.apache.hadoop.mapreduce.lib.input.*;
import org.apache.hadoop.mapreduce.lib.output.*;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;

public class Words {
  public static class Splits extends Mapper<Text, Text, Text, IntWritable> {
    @Override
    protected void map(Text key, Text value, Context context) throws IOException, InterruptedException {
      for (String word : value.toString().split("[ \\t\\n\\r\\f]+")) {
        if (!word.isEmpty()) context.write(new Text(word), new IntWritable(1));
      }
    }
  }

  public static void main(String[] names) throws Exception {
    Job job = Job.getInstance(new Configuration(), "words of a user");
    job.setJarByClass(Words.class);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(Splits.class);
    job.setCombinerClass(IntSumReducer.class);
    job.setReducerClass(IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, new Path(names[0]));
    FileOutputFormat.setOutputPath(job, new Path(names[1]));
    System.exit(job.waitForCompletion(true) ? 0 : 1);
  }
}
"""
"""WordCount as somebody else writes it: its classes are in no jar of ours."""


@pytest.fixture
def words(shared: Path, hadoop: Distribution) -> Path:
    """A jar of a user's, compiled."""
    folder = shared / "words"
    folder.mkdir()
    (folder / "Words.java").write_text(WORDS)
    tools = hadoop.facts.java.home / "bin"
    subprocess.run(
        [tools / "javac", "-nowarn", "-cp", hadoop.class_path(), "Words.java"], cwd=folder, check=True
    )
    classes = sorted(path.name for path in folder.glob("*.class"))
    subprocess.run([tools / "jar", "cf", "words.jar", *classes], cwd=folder, check=True)
    return folder / "words.jar"


@pytest.mark.timeout(300)
def test_a_users_jar_is_a_benchmark_with_the_frameworks_properties(cell: Cell, words: Path) -> None:
    check = 'test "$(hadoop fs -count "$KVASIR_OUTPUT" | awk \'{print $2}\')" -gt 1 && grep -c "map 100%" "$KVASIR_LOG"'
    settings = {
        "command": f"hadoop jar {words} Words {{input}} $KVASIR_OUTPUT",
        "input": "wordcount",
        "input_settings": TEXT,
        "same_output": True,
        "check": check,
    }
    benchmark = make("words", settings)
    sort_mb = "mapreduce.task.io.sort.mb"
    tuned = replace(cell, job_properties={sort_mb: "7"})
    benchmark.prepare(tuned)
    made = benchmark.execute(tuned, "words")
    metrics, checks = benchmark.validate(tuned, made)
    (job,) = made.jobs
    assert job.name == "words of a user" and job.counter("TaskCounter", "MAP_INPUT_RECORDS") > 0
    assert job_configuration(cell.cluster, job.id)[sort_mb] == "7"
    assert "as often as one process counted" in checks["counts"] and int(checks["check"]) > 0
    assert {one.name: one.value for one in metrics}["output.checked"] == 1
    assert not cell.hdfs.exists("/output/wordcount")
    assert list(remains(cell)) == [], "nothing of it is left"


def remains(cell: Cell) -> Iterator[Path]:
    """Folders of commands that are still there."""
    return (cell.cluster.folder / "commands").glob("*")


def test_a_command_that_fails_says_its_last_words(cell: Cell) -> None:
    failing = make("failing", {"command": "echo first; seq 100; echo it broke >&2; exit 3"})
    with pytest.raises(JobError, match=r"^failing-1: exit code 3 \(log: .*\)\n94\n(.*\n)*it broke$"):
        failing.execute(cell, "failing-1")
    unchecked = make("unchecked", {"command": "echo $KVASIR_MAPS {reduces} {workers}"})
    made = unchecked.execute(cell, "unchecked")
    assert made.output.split() == ["2", "2", *(host.address("ib") for host in cell.cluster.hosts[1:])]
    assert made.jobs == [] and made.own_work_s == made.seconds and hadoop_facts(cell, made)[0].value == 0
    assert {one.name: one.value for one in unchecked.validate(cell, made)[0]} == {"output.checked": 0}
    doubtful = make("doubtful", {"command": "true", "check": "echo 5 of 7 records; false"})
    with pytest.raises(
        InvalidOutput, match=r"^doubtful: the check of its output says no: (.*\n)+5 of 7 records$"
    ):
        doubtful.validate(cell, doubtful.execute(cell, "doubtful"))
    idle = make(
        "idle", {"command": "true", "input": "wordcount", "input_settings": TEXT, "same_output": True}
    )
    with pytest.raises(InvalidOutput, match=r"^idle: there is no output in hdfs:/output/wordcount$"):
        idle.validate(cell, idle.execute(cell, "idle"))


@pytest.mark.timeout(300)
def test_all_of_a_command_ends_with_its_time(cell: Cell) -> None:
    pi = "hadoop org.apache.hadoop.examples.ExampleDriver pi 2 1000000000000"
    late = make("late", {"command": f"sleep 987 & {pi} >/dev/null 2>&1", "timeout_s": 12})
    with pytest.raises(JobTimeout, match="late: took longer than 12 s"):
        late.execute(cell, "late")
    assert state_of_last_job(cell.cluster) in ("KILLED", "FINISHED"), "although it printed no job's name"
    left = make("left", {"command": "sleep 987 & exit 0"})
    left.execute(cell, "left")
    settle(cell.cluster)
    running = cell.cluster.master.run(["ps", "-eo", "args"]).stdout
    assert "sleep 987" not in running and "QuasiMonteCarlo" not in running and "ExampleDriver" not in running
