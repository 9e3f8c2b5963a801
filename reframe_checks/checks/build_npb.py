# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The ReFrame check that builds NPB with one stack, and refuses programs that are linked with another MPI library."""

import shlex
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable
from reframe.core.exceptions import SanityError

from isochron.common.files import FileError
from isochron.reframe_checks.checks.place import SinglePartition
from isochron.reframe_checks.npb.recipe import FACTS, LAUNCH_CHECK, lines, program_file
from isochron.reframe_checks.stack.inspection import linked
from isochron.schemas.run.manifest import Toolchain
from isochron.schemas.run.npb import BuildOrder


@rfm.simple_test
class BuildNpb(rfm.CompileOnlyRegressionTest, SinglePartition):
    """`-S BuildNpb.order=FILE`: the programs of a BuildOrder, in a copy of their source tree."""

    #: JSON file of the BuildOrder.
    order = variable(str)

    descr = "the NAS Parallel Benchmarks, built with one MPI stack"
    build_system = "CustomBuild"
    sourcesdir = None

    @run_before("compile")
    def use_the_stack(self) -> None:
        """Build with the stack's compilers in a copy of the sources, and keep only the programs."""
        self.wanted = BuildOrder.load(Path(self.order))
        self.stack = Toolchain.load(Path(self.wanted.toolchain))
        source, built = shlex.quote(self.wanted.source), [LAUNCH_CHECK, FACTS]
        if self.wanted.source:
            built += [f"bin/{program_file(program)}" for program in self.wanted.wanted]
        self.build_system.commands = [
            f"cp -R {source} source" if self.wanted.source else "mkdir source",
            "cd source",
            *lines(self.wanted, self.stack),
            f"mv {' '.join(built)} ..",
            "cd ..",
            "rm -rf source",
        ]

    @sanity_function
    def are_of_the_stack(self) -> object:
        """Check existence and linked library of each program."""
        folder = Path(self.wanted.installed, "bin") if self.wanted.installed else Path(self.stagedir)
        try:
            for program in self.wanted.wanted:
                linked(folder / program_file(program), self.stack)
        except FileError as error:
            raise SanityError(str(error)) from None
        return sn.assert_true(True)
