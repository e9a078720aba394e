"""Spack recipe of src/hadoop/workloads."""

import os
from pathlib import Path

from spack.package import Executable, depends_on, find, install_tree, join_path, license, mkdirp, version
from spack_repo.builtin.build_systems.generic import Package


class KvasirWorkloads(Package):
    """Hadoop jobs in Java: PageRank, naive Bayes, their generators, and checks of outputs."""

    # Found in the mirror by its hash; this name only tells that it is a tar archive.
    url = "https://kvasir.invalid/kvasir-workloads-0.1.0.tar"
    license("Apache-2.0")

    version("0.1.0", sha256="dbe9a743b66ebc6d08a77a9b0196d10b42641d830a5ed5f7f709295e64436d1b")

    depends_on("hadoop@2.7:3", type=("build", "run"))
    depends_on("java@8:", type=("build", "run"))

    @property
    def jar(self):
        """Where the jar is installed."""
        return join_path(self.prefix.share, "kvasir", "workloads.jar")

    def class_path(self, *first):
        """All jars of Hadoop, wherever its folder has them, after those given."""
        jars = find(self.spec["hadoop"].prefix, "*.jar")
        return os.pathsep.join([*first, *(j for j in jars if not j.endswith(("-sources.jar", "-tests.jar")))])

    def install(self, spec, prefix):
        # By the compiler alone: Maven would download, past Spack's checksums. Class files of level 8 run on any Java.
        home = spec["java"].home.bin
        level = ("-source", "8", "-target", "8") if spec["java"].satisfies("@:1.8") else ("--release", "8")
        sources = find("src/main/java", "*.java")
        mkdirp("classes", os.path.dirname(self.jar))
        Executable(home.javac)(*level, "-proc:none", "-d", "classes", "-cp", self.class_path(), *sources)
        install_tree("src/main/resources", "classes")
        Executable(home.jar)("cf", self.jar, "-C", "classes", ".")

    def test_graph(self):
        """a job that generates a graph, in one process"""
        java = Executable(self.spec["java"].home.bin.java)
        settings = ("mapreduce.framework.name=local", "fs.defaultFS=file:///", "hadoop.tmp.dir=tmp")
        options = [word for setting in settings for word in ("-D", setting)]
        opened = "--add-opens=java.base/java.lang=ALL-UNNAMED"
        program = (opened, "-cp", self.class_path(self.jar), "kvasir.graph.Generate")
        java(*program, *options, "6", "1", "2", "graph")
        edges = Path("graph/part-r-00000").read_text().split()
        assert edges and all(0 <= int(node) < 64 for node in edges), "nodes of a graph of 64 are expected"
