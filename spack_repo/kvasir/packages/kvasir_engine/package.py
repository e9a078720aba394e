"""Spack recipe of src/engine."""

import json
from pathlib import Path

from spack.package import Executable, conflicts, depends_on, join_path, license, variant, version, which
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class KvasirEngine(CMakePackage):
    """MapReduce over MPI in memory: a C++20 library, mini-apps, jobs on HDFS and a generator of texts."""

    # Found in the mirror by its hash; this name only tells that it is a tar archive.
    url = "https://kvasir.invalid/kvasir-engine-0.1.0.tar"
    license("Apache-2.0")

    version("0.1.0", sha256="46f4c7195a25ec2445fc0fb0455bedb35db7e52ee4bf216f6b7b7dd220df504b")

    variant("compression", default=False, description="gzip and Zstandard inputs, smaller spills")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("googletest@1.12:", type="test")
    depends_on("mpi@3:")
    depends_on("pcre2@10.30:")
    depends_on("lz4@1.9:", when="+compression")
    depends_on("zlib-api", when="+compression")
    depends_on("zstd@1.4:", when="+compression")

    conflicts("%gcc@:10", msg="the engine is written in C++20")
    generator("ninja")
    root_cmakelists_dir = "engine"

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", self.run_tests),
            self.define("KVASIR_WERROR", False),
            # Not by define_from_variant(): installations of an older lock have no such variant.
            self.define("KVASIR_COMPRESSION", self.spec.satisfies("+compression")),
        ]

    def test_words(self):
        """words of a generated text, counted on two ranks"""
        generate = Executable(self.prefix.bin.generate)
        generate("--words", "1000", "--unique", "10", "--output", "text", "--report", "text.json")
        mpirun = which("mpirun", path=self.spec["mpi"].prefix.bin, required=True)
        count = str(join_path(self.prefix.bin, "reduce-by-key"))
        # A container is built, and tested, as root.
        root_may = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        mpirun("-n", "2", count, "--report", "report.json", "text", extra_env=root_may)
        metrics = json.loads(Path("report.json").read_text())["metrics"]
        counted = metrics["words"]["value"], metrics["keys"]["value"]
        assert counted == (1000, 10), f"words and different words: {counted}, expected 1000 and 10"
