"""Putting Hadoop together: what can go wrong is one clear message."""

import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.errors import KvasirError
from harness.hadoop.assembly import assemble, jars, java, maven, provide_plugin, provide_plugins
from harness.hadoop.assembly.assemble import merge_class_lists
from harness.hadoop.distribution import major_of
from harness.hadoop.plugins import Plugin, load_plugin

PROJECT = Path(__file__).parents[2]


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def jdk(folder: Path, version: str) -> Path:
    program(folder / "bin" / "java", f"echo 'openjdk version \"{version}\" 2025' >&2")
    return folder


@pytest.fixture
def fake_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program mvn that the test writes; all others are the machine's."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    return tmp_path / "bin" / "mvn"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('openjdk version "17.0.15" 2025-04-15', ("17.0.15", 17)),
        ('openjdk version "1.8.0_504"', ("1.8.0_504", 8)),
        ('openjdk version "25" 2025-09-16', ("25", 25)),
        ('java version "9-ea"', ("9-ea", 9)),
        ("command not found", None),
    ],
)
def test_versions_of_java(answer: str, expected: tuple[str, int] | None) -> None:
    assert major_of(answer) == expected


def test_wrong_java_is_named(tmp_path: Path) -> None:
    home = jdk(tmp_path / "jdk", "25.0.1")
    with pytest.raises(KvasirError, match=r"jdk: is Java 25\.0\.1, but Hadoop 3\.4\.2 needs Java 17"):
        java.find("3.4.2", home)
    with pytest.raises(KvasirError, match="holds no Java that can be started"):
        java.find("3.4.2", tmp_path)


def test_a_fitting_java_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "jvm"
    monkeypatch.setattr(java, "INSTALLED", installed)
    monkeypatch.setenv("JAVA_HOME", str(jdk(tmp_path / "other", "25")))
    monkeypatch.setenv("PATH", "/bin-without-java")
    with pytest.raises(
        KvasirError, match=r"needs Java 17, which is not there \(.*other is Java 25\): install"
    ):
        java.find("3.4.2", None)
    fitting = jdk(installed / "java-17-openjdk-amd64", "17.0.2")
    assert java.find("3.4.2", None).home == fitting
    assert java.find("2.7.7", None).home == fitting
    shutil.rmtree(installed)
    with pytest.raises(
        KvasirError, match=r"needs Java 17, .*, or name the folder of a Java 8 with --java-home"
    ):
        java.find("2.7.7", None)


@pytest.mark.parametrize("version", ["2.7.7", "2.5.1"])
def test_a_java_8_of_the_users_is_taken_for_hadoop_2_alone(version: str, tmp_path: Path) -> None:
    eight = jdk(tmp_path / "jdk8", "1.8.0_504")
    assert java.find(version, eight).major == 8
    with pytest.raises(
        KvasirError, match=r"is Java 1\.8\.0_504, but Hadoop 3\.4\.2 needs Java 17: name another"
    ):
        java.find("3.4.2", eight)
    with pytest.raises(
        KvasirError, match=r"is Java 11\.0\.2, but Hadoop 2\.\d\.\d needs Java 8 or 17: name another"
    ):
        java.find(version, jdk(tmp_path / "jdk11", "11.0.2"))


@pytest.mark.parametrize(
    ("version", "reason"), [("1.2.1", "it has no YARN, a JobTracker"), ("4.0.0", "nothing here was tried")]
)
def test_lines_that_do_not_run_say_why(version: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(
        KvasirError, match=rf"^Hadoop {version}: {reason}.*; expected one of the lines 2\.5 to 3$"
    ):
        java.find(version, None)
    program(tmp_path / f"hadoop-core-{version}.jar", "")
    if version.startswith("1"):
        with pytest.raises(KvasirError, match=r"^Hadoop 1\.2\.1: it has no YARN"):
            assemble(PROJECT / "src/hadoop", "3.4.2", tmp_path / "root", None, tmp_path)


def lock_of(folder: Path, **contents: str) -> Path:
    lock = folder / "1.0.lock"
    lines = [f"{hashlib.sha256(text.encode()).hexdigest()}  {name}.jar\n" for name, text in contents.items()]
    lock.write_text("".join(lines))
    return lock


def delivering(mvn: Path, **contents: str) -> None:
    writes = "\n".join(f"printf %s '{text}' > $out/{name}.jar" for name, text in contents.items())
    find = 'for a; do case $a in -DoutputDirectory=*) out=${a#*=};; esac; done; mkdir -p "$out"'
    program(mvn, f"{find}\n{writes}")


def test_jars_are_held_against_the_lock(tmp_path: Path, fake_maven: Path) -> None:
    lock, lib = lock_of(tmp_path, a="one", b="two"), tmp_path / "lib"
    delivering(fake_maven, a="one", b="other")
    with pytest.raises(KvasirError, match=r"b\.jar has SHA-256 \w{64}, expected \w{64}\. Remove them"):
        jars.provide(tmp_path / "pom.xml", "1.0", lock, lib)
    assert not lib.exists()
    delivering(fake_maven, a="one", c="three")
    with pytest.raises(KvasirError, match=r"b\.jar is missing, and 1 more"):
        jars.provide(tmp_path / "pom.xml", "1.0", lock, lib)
    delivering(fake_maven, a="one", b="two")
    assert jars.provide(tmp_path / "pom.xml", "1.0", lock, lib).keys() == {"a.jar", "b.jar"}
    program(fake_maven, "exit 1")
    jars.provide(tmp_path / "pom.xml", "1.0", lock, lib)
    (lib / "a.jar").write_text("damaged")
    delivering(fake_maven, a="one", b="two")
    jars.provide(tmp_path / "pom.xml", "1.0", lock, lib)
    assert (lib / "a.jar").read_text() == "one"


def test_no_network(tmp_path: Path, fake_maven: Path) -> None:
    said = "[ERROR] Failed to execute goal: Could not transfer artifact a:b:jar:1 from/to central: Unknown host x"
    program(fake_maven, f"echo '{said}'; exit 1")
    with pytest.raises(
        KvasirError, match=r"get the jars .*: artifacts are missing here .* name a mirror"
    ) as caught:
        jars.provide(tmp_path / "pom.xml", "1.0", lock_of(tmp_path, a="one"), tmp_path / "lib")
    assert "\n" not in str(caught.value)


def test_maven_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KvasirError, match="Maven is not installed, it is needed to build"):
        maven.run([], "build our jobs")


