# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: F403, F405, I001
# mypy: ignore-errors
"""The command `isochron` as a Spack package: planning, driving, analysis and report."""

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class Isochron(PythonPackage):
    """MPI benchmark campaigns with synchronised starts and intervals that cover."""

    license("BSD-3-Clause")

    # The sources come from a checkout: `spack develop --path CHECKOUT isochron@main` in an environment.
    version("main")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-setuptools@77:", type="build")
    with default_args(type=("build", "run")):
        depends_on("py-jinja2@3.1:")
        depends_on("py-matplotlib@3.9:")
        depends_on("py-numpy@2:")
        depends_on("py-openpyxl@3.1:")
        depends_on("py-pandas@2.2:3")
        depends_on("py-pyarrow@17:")
        depends_on("py-pydantic@2.9:2")
        depends_on("py-pyyaml@6:")
        depends_on("py-rich@13:")
        depends_on("py-scipy@1.13:")
        depends_on("py-seaborn@0.13:")
        depends_on("py-shtab@1.7:")
        depends_on("reframe@4.8:4")
        depends_on("snakemake@9.17:9")
    # ReFrame builds the engine with them under each stack.
    depends_on("c", type=("build", "run"))
    depends_on("gmake", type="run")
