"""Plug-ins of Hadoop: what they declare, what a cluster of several gets, and what no other framework's job sees."""

import hashlib
import json
import re
import subprocess
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from harness.cells.frameworks import Hadoop
from harness.cells.measure import programs_of, specification
from harness.config import CellsStudy, FrameworkEntry, load_config
from harness.config.frameworks import build_options
from harness.config.hadoop import Parameters
from harness.core.errors import KvasirError
from harness.hadoop import configuration
from harness.hadoop.assembly import plugins as built_plugins
from harness.hadoop.assembly.jars import digest
from harness.hadoop.benchmarks import CLASSES, Cell, make
from harness.hadoop.distribution import Distribution
from harness.hadoop.jobs import JobResult
from harness.hadoop.layout import layout
from harness.hadoop.plugins import (
    LOCK,
    OURS,
    load_plugin,
    load_plugins,
    plugin_on,
    released_in,
    sources_of,
    together,
)
from harness.plan.capabilities import Refusals
from harness.plan.cells import check_benchmarks, joined, plan
from harness.plan.spec import CellSpec

PROJECT = Path(__file__).parents[2]
COLLECTOR = "mapreduce.job.map.output.collector.class"
SERVICES = "yarn.nodemanager.aux-services"


def plugin(folder: Path, **declared: Any) -> str:
    """A plug-in's folder with a ready jar."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ready.jar").write_bytes(b"jar of " + folder.name.encode())
    (folder / "plugin.yaml").write_text(yaml.safe_dump({"jar": "ready.jar", **declared}))
    return str(folder)


@pytest.fixture
def levitated(tmp_path: Path) -> str:
    return plugin(
        tmp_path / "levitated",
        aux_services={"kvasir_levitated": "kvasir.levitated.Handler"},
        site={"yarn-site.xml": {"kvasir.levitated.port": 0, "kvasir.levitated.tls": False}},
        job_properties={"mapreduce.job.reduce.shuffle.consumer.plugin.class": "kvasir.levitated.Consumer"},
    )


@pytest.fixture
def nvm(tmp_path: Path) -> str:
    return plugin(
        tmp_path / "nvm", job_properties={COLLECTOR: "kvasir.nvm.Collector", "kvasir.nvm.profile": "dram"}
    )


def hadoop_at(root: Path, names: list[str]) -> Distribution:
    """A Hadoop that has only what its configuration files name."""
    made = Distribution.__new__(Distribution)
    made.root = root
    made.facts = SimpleNamespace(  # type: ignore[assignment]
        class_path=["hadoop.jar"], test_path=["tests.jar"], archive=None, java=SimpleNamespace(major=17)
    )
    made.plugins = root / "plugins"
    for name in names:
        (made.plugins / name).mkdir(parents=True, exist_ok=True)
        (made.plugins / name / f"{name}.jar").write_bytes(b"")
    return made


def rendered(hadoop: Distribution, *folders: str, **parameters: Any) -> dict[str, dict[str, str]]:
    places = layout(
        ["n0", "n1"], [Path("/s0"), Path("/s1")], [Path("/m0"), Path("/m1")], Path("/conf"), 21000
    )
    plugins = tuple(load_plugins(folders).values())
    files = configuration.render(places, places.nodes[1], Parameters(**parameters), hadoop, plugins)
    return {name: configuration.parse(text) for name, text in files.items() if name.endswith(".xml")}


def test_cluster_has_the_services_and_jars_of_all_its_plugins(
    levitated: str, nvm: str, tmp_path: Path
) -> None:
    hadoop = hadoop_at(tmp_path / "h", ["levitated", "nvm"])
    found = rendered(hadoop, levitated, nvm)
    yarn = found["yarn-site.xml"]
    assert yarn[SERVICES] == "mapreduce_shuffle,kvasir_levitated"
    assert yarn[f"{SERVICES}.kvasir_levitated.class"] == "kvasir.levitated.Handler"
    assert yarn[f"{SERVICES}.mapreduce_shuffle.class"] == "org.apache.hadoop.mapred.ShuffleHandler"
    assert (yarn["kvasir.levitated.port"], yarn["kvasir.levitated.tls"]) == ("0", "false")
    jars = [str(tmp_path / "h" / "plugins" / name / f"{name}.jar") for name in ("levitated", "nvm")]
    for file, name in (
        ("yarn-site.xml", "yarn.application.classpath"),
        ("mapred-site.xml", "mapreduce.application.classpath"),
        ("mapred-site.xml", "mapreduce.map.java.opts"),
        ("mapred-site.xml", "yarn.app.mapreduce.am.command-opts"),
    ):
        assert all(jar in re.split(r"[:, ]", found[file][name]) for jar in jars), name


def test_tasks_have_the_variables_that_plugins_name(levitated: str, nvm: str, tmp_path: Path) -> None:
    folder = Path(nvm)
    declared = yaml.safe_load((folder / "plugin.yaml").read_text())
    (folder / "plugin.yaml").write_text(yaml.safe_dump(declared | {"environment": ["NVM_DEVICE", "DAX"]}))
    name = "yarn.nodemanager.env-whitelist"
    hadoop = hadoop_at(tmp_path / "h", ["levitated", "nvm"])
    found = rendered(hadoop, levitated, nvm)["yarn-site.xml"][name]
    assert found == rendered(hadoop, levitated)["yarn-site.xml"][name] + ",DAX,NVM_DEVICE"


def test_job_properties_are_in_no_file_of_the_cluster(levitated: str, nvm: str, tmp_path: Path) -> None:
    plain = rendered(hadoop_at(tmp_path / "h", []))
    found = rendered(hadoop_at(tmp_path / "h", ["levitated", "nvm"]), levitated, nvm)
    assert plain["yarn-site.xml"][SERVICES] == "mapreduce_shuffle"
    for name in (COLLECTOR, "mapreduce.job.reduce.shuffle.consumer.plugin.class", "kvasir.nvm.profile"):
        assert not [file for file, properties in found.items() if name in properties]


@pytest.mark.parametrize("folder", ["a stranger's", 'a "b"', "$HOME `id`", "back\\slash", "ein Läuf"])
def test_containers_get_the_class_path_whatever_its_folders_are_called(
    folder: str, nvm: str, tmp_path: Path
) -> None:
    """Hadoop's script of a container has the command in double quotes, for a second shell."""
    hadoop = hadoop_at(tmp_path / folder, ["nvm"])
    options = rendered(hadoop, nvm)["mapred-site.xml"]["mapreduce.map.java.opts"]
    script = f"exec /bin/bash -c \"printf '%s\\n' {options}\""
    words = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert words[-3:-1] == ["-cp", hadoop.class_path(None, (hadoop.plugin_jar("nvm"),))]


