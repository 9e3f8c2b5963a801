# SPDX-License-Identifier: BSD-3-Clause
"""Programs of these tests under the library that counts."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.workflows.profiling.run import Wrapper, build_library, environment_of
from tests.engine.support import Mpi

PROGRAMS = Path(__file__).parent / "programs"

Counted = Callable[..., "subprocess.CompletedProcess[str]"]


def wrapper_of(mpi: Mpi) -> Wrapper:
    """The compiler wrapper of a stack."""
    return Wrapper(mpi.cc, mpi.env)


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    """Compiles a program, and runs it counted: counted(mpi, "calls", folder, processes=2, **variables).

    It runs in an empty folder; the test fails where anything is in it afterwards.
    """

    def run(
        mpi: Mpi, name: str, folder: Path, processes: int = 1, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        program, work = tmp_path / name, tmp_path / "empty"
        work.mkdir(exist_ok=True)
        compile_words = [mpi.cc, "-O1", "-pthread", "-rdynamic", "-o", str(program), str(PROGRAMS / f"{name}.c")]
        subprocess.run(compile_words, env=mpi.env, check=True)
        environment = environment_of(build_library(wrapper_of(mpi)), folder, mpi.env) | variables
        done = subprocess.run(
            mpi.launch(processes, [program]),
            cwd=work, env=environment, capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
        assert not list(work.iterdir())
        return done

    return run
