"""Spack recipe of hwloc, from the source package of Debian 12."""

from pathlib import Path

from spack.package import Executable, depends_on, license, version
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage


class DebianHwloc(AutotoolsPackage):
    """Topology of a machine's cores, caches and memory, as Debian 12 has its source; read from the kernel alone."""

    homepage = "https://www.open-mpi.org/projects/hwloc/"
    urls = (
        "https://deb.debian.org/debian/pool/main/h/hwloc/hwloc_2.9.0.orig.tar.bz2",
        "https://snapshot.debian.org/archive/debian/20230610T000000Z/pool/main/h/hwloc/hwloc_2.9.0.orig.tar.bz2",
    )
    license("BSD-3-Clause")

    version("2.9.0", sha256="b3fb1a43a14d8fbcd8e976de5ede2ea7ce1d768ed173adb33c7ceaaf098dc970")

    depends_on("c", type="build")
    depends_on("gmake", type="build")

    def configure_args(self):
        # Named, so that what a machine happens to have does not decide.
        absent = ("cairo", "libxml2", "pci", "opencl", "cuda", "nvml", "rsmi", "levelzero", "gl", "libudev")
        return [*(f"--disable-{name}" for name in absent), "--disable-readme", "--without-x"]

    def test_topology(self):
        """the cores of this machine"""
        said = Executable(self.prefix.bin.join("hwloc-calc"))("--number-of", "core", "all", output=str)
        assert int(said) >= 1, f"cores: {said!r}"
        assert Path(self.prefix.include, "hwloc.h").is_file()
