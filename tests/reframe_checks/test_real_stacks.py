# SPDX-License-Identifier: BSD-3-Clause
"""Real MPI libraries with the real engine: build, launch, accept; kill."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from isochron.common import orphans
from isochron.reframe_checks.make_stack import build_stack
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.wheels import resolve
from tests.reframe_checks.conftest import run_block
from tests.spack_envs.images import digest_of, with_runtime

pytestmark = pytest.mark.mpi
ROOT = Path(__file__).parents[2]


def make_run(
    folder: Path,
    stacks: list[str],
    variants: dict[str, dict[str, str]] | None = None,
    *,
    turns: bool = False,
    **engine: object,
) -> RunLayout:
    """A run with one block: every stack once at one point; `turns`: in one session."""
    layout = RunLayout(folder / "run-1")
    layout.root.mkdir()
    campaign = Campaign.model_validate(
        {
            "schema": 1,
            "name": "real",
            "stacks": stacks,
            "variants": variants or {},
            "operations": ["barrier", "allreduce"],
            "sizes": [8, 1024],
            "processes": [2],
            "processes_per_node": [2],
            "limits": {"launch_seconds": 600},
            "engine": engine,
        }
    )
    layout.campaign.write_text(yaml.safe_dump(campaign.model_dump(mode="json", by_alias=True)))
    point = Point(processes=2, processes_per_node=2, placement="packed")
    launches = [
        PlannedLaunch(
            name=f"{stack}.b001", stack=stack, point=point, block=1, launch=1, seconds=1, session="s" if turns else ""
        )
        for stack in stacks
    ]
    block = Block(name="b001", index=1, nodes=1, launches=launches)
    Plan(campaign="real", digest="0", cores_per_node=2, points=[point], blocks=[block], skipped=[]).save(layout.plan)
    return layout


def test_each_stack_is_built_with_its_own_library_and_measured_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/another/mpi")
    stacks, installed = ["openmpi-5.0", "installed"], resolve(load_declaration("mpich-5.0")).prefix
    layout = make_run(tmp_path, stacks, {"installed": {"stack": f"prefix:{installed}"}})
    manifests = {stack: build_stack(layout.root, stack) for stack in stacks}
    assert run_block(layout.root, "b001") == []
    for stack, manifest in manifests.items():
        assert manifest.mpi_version.startswith("5.0.")
        assert all(Path(library).is_relative_to(Path(manifest.cc).parents[1]) for library in manifest.linked_libraries)
        header = read_launch(layout.launch(f"{stack}.b001")).header
        assert manifest.mpi_version in header.mpi_library_version
        assert header.processes == 2
        assert len(header.hosts) == 1
        assert header.launch["mpi_library"] == manifest.mpi_library
    by_prefix = manifests["installed"]
    assert (by_prefix.stack_source, by_prefix.provenance["prefix"]) == ("prefix", installed)
    assert by_prefix.library_sha256 == {by_prefix.provenance["library"]: by_prefix.provenance["library_sha256"]}


@pytest.mark.slow
def test_a_stack_in_an_image_is_built_and_measured_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an imitated runtime; in turns with a stack that is in none, until the image has changed."""
    with_runtime(tmp_path, "ch-run", monkeypatch)
    image = tmp_path / "image"
    image.mkdir()
    for name in ("bin", "lib", "include"):
        (image / name).symlink_to(Path(resolve(load_declaration("mpich-5.0")).prefix) / name)
    stacks = ["openmpi-5.0", "inside"]
    layout = make_run(tmp_path, stacks, {"inside": {"stack": f"container:charliecloud {image}"}}, turns=True)
    manifest = {stack: build_stack(layout.root, stack) for stack in stacks}["inside"]
    digest = digest_of(image)
    assert (manifest.stack_source, manifest.provenance["image_digest"]) == ("container", digest)
    assert run_block(layout.root, "b001") == []
    header = read_launch(layout.launch("inside.b001")).header
    assert header.launch["image_digest"] == digest and header.turns is not None
    (layout.root / "launches" / "inside.b001.jsonl").unlink()
    (image / "added").touch()
    assert "the image of the stack is not the one in which the engine was built" in run_block(layout.root, "b001")[0]


@pytest.mark.parametrize("stack", ["openmpi-5.0", "mpich-5.0"])
def test_no_process_of_mpi_outlives_a_killed_call(tmp_path: Path, stack: str) -> None:
    layout = make_run(tmp_path, [stack], stop="time", time_budget=20)
    engine = build_stack(layout.root, stack).engine
    command = [sys.executable, "-m", "isochron.reframe_checks", "blocks", str(layout.root), "b001"]
    call = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    deadline = time.monotonic() + 300
    while len(started := measuring(engine)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(started) >= 3, "mpiexec and two ranks"
    call.send_signal(signal.SIGKILL)
    call.wait()
    while orphans.find(str(layout.root / "attempts")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert orphans.find(str(layout.root / "attempts")) == []
    assert running(engine) == []
    assert not layout.launches.exists()


def measuring(engine: str) -> list[str]:
    """Those that are running and are not of the checks before the launches, which they have done in an instant."""
    return [words for words in running(engine) if "--check-timer" not in words and "/transport-" not in words]


def running(engine: str) -> list[str]:
    """Command lines that name this engine, but not that of the call."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode().split("\0")
        except OSError:
            continue
        if engine in words and "timeout" not in words:
            found.append(" ".join(words))
    return found
