"""From parameters to Hadoop's files and back."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.config.hadoop import SITE_FILES, Parameters
from harness.core.errors import KvasirError
from harness.hadoop import configuration
from harness.hadoop.daemons import daemons, heap_mb, signs_of_readiness
from harness.hadoop.distribution import FACTS, Distribution, Facts, Java
from harness.hadoop.layout import PORTS, STRIDE, layout, ports_of
from harness.hadoop.plugins import Plugin, load_plugin


@pytest.fixture(scope="module")
def hadoop(tmp_path_factory: pytest.TempPathFactory) -> Distribution:
    root = tmp_path_factory.mktemp("hadoop")
    (root / "bin").mkdir()
    (root / "bin" / "java").touch()
    facts = Facts(
        version="3.4.2",
        java=Java(home=root, version="17.0.1", major=17),
        jars={},
        class_path=["hadoop.jar", "workloads.jar"],
        test_path=["tests.jar"],
        archive="classes.jsa",
        sources="",
        built={},
        tools={},
    )
    (root / FACTS).write_text(facts.model_dump_json())
    return Distribution(root)


def places(n: int):
    names = [f"n{i}-ib" for i in range(n)]
    scratch, memory = ([Path(top, name) for name in names] for top in ("/ssd", "/dev/shm"))
    return layout(names, scratch, memory, Path("/cell/conf"), 21000)


def rendered(
    hadoop: Distribution, parameters: Parameters, n: int = 3, node: int = 1
) -> dict[str, dict[str, str]]:
    where = places(n)
    files = configuration.render(where, where.nodes[node], parameters, hadoop)
    return {name: configuration.parse(text) for name, text in files.items() if name.endswith(".xml")}


def test_every_parameter_of_mrev_reaches_hadoop(hadoop: Distribution) -> None:
    parameters = Parameters(
        mappers_per_node=7, reducers_per_node=6, heap_mb=3000, block_size_mb=128, replication=2, io_sort_mb=99
    )
    found = rendered(hadoop, parameters, n=4)
    mapred, hdfs, yarn = found["mapred-site.xml"], found["hdfs-site.xml"], found["yarn-site.xml"]
    assert mapred["mapreduce.job.running.map.limit"] == "21"
    assert mapred["mapreduce.job.reduces"] == mapred["mapreduce.job.running.reduce.limit"] == "18"
    assert "-Xmx3000m" in mapred["mapreduce.map.java.opts"].split()
    assert "-Xmx3000m" in mapred["mapreduce.reduce.java.opts"].split()
    assert mapred["mapreduce.task.io.sort.mb"] == "99"
    assert hdfs["dfs.blocksize"] == str(128 << 20)
    assert hdfs["dfs.replication"] == "2"
    assert int(yarn["yarn.nodemanager.resource.memory-mb"]) == 13 * 3112 + 512


@pytest.mark.parametrize(("heap_mb", "am_heap_mb"), [(300, 300), (200, 250), (401, 399)])
def test_a_worker_holds_all_its_tasks_beside_an_application_master(
    hadoop: Distribution, heap_mb: int, am_heap_mb: int
) -> None:
    """As large as YARN makes containers: it rounds them up to multiples of its least one."""
    found = rendered(hadoop, Parameters(heap_mb=heap_mb, am_heap_mb=am_heap_mb))
    yarn, mapred = found["yarn-site.xml"], found["mapred-site.xml"]
    least = int(yarn["yarn.scheduler.minimum-allocation-mb"])
    names = ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", "yarn.app.mapreduce.am.resource.mb")
    maps, reduces, master = (math.ceil(int(mapred[name]) / least) * least for name in names)
    places = Parameters()
    needed = places.mappers_per_node * maps + places.reducers_per_node * reduces + master
    assert needed <= int(yarn["yarn.nodemanager.resource.memory-mb"])


@pytest.mark.parametrize(("lost_after_s", "milliseconds"), [(12, "12000"), (600, "180000")])
def test_a_worker_is_given_up_by_all_at_the_same_time(
    hadoop: Distribution, lost_after_s: float, milliseconds: str
) -> None:
    found = rendered(hadoop, Parameters(lost_after_s=lost_after_s))["yarn-site.xml"]
    assert found["yarn.nm.liveness-monitor.expiry-interval-ms"] == str(lost_after_s * 1000)
    assert found["yarn.client.nodemanager-connect.max-wait-ms"] == milliseconds, (
        "never longer than Hadoop's own"
    )


def test_what_daemons_keep_lies_in_their_hosts_scratch_folder(hadoop: Distribution) -> None:
    files = rendered(hadoop, Parameters())
    kept = {
        name: value.removeprefix("file://")
        for file in ("core-site.xml", "hdfs-site.xml", "yarn-site.xml")
        for name, value in files[file].items()
        if name.endswith(("dir", "dirs"))
    }
    assert {"hadoop.tmp.dir", "dfs.namenode.name.dir", "yarn.node-attribute.fs-store.root-dir"} <= kept.keys()
    assert {name: value for name, value in kept.items() if not value.startswith("/ssd/n1-ib/")} == {}


def test_a_property_names_a_folder_in_memory_of_each_host(hadoop: Distribution, tmp_path: Path) -> None:
    extra = {
        "yarn-site.xml": {"yarn.nodemanager.local-dirs": "{memory}/local,/scratch", "a": "${hadoop.tmp.dir}"}
    }
    found = [rendered(hadoop, Parameters(extra=extra), node=node)["yarn-site.xml"] for node in (1, 2)]
    assert [one["yarn.nodemanager.local-dirs"] for one in found] == [
        "/dev/shm/n1-ib/local,/scratch",
        "/dev/shm/n2-ib/local,/scratch",
    ]
    assert found[0]["a"] == "${hadoop.tmp.dir}"
    digests = {
        digest_of(tmp_path / name, hadoop, [f"10.1.0.{i}" for i in range(3)], 21000, extra=extra)
        for name in "ab"
    }
    assert len(digests) == 1, "folders do not count"


def test_no_more_replicas_than_workers(hadoop: Distribution) -> None:
    assert rendered(hadoop, Parameters(replication=3), n=3)["hdfs-site.xml"]["dfs.replication"] == "2"
    alone = rendered(hadoop, Parameters(replication=3), n=1, node=0)
    assert alone["hdfs-site.xml"]["dfs.replication"] == "1"


def test_all_traffic_is_sent_to_the_names_of_the_interconnect(hadoop: Distribution) -> None:
    found = rendered(hadoop, Parameters())
    assert found["core-site.xml"]["fs.defaultFS"] == "hdfs://n0-ib:21000"
    assert found["hdfs-site.xml"]["dfs.datanode.hostname"] == "n1-ib"
    assert found["yarn-site.xml"]["yarn.nodemanager.hostname"] == "n1-ib"
    assert found["yarn-site.xml"]["yarn.resourcemanager.scheduler.address"].startswith("n0-ib:")


def test_tasks_find_their_classes_in_the_archive(hadoop: Distribution) -> None:
    options = rendered(hadoop, Parameters())["mapred-site.xml"]["mapreduce.map.java.opts"].split()
    assert f"-XX:SharedArchiveFile={hadoop.root}/classes.jsa" in options
    # A class path that began with anything else would not fit the archive.
    assert options[options.index("-cp") + 1].startswith(
        f"{hadoop.root}/hadoop.jar:{hadoop.root}/workloads.jar:"
    )


def digest_of(
    folder: Path,
    hadoop: Distribution,
    names: list[str],
    base: int,
    plugins: tuple[Plugin, ...] = (),
    after: Callable[[Path], object] = lambda conf: None,
    **changed: Any,
) -> int:
    """The fingerprint of what is written into `folder`, and changed by `after`."""
    scratch, memory = ([folder / top / name for name in names] for top in ("disk", "memory"))
    where = layout(names, scratch, memory, folder / "conf", base)
    parameters = Parameters.model_validate(changed)
    for node in where.nodes:
        configuration.write(configuration.render(where, node, parameters, hadoop, plugins), node.conf)
    after(where.nodes[0].conf)
    return configuration.fingerprint(where, parameters, hadoop, plugins)


def test_another_network_changes_no_setting(hadoop: Distribution, tmp_path: Path) -> None:
    gbe = digest_of(tmp_path / "gbe", hadoop, ["10.1.0.1", "10.1.0.2", "10.1.0.11"], 21000)
    ib = digest_of(tmp_path / "ib", hadoop, ["10.2.0.1", "10.2.0.2", "10.2.0.11"], 24000)
    other = digest_of(tmp_path / "b", hadoop, ["10.2.0.1", "10.2.0.2", "10.2.0.11"], 24000, block_size_mb=32)
    assert gbe == ib != other and float(gbe) == gbe, "addresses, ports and folders do not count"


def test_plugins_of_a_cell_change_no_setting_of_its_frameworks(hadoop: Distribution, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "mine.jar").touch()
    (mine / "plugin.yaml").write_text(
        "jar: mine.jar\naux_services: {mine: mine.Handler}\nsite: {yarn-site.xml: {mine.port: 0}}\n"
    )
    with_plugin = Distribution(hadoop.root, tmp_path)
    names = ["10.1.0.1", "10.1.0.2"]
    plain = digest_of(tmp_path / "plain", with_plugin, names, 21000)
    own = digest_of(tmp_path / "own", with_plugin, names, 24000, (load_plugin(str(mine)),))
    written = (tmp_path / "own/conf/node0/yarn-site.xml").read_text()
    assert "mine.Handler" in written and "mine.port" in written and own == plain

    def edit(conf: Path) -> None:
        file = conf / "yarn-site.xml"
        file.write_text(file.read_text().replace("mine.port", "yarn.nodemanager.resource.memory-mb"))

    assert digest_of(tmp_path / "edited", with_plugin, names, 24000, (load_plugin(str(mine)),), edit) != plain


def test_blocks_need_not_be_whole_megabytes(hadoop: Distribution) -> None:
    found = rendered(hadoop, Parameters(block_size_mb=4 / 3 // 2**-11 * 2**-11))
    assert found["hdfs-site.xml"]["dfs.blocksize"] == str(1398101 // 512 * 512)
    with pytest.raises(ValidationError, match="block_size_mb"):
        Parameters(block_size_mb=4 / 3)


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1).map(str.strip).filter(bool)


@settings(max_examples=60)
@given(
    st.builds(
        Parameters,
        heap_mb=st.integers(1, 10**6),
        block_size_mb=st.integers(1, 4096),
        slow_start=st.floats(0, 1),
        lost_after_s=st.floats(12, 10**6),
        compress_map_output=st.booleans(),
        task_compiler=st.sampled_from(["c1", "tiered"]),
        extra=st.dictionaries(
            st.sampled_from(SITE_FILES), st.dictionaries(TEXT, TEXT, max_size=3), max_size=3
        ),
    )
)
def test_whatever_the_parameters_files_can_be_read_back(parameters: Parameters) -> None:
    java = Java(home=Path("/jdk"), version="17", major=17)
    facts = Facts(
        version="3",
        java=java,
        jars={},
        class_path=["a.jar"],
        test_path=[],
        archive=None,
        sources="",
        built={},
        tools={},
    )
    distribution = Distribution.__new__(Distribution)
    distribution.root, distribution.facts = Path("/h"), facts
    found = rendered(distribution, parameters)
    for name, properties in parameters.extra.items():
        assert properties.items() <= found[name].items()
    assert all(value for properties in found.values() for value in properties.values())
    assert re.fullmatch(r"-Xmx\d+m -XX.*", found["mapred-site.xml"]["yarn.app.mapreduce.am.command-opts"])


@pytest.mark.parametrize(
    "text", ["", "<a/>", "<configuration><property/></configuration>", "<configuration>"]
)
def test_what_is_no_configuration_is_refused(text: str) -> None:
    with pytest.raises(KvasirError, match="no Hadoop configuration"):
        configuration.parse(text)


def test_parameters_are_strict() -> None:
    for wrong in ({"mapper_per_node": 2}, {"heap_mb": 0}, {"slow_start": 2}, {"extra": {"site.xml": {}}}):
        with pytest.raises(ValidationError):
            Parameters.model_validate(wrong)


@given(st.integers(1, 100), st.integers(1, 40000))
def test_no_two_daemons_share_a_port(n: int, base: int) -> None:
    ports = [port for index in range(n) for port in ports_of(base, index)]
    assert len(set(ports)) == len(ports) == n * len(PORTS)
    assert len(PORTS) <= STRIDE
    node = layout(["a"], [Path("/a")], [Path("/m")], Path("/c"), base).nodes[0]
    assert [node.port(role) for role in PORTS] == ports_of(base, 0)


def test_daemons_and_their_signs() -> None:
    three = daemons(places(3))
    assert sorted(daemon.name for daemon in three) == [
        "datanode-1",
        "datanode-2",
        "historyserver-0",
        "namenode-0",
        "nodemanager-1",
        "nodemanager-2",
        "resourcemanager-0",
    ]
    assert {daemon.name for daemon in daemons(places(1))} >= {"datanode-0", "nodemanager-0"}
    assert all(heap_mb(daemon.kind, Parameters()) > 0 for daemon in three)
    assert [least for _, _, least in signs_of_readiness(places(3))] == [2, 2, 1]


def test_no_hadoop_yet(tmp_path: Path) -> None:
    with pytest.raises(KvasirError, match=r"no Hadoop here yet: run scripts/build_hadoop\.py"):
        Distribution(tmp_path)
    (tmp_path / FACTS).write_text("{}")
    with pytest.raises(KvasirError, match=r"cannot be used, run scripts/build_hadoop\.py"):
        Distribution(tmp_path)


def test_java_has_gone(hadoop: Distribution, tmp_path: Path) -> None:
    gone = hadoop.facts.model_copy(update={"java": Java(home=tmp_path / "jdk", version="17", major=17)})
    (tmp_path / FACTS).write_text(gone.model_dump_json())
    with pytest.raises(KvasirError, match="this Java, which has gone"):
        Distribution(tmp_path)


def test_java_8_gets_no_options_it_does_not_know(hadoop: Distribution) -> None:
    old = Distribution(hadoop.root)
    old.facts = hadoop.facts.model_copy(update={"java": Java(home=hadoop.root, version="1.8.0_1", major=8)})
    assert not [flag for flag in old.flags(100) if "add-opens" in flag or "Shared" in flag]