def test_extra_wins_over_plugins(levitated: str, tmp_path: Path) -> None:
    hadoop = hadoop_at(tmp_path / "h", ["levitated"])
    found = rendered(hadoop, levitated, extra={"yarn-site.xml": {"kvasir.levitated.port": "7"}})
    assert found["yarn-site.xml"]["kvasir.levitated.port"] == "7"


def test_plugin_that_was_not_built_says_so(levitated: str, tmp_path: Path) -> None:
    with pytest.raises(
        KvasirError, match=r"levitated\.jar: there is no such plug-in yet: run scripts/build_plugin"
    ):
        rendered(hadoop_at(tmp_path / "h", []), levitated)


class Recorder(Cell):
    """A cell on which programs are written down instead of run."""

    programs: list[tuple[str, list[str]]]

    def program(self, name: str, main_class: str, arguments: list[str], timeout_s: float) -> JobResult:
        self.programs.append((name, arguments))
        jobs: Any = SimpleNamespace(counter=lambda *_: 1)
        return JobResult(1.0, "", [jobs], [])

    def check(self, main_class: str, arguments: list[str], timeout_s: float) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize("name", list(CLASSES))
def test_every_benchmark_gives_its_timed_jobs_the_frameworks_properties(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(Recorder, "programs", programs, raising=False)
    whole = SimpleNamespace(size=256 * 2**20 // 100 * 100, replication=2)
    hdfs: Any = SimpleNamespace(remove=lambda _: None, stored=lambda *_: whole)
    cluster: Any = SimpleNamespace(
        parameters=Parameters(), layout=SimpleNamespace(workers=[1, 2]), hdfs=hdfs, folder=Path("/folder")
    )
    cell = Recorder(cluster)
    entry = {"class": "hadoop", "label": "X", "job_properties": {COLLECTOR: "a.B", "x.y": 3}}
    framework = Hadoop("x", FrameworkEntry.model_validate(entry))
    benchmark = make(name, {})
    benchmark.prepare(cell)
    inputs = len(programs)
    framework.execute(benchmark, cell, "timed")
    assert programs[inputs:]
    for _, words in programs[inputs:]:
        # Generic options come before the program's own arguments, after the name of one of Hadoop's examples.
        first = 0 if words[0] == "-D" else 1
        own = next(i for i in range(first, len(words) + 1, 2) if i >= len(words) or words[i] != "-D")
        assert {f"{COLLECTOR}=a.B", "x.y=3"} <= set(words[first:own]), words
    for _, arguments in programs[:inputs]:
        assert not [word for word in arguments if word.startswith((COLLECTOR, "x.y"))], "inputs belong to all"


def specs(tmp_path: Path, **entries: dict[str, Any]) -> list[CellSpec]:
    """Cells of study hpc at scale laptop with frameworks changed, and without the other plug-ins."""
    values = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    config = load_config({**values, "scale": "laptop", "studies": ["hpc"]}, PROJECT / "config")
    for name in ("hadoop-uda", "rdma-hadoop", "homr"):
        config.frameworks[name] = config.frameworks[name].model_copy(update={"missing": "as the test wants"})
    for name, changes in entries.items():
        entry = {"class": "hadoop", "label": name, "interface": "ib", **changes}
        config.frameworks[name] = FrameworkEntry.model_validate(entry)
    check_benchmarks(config, "config")
    study = config.studies["hpc"]
    assert isinstance(study, CellsStudy)
    return list(joined(plan(study, config, Refusals()).cells.values()).values())


def test_frameworks_of_one_cell_share_its_cluster(levitated: str, nvm: str, tmp_path: Path) -> None:
    own = {"kvasir.nvm.profile": "paper"}
    found = specs(
        tmp_path,
        **{"hadoop-uda": {"plugins": [levitated]}, "homr": {"plugins": [nvm], "job_properties": own}},
    )
    cell = next(cell for cell in found if {"hadoop-uda", "homr", "hadoop-ipoib"} <= cell.frameworks.keys())
    assert list(cell.plugins) == ["levitated", "nvm"]
    assert cell.frameworks["homr"].job_properties == {
        COLLECTOR: "kvasir.nvm.Collector",
        "kvasir.nvm.profile": "paper",
    }
    stock_entry = cell.frameworks["hadoop-ipoib"]
    assert not stock_entry.plugins and not stock_entry.job_properties
    stock = next(cell for cell in found if cell.interface == "gbe")
    assert stock.plugins == {}
    assert CellSpec.model_validate_json(cell.model_dump_json()) == cell


def test_a_changed_plugin_concerns_only_runs_that_use_it(levitated: str, nvm: str, tmp_path: Path) -> None:
    found = specs(tmp_path, **{"hadoop-uda": {"plugins": [levitated]}, "homr": {"plugins": [nvm]}})
    cell = next(cell for cell in found if {"hadoop-uda", "homr"} <= cell.frameworks.keys())
    before, after = (
        {
            run.framework: specification(
                cell, run, {"hadoop": {}, "plugins": {"levitated": jar, "nvm": "same"}}
            )
            for run in cell.runs
        }
        for jar in ("old", "new")
    )
    assert {name for name in before if before[name] != after[name]} == {"hadoop-uda"}
    assert "plugins" not in before["hadoop-ipoib"]


def test_conflicts_are_named_when_planning(tmp_path: Path, levitated: str) -> None:
    other = plugin(tmp_path / "other", aux_services={"kvasir_levitated": "other.Handler"})
    with pytest.raises(
        KvasirError,
        match=r"cell \w+_ib: .*hadoop-uda, .*share its cluster: NodeManager service kvasir_levitated: "
        r"plug-in levitated wants 'kvasir\.levitated\.Handler', plug-in other 'other\.Handler'",
    ):
        specs(tmp_path, **{"hadoop-uda": {"plugins": [levitated]}, "homr": {"plugins": [other]}})
    site = plugin(tmp_path / "site", site={"yarn-site.xml": {"kvasir.levitated.port": 1}})
    with pytest.raises(
        KvasirError, match=r"yarn-site\.xml: kvasir\.levitated\.port: .* wants '0', plug-in site '1'"
    ):
        specs(tmp_path, **{"hadoop-uda": {"plugins": [levitated]}, "homr": {"plugins": [site]}})
    twin = plugin(tmp_path / "far" / "levitated")
    with pytest.raises(KvasirError, match=r"plug-in levitated: found in .* and .*: rename"):
        specs(tmp_path, **{"hadoop-uda": {"plugins": [levitated]}, "homr": {"plugins": [twin]}})
    with pytest.raises(KvasirError, match="plug-in levitated: found in"):
        together(load_plugins([levitated]), load_plugins([twin]))


def test_conflicting_job_properties_need_a_decision(tmp_path: Path, nvm: str) -> None:
    other = plugin(tmp_path / "other", job_properties={COLLECTOR: "other.Collector"})
    with pytest.raises(KvasirError, match=rf"framework homr: job property {COLLECTOR}: plug-in nvm wants"):
        specs(tmp_path, homr={"plugins": [nvm, other]})
    decided = specs(tmp_path, homr={"plugins": [nvm, other], "job_properties": {COLLECTOR: "x.Y"}})
    cell = next(cell for cell in decided if "homr" in cell.frameworks)
    assert cell.frameworks["homr"].job_properties[COLLECTOR] == "x.Y"


def test_frameworks_without_hadoop_jobs_take_none(levitated: str, tmp_path: Path) -> None:
    with pytest.raises(KvasirError, match="framework homr: plugins, job_properties and site are of no use"):
        specs(tmp_path, homr={"class": "engine", "plugins": [levitated]})


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"services": {}}, "services: .*no such key"),
        ({"aux_services": {"mapreduce_shuffle": "a.B"}}, "mapreduce_shuffle is Hadoop's own shuffle"),
        ({"aux_services": {"1x": "a.B"}}, "aux_services"),
        ({"site": {"yarn-site.xml": {SERVICES: "x"}}}, "name services in aux_services"),
        ({"site": {"hive-site.xml": {}}}, "hive-site.xml"),
        ({"job_properties": {"a=b": 1}}, "job_properties"),
        ({"jar": "none.jar"}, "expected none.jar, the jar"),
        ({"jar": None}, "expected pom.xml, a Maven module"),
    ],
)
def test_wrong_declaration_is_one_message(tmp_path: Path, declared: dict[str, Any], said: str) -> None:
    folder = plugin(tmp_path / "wrong", **declared)
    with pytest.raises(KvasirError, match=rf"{folder}.*{said}"):
        load_plugin(folder)


