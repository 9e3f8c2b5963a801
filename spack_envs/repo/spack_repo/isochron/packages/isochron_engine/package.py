# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: F403, F405, I001, ARG002
# mypy: ignore-errors
"""The measurement engine of Isochron as a Spack package."""

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class IsochronEngine(MakefilePackage):
    """Measures MPI collectives with synchronised starts."""

    license("BSD-3-Clause")

    # The sources come from the checkout: each environment has a `develop` section.
    version("main")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    # Never a named library: the environment's `mpi: require` decides.
    depends_on("mpi@3.1:")

    @property
    def outside(self):
        """Folder of the objects: nothing is left among the sources, which other stacks may build, too."""
        return join_path(self.stage.path, "objects")

    def build(self, spec, prefix):
        """Build as ReFrame does."""
        make(f"CC={spec['mpi'].mpicc}", f"BUILD={self.outside}")

    def install(self, spec, prefix):
        """The one program."""
        mkdirp(prefix.bin)
        install(f"{self.outside}/isochron-engine", prefix.bin)
