# SPDX-License-Identifier: BSD-3-Clause
"""Launches of programs: their command, their lines of the job, and which are believed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from isochron.ground.files import FileError
from isochron.reframe_checks.launch.acceptance import accept, judge
from isochron.reframe_checks.launch.command import block_spec
from isochron.reframe_checks.launch.program import Programs
from isochron.reframe_checks.launch.script import job_lines, job_seconds
from isochron.schemas.input.launches.programs import Npb
from isochron.schemas.input.launches.programs import Programs as ProgramKeys
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.launch_file import read_program
from isochron.schemas.run.plan import PlannedLaunch, Point, ProgramRun
from isochron.schemas.run.programs import BuiltProgram, BuiltPrograms
from tests.reframe_checks import fakes
from tests.reframe_checks.conftest import FakeRun

RUN = ProgramRun(name="npb", kernel="CG", problem="S")
PRINTOUT = (Path(__file__).parents[2] / "tools" / "npb" / "cg-S-openmpi-5.0-p2.txt").read_text()
SHA = "5" * 64


def built(file: str = "cg.S.x", **changes: Any) -> BuiltPrograms:
    record = {
        "programs": [BuiltProgram(program=RUN, file=file, sha256=SHA, **changes)],
        "witness": "witness.so", "source": "/npb", "source_sha256": "0", "fortran": "gfortran", "interface": "own",
        "flags": "-O3", "built_at": "2026-05-04T08:00:00+00:00",
    }  # fmt: skip
    return BuiltPrograms.model_validate(record)


def spec_of(
    run: FakeRun, nodes: int = 1, hosts: list[str] | None = None, programs: BuiltPrograms | None = None
) -> BlockSpec:
    """A block with one launch of the engine, then one of a program."""
    point = Point(processes=2, processes_per_node=2 // nodes, placement="chosen" if hosts else "packed")
    name = f"fake-1.{point.label}.{RUN.label}.b001.l1"
    program = PlannedLaunch(
        name=name, stack="fake-1", point=point, block=1, launch=1, seconds=1, program=RUN, hosts=hosts or []
    )
    block = run.block.model_copy(update={"launches": [run.block.launches[0], program]})
    npb = Npb(source="/npb", kernels=["CG"], classes=["S"], launch_seconds=77)
    campaign = run.campaign.model_copy(update={"programs": ProgramKeys(npb=npb)})
    manifest = run.manifest
    if hosts:
        placed = manifest.launcher.model_copy(update={"placed": ["mpiexec", "-f", "{host_file}"]})
        manifest = manifest.model_copy(update={"launcher": placed})
    folder = run.layout.attempt("b001", 1)
    folder.mkdir(parents=True, exist_ok=True)
    return block_spec(
        block, run.plan, campaign, {"fake-1": manifest}, run_id=run.layout.run_id, attempt=folder,
        programs={"fake-1": Programs(programs or built(), Path("/p"))},
    )  # fmt: skip


def ran(spec: BlockSpec, printout: str = PRINTOUT, code: str = "0", **changes: Any) -> None:
    """What the job leaves of the program's launch."""
    launch = spec.launches[1]
    header = {
        "name": launch.name,
        "program_sha256": SHA,
        "run_id": "run-1",
        "asked_hosts": "",
        **changes.pop("launch", {}),
    }
    witness = {
        "record": "program", "schema": 1, "started_at": "2026-05-04T08:00:00Z", "elapsed_ns": 5, "mpi_standard": "3.1",
        "mpi_library_version": fakes.LIBRARY, "launch": header, "hosts": ["n1", "n1"], **changes,
    }  # fmt: skip
    (spec.folder / f"{launch.name}.out").write_text(printout)
    (spec.folder / f"{launch.name}.exit").write_text(code)
    (spec.folder / f"{launch.name}.witness").write_text(json.dumps(witness))


