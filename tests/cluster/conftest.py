# SPDX-License-Identifier: BSD-3-Clause
"""A virtual cluster for each test, and a place from whose login host campaigns are run."""

from __future__ import annotations

import functools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.schemas.run.layout import RunLayout
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.wheels import resolve
from tests.cluster.virtual import HERE, VirtualCluster, WideArea, obstacle

#: Few operations and runs: the hosts share the few cores of this machine.
CAMPAIGN: dict[str, Any] = {
    "schema": 1,
    "name": "virtual",
    "stacks": ["mpich-5.0"],
    "operations": ["barrier", "allreduce"],
    "sizes": [8],
    "processes": [4],
    "processes_per_node": [2],
    "replication": {"blocks": 1, "launches_per_block": 1},
    "engine": {"max_reps": 12, "min_valid": 2, "wait": "sleep", "clock_sync": "linear"},
    "limits": {"launch_seconds": 180, "retries": 0},
}


@dataclass(frozen=True)
class Place:
    """A folder from which `isochron` is called on the login host."""

    folder: Path
    cluster: VirtualCluster

    @property
    def run(self) -> RunLayout:
        """The newest run."""
        return self.run_of("virtual")

    def run_of(self, campaign: str) -> RunLayout:
        """The newest run of a campaign."""
        return RunLayout((self.folder / "results" / campaign / "latest").resolve())

    def write(self, partition: str = "srun", **changes: Any) -> None:
        """The campaign file; `partition` is one of site.py. Its MPI libraries are there after this."""
        site = {"reframe_config": str(HERE / "site.py"), "system": f"virtual:{partition}", "nodes": 4}
        site |= {"cores_per_node": 16, **changes.pop("site", {})}
        campaign = {**CAMPAIGN, "site": site, **changes}
        for stack in campaign["stacks"]:
            if isinstance(stack, str):  # else in an image
                _fetched(stack)
        (self.folder / "virtual.yaml").write_text(yaml.safe_dump(campaign))

    def isochron(self, *words: str, timeout: float = 1500) -> subprocess.CompletedProcess[str]:
        """Call `isochron` on the login host and wait for its end."""
        command = [sys.executable, "-m", "isochron", *words]
        return self.cluster.on("login", *command, folder=self.folder, timeout=timeout, check=False)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `isochron` on the login host."""
        command = self.cluster.command("login", [sys.executable, "-m", "isochron", *words], self.folder)
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.cluster.environment,
        )  # fmt: skip

    def wait_until(self, condition: Callable[[], object], seconds: float = 300) -> None:
        """Wait for a moment of the run."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                pytest.fail(f"the moment did not come within {seconds:.0f} s: {self.cluster.states()}")
            time.sleep(0.05)


@functools.cache
def _fetched(stack: str) -> None:
    """Have the MPI library on this machine: no host of the cluster reaches a package index."""
    resolve(load_declaration(stack))


@pytest.fixture(scope="session")
def obstacles() -> dict[bool, str | None]:
    """Why this machine cannot have a cluster, without and with the wide-area link."""
    return {wide_area: obstacle(wide_area) for wide_area in (False, True)}


@pytest.fixture
def cluster(obstacles: dict[bool, str | None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualCluster]:
    """A cluster of the test's own; skipped with the reason where this machine cannot have one."""
    if reason := obstacles[False]:
        pytest.skip(reason)
    with VirtualCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def wide_cluster(
    obstacles: dict[bool, str | None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[VirtualCluster]:
    """A cluster whose halves are joined by a wide-area link: 1.25 ms each way, 1 Gbit/s."""
    if reason := obstacles[True]:
        pytest.skip(reason)
    with VirtualCluster(tmp_path_factory.mktemp("wide"), WideArea(delay_us=1250, rate_mbit=1000)) as cluster:
        yield cluster


@pytest.fixture
def place(cluster: VirtualCluster, tmp_path: Path) -> Place:
    """A fresh place with a campaign of one stack."""
    fresh = Place(tmp_path, cluster)
    fresh.write()
    return fresh