def test_mavens_reason() -> None:
    lines = [
        "noise",
        "\x1b[31m[ERROR] no",
        "[ERROR] /a/B.java:[3,1] warnings found",
        "[ERROR] -> [Help 1]",
        "[ERROR] ",
    ]
    assert maven.reason("\n".join(lines)).splitlines() == ["no", "/a/B.java:[3,1] warnings found"]
    assert maven.reason("") == "it says nothing"


def test_a_version_without_lock(tmp_path: Path) -> None:
    lock_of(tmp_path, a="one")
    with pytest.raises(KvasirError, match=r"9\.9\.lock: no lock for this version of Hadoop, only for 1\.0"):
        jars.read_lock(tmp_path / "9.9.lock")


@pytest.mark.parametrize("version", ["3.4.2", "2.7.7", "2.6.0", "2.5.1"])
def test_our_locks_hold_hadoop(version: str) -> None:
    lock = jars.read_lock(PROJECT / "src" / "hadoop" / "dist" / f"{version}.lock")
    assert {
        f"hadoop-common-{version}.jar",
        f"hadoop-mapreduce-client-jobclient-{version}-tests.jar",
    } <= lock.keys()
    assert all(len(digest) == 64 for digest in lock.values())


@given(st.lists(st.text("abc/.-", min_size=1, max_size=90), min_size=1, max_size=30))
def test_manifests_keep_to_the_format(paths: list[str]) -> None:
    text = jars.manifest(paths)
    assert all(len(line) <= 70 for line in text.split("\r\n"))
    assert text.replace("\r\n ", "").split("\r\n")[1] == "Class-Path: " + " ".join(paths)


def test_class_path_jars_are_left_alone_when_right(tmp_path: Path) -> None:
    jar = tmp_path / "x.jar"
    jars.write_class_path(jar, ["lib/a.jar"])
    before = jar.stat()
    jars.write_class_path(jar, ["lib/a.jar"])
    assert jar.stat() == before
    jars.write_class_path(jar, ["lib/b.jar"])
    with zipfile.ZipFile(jar) as file:
        assert b"lib/b.jar" in file.read("META-INF/MANIFEST.MF")


def test_lists_of_classes_are_merged() -> None:
    one = "# NOTE\njava/lang/Object id: 0\na/B id: 7 super: 0 source: /x.jar\n"
    two = "java/lang/Object\nkvasir/Range\n@lambda-proxy a b\n"
    assert merge_class_lists([one, two]).splitlines() == [
        "java/lang/Object",
        "kvasir/Range",
        "@lambda-proxy a b",
    ]


def test_a_hadoop_of_the_users(tmp_path: Path) -> None:
    with pytest.raises(KvasirError, match="is no HADOOP_HOME"):
        jars.version_of(tmp_path)
    for name in (
        "common/hadoop-common-3.3.6-tests.jar",
        "common/hadoop-common-3.3.6.jar",
        "common/lib/guava-1.jar",
        "hdfs/lib/guava-1.jar",
        "hdfs/hadoop-hdfs-3.3.6-sources.jar",
        "mapreduce/zeta.jar",
    ):
        program(tmp_path / "share" / "hadoop" / name, "")
    assert jars.version_of(tmp_path) == "3.3.6"
    assert [str(jar.relative_to(tmp_path / "share" / "hadoop")) for jar in jars.jars_of(tmp_path)] == [
        "common/lib/guava-1.jar",
        "common/hadoop-common-3.3.6.jar",
        "mapreduce/zeta.jar",
        "common/hadoop-common-3.3.6-tests.jar",
    ]


