"""Spack recipe of src/netsim."""

import json
from pathlib import Path

from spack.package import Executable, conflicts, depends_on, license, version
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class KvasirNetsim(CMakePackage):
    """Packet-level simulator of Ethernet, TCP and MapReduce jobs with Energy Efficient Ethernet ports."""

    # Found in the mirror by its hash; this name only tells that it is a tar archive.
    url = "https://kvasir.invalid/kvasir-netsim-0.1.0.tar"
    license("Apache-2.0")

    version("0.1.0", sha256="f49ca7fabbcd19fc5fd5206e1f6fe293175bd7f0985fa9f19d2d4675e2051eb8")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("googletest@1.12:", type="test")

    conflicts("%gcc@:10", msg="the simulator is written in C++20")
    generator("ninja")
    root_cmakelists_dir = "netsim"

    def cmake_args(self):
        return [self.define("BUILD_TESTING", self.run_tests), self.define("KVASIR_WERROR", False)]

    def test_link(self):
        """power of a link that sleeps, beside the closed form"""
        netsim = Executable(self.prefix.bin.netsim)
        link = ("link", "--speed", "10g", "--policy", "standard", "--load", "0.1", "--frame", "1500")
        netsim(*link, "--seconds", "0.2", "--report", "report.json")
        metrics = json.loads(Path("report.json").read_text())["metrics"]
        power, closed = (metrics[name]["value"] for name in ("power.rel", "power.rel.closed"))
        assert abs(power - closed) < 0.02 * closed, f"power {power}, by the closed form {closed}"
