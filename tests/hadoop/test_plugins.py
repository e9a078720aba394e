"""A plug-in from outside the tree and ours, built by Maven: their services and classes in jobs of a cell."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.cells.driver import Driver
from harness.core.errors import KvasirError
from harness.hadoop.assembly import provide_plugins
from harness.hadoop.distribution import Distribution
from harness.hadoop.plugins import Plugin, job_properties, load_plugin, load_plugins
from harness.plan.spec import CellRun
from harness.results.records import read
from tests.hadoop.small import cell_of, run_of

PROJECT = Path(__file__).parents[2]
NAME = "test-counting"
DATA_MB = 4

POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>kvasir</groupId>
    <artifactId>hadoop</artifactId>
    <version>1</version>
    <relativePath>../../pom.xml</relativePath>
  </parent>
  <artifactId>{NAME}</artifactId>
  <dependencies>
    <dependency>
      <groupId>org.apache.hadoop</groupId>
      <artifactId>hadoop-common</artifactId>
    </dependency>
    <dependency>
      <groupId>org.apache.hadoop</groupId>
      <artifactId>hadoop-mapreduce-client-core</artifactId>
    </dependency>
  </dependencies>
</project>
"""
DECLARATION = """
aux_services: {stranger: stranger.Service}
site: {yarn-site.xml: {stranger.word: from-plugin-yaml}}
job_properties: {mapreduce.job.map.output.collector.class: stranger.Collector}
"""
COLLECTOR = """package stranger;

import java.io.IOException;
import org.apache.hadoop.mapred.MapTask;

/** Hadoop's own collector, which counts the maps that use it. */
public final class Collector<K, V> extends MapTask.MapOutputBuffer<K, V> {
  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    super.init(context);
    context.getReporter().getCounter("Stranger", "Collectors").increment(1);
  }
}
"""
SERVICE = """package stranger;

import java.nio.ByteBuffer;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryService;

/** Says that it was started. */
public final class Service extends AuxiliaryService {
  public Service() {
    super("stranger");
  }

  @Override
  protected void serviceStart() throws Exception {
    System.err.println("stranger's service: " + getConfig().get("stranger.word"));
    super.serviceStart();
  }

  @Override
  public void initializeApplication(ApplicationInitializationContext context) {}

  @Override
  public void stopApplication(ApplicationTerminationContext context) {}

  @Override
  public ByteBuffer getMetaData() {
    return ByteBuffer.allocate(0);
  }
}
"""


@pytest.fixture
def plugin(tmp_path: Path, hadoop: Distribution) -> Iterator[Plugin]:
    folder = tmp_path / "a stranger's" / NAME
    java = folder / "src/main/java/stranger"
    java.mkdir(parents=True)
    (folder / "pom.xml").write_text(POM)
    (folder / "plugin.yaml").write_text(DECLARATION)
    (java / "Collector.java").write_text(COLLECTOR)
    (java / "Service.java").write_text(SERVICE)
    yield load_plugin(str(folder))
    shutil.rmtree(hadoop.plugins / NAME, ignore_errors=True)


def counters_of(run: CellRun) -> dict[str, int]:
    """The counters that a run's job ended with."""
    record = read(Path(run.folder) / "run.json")
    assert record.outcome.status == "ok", record.outcome.reason
    log = (Path(run.folder) / "log.txt").read_text()
    return {name: int(value) for name, value in re.findall(r"^\t+([^\t=]+)=(\d+)$", log, re.MULTILINE)}


def check_spills(stock: dict[str, int], found: dict[str, int]) -> None:
    """The kernel counts no bytes to disks but logs and indexes, and the stages are the maps' time."""
    maps = found["Launched map tasks"]
    assert found["Map output records"] == stock["Map output records"]
    for bytes_ in ("OUTPUT_BYTES", "REGION_BYTES", "READ_BYTES"):
        assert found[bytes_] > DATA_MB * 1_000_000, bytes_
    assert found["WRITTEN_BYTES"] == found["REGION_BYTES"] + found["OUTPUT_BYTES"]
    assert found["SPILLS"] >= 2 * maps
    assert stock["DISK_SPILL_BYTES"] > DATA_MB * 1_000_000 > 100_000 * maps > found["DISK_SPILL_BYTES"]
    assert stock["DISK_WRITE_BYTES"] > 2 * DATA_MB * 1_000_000 > 100_000 * maps > found["DISK_WRITE_BYTES"]
    assert found["WRITE_GOT_NS"] > 0.98 * found["WRITE_ASKED_NS"] > 0
    for one in (stock, found):
        stages = [one[f"{stage}_NS"] for stage in ("READ", "MAP", "COLLECT", "SPILL", "MERGE")]
        assert sum(stages) == pytest.approx(one["TOTAL_NS"], rel=0.05)