def plugin_of(folder: Path, **declared: str) -> Plugin:
    (folder / "src/main/java").mkdir(parents=True)
    (folder / "src/main/java/A.java").write_text("class A {}")
    (folder / "pom.xml").write_text("<project/>")
    (folder / "plugin.yaml").write_text("".join(f"{key}: {value}\n" for key, value in declared.items()))
    for jar in declared.values():
        (folder / jar).write_text("ready")
    return load_plugin(str(folder))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Folder src/hadoop with the parent pom alone."""
    folder = tmp_path / "src/hadoop"
    folder.mkdir(parents=True)
    (folder / "pom.xml").write_text("<project/>")
    return folder


def test_plugin_with_a_ready_jar_needs_no_maven(tmp_path: Path, source: Path, fake_maven: Path) -> None:
    program(fake_maven, "exit 1")
    plugin = plugin_of(tmp_path / "mine", jar="ready.jar")
    first = provide_plugins(source, "3.4.2", tmp_path / "root", [plugin])
    assert (tmp_path / "root/mine/mine.jar").read_text() == "ready"
    (tmp_path / "mine/ready.jar").write_text("changed")
    assert provide_plugins(source, "3.4.2", tmp_path / "root", [plugin]) != first
    assert (tmp_path / "root/mine/mine.jar").read_text() == "changed"


def test_plugin_is_built_again_when_its_sources_jar_or_hadoop_change(
    tmp_path: Path, source: Path, fake_maven: Path
) -> None:
    plugin, root = plugin_of(tmp_path / "mine"), tmp_path / "root"
    tree = root / "mine/modules/mine"
    made = f"echo x >> {tmp_path}/builds; mkdir -p {tree}; cp {tmp_path}/builds {tree}/mine.jar"
    program(fake_maven, f'[ "$1" = --version ] || {{ {made}; }}')

    def builds(version: str = "3.4.2") -> int:
        provide_plugins(source, version, root, [plugin])
        return len((tmp_path / "builds").read_text().split())

    assert [builds(), builds()] == [1, 1]
    (tmp_path / "mine/src/main/java/A.java").write_text("class A { int b; }")
    assert [builds(), builds()] == [2, 2]
    (source / "pom.xml").write_text("<project><!-- other --></project>")
    assert builds() == 3
    assert builds("2.7.7") == 4
    (root / "mine/mine.jar").write_text("damaged")
    assert builds("2.7.7") == 5
    staged = root / "mine/modules/elsewhere"
    assert (staged / "pom.xml").read_text() == (source / "pom.xml").read_text()
    assert (staged / "plugins/mine/src/main/java/A.java").is_file()
    assert not (tmp_path / "pom.xml").exists(), "nothing is written beside the plug-in"


def test_plugin_is_built_with_those_that_it_needs(tmp_path: Path, source: Path, fake_maven: Path) -> None:
    library, root = plugin_of(tmp_path / "library"), tmp_path / "root"
    user = plugin_of(tmp_path / "user")
    user = user.model_copy(update={"needs": [library.folder]})
    tree = root / "user/modules/user"
    made = f"echo x >> {tmp_path}/builds; mkdir -p {tree}; cp {tmp_path}/builds {tree}/user.jar"
    program(fake_maven, f'[ "$1" = --version ] || {{ {made}; }}')

    def builds() -> int:
        provide_plugins(source, "3.4.2", root, [user])
        return len((tmp_path / "builds").read_text().split())

    assert [builds(), builds()] == [1, 1]
    built = (root / "user/modules/pom.xml").read_text()
    assert "elsewhere/plugins/user<" in built and "elsewhere/plugins/library<" in built
    (tmp_path / "library/src/main/java/A.java").write_text("class A { int b; }")
    assert [builds(), builds()] == [2, 2]


def test_plugin_of_another_name_than_its_folder(tmp_path: Path, source: Path, fake_maven: Path) -> None:
    program(fake_maven, "exit 0")
    plugin = plugin_of(tmp_path / "mine")
    with pytest.raises(
        KvasirError, match=r"mine/pom\.xml: Maven left no .*: expected the parent .* artifactId, mine"
    ):
        provide_plugins(source, "3.4.2", tmp_path / "root", [plugin])
    assert not list((tmp_path / "root/mine").glob("*.jar*"))


def test_our_plugins_are_taken_from_an_image(tmp_path: Path, source: Path, fake_maven: Path) -> None:
    program(fake_maven, "exit 1")
    (tmp_path / "image").mkdir()
    (tmp_path / "image/ours.jar").write_text("of the image")
    ours = plugin_of(source / "plugins/ours")
    facts = provide_plugin(source, "3.4.2", tmp_path / "root/ours", ours, tmp_path / "image")
    assert (tmp_path / "root/ours/ours.jar").read_text() == "of the image"
    assert not facts.tools and facts.hadoop == "3.4.2"
    strangers = plugin_of(tmp_path / "ours")
    with pytest.raises(KvasirError, match="Maven cannot build plug-in ours"):
        provide_plugin(source, "3.4.2", tmp_path / "root/ours", strangers, tmp_path / "image")
