"""Spack recipe of what Snakemake 9.27 needs newer than Spack's packages have it."""

from spack.package import depends_on, version, when
from spack_repo.builtin.packages.py_tenacity.package import PyTenacity as Released


class PyTenacity(Released):
    """Retries for Python."""

    version("9.2.1", sha256="a606b5c808d0cded4a359d5b9932d867ff2a6a6b64d37350260fd01bbdf83839")

    with when("@9.2:"):
        depends_on("python@3.10:", type=("build", "run"))
        depends_on("py-hatchling", type="build")
        depends_on("py-hatch-vcs", type="build")
