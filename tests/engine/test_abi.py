# SPDX-License-Identifier: BSD-3-Clause
"""The engine for the ABI of MPI 5: one program, bit for bit, that measures right with every library that has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from isochron.common.hashing import sha256
from isochron.reframe_checks.stack.inspection import inspect_engine
from isochron.spack_envs.abi import with_abi
from isochron.spack_envs.toolchain import applied
from tests.engine.support import Mpi, build_engine, wheels_stack
from tests.engine.test_operations import FEW_RUNS, expect_right_data, run

#: Stacks whose wheels have the ABI; Open MPI has none up to 5.0.
WITH_ABI = ("mpich-5.0", "intel-mpi-2021")


def abi_stack(name: str) -> Mpi:
    """A stack of the project with the ABI."""
    stack = wheels_stack(name)
    toolchain = with_abi(stack.toolchain)
    return replace(stack, toolchain=toolchain, env=applied(toolchain.environment, stack.env))


@pytest.mark.mpi
def test_abi_engine_is_one_program_and_its_data_are_right(tmp_path: Path) -> None:
    """Built with the header and library of each; what one built runs with the other, and every operation is checked."""
    stacks = {name: abi_stack(name) for name in WITH_ABI}
    engines = {name: build_engine(stack, tmp_path / name) for name, stack in stacks.items()}
    assert len({sha256(engine) for engine in engines.values()}) == 1
    engine = engines[WITH_ABI[0]]
    for name, stack in stacks.items():
        facts = inspect_engine(engine, stack.toolchain)
        assert [Path(path).name.split(".so")[0] for path in facts.linked_libraries] == ["libmpi_abi"]
        assert stack.toolchain.declaration.accepts(facts.mpi_version)
        result = run(stack, engine, tmp_path / f"{name}-out", 2, "--operations", "all", *FEW_RUNS)
        expect_right_data(name, "plain", result)
