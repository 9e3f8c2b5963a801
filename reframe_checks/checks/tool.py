# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The ReFrame check that inspects the programs of a third-party benchmark, and builds the launch check."""

import shlex
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable
from reframe.core.exceptions import SanityError

from isochron.common.files import FileError
from isochron.reframe_checks.checks.place import SinglePartition
from isochron.reframe_checks.stack.inspection import LAUNCH_CHECK_LIBRARY, inspect_programs
from isochron.schemas.run.tools import Request
from isochron.spack_envs.toolchain import shell_lines


@rfm.simple_test
class Tool(rfm.CompileOnlyRegressionTest, SinglePartition):
    """`-S Tool.request=FILE`: check that programs exist and load the stack's MPI library."""

    #: JSON file of the Request.
    request = variable(str)

    descr = "programs of a third-party benchmark, and the library that counts their processes"
    build_system = "SingleSource"
    sourcesdir = None

    @run_before("compile")
    def use_the_stack(self) -> None:
        """Build with the stack's compiler, without the site's flags."""
        self.tool_request = Request.load(Path(self.request))
        self.prebuild_cmds = [
            *shell_lines(self.tool_request.environment),
            f"cp {shlex.quote(self.tool_request.witness)} .",
        ]
        self.sourcepath = Path(self.tool_request.witness).name
        self.executable = LAUNCH_CHECK_LIBRARY
        self.build_system.cc = self.tool_request.cc
        self.build_system.flags_from_environ = False
        self.build_system.cflags = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-fPIC", "-shared"]

    @sanity_function
    def load_the_stacks_library(self) -> object:
        """Check existence, and the MPI library that the loader finds."""
        try:
            inspect_programs(self.tool_request)
        except FileError as error:
            raise SanityError(str(error)) from None
        return sn.assert_true(
            (Path(self.stagedir) / LAUNCH_CHECK_LIBRARY).is_file(), "the compiler produced no library"
        )
