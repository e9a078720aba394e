"""Spack recipe of Snakemake at the version that the Snakefile needs and requirements.txt pins."""

from spack.package import depends_on, version, when
from spack_repo.builtin.packages.snakemake.package import Snakemake as Released


class Snakemake(Released):
    """Snakemake, newer than the releases of Spack's packages have it."""

    version("9.27.1", sha256="f772714bb4133f836f0b5c3124ed70ef954c223aa034d6fcaf0282a4bbb98a5e")

    with when("@9.27:"):
        depends_on("py-setuptools@64:", type="build")
        depends_on("py-setuptools-scm@8:", type="build")
        depends_on("py-docutils@0.20:0.22", type=("build", "run"))
        depends_on("py-packaging@24:25", type=("build", "run"))
        depends_on("py-platformdirs", type=("build", "run"))
        depends_on("py-snakemake-interface-storage-plugins@4.4.1:4", type=("build", "run"))
        depends_on("py-sqlmodel@0.0.37", type=("build", "run"))
        depends_on("py-tenacity@9.1.4:9", type=("build", "run"))
