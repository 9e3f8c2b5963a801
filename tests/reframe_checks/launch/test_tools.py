# SPDX-License-Identifier: BSD-3-Clause
"""Launches of third-party benchmarks: IMB, OSU and NPB."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.reframe_checks.launch.acceptance import accept, judge
from isochron.reframe_checks.launch.command import block_spec
from isochron.reframe_checks.launch.script import job_lines, job_seconds
from isochron.reframe_checks.launch.tools import Built
from isochron.schemas.input.programs import Npb
from isochron.schemas.input.programs import Programs as ProgramKeys
from isochron.schemas.run.block_spec import BlockSpec, LaunchSpec, StackSpec
from isochron.schemas.run.launch_file import damage, foreign
from isochron.schemas.run.layout import RunLayout, launch_of, raw_file
from isochron.schemas.run.manifest import Environment
from isochron.schemas.run.npb import BuiltProgram, BuiltPrograms
from isochron.schemas.run.plan import PlannedLaunch, Point, ProgramRun, launch_name
from isochron.schemas.run.tools import read_printout_file
from tests.reframe_checks import fakes
from tests.reframe_checks.conftest import FakeRun
from tests.tools.test_printouts import FOLDER as PRINTOUTS

NAME = "s.p2.n2.packed.b001.l4.imb"
CASES = [("bcast", 8), ("bcast", 512), ("barrier", 0)]


def spec_in(folder: Path, cases: list[tuple[str, int]] = CASES, **changes: object) -> BlockSpec:
    """A block of one launch of IMB that has ended well, with two processes on one host."""
    program = folder / "IMB-MPI1"
    program.write_text("the program")
    launch = LaunchSpec(
        name=NAME, stack="s", processes=2, processes_per_node=2, nodes=1, placement="packed", cases=cases,
        rank_hosts=[], launchers={"stack": ["mpiexec"]}, program=[str(program), "Bcast"], tool="imb",
        loaded_before=["env", "LD_PRELOAD=w.so"], program_sha256=sha256(program),
        facts={"name": NAME, "run_id": "r1"},
    )  # fmt: skip
    stack = StackSpec(environment=Environment(), engine="e", engine_sha256="0", mpi_version="1.2.3")
    (folder / f"{NAME}.exit").write_text("0\n")
    (folder / f"{NAME}.out").write_text((PRINTOUTS / "imb-ompi-n2.txt").read_text())
    tell(folder, **changes)
    return BlockSpec(
        block="b001", attempt=str(folder), nodes=1, processes_per_node=2, launch_seconds=60, hosts=[], launcher="auto",
        queue_hours=None, stacks={"s": stack}, launches=[launch],
    )  # fmt: skip


def tell(folder: Path, **changes: object) -> None:
    """What launch_check.c writes."""
    start = {
        "record": "launch-check", "processes": 2, "hosts": ["a", "a"], "mpi_library_version": "Some MPI v1.2.3",
        "started_at": "2026-05-04T08:00:00Z", "facts": "system=here;launcher=stack", **changes,
    }  # fmt: skip
    (folder / f"{NAME}.launch-check").write_text(json.dumps(start) + '\n{"elapsed_ns": 7}\n')


def judged(spec: BlockSpec) -> str:
    return judge(spec.launches[0], spec, spec.folder)


def test_a_whole_launch_is_accepted_and_its_raw_file_holds_what_was_printed(tmp_path: Path) -> None:
    folder, run = tmp_path / "attempt", RunLayout(tmp_path / "run")
    folder.mkdir()
    spec = spec_in(folder)
    (outcome,) = accept(spec, folder, run.launch)
    assert outcome.accepted, outcome.reason
    raw = run.launch(NAME)
    assert raw == run.root / raw_file(NAME) and raw.suffix == ".tool-output" and launch_of(raw) == NAME
    found = read_printout_file(raw)
    assert list(found.texts) == (PRINTOUTS / "imb-ompi-n2.txt").read_text().splitlines()
    assert found.head.launch == {"name": NAME, "run_id": "r1", "system": "here", "launcher": "stack"}
    assert (found.head.processes, found.footer.elapsed_ns) == (2, 7)
    assert damage(raw) == "" and foreign(raw, NAME, ["r1"]) == ""
    assert "r2" in foreign(raw, NAME, ["r2"])


def test_a_changed_raw_file_is_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "attempt"
    folder.mkdir()
    run = RunLayout(tmp_path / "run")
    accept(spec_in(folder), folder, run.launch)
    raw = run.launch(NAME)
    content = raw.read_bytes()
    raw.chmod(0o644)
    raw.write_bytes(content.replace(b"0.48", b"0.49", 1))
    assert "checksum" in damage(raw)
    with pytest.raises(FileError, match="checksum"):
        read_printout_file(raw)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"processes": 1, "hosts": ["a"]}, "1 in MPI_COMM_WORLD, but 2 were planned"),
        ({"hosts": ["a", "b"]}, "2 distinct (a, b), but 1 nodes are planned"),
        ({"mpi_library_version": "Other MPI v9"}, "'Other MPI v9' was loaded, but the stack has 1.2.3"),
    ],
)
def test_a_launch_that_is_not_the_planned_one_is_refused(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    assert reason in judged(spec_in(tmp_path, **changes))


def test_jobs_of_one_process_that_write_at_once_are_refused(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    witness = tmp_path / f"{NAME}.launch-check"
    witness.write_text('{"record": "launch-check", "processes": 1, {"record": "launch-check"\n')
    assert "is not the output of one launch" in judged(spec)
    witness.write_text('{"record": "launch-check", "processes": 2}\n')
    assert "did not reach MPI_Finalize" in judged(spec)
    witness.unlink()
    assert "drops LD_PRELOAD" in judged(spec)


def test_a_row_that_was_not_printed_is_missed(tmp_path: Path) -> None:
    assert (
        judged(spec_in(tmp_path, [("bcast", 3)]))
        == "bcast at 3 bytes: printed 0 times with a time, but once was requested"
    )


def test_a_program_that_has_changed_is_refused(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    (tmp_path / "IMB-MPI1").write_text("another one")
    assert "differs from the program" in judged(spec)


def test_a_text_that_is_no_table_is_refused(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    (tmp_path / f"{NAME}.out").write_text("Segmentation fault\n")
    assert "no table of IMB in this file" in judged(spec)


def test_the_job_loads_what_counts_the_processes_and_tells_it_the_hosts(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    lines = job_lines(spec, {"system": "here"})
    (line,) = (each for each in lines if each.startswith(f"launch {NAME} "))
    program = spec.launches[0].program[0]
    facts = "'ISOCHRON_PROPERTIES=system=here;launcher=stack'"
    assert line == f"launch {NAME} s mpiexec env LD_PRELOAD=w.so {facts} {program} Bcast"


RUN = ProgramRun(name="npb", kernel="CG", problem="S")
PRINTOUT = (Path(__file__).parents[2] / "tools" / "npb" / "cg-S-openmpi-5.0-p2.txt").read_text()


def built(sha: str = "5" * 64, **changes: Any) -> BuiltPrograms:
    record = {
        "programs": [BuiltProgram(program=RUN, file="cg.S.x", sha256=sha, **changes)],
        "witness": "launch-check.so", "source": "/npb", "source_sha256": "0", "fortran": "gfortran", "interface": "own",
        "flags": "-O3", "built_at": "2026-05-04T08:00:00+00:00",
    }  # fmt: skip
    return BuiltPrograms.model_validate(record)


def spec_of(run: FakeRun, nodes: int = 1, hosts: list[str] | None = None, *, is_built: bool = True) -> BlockSpec:
    """A block with one launch of the engine, then one of a program."""
    point = Point(processes=2, processes_per_node=2 // nodes, placement="chosen" if hosts else "packed")
    name = launch_name("fake-1", point, 1, 1, program=RUN)
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
    folder, place = run.layout.attempt("b001", 1), run.layout.npb("fake-1")
    for each in (folder, place):
        each.mkdir(parents=True, exist_ok=True)
    (place / "cg.S.x").write_text("a program")
    programs = built(sha256(place / "cg.S.x")) if is_built else built().model_copy(update={"programs": []})
    return block_spec(
        block, run.plan, campaign, {"fake-1": manifest}, run_id=run.layout.run_id, attempt=folder,
        npb={"fake-1": Built(programs, place)},
    )  # fmt: skip


def ran(spec: BlockSpec, printout: str = PRINTOUT, code: str = "0", asked: str = "", **changes: Any) -> None:
    """What the job leaves of the program's launch."""
    launch = spec.launches[1]
    witness = {
        "record": "launch-check", "processes": 2, "hosts": ["n1", "n1"], "mpi_library_version": fakes.LIBRARY,
        "started_at": "2026-05-04T08:00:00Z", "facts": f"system=s;asked_hosts={asked}", **changes,
    }  # fmt: skip
    (spec.folder / f"{launch.name}.out").write_text(printout)
    (spec.folder / f"{launch.name}.exit").write_text(code)
    (spec.folder / f"{launch.name}.launch-check").write_text(f'{json.dumps(witness)}\n{{"elapsed_ns": 5}}\n')