def test_the_program_is_started_by_the_stacks_launcher_with_the_witness(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    launch = spec.launches[1]
    assert launch.program[:3] == [
        "env",
        "LD_PRELOAD=/p/witness.so",
        f"ISOCHRON_WITNESS={spec.folder}/{launch.name}.witness",
    ]
    assert f"ISOCHRON_HEADER_name={launch.name}" in launch.program
    assert (launch.executable, launch.executable_sha256, launch.launch_seconds) == ("/p/cg.S.x", SHA, 77)
    assert launch.cases == []
    lines = job_lines(spec, {"system": "s"})
    before, command, after = lines[-3:]
    assert before == f"other=/p/cg.S.x other_sha256={SHA} other_seconds=77"
    assert command.startswith(f"launch {launch.name} fake-1 ") and "ISOCHRON_HEADER_system=s" in command
    assert command.endswith("/p/cg.S.x") and after == "unset other other_sha256 other_seconds"
    engine = spec.model_copy(update={"launches": spec.launches[:1]})
    assert (
        job_seconds(spec) - job_seconds(engine)
        == 77 + job_seconds(engine) - job_seconds(engine.model_copy(update={"launches": []})) - spec.launch_seconds
    )


def test_a_program_that_is_not_built_is_told(fake_run: FakeRun) -> None:
    other = built().model_copy(update={"programs": []})
    with pytest.raises(FileError, match=r"npb\.CG\.S is not built"):
        spec_of(fake_run, programs=other)
    assert built(processes=4).file_of(RUN, 2) is None
    assert built(processes=2).file_of(RUN, 2) is not None


def test_a_good_launch_is_accepted_and_becomes_a_raw_file(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    ran(spec)
    launch = spec.launches[1]
    ended = spec.folder / f"{launch.name}.exit"
    os.utime(ended, (1_800_000_000, 1_800_000_000))
    assert judge(launch, spec, spec.folder) == ""
    outcomes = accept(spec, spec.folder, fake_run.layout.launch)
    assert [outcome.accepted for outcome in outcomes] == [False, True]
    raw = read_program(fake_run.layout.launch(launch.name))
    assert raw.printout == PRINTOUT and raw.header.hosts == ["n1", "n1"]
    assert raw.path.stat().st_mtime == 1_800_000_000, "the job's cost is counted by it"
    assert accept(spec, spec.folder, fake_run.layout.launch) == outcomes


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"code": "1"}, "exit code 1"),
        ({"code": "2"}, "exit code 2"),
        ({"code": "124"}, "exit code 124 (not done within limits.launch_seconds)"),
        ({"hosts": ["n1"]}, "header.hosts: 1 ranks, but 2 were planned"),
        ({"hosts": ["n1", "n2"]}, "header.hosts: 2 distinct (n1, n2), but 1 nodes are planned"),
        ({"launch": {"name": "another"}}, "header.launch.name: 'another'"),
        ({"launch": {"program_sha256": "6"}}, "another program than the one that was built"),
        ({"mpi_library_version": "MPICH Version: 5.0.2"}, "'MPICH Version: 5.0.2' was loaded, but the stack is 1.2.3"),
        ({"printout": PRINTOUT.replace("  SUCCESSFUL", "UNSUCCESSFUL")}, "Verification = UNSUCCESSFUL"),
        ({"printout": ""}, "0 lines `XX Benchmark Completed`"),
        ({"hosts": []}, "hosts: List should have at least 1 item"),
    ],
)
def test_what_was_not_planned_is_refused(fake_run: FakeRun, changes: dict[str, Any], said: str) -> None:
    spec = spec_of(fake_run)
    ran(spec, **changes)
    assert said in judge(spec.launches[1], spec, spec.folder)
    assert "the engine" not in judge(spec.launches[1], spec, spec.folder)
    assert not accept(spec, spec.folder, fake_run.layout.launch)[1].accepted
    assert not fake_run.layout.launch(spec.launches[1].name).exists()


def test_without_a_witness_nothing_is_believed(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    ran(spec)
    (spec.folder / f"{spec.launches[1].name}.witness").unlink()
    assert "no witness of where the processes ran" in judge(spec.launches[1], spec, spec.folder)


def test_ranks_on_other_nodes_than_asked_for_are_refused(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run, nodes=2, hosts=["n3", "n1"])
    ran(spec, hosts=["n3", "n1"], launch={"asked_hosts": "n3,n1"})
    assert judge(spec.launches[1], spec, spec.folder) == ""
    ran(spec, hosts=["n1", "n3"], launch={"asked_hosts": "n3,n1"})
    assert "rank 0 ran on n1, but n3 was asked for" in judge(spec.launches[1], spec, spec.folder)
