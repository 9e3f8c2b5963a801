# SPDX-License-Identifier: BSD-3-Clause
"""A run folder whose one stack has the fake launcher and the fake engine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.common.hashing import sha256
from isochron.reframe_checks.run_blocks import run_blocks
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Environment, Launcher, Manifest
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point
from isochron.spack_envs.toolchain import sanitised
from tests.reframe_checks import fakes

CAMPAIGN: dict[str, Any] = {
    "schema": 1,
    "name": "fake",
    "stacks": ["fake-1"],
    "operations": ["barrier", "allreduce"],
    "sizes": [8, 64],
    "processes": [2],
    "processes_per_node": [2],
    "limits": {"launch_seconds": 20},
}


class FakeRun:
    """The run folder and the switch of the fake launcher."""

    def __init__(self, root: Path, launches: int = 3) -> None:
        self.layout = RunLayout(root / "results" / "fake" / "run-1")
        self.bin = root / "fake mpi"
        self.layout.launches.parent.mkdir(parents=True)
        self._install()
        self.campaign = Campaign.model_validate(CAMPAIGN)
        self.layout.campaign.write_text(yaml.safe_dump(self.campaign.model_dump(mode="json", by_alias=True)))
        point = Point(processes=2, processes_per_node=2, placement="packed")
        planned = [
            PlannedLaunch(
                name=f"fake-1.{point.label}.b001.l{number}",
                stack="fake-1",
                point=point,
                block=1,
                launch=number,
                seconds=1,
            )
            for number in range(1, launches + 1)
        ]
        self.block = Block(name="b001", index=1, nodes=1, launches=planned)
        self.names = [launch.name for launch in planned]
        self.plan = Plan(campaign="fake", digest="0", cores_per_node=2, points=[point], blocks=[self.block], skipped=[])
        self.plan.save(self.layout.plan)
        self.manifest.save(self.layout.manifest("fake-1"))

    def _install(self) -> None:
        self.bin.mkdir()
        self.mode("good")
        launcher, engine = self.bin / "mpiexec", self.bin / "isochron-engine"
        launcher.write_text(fakes.LAUNCHER)
        engine.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{fakes.__file__}" "$@"\n')
        launcher.chmod(0o755)
        engine.chmod(0o755)

    @property
    def manifest(self) -> Manifest:
        """The stack as a build would have left it."""
        engine = self.bin / "isochron-engine"
        return Manifest(
            stack="fake-1",
            mpi_library="Fake MPI",
            mpi_version="1.2.3",
            mpi_library_version=fakes.LIBRARY,
            stack_source="wheels",
            cc="cc",
            compiler="none",
            launcher=Launcher(
                argv=[str(self.bin / "mpiexec"), "-n", "{processes}", "-ppn", "{processes_per_node}"],
                oversubscribe=["--more"],
            ),
            environment=sanitised(Environment(set={"ISOCHRON_FAKE": str(self.bin)})),
            engine=str(engine),
            engine_version="0.1.0",
            engine_sha256=sha256(engine),
            linked_libraries=[],
            provenance={},
            built_at="2026-05-04T08:00:00Z",
        )

    def add_blocks(self, *names: str) -> None:
        """Blocks like the first, with the same number of launches."""
        blocks = [self.block]
        for index, name in enumerate(names, start=2):
            launches = [
                launch.model_copy(update={"name": launch.name.replace("b001", name), "block": index})
                for launch in self.block.launches
            ]
            blocks.append(self.block.model_copy(update={"name": name, "index": index, "launches": launches}))
        self.plan = self.plan.model_copy(update={"blocks": blocks})
        self.plan.save(self.layout.plan)

    def mode(self, mode: str) -> None:
        """What goes wrong from now on."""
        (self.bin / "mode").write_text(mode)

    def started(self) -> list[str]:
        """Names of the launches that the launcher has started, in this order."""
        path = self.bin / "started"
        return [Path(line).name for line in path.read_text().splitlines()] if path.exists() else []

    def published(self) -> list[str]:
        """Names of the accepted launches."""
        return sorted(path.stem for path in self.layout.launches.glob("*.jsonl"))

    def outcome(self, attempt: int, block: str = "b001") -> dict[str, Any]:
        """`outcome.json` of an attempt."""
        loaded: dict[str, Any] = json.loads((self.layout.attempt(block, attempt) / "outcome.json").read_text())
        return loaded


def run_block(run: Path, name: str) -> list[str]:
    """Complete one block; returns one line for each launch that was not measured."""
    (ended,) = run_blocks(run, [name])
    assert (ended.block, ended.exit == 0) == (name, not ended.lines)
    return ended.lines


@pytest.fixture
def fake_run(tmp_path: Path) -> FakeRun:
    return FakeRun(tmp_path)
