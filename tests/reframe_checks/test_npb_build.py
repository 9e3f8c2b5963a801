# SPDX-License-Identifier: BSD-3-Clause
"""What is built for the launches of programs, and how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.reframe_checks.make_programs import build_programs, spack_specs, tree_digest
from isochron.reframe_checks.npb.recipe import fortran_wrapper, lines, made_for_one_count, program_file
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.programs import Npb, Programs
from isochron.schemas.run.manifest import Environment, Launcher, StackDeclaration, Toolchain
from isochron.schemas.run.npb import BuildOrder, ProgramToBuild
from isochron.schemas.run.plan import PlannedLaunch, Point, ProgramRun, launch_name
from isochron.spack_envs.spack_environment import Lock
from tests.reframe_checks.conftest import FakeRun
from tests.spack_envs.fake_spack import lock_content, node

LAUNCHER = Launcher(argv=["mpiexec"])


def launches(*runs: tuple[str, str, int]) -> list[PlannedLaunch]:
    """Planned launches of kernels at classes on so many processes."""
    found = []
    for kernel, problem, processes in runs:
        point = Point(processes=processes, processes_per_node=1, placement="packed")
        program = ProgramRun(name="npb", kernel=kernel, problem=problem)
        name = launch_name("s", point, 1, 1, program=program)
        found.append(PlannedLaunch(name=name, stack="s", point=point, block=1, launch=1, seconds=1, program=program))
    return found


def toolchain(prefix: Path) -> Toolchain:
    declaration = StackDeclaration(stack="s", mpi_library="M", library_version="(1)", version="1", launcher=LAUNCHER)
    return Toolchain(
        declaration=declaration, stack_source="wheels", prefix=str(prefix), cc=str(prefix / "bin" / "mpicc"),
        launcher=LAUNCHER, environment=Environment(set={"A": "1"}), provenance={},
    )  # fmt: skip


def order(**changes: str) -> BuildOrder:
    wanted = [
        ProgramToBuild(program=launch.program, processes=0) for launch in launches(("LU", "A", 2)) if launch.program
    ]
    return BuildOrder.model_validate(
        {"toolchain": "t", "kit": "/kit", "witness": "/w.c", "flags": "-O2", "wanted": wanted, **changes}
    )


def with_npb(run: FakeRun, source: str) -> Campaign:
    npb = Npb(source=source, kernels=["LU"], classes=["A"])
    return run.campaign.model_copy(update={"programs": Programs(npb=npb)})


def test_a_stack_without_a_fortran_wrapper_gets_ours(tmp_path: Path) -> None:
    own = lines(order(source="/npb"), toolchain(tmp_path))
    assert "fc=gfortran" in own and "cp /kit/mpif.h isochron-kit/" in own
    assert f"FLINK = {tmp_path}/bin/mpicc" in own
    assert "FMPI_LIB = $PWD/isochron-kit/mpi_fortran.o -lgfortran -lm" in own
    assert "FMPI_INC = -I$PWD/isochron-kit" in own
    assert own[-2:] == ["make lu CLASS=A", "test -x bin/lu.A.x"]
    assert any("fortran_flags=" in line and "-fallow-invalid-boz" in line for line in own)  # for NPB 3.3 and 3.4
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpif90").touch()
    theirs = lines(order(source="/npb"), toolchain(tmp_path))
    assert fortran_wrapper(toolchain(tmp_path).cc) == f"{tmp_path}/bin/mpif90"
    assert f"fc={tmp_path}/bin/mpif90" in theirs and "FLINK = $fc" in theirs
    assert not any("mpi_fortran" in line for line in theirs)


def test_of_what_spack_installed_only_the_witness_is_built(tmp_path: Path) -> None:
    found = lines(order(installed="/spack/npb"), toolchain(tmp_path))
    assert any("launch-check.so" in line for line in found)
    assert not any(line.startswith("make ") or "gfortran" in line for line in found)


def test_an_older_npb_is_built_for_each_number_of_processes(tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()
    common = tmp_path / "sys" / "make.common"
    common.write_text("PROGRAM = $(BINDIR)/$(BENCHMARK).$(CLASS).x\n")
    assert not made_for_one_count(tmp_path)
    before = tree_digest(tmp_path)
    common.write_text("PROGRAM = $(BINDIR)/$(BENCHMARK).$(CLASS).$(NPROCS)\n")
    assert made_for_one_count(tmp_path)
    assert tree_digest(tmp_path) != before
    wanted = order().wanted[0].model_copy(update={"processes": 4})
    assert program_file(wanted) == "lu.A.4"
    older = order(source="/npb").model_copy(update={"wanted": [wanted]})
    assert "make lu CLASS=A NPROCS=4" in lines(older, toolchain(tmp_path))


def test_spack_is_asked_for_what_the_launches_need(fake_run: FakeRun, tmp_path: Path) -> None:
    planned = launches(("LU", "A", 4), ("EP", "S", 1), ("LU", "S", 1))
    spec = "npb implementation=mpi names=ep,lu classes=A,S nprocs=1,4"
    assert spack_specs(with_npb(fake_run, "spack"), planned) == [spec]
    assert spack_specs(with_npb(fake_run, "/npb"), planned) == []
    assert spack_specs(with_npb(fake_run, "spack"), []) == []
    content = lock_content(Path("/engine"), "mpich", "5.0.2", None)
    content["roots"].append({"hash": "n" * 32, "spec": spec})
    content["concrete_specs"]["n" * 32] = node("npb", "3.4.1")
    (tmp_path / "spack.lock").write_text(json.dumps(content))
    assert Lock.load(tmp_path / "spack.lock").named("npb") == "n" * 32
    with pytest.raises(FileError, match="roots: has no imb"):
        Lock.load(tmp_path / "spack.lock").named("imb")


def test_a_source_that_is_none_is_told_before_anything_is_built(fake_run: FakeRun, tmp_path: Path) -> None:
    planned, made = launches(("LU", "A", 4)), toolchain(tmp_path)
    with pytest.raises(FileError, match=r"is not an NPB source tree with MPI \(sys/make.common, Makefile\)"):
        build_programs(fake_run.layout, with_npb(fake_run, str(tmp_path)), made, planned)
    with pytest.raises(FileError, match="the stacks are not from Spack; use --stack-source spack"):
        build_programs(fake_run.layout, with_npb(fake_run, "spack"), made, planned)
    assert build_programs(fake_run.layout, fake_run.campaign, made, planned) is None
