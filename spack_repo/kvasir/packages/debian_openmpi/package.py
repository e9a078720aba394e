"""Spack recipe of Open MPI, from the source package of Debian 12."""

from spack.package import Executable, depends_on, filter_compiler_wrappers, license, provides, version
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage


class DebianOpenmpi(AutotoolsPackage):
    """Open MPI over shared memory and TCP, as Debian 12 has its source; PMIx and libevent are its own copies."""

    homepage = "https://www.open-mpi.org"
    urls = (
        "https://deb.debian.org/debian/pool/main/o/openmpi/openmpi_4.1.4.orig.tar.xz",
        "https://snapshot.debian.org/archive/debian/20230610T000000Z/pool/main/o/openmpi/openmpi_4.1.4.orig.tar.xz",
    )
    license("BSD-3-Clause")

    version("4.1.4", sha256="ddaee7dbdb01eb4fab1fda5b5e03e8bbff026711806c095c1f39bb410f99f263")

    provides("mpi@:3.1")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("debian-hwloc@2:")

    filter_compiler_wrappers("*-wrapper-data.txt", relative_root="share/openmpi")

    # Named, so that what a machine happens to have does not decide. Of SLURM it needs no library, only srun.
    absent = "verbs ucx ofi psm psm2 knem xpmem libnl zlib memkind cuda tm sge"

    def configure_args(self):
        return [
            *(f"--without-{name}" for name in self.absent.split()),
            f"--with-hwloc={self.spec['debian-hwloc'].prefix}",
            "--with-libevent=internal",
            "--with-pmix=internal",
            "--with-slurm",
            "--enable-mpi-fortran=no",
            "--disable-oshmem",
            "--disable-io-romio",
            "--disable-man-pages",
        ]

    def test_ranks(self):
        """two ranks, placed by the hwloc of its own recipe"""
        root_may = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        mpirun = Executable(self.prefix.bin.mpirun)
        said = mpirun("-n", "2", "--oversubscribe", "echo", "a rank", output=str, extra_env=root_may)
        assert said.split("\n").count("a rank") == 2, said
        parts = Executable(self.prefix.bin.ompi_info)("--parsable", output=str, extra_env=root_may)
        assert "mca:hwloc:external:" in parts, "the hwloc is another one"
