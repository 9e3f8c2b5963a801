# SPDX-License-Identifier: BSD-3-Clause
"""Launches of other benchmarks: which are accepted, and what their raw files hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.reframe_checks.launch.acceptance import accept, judge
from isochron.reframe_checks.launch.script import job_lines
from isochron.schemas.run.block_spec import BlockSpec, LaunchSpec, StackSpec
from isochron.schemas.run.launch_file import damage, foreign
from isochron.schemas.run.layout import RunLayout, launch_of, raw_file
from isochron.schemas.run.manifest import Environment
from isochron.schemas.run.programs.printout import read_printout_file
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
