"""Spack recipe of what Snakemake 9.27 needs newer than Spack's packages have it."""

from spack.package import depends_on, version, when
from spack_repo.builtin.packages.py_snakemake_interface_storage_plugins.package import (
    PySnakemakeInterfaceStoragePlugins as Released,
)


class PySnakemakeInterfaceStoragePlugins(Released):
    """Snakemake's interface to storage plugins."""

    version("4.4.1", sha256="b2b5bf05318af36955ebf2ce76c921c0fb06904ca98fb30e1657d88b7b7b6945")

    with when("@4.4:"):
        depends_on("py-humanfriendly@10", type=("build", "run"))
        depends_on("py-tenacity@9.1.4:9", type=("build", "run"))