def test_needed_plugins_come_along(levitated: str, nvm: str, tmp_path: Path) -> None:
    needs = plugin(tmp_path / "needs", needs=[levitated], job_properties={"needs.x": 1})
    both = plugin(tmp_path / "both", needs=[needs, nvm])
    assert list(load_plugins([both])) == ["both", "levitated", "needs", "nvm"]
    assert sources_of(load_plugin(needs)) == [
        f"{needs}/plugin.yaml",
        f"{needs}/ready.jar",
        f"{levitated}/plugin.yaml",
        f"{levitated}/ready.jar",
    ]
    found = specs(tmp_path, homr={"plugins": [needs]})
    cell = next(cell for cell in found if "homr" in cell.frameworks)
    assert list(cell.plugins) == ["levitated", "needs"]
    entry = cell.frameworks["homr"]
    assert entry.plugins == ["levitated", "needs"]
    assert entry.job_properties == {
        "mapreduce.job.reduce.shuffle.consumer.plugin.class": "kvasir.levitated.Consumer",
        "needs.x": "1",
    }


def test_plugins_that_need_each_other(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    plugin(one, needs=[str(other)])
    plugin(other, needs=[str(one)])
    with pytest.raises(KvasirError, match="plug-in one needs itself: one needs other needs one: change"):
        load_plugins([str(one)])
    lonely = plugin(tmp_path / "lonely", needs=["./gone"])
    with pytest.raises(KvasirError, match=r"plug-in \./gone: found no"):
        load_plugins([lonely])


def test_unknown_plugin_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        KvasirError, match=rf"plug-in uda: found no {OURS}/uda/plugin\.yaml: name one of {OURS} \("
    ):
        load_plugin("uda")
    with pytest.raises(KvasirError, match=r"plug-in \./uda: found no uda/plugin\.yaml"):
        load_plugin("./uda")