def test_the_program_is_started_by_the_stacks_launcher_with_the_witness(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    launch = spec.launches[1]
    place = fake_run.layout.npb("fake-1")
    witness = f"ISOCHRON_LAUNCH_CHECK={spec.folder}/{launch.name}.launch-check"
    assert launch.loaded_before == ["env", f"LD_PRELOAD={place}/launch-check.so", witness]
    assert (launch.program, launch.runs, launch.launch_seconds) == ([f"{place}/cg.S.x"], RUN, 77)
    assert launch.facts["name"] == launch.name and launch.cases == []
    lines = job_lines(spec, {"system": "s"})
    before, command, after = lines[-3:]
    assert (before, after) == ("launch_seconds=77", "launch_seconds=20"), "its own limit, then that of the others"
    assert command.startswith(f"launch {launch.name} fake-1 ") and "ISOCHRON_PROPERTIES=system=s;" in command
    assert command.endswith("/cg.S.x")
    engine = spec.model_copy(update={"launches": spec.launches[:1]})
    none = spec.model_copy(update={"launches": []})
    assert job_seconds(spec) - job_seconds(engine) == job_seconds(engine) - job_seconds(none) + 77 - 20


def test_a_program_that_is_not_built_is_told(fake_run: FakeRun) -> None:
    with pytest.raises(FileError, match=r"npb\.CG\.S is not built"):
        spec_of(fake_run, is_built=False)
    assert built(processes=4).file_of(RUN, 2) is None
    assert built(processes=2).file_of(RUN, 2) is not None


def test_a_good_launch_is_accepted_and_becomes_a_raw_file(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    ran(spec)
    launch = spec.launches[1]
    os.utime(spec.folder / f"{launch.name}.exit", (1_800_000_000, 1_800_000_000))
    assert judge(launch, spec, spec.folder) == ""
    outcomes = accept(spec, spec.folder, fake_run.layout.launch)
    assert [outcome.accepted for outcome in outcomes] == [False, True]
    raw = read_printout_file(fake_run.layout.launch(launch.name))
    assert list(raw.texts) == PRINTOUT.splitlines() and raw.head.hosts == ["n1", "n1"]
    assert (raw.head.tool, raw.head.launch["name"], raw.head.launch["system"]) == ("NPB", launch.name, "s")
    assert raw.path.stat().st_mtime == 1_800_000_000, "the job's cost is counted by it"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"code": "1"}, "exit code 1"),
        ({"code": "2"}, "exit code 2"),
        ({"code": "4"}, "exit code 4"),
        ({"code": "124"}, "exit code 124 (not finished within limits.launch_seconds)"),
        ({"processes": 1, "hosts": ["n1"]}, "1 in MPI_COMM_WORLD, but 2 were planned"),
        ({"hosts": ["n1", "n2"]}, "2 distinct (n1, n2), but 1 nodes are planned"),
        ({"mpi_library_version": "MPICH Version: 5.0.2"}, "'MPICH Version: 5.0.2' was loaded, but the stack has 1.2.3"),
        ({"printout": PRINTOUT.replace("  SUCCESSFUL", "UNSUCCESSFUL")}, "Verification = UNSUCCESSFUL"),
        ({"printout": re.sub("Total processes =.*", "Total processes = 4", PRINTOUT)}, "processes = 4, but 2"),
        ({"printout": ""}, "0 lines `XX Benchmark Completed`"),
    ],
)
def test_what_was_not_planned_is_refused(fake_run: FakeRun, changes: dict[str, Any], said: str) -> None:
    spec = spec_of(fake_run)
    ran(spec, **changes)
    assert said in judge(spec.launches[1], spec, spec.folder)
    assert "engine" not in judge(spec.launches[1], spec, spec.folder)
    assert not accept(spec, spec.folder, fake_run.layout.launch)[1].accepted
    assert not fake_run.layout.launch(spec.launches[1].name).exists()


def test_a_program_that_was_exchanged_is_refused(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    ran(spec)
    (fake_run.layout.npb("fake-1") / "cg.S.x").write_text("another")
    assert "differs from the program" in judge(spec.launches[1], spec, spec.folder)


def test_without_a_witness_nothing_is_reliable(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    ran(spec)
    (spec.folder / f"{spec.launches[1].name}.launch-check").unlink()
    assert "no process recorded MPI_Init" in judge(spec.launches[1], spec, spec.folder)


def test_ranks_on_other_nodes_than_asked_for_are_refused(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run, nodes=2, hosts=["n3", "n1"])
    ran(spec, hosts=["n3", "n1"], asked="n3,n1")
    assert judge(spec.launches[1], spec, spec.folder) == ""
    ran(spec, hosts=["n1", "n3"], asked="n3,n1")
    assert "rank 0 ran on n1, but n3 was requested" in judge(spec.launches[1], spec, spec.folder)
