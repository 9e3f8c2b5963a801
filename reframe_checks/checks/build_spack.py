# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types.
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The ReFrame check that lets Spack install a stack with the engine, and refuses an engine with another MPI library."""

import os
import shlex
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable
from reframe.core.exceptions import SanityError

from isochron.common.files import FileError, copy_file
from isochron.reframe_checks.checks.place import SinglePartition
from isochron.reframe_checks.stack.inspection import inspect_engine
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.spack_stack import Spack, built_engine, environment, resolve


@rfm.simple_test
class BuildWithSpack(rfm.CompileOnlyRegressionTest, SinglePartition):
    """Install the stack's environment (isochron.spack_envs.spack_stack.prepare), and write `toolchain.json`."""

    stack = variable(str)
    #: Folder with spack.yaml.
    folder = variable(str)
    #: Spack's command and version.
    spack = variable(str)
    spack_version = variable(str)

    descr = "an MPI stack with the measurement engine, installed by Spack"
    build_system = "Spack"
    sourcesdir = None

    @run_before("compile")
    def use_the_environment(self) -> None:
        """Set the environment for Spack: without this Python, and without a loaded MPI library."""
        spack_environment = environment(Path(self.spack), os.environ)
        gone = sorted(name for name in os.environ if name not in spack_environment)
        self.prebuild_cmds = [
            *([f"unset {' '.join(gone)}"] if gone else []),
            *(f"export {name}={shlex.quote(spack_environment[name])}" for name in ("COLUMNS", "PATH")),
        ]
        self.build_system.environment = self.folder
        self.build_system.emit_load_cmds = False

    @sanity_function
    def check_linked_library(self) -> object:
        """Check existence, linked library and version of the engine."""
        try:
            spack = Spack(Path(self.spack), self.spack_version)
            toolchain = resolve(load_declaration(self.stack), spack, Path(self.folder))
            toolchain.save(Path(self.stagedir) / "toolchain.json")
            engine = Path(self.stagedir) / "isochron-engine"
            copy_file(built_engine(spack, Path(self.folder)), engine)
            inspect_engine(engine, toolchain)
        except (FileError, OSError) as error:
            raise SanityError(str(error)) from None
        return sn.assert_true(True)
