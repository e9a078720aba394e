"""Spack recipe of PAPI, from the source package of Debian 12."""

from spack.package import Executable, depends_on, license, version
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage


class DebianPapi(AutotoolsPackage):
    """Counters of processors, as Debian 12 has its source, with the components that Debian's package leaves out."""

    homepage = "https://icl.utk.edu/papi/"
    urls = (
        "https://deb.debian.org/debian/pool/main/p/papi/papi_7.0.0.orig.tar.gz",
        "https://snapshot.debian.org/archive/debian/20230610T000000Z/pool/main/p/papi/papi_7.0.0.orig.tar.gz",
    )
    license("BSD-3-Clause")

    version("7.0.0", sha256="799dcc317a47da96beaeed445812ecb6ae49df7c0504a4569797c1f7d74c4fd2")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")  # of a library for its own tests, which it makes in any case
    depends_on("gmake", type="build")

    configure_directory = "src"
    components = ("powercap", "rapl")

    def configure_args(self):
        shared = ("--with-static-lib=no", "--with-shared-lib=yes", "--with-shlib-tools")
        components = f"--with-components={' '.join(self.components)}"
        return [components, "--with-tests=no", "--with-libsde=no", *shared]

    def test_components(self):
        """the components that the study mimir measures by"""
        said = Executable(self.prefix.bin.papi_component_avail)(output=str)
        absent = [name for name in self.components if f"Name:   {name} " not in said]
        assert not absent, f"components {absent} are not among these:\n{said}"
