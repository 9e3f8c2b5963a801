# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The ReFrame check that builds the engine with one stack, and refuses it if it is linked with another MPI library."""

import shlex
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable
from reframe.core.exceptions import SanityError

from isochron.common.files import FileError
from isochron.reframe_checks.checks.place import SinglePartition
from isochron.reframe_checks.stack.engine_cache import ENGINE, OUTER_MAKE
from isochron.reframe_checks.stack.inspection import inspect_engine
from isochron.schemas.launcher_kind import FOLDER
from isochron.schemas.run.manifest import Toolchain
from isochron.spack_envs.toolchain import shell_lines

#: Number of parallel compilers, since builds run on shared login nodes.
JOBS = 2


@rfm.simple_test
class BuildEngine(rfm.CompileOnlyRegressionTest, SinglePartition):
    """`-S BuildEngine.toolchain=FILE -S BuildEngine.sources=FOLDER`: the engine in the stack's environment."""

    #: JSON file of the Toolchain.
    toolchain = variable(str)
    #: Folder with the engine's sources and Makefile.
    sources = variable(str)

    descr = "the measurement engine, built with one MPI stack"
    build_system = "Make"
    sourcesdir = None

    @run_before("compile")
    def use_the_stack(self) -> None:
        """Build in a copy of the sources, and keep only the engine.

        They are copied by `cp`, since ReFrame would also copy modes, and fail on a file system that refuses that.
        """
        self.stack = Toolchain.load(Path(self.toolchain))
        self.prebuild_cmds = [
            *shell_lines(self.stack.environment),
            f"unset {' '.join(OUTER_MAKE)}",
            f"cp -R {shlex.quote(self.sources)} source",
        ]
        self.build_system.cc = self.stack.compiler
        build = "../build"
        if self.stack.container is not None:
            # make is that of the machine; its compiler runs in the image, which does not know the working folder
            build = shlex.quote(str(Path(self.stagedir) / "build"))
            words = shlex.join([*self.stack.inside, self.stack.cc])
            self.prebuild_cmds += [f"echo {shlex.quote(f'exec {words}')} '\"$@\"' > cc.sh"]
            self.build_system.cc = f"sh {self.stagedir}/cc.sh"
        self.build_system.flags_from_environ = False
        launchers = shlex.quote(str(Path(self.sources).parent.joinpath(*FOLDER)))
        self.build_system.options = ["-C source", f"BUILD={build}", f"LAUNCHERS_FOLDER={launchers}"]
        more = self.stack.make_variables
        self.build_system.options += [f"{name}={shlex.quote(value)}" for name, value in more.items()]
        self.build_system.max_concurrency = JOBS
        self.postbuild_cmds = [f"mv build/{ENGINE} .", "rm -rf build source"]

    @sanity_function
    def check_linked_library(self) -> object:
        """Check existence, linked library and version of the engine."""
        try:
            inspect_engine(Path(self.stagedir) / ENGINE, self.stack)
        except FileError as error:
            raise SanityError(str(error)) from None
        return sn.assert_true(True)
