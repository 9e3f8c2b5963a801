# SPDX-License-Identifier: BSD-3-Clause
"""The fixture itself: hosts that know nothing of each other but the network, and nothing left behind."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cluster.virtual import COMPUTE, VirtualCluster, WideArea, obstacle

ROOT = Path(__file__).parents[2]


def test_a_job_runs_on_four_distinct_hosts(cluster: VirtualCluster) -> None:
    assert sorted(cluster.on("login", "srun", "--nodes=4", "hostname").stdout.split()) == list(COMPUTE)


def test_hosts_share_neither_processes_nor_shared_memory(cluster: VirtualCluster) -> None:
    cluster.on("a1", "touch", "/dev/shm/of-a1")
    assert cluster.on("a1", "ls", "/dev/shm").stdout == "of-a1\n"
    assert cluster.on("a2", "ls", "/dev/shm").stdout == ""
    assert cluster.on("a2", "pgrep", "-x", "slurmctld", check=False).returncode == 1
    cluster.on("a1", "rm", "/dev/shm/of-a1")


@pytest.mark.cluster
def test_nothing_is_left_after_kill_9_of_its_owner(tmp_path: Path) -> None:
    if reason := obstacle():
        pytest.skip(reason)
    program = (
        "import sys, time, pathlib; from tests.cluster.virtual import VirtualCluster; "
        "VirtualCluster(pathlib.Path(sys.argv[1])); print('up', flush=True); time.sleep(300)"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "up\n"
    assert len(of_the_cluster(tmp_path)) > 10
    owner.kill()
    owner.wait()
    deadline = time.monotonic() + 300
    while of_the_cluster(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert of_the_cluster(tmp_path) == []
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text()
    links = subprocess.run(["ip", "link"], capture_output=True, text=True, check=True).stdout
    assert "bridge_a" not in links


def of_the_cluster(folder: Path) -> list[str]:
    """Processes whose working directory lies in the cluster's folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            place = (entry / "cwd").readlink()
        except OSError:
            continue
        if place.is_relative_to(folder):
            found.append(entry.name)
    return found


def test_the_wide_area_link_delays_what_crosses_it(wide_cluster: VirtualCluster) -> None:
    """Lower bounds only: on a busy machine the link may be later, never sooner."""
    near, far = round_trip_ms(wide_cluster, "a2"), round_trip_ms(wide_cluster, "b1")
    assert far >= 2.5
    assert near < far


def round_trip_ms(cluster: VirtualCluster, host: str) -> float:
    """Shortest of fifty TCP connections from a1 to a closed port of a host: one round trip each."""
    address = {"a2": "10.66.0.3", "b1": "10.66.0.4"}[host]
    program = (
        "import socket, time\n"
        "def once():\n"
        "    start = time.perf_counter()\n"
        f"    socket.socket().connect_ex(('{address}', 9))\n"
        "    return time.perf_counter() - start\n"
        "print(min(once() for _ in range(50)) * 1e3)\n"
    )
    return float(cluster.on("a1", sys.executable, "-c", program).stdout)


def test_one_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.cluster.virtual.PROGRAMS", ("slurm-of-tomorrow",))
    assert re.match(r"the virtual cluster needs (slurm-of-tomorrow|root rights)", obstacle() or "")
    assert WideArea(1250, 1000).delay_us == 1250
