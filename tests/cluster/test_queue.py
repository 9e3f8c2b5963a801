# SPDX-License-Identifier: BSD-3-Clause
"""What a login node gives while 200 blocks wait in Slurm's queue: memory and processor time of all processes."""

from __future__ import annotations

import time

import psutil
import pytest

from tests.cluster.conftest import Place

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

BLOCKS = 200
#: Seconds of the measurement: some queries, which come every 10 s.
WATCHED_S = 120


def test_cost_of_a_queue(place: Place) -> None:
    del place.cluster.environment["RFM_POLL_RATE_MAX"]  # as on a site
    place.write(
        operations=["barrier"], replication={"blocks": BLOCKS, "launches_per_block": 1},
        site={"parallel_blocks": BLOCKS},
    )  # fmt: skip
    other = place.cluster.occupy()
    begun = time.monotonic()
    driver = place.start("run", "virtual.yaml")
    place.wait_until(lambda: len(place.cluster.jobs()) == BLOCKS + 1, 900)
    submitted = time.monotonic() - begun
    time.sleep(15)
    processes = [each for each in psutil.Process(driver.pid).children(recursive=True) if each.name() != "nsenter"]
    before, begun = _seconds(processes), time.monotonic()
    time.sleep(WATCHED_S)
    share = (_seconds(processes) - before) / (time.monotonic() - begun)
    memory = {" ".join(each.cmdline())[:110]: each.memory_full_info().pss / 2**20 for each in processes}
    print(
        f"\n{BLOCKS} jobs submitted in {submitted:.0f} s; {sum(memory.values()):.0f} MiB (asked: < 200), "
        f"{share:.2%} of a core (asked: < 1 %)"
    )
    for command, size in memory.items():
        print(f"{size:6.0f} MiB  {command}")
    assert len(place.cluster.jobs()) == BLOCKS + 1
    place.cluster.on("login", "scancel", other)
    driver.kill()


def _seconds(processes: list[psutil.Process]) -> float:
    """Processor time in s, also of children that have ended."""
    return sum(sum(each.cpu_times()[:4]) for each in processes)