def test_plugins_are_found_by_name_and_hadoop_at_any_scale(
    levitated: str, nvm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def entry(**more: Any) -> FrameworkEntry:
        return FrameworkEntry.model_validate({"class": "hadoop", "label": "X", **more})

    monkeypatch.chdir(tmp_path)
    needs = plugin(tmp_path / "needs", needs=[levitated])
    plugin(tmp_path / "mine")
    frameworks = {
        "one": entry(plugins=[needs]),
        "own": entry(plugins=["./mine"], java_home="/jdk"),
        "absent": entry(plugins=["./gone"], missing="not there"),
        "left-out": entry(plugins=[nvm], missing="left to another scale"),
        "plain": entry(),
    }
    assert build_options("3.4.2", frameworks) == ["--version=3.4.2"]
    assert build_options("own", frameworks) == ["--version=3.4.2", "--java-home=/jdk"]
    found = {name: plugin_on("3.4.2", name, frameworks).reference for name in ("needs", "levitated", "nvm")}
    assert found == {"needs": needs, "levitated": levitated, "nvm": nvm}
    assert plugin_on("own", "mine", frameworks).reference == "./mine", "a path, or it would be one of ours"
    for hadoop, name in (("3.4.2", "mine"), ("own", "levitated"), ("3.4.2", "gone")):
        with pytest.raises(KvasirError, match=f"plug-in {name}: no framework on {hadoop} uses it"):
            plugin_on(hadoop, name, frameworks)
    frameworks["one"] = entry(plugins=["./gone"])
    with pytest.raises(KvasirError, match=r"plug-in \./gone: found no"):
        plugin_on("3.4.2", "nvm", frameworks)
    frameworks["one"] = entry(plugins=[plugin(tmp_path / "far/nvm")])
    with pytest.raises(KvasirError, match=r"plug-in nvm: found in .* rename one of the folders"):
        plugin_on("3.4.2", "nvm", frameworks)


def test_a_cell_takes_the_plugins_of_its_frameworks(
    levitated: str, nvm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = plugin(tmp_path / "needs", needs=[levitated])
    found = specs(
        tmp_path, **{"hadoop-uda": {"plugins": [needs]}, "homr": {"plugins": [nvm], "interface": "gbe"}}
    )
    built = {
        frozenset(cell.plugins): [file for file in cell.built if "plugins" in file]
        for cell in found
        if cell.plugins
    }
    assert built == {
        frozenset({"needs", "levitated"}): [
            "build/hadoop-plugins/3.4.2/levitated.json",
            "build/hadoop-plugins/3.4.2/needs.json",
        ],
        frozenset({"nvm"}): ["build/hadoop-plugins/3.4.2/nvm.json"],
    }
    monkeypatch.chdir(tmp_path)
    cell = next(cell for cell in found if "needs" in cell.plugins)
    for file in cell.built:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text(
            json.dumps({"version": "3.4.2", "java": {"version": "17"}, "jar": f"sum of {file}"})
        )
    assert programs_of(cell)["plugins"] == {
        Path(file).stem: f"sum of {file}" for file in cell.built if "plugins" in file
    }


def test_other_jars_than_the_locked_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, jars = tmp_path / "mine", tmp_path / "tree/mine/jars"
    for path in (folder, jars):
        path.mkdir(parents=True)
    (folder / "plugin.yaml").write_text("{}\n")
    (folder / "pom.xml").write_text("<project/>\n")
    (jars.parent / "mine.jar").write_text("made")
    (jars / "others.jar").write_text("theirs")

    def build(*_: Any) -> dict[str, Path]:
        return {"mine": jars.parent / "mine.jar"}

    monkeypatch.setattr(built_plugins.maven, "build", build)
    mine = load_plugin(str(folder))

    def provide(number: int) -> built_plugins.PluginFacts:
        return built_plugins.provide_plugin(PROJECT / "src/hadoop", "3.4.2", tmp_path / str(number), mine)

    before = provide(1)
    assert before.jar == digest(jars.parent / "mine.jar")
    (folder / LOCK).write_text(f"{digest(jars / 'others.jar')}  others.jar\n")
    assert provide(2).sources != before.sources, "a plug-in is made again when its lock has changed"
    (folder / LOCK).write_text(f"{'0' * 64}  others.jar\n")
    with pytest.raises(
        KvasirError, match=r"plug-in mine are not those of .*jars\.lock: others\.jar has SHA-256"
    ):
        provide(3)
    assert not (tmp_path / "3/mine.jar").exists()


def test_jars_of_others_stay_beside_a_plugin_that_keeps_them_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, tree = tmp_path / "mine", tmp_path / "tree/mine"
    folder.mkdir()
    declared = {"apart": True, "download_mb": 48, "uses_jobs": True}
    (folder / "plugin.yaml").write_text(yaml.safe_dump(declared))
    (folder / "pom.xml").write_text("<project/>\n")
    asked: list[list[str]] = []

    def build(modules: list[Path], *_: Any) -> dict[str, Path]:
        asked.append([module.name for module in modules])
        (tree / "jars").mkdir(parents=True)
        (tree / "mine.jar").write_text("made")
        for name in ("b.jar", "a.jar"):
            (tree / "jars" / name).write_text(name)
        return {"mine": tree / "mine.jar"}

    monkeypatch.setattr(built_plugins.maven, "build", build)
    lock = "".join(f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in ("a.jar", "b.jar"))
    (folder / LOCK).write_text(lock)
    mine = load_plugin(str(folder))

    def provide() -> list[str]:
        built_plugins.provide_plugin(PROJECT / "src/hadoop", "3.4.2", tmp_path / "built", mine)
        return capsys.readouterr().out.splitlines()

    line = "plug-in mine: Maven gets 48 MB of released jars, unless it has them"
    assert provide() == [line]
    assert asked == [["mine", "workloads"]]
    assert sorted(jar.name for jar in (tmp_path / "built/jars").iterdir()) == ["a.jar", "b.jar"]
    with zipfile.ZipFile(released_in(tmp_path / "built")) as jar:
        assert "Class-Path: jars/a.jar jars/b.jar" in jar.read("META-INF/MANIFEST.MF").decode()
    facts = json.loads((tmp_path / "built/plugin.json").read_text())
    assert facts["released"] == digest(folder / LOCK)
    assert provide() == [], "nothing is to be done"
    (tmp_path / "built/jars/a.jar").write_text("another")
    assert provide() == [line], "other bytes are replaced"
    assert (tmp_path / "built/jars/a.jar").read_text() == "a.jar"


def test_other_released_jars_make_the_runs_of_a_plugin_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("build/hadoop-plugins/3.4.2/mine.json")
    file.parent.mkdir(parents=True)

    def programs(**facts: str) -> Any:
        file.write_text(json.dumps({"jar": "1", **facts}))
        cell: Any = SimpleNamespace(built=[str(file)], hadoop="3.4.2")
        return programs_of(cell)["plugins"]["mine"]

    assert programs() == programs(released="") == "1"
    assert len({programs(), programs(released="2"), programs(released="3")}) == 3


def test_a_plugin_that_uses_our_jobs_is_made_again_when_they_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    spark, tez = (sources_of(load_plugin(name)) for name in ("spark", "tez"))
    jobs = {name for name in spark if "/workloads/" in name}
    assert any(name.endswith("bayes/Model.java") for name in jobs)
    assert not any("/workloads/" in name for name in tez)
