# SPDX-License-Identifier: BSD-3-Clause
"""What counting a call costs: calls that do next to nothing, with and without the library of `isochron profile`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.workflows.profiling.run import Wrapper, build_library, environment_of
from tests.engine.support import LIBRARIES, wheels_stack

pytestmark = [pytest.mark.bench, pytest.mark.mpi]


@pytest.mark.parametrize("name", LIBRARIES)
def test_cost_of_a_call(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mpi, program = wheels_stack(name), tmp_path / "profiled"
    source = Path(__file__).with_name("profiled.c")
    subprocess.run([mpi.cc, "-O2", "-o", str(program), str(source)], env=mpi.env, check=True)
    library = build_library(Wrapper(mpi.cc, mpi.env))
    found: dict[bool, dict[str, float]] = {False: {}, True: {}}
    for number in range(6):
        counted = bool(number % 2)
        (folder := tmp_path / str(number)).mkdir()
        environment = environment_of(library, folder, mpi.env) if counted else mpi.env
        done = subprocess.run(
            mpi.launch(1, [program]), env=environment, capture_output=True, text=True, check=True, timeout=300
        )
        assert len(list(folder.iterdir())) == counted
        for line in done.stdout.splitlines():
            call, nanoseconds = line.split()
            found[counted][call] = min(float(nanoseconds), found[counted].get(call, float("inf")))
    assert found[False].keys() == found[True].keys() and len(found[True]) == 5
    with capsys.disabled():
        for call, plain in found[False].items():
            print(f"\n{name} {call}: {plain:.0f} ns, counted {found[True][call]:.0f} ns: "
                  f"{found[True][call] - plain:.0f} ns more", end="")  # fmt: skip
        print()
