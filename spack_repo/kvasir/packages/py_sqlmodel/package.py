"""Spack recipe of what Snakemake 9.27 needs and Spack's packages do not have."""

from spack.package import depends_on, license, version
from spack_repo.builtin.build_systems.python import PythonPackage


class PySqlmodel(PythonPackage):
    """SQL databases by Python classes, on SQLAlchemy and Pydantic."""

    homepage = "https://sqlmodel.tiangolo.com"
    pypi = "sqlmodel/sqlmodel-0.0.37.tar.gz"
    license("MIT")

    version("0.0.37", sha256="d2c19327175794faf50b1ee31cc966764f55b1dedefc046450bc5741a3d68352")

    depends_on("python@3.10:", type=("build", "run"))
    depends_on("py-pdm-backend", type="build")
    depends_on("py-pydantic@2.11:", type=("build", "run"))
    depends_on("py-sqlalchemy@2.0.14:2.0", type=("build", "run"))
