"""A plug-in from outside the tree, built by Maven: its NodeManager service and its collector in real jobs of a cell."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.cells.driver import Driver
from harness.core.errors import KvasirError
from harness.hadoop.assembly import provide_plugins
from harness.hadoop.distribution import PLUGINS, Distribution
from harness.hadoop.plugins import Plugin, load_plugin
from harness.results.records import read
from tests.hadoop.small import cell_of, run_of

PROJECT = Path(__file__).parents[2]
NAME = "test-counting"

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
    for path in (hadoop.root / PLUGINS).glob(f"{NAME}.*"):
        path.unlink()
    shutil.rmtree(hadoop.root / "modules" / NAME, ignore_errors=True)


@pytest.mark.timeout(900)
def test_a_strangers_plugin_in_jobs_of_its_framework_only(
    plugin: Plugin, hadoop: Distribution, shared: Path, builds: None
) -> None:
    source = PROJECT / "src/hadoop"
    jars = provide_plugins(source, hadoop.version, hadoop.root, [plugin])
    jar = hadoop.plugin_jar(NAME)
    changed = jar.stat().st_mtime_ns
    assert provide_plugins(source, hadoop.version, hadoop.root, [plugin]) == jars
    assert jar.stat().st_mtime_ns == changed, "it is up to date"

    folder = shared / "plugins"
    own = {"plugins": [NAME], "job_properties": dict(plugin.job_properties)}
    frameworks: dict[str, dict[str, Any]] = {
        "counting": {"class": "hadoop", "label": "counting", "interface": "ib", **own},
        "stock": {"class": "hadoop", "label": "stock", "interface": "ib"},
    }
    settings = {"data_mb": 4, "timeout_s": 300}
    runs = [run_of(folder, f"{name}_wordcount", name, "wordcount", settings) for name in frameworks]
    spec = cell_of(folder, frameworks, runs, plugins={NAME: plugin})
    Driver(spec, {"hadoop": {"version": hadoop.version}, "plugins": jars}).make()
    counted = {}
    for run in spec.runs:
        record = read(Path(run.folder) / "run.json")
        assert record.outcome.status == "ok", record.outcome.reason
        log = (Path(run.folder) / "log.txt").read_text()
        maps = re.search(r"Launched map tasks=(\d+)", log)
        found = re.search(r"Collectors=(\d+)", log)
        assert maps
        counted[run.framework] = (int(found[1]) if found else 0) / int(maps[1])
    assert counted == {"counting": 1.0, "stock": 0.0}
    for number in (1, 2):
        log = (folder / "cluster" / "logs" / f"nodemanager-{number}.log").read_text()
        assert "stranger's service: from-plugin-yaml" in log


@pytest.mark.timeout(300)
def test_plugin_that_does_not_compile_leaves_no_jar(plugin: Plugin, hadoop: Distribution) -> None:
    (Path(plugin.folder) / "src/main/java/stranger/Service.java").write_text(
        "package stranger;\n\nclass Service {"
    )
    with pytest.raises(KvasirError, match=f"Maven cannot build plug-in {NAME}: .*COMPILATION ERROR"):
        provide_plugins(PROJECT / "src/hadoop", hadoop.version, hadoop.root, [plugin])
    assert not list((hadoop.root / PLUGINS).glob(f"*{NAME}*"))
