# SPDX-License-Identifier: BSD-3-Clause
"""IMB of the Intel MPI wheel, in earnest: one launch, its processes counted; and a whole campaign with its report."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from isochron.common.hashing import sha256
from isochron.postprocess.subjects.tools.table import TOOL_COLUMNS
from isochron.reframe_checks.launch.acceptance import accept
from isochron.reframe_checks.launch.command import launch_spec
from isochron.reframe_checks.stack.inspection import (
    LAUNCH_CHECK_LIBRARY,
    LINKED,
    SOURCE,
    find_programs,
    inspect_programs,
)
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.block_spec import BlockSpec, StackSpec
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest, Toolchain
from isochron.schemas.run.plan import PlannedLaunch, Point
from isochron.schemas.run.tools import Program, Programs, Request, read_printout_file
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.toolchain import applied
from isochron.spack_envs.wheels import resolve
from isochron.tools.registry import parsed
from tests.end_to_end.conftest import Place

STACK = "intel-mpi-2021"
OPERATIONS = ["barrier", "bcast", "ping-pong"]
POINT = Point(processes=2, processes_per_node=2, placement="packed")


def spec_of(folder: Path, toolchain: Toolchain, programs: Programs, launcher_processes: int) -> BlockSpec:
    """A block of one launch of IMB on 2 processes, which its launcher starts as told."""
    campaign = Campaign.model_validate(
        {"schema": 1, "name": "crossed", "stacks": [STACK], "operations": OPERATIONS, "sizes": [8, 1024],
         "processes": [2], "processes_per_node": [2], "tools": ["imb"]}
    )  # fmt: skip
    manifest = Manifest.model_validate(
        dict.fromkeys(("mpi_library_version", "compiler", "engine_version"), "") | {
            "stack": STACK, "mpi_library": "Intel MPI", "mpi_version": "2021.", "stack_source": "wheels",
            "cc": toolchain.cc,
            "launcher": toolchain.launcher, "environment": toolchain.environment, "engine": "none",
            "engine_sha256": "0", "linked_libraries": [], "provenance": {}, "built_at": "",
        }
    )  # fmt: skip
    launch = PlannedLaunch(
        name=f"{STACK}.b001.l1.imb", stack=STACK, point=POINT, block=1, launch=1, seconds=1, operations=OPERATIONS,
        tool="imb",
    )  # fmt: skip
    found = launch_spec(launch, manifest, campaign, run_id="r1", cores=2, attempt=folder, programs=programs)
    words = [word if word != "2" else str(launcher_processes) for word in found.launchers["stack"]]
    stack = StackSpec(environment=toolchain.environment, engine="none", engine_sha256="0", mpi_version="2021.")
    return BlockSpec(
        block="b001", attempt=str(folder), nodes=1, processes_per_node=2, launch_seconds=60, hosts=[], launcher="stack",
        queue_hours=None, stacks={STACK: stack}, launches=[found.model_copy(update={"launchers": {"stack": words}})],
    )  # fmt: skip


def start(spec: BlockSpec) -> None:
    """What the job does for a launch."""
    (launch,) = spec.launches
    for name, content in launch.files.items():
        (spec.folder / name).write_text(content)
    command = [*launch.launchers["stack"], *launch.loaded_before, "ISOCHRON_PROPERTIES=launcher=stack", *launch.program]
    environment = applied(spec.stacks[STACK].environment, os.environ)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=False)
    (spec.folder / f"{launch.name}.out").write_text(done.stdout)
    (spec.folder / f"{launch.name}.err").write_text(done.stderr)
    (spec.folder / f"{launch.name}.exit").write_text(str(done.returncode))


@pytest.mark.mpi
def test_imb_of_the_wheel_is_counted_and_kept(tmp_path: Path) -> None:
    """One launch is accepted with every number of it; a single process is refused, whatever it has printed."""
    toolchain = resolve(load_declaration(STACK))
    paths = find_programs("imb", OPERATIONS, Path(toolchain.prefix) / "bin")
    environment = applied(toolchain.environment, os.environ)
    witness = tmp_path / LAUNCH_CHECK_LIBRARY
    compiler = [toolchain.cc, "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", str(witness), str(SOURCE)]
    subprocess.run(compiler, env=environment, check=True)
    linked = subprocess.run(["ldd", paths["bcast"]], env=environment, capture_output=True, text=True, check=True).stdout
    libraries = [str(Path(path).resolve()) for name, path in LINKED.findall(linked) if name.startswith("libmpi.so")]
    asked = Request(
        tool="imb", stack=STACK, cc=toolchain.cc, environment=toolchain.environment, programs=paths,
        libraries=libraries, library_file="libmpi.so", witness=str(SOURCE),
    )  # fmt: skip
    inspect_programs(asked)
    programs = Programs(
        tool="imb", stack=STACK, source="wheel",
        programs={name: Program(path=path, sha256=sha256(Path(path))) for name, path in paths.items()},
        witness=Program(path=str(witness), sha256=sha256(witness)),
    )  # fmt: skip
    run = RunLayout(tmp_path / "run")
    for processes, accepted in ((2, True), (1, False)):
        folder = tmp_path / f"{processes:02d}"
        folder.mkdir()
        spec = spec_of(folder, toolchain, programs, processes)
        start(spec)
        (outcome,) = accept(spec, folder, run.launch)
        assert outcome.accepted == accepted, outcome.reason
    assert "1 in MPI_COMM_WORLD, but 2 were planned" in outcome.reason
    raw = read_printout_file(run.launch(outcome.name))
    rows = parsed("imb", raw.path, raw.texts).rows
    timed = {(row.operation, row.bytes) for row in rows if row.value_us is not None}
    assert {("barrier", 0), ("bcast", 8), ("bcast", 1024), ("ping-pong", 8), ("ping-pong", 1024)} <= timed
    assert raw.head.processes == 2 and raw.footer.elapsed_ns > 0 and raw.head.launch["launcher"] == "stack"


@pytest.mark.slow
@pytest.mark.campaign
def test_a_campaign_with_imb_says_why_the_two_differ(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.write(stacks=[STACK], operations=OPERATIONS, tools=["imb"], stack_source="wheels")
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    table = pd.read_csv(place.run.tables / "tools.csv")
    assert list(table.columns) == list(TOOL_COLUMNS)
    assert sorted(zip(table["operation"], table["bytes"], strict=True)) == [
        ("barrier", 0), ("bcast", 8), ("bcast", 1024), ("ping-pong", 8), ("ping-pong", 1024)
    ]  # fmt: skip
    assert (table["launches"] == 3).all() and (table["rest_ratio"] > 0).all()
    assert "Compared with other benchmarks" in place.run.report.read_text()
    assert {path.name for path in place.run.figures.glob("tools-*")} == {"tools-ratio.1.svg", "tools-rse.1.svg"}
    cells = pd.read_parquet(place.run.table("tool_cells"))
    assert {"t_min[usec]", "t_max[usec]", "t_avg[usec]", "#repetitions"} <= set(cells["column"])
    raw = place.run.printouts()[0]
    raw.chmod(0o644)
    raw.write_bytes(raw.read_bytes().replace(b"IMB", b"IMP", 1))
    again = place.isochron("run", "mini.yaml")
    assert again.returncode == 0 and "measuring it again" in again.stdout + again.stderr