def check_record(run: CellRun, counters: dict[str, int]) -> None:
    """The record has the delays that the jobs counted."""
    recorded = {metric.name: metric.value for metric in read(Path(run.folder) / "run.json").metrics}
    for way in ("asked", "got"):
        assert recorded[f"nvm.write.{way}"] == pytest.approx(counters[f"WRITE_{way.upper()}_NS"] / 1e9)


@pytest.mark.timeout(900)
def test_plugins_in_jobs_of_their_frameworks_only(
    plugin: Plugin, hadoop: Distribution, shared: Path, builds: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = PROJECT / "src/hadoop"
    jars = provide_plugins(source, hadoop.version, hadoop.plugins, [plugin])
    jar = hadoop.plugin_jar(NAME)
    changed = jar.stat().st_mtime_ns
    assert provide_plugins(source, hadoop.version, hadoop.plugins, [plugin]) == jars
    assert jar.stat().st_mtime_ns == changed, "it is up to date"

    with monkeypatch.context() as patch:
        patch.chdir(PROJECT)
        levitated, nvm = load_plugins(["levitated"]), load_plugins(["nvm"])
        ours = {**levitated, **nvm}
        jars |= provide_plugins(source, hadoop.version, hadoop.plugins, ours.values())

    folder = shared / "plugins"
    counting = {"plugins": [NAME], "job_properties": dict(plugin.job_properties)}
    merging = {"plugins": sorted(levitated), "job_properties": job_properties({}, levitated.values())}
    # A map's 2 MiB are several spills.
    small = {"mapreduce.task.io.sort.mb": "1"}
    timed = {**small, "mapreduce.job.map.output.collector.class": "kvasir.nvm.StockCollector"}
    memory = {**small, "kvasir.nvm.output": "memory", "kvasir.nvm.write.times-dram": "10"}
    frameworks: dict[str, dict[str, Any]] = {
        "counting": {"class": "hadoop", "label": "counting", "interface": "ib", **counting},
        "levitated": {"class": "hadoop", "label": "levitated", "interface": "ib", **merging},
    }
    for name, properties in (("stock", timed), ("nvm", memory)):
        own = {"plugins": ["nvm"], "job_properties": job_properties(properties, nvm.values())}
        frameworks[name] = {"class": "hadoop", "label": name, "interface": "ib", **own}
    settings = {"data_mb": DATA_MB, "timeout_s": 300}
    programs = {"counting": "wordcount", "levitated": "wordcount", "stock": "sort", "nvm": "sort"}
    runs = [
        run_of(folder, f"{name}_{program}", name, program, settings) for name, program in programs.items()
    ]
    spec = cell_of(folder, frameworks, runs, plugins={NAME: plugin, **ours})
    Driver(spec, {"hadoop": {"version": hadoop.version}, "plugins": jars}).make()
    found = {run.framework: counters_of(run) for run in spec.runs}
    counted = {
        name: [one.get(counter, 0) / one["Launched map tasks"] for counter in ("Collectors", "Outputs")]
        for name, one in found.items()
    }
    # Both reduces merge the outputs of all maps.
    assert counted == {"counting": [1, 0], "levitated": [0, 2], "stock": [0, 0], "nvm": [0, 0]}
    assert all("Left to the stock shuffle" not in one for one in found.values())
    spilled = {name: one["Spilled Records"] - one["Reduce input records"] for name, one in found.items()}
    assert spilled["levitated"] == 0 < spilled["stock"], "what is spilled besides the map outputs"
    check_spills(found["stock"], found["nvm"])
    check_record(spec.runs[-1], found["nvm"])
    for number in (1, 2):
        log = (folder / "cluster" / "logs" / f"nodemanager-{number}.log").read_text()
        assert "stranger's service: from-plugin-yaml" in log


@pytest.mark.timeout(300)
def test_plugin_that_does_not_compile_leaves_no_jar(plugin: Plugin, hadoop: Distribution) -> None:
    (Path(plugin.folder) / "src/main/java/stranger/Service.java").write_text(
        "package stranger;\n\nclass Service {"
    )
    with pytest.raises(KvasirError, match=f"Maven cannot build plug-in {NAME}: .*COMPILATION ERROR"):
        provide_plugins(PROJECT / "src/hadoop", hadoop.version, hadoop.plugins, [plugin])
    assert not list((hadoop.plugins / NAME).glob("*.jar"))
