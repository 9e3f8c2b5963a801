# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The ReFrame check that looks at the programs of another benchmark, and builds what counts their processes."""

from __future__ import annotations

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
    """`-S Tool.request=FILE`: programs that are there and load the stack's MPI library."""

    #: JSON file of the Request.
    request = variable(str)

    descr = "programs of another benchmark, and the library that is loaded before them"
    build_system = "SingleSource"
    sourcesdir = None

    @run_before("compile")
    def use_the_stack(self) -> None:
        """The stack's own compiler; nothing of the site's flags."""
        self.asked = Request.load(Path(self.request))
        self.prebuild_cmds = [*shell_lines(self.asked.environment), f"cp {shlex.quote(self.asked.witness)} ."]
        self.sourcepath = Path(self.asked.witness).name
        self.executable = LAUNCH_CHECK_LIBRARY
        self.build_system.cc = self.asked.cc
        self.build_system.flags_from_environ = False
        self.build_system.cflags = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-fPIC", "-shared"]

    @sanity_function
    def load_the_stacks_library(self) -> object:
        """Existence, and the MPI library that the loader finds."""
        try:
            inspect_programs(self.asked)
        except FileError as error:
            raise SanityError(str(error)) from None
        return sn.assert_true(
            (Path(self.stagedir) / LAUNCH_CHECK_LIBRARY).is_file(), "the compiler produced no library"
        )
