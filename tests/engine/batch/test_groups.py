# SPDX-License-Identifier: BSD-3-Clause
"""Operations in several communicators at the same time, and with some of the processes only (`--groups`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.simulator import Machine, cluster, records_on, two_sites
from tests.engine.support import read_records, rows_of

#: Two repetitions on perfect clocks.
EXACT = ["--clock-sync", "none", "--stop", "reps", "--max-reps", "4", "--min-valid", "1", "--max-valid", "2"]
#: Groups, and of 16 processes on 4 nodes: number of groups, processes of the largest, and of all.
SHAPES = {
    "all": (1, 16, 16),
    "node": (4, 4, 16),
    "halves": (2, 8, 16),
    "strided:5": (5, 4, 16),
    "size:3": (5, 3, 15),
    "active:6": (1, 6, 6),
}
#: Those of `make test`: of hosts, of unequal sizes, and with idle processes.
OFTEN = ("node", "strided:5", "size:3")


def measured(engine: Path, folder: Path, machine: Machine, groups: str, *words: str) -> dict[str, dict[str, Any]]:
    """The rows of a launch by operation."""
    folder.mkdir(exist_ok=True)
    records = records_on(machine, engine, folder, "--groups", groups, *EXACT, *words)
    return {row["operation"]: row for row in rows_of(records)}


@pytest.mark.parametrize(
    "groups", [each if each in OFTEN else pytest.param(each, marks=pytest.mark.slow) for each in SHAPES]
)
def test_the_largest_group_determines_the_time(simulated_engine: Path, tmp_path: Path, groups: str) -> None:
    """n µs for the n processes of a group, from the first rank up and from the last one down; the others wait."""
    count, largest, active = SHAPES[groups]
    rows = measured(simulated_engine, tmp_path, cluster(16), groups, "--operations", "wait-patterns")
    for name, time in (("up", 1000 * largest), ("down", 1000 * largest), ("null", 0)):
        row = rows[f"wait-pattern-{name}"]
        assert (row["groups"], row["group_count"], row["active"]) == (groups, count, active)
        assert row["median_ns"] == pytest.approx(time, abs=50)
        assert row["rank_mean"]["min_ns"] == pytest.approx(0 if name == "null" else 1000, abs=50)


def test_groups_without_a_shared_link_take_what_one_takes(simulated_engine: Path, tmp_path: Path) -> None:
    """Eight nodes with a process each: two halves are as fast as four processes alone, and right."""
    words = ["--operations", "allreduce,alltoall,scan", "--sizes", "1KiB", "--check"]
    halves, alone, all_of_them = (
        measured(simulated_engine, tmp_path / groups, cluster(8, per_node=1), groups, *words)
        for groups in ("halves", "active:4", "all")
    )
    for name, row in halves.items():
        assert row["wrong"] is None
        assert row["median_ns"] == pytest.approx(alone[name]["median_ns"], abs=50)
        assert all_of_them[name]["median_ns"] > 1.2 * row["median_ns"]


#: Two pairs of hosts, each across the sites.
CROSSED = ["a0", "b0", "a1", "b1"]
LINK_BYTES_PER_US = 62.5
SIZE = 1 << 20


def test_groups_that_share_a_link_share_its_rate(simulated_engine: Path, tmp_path: Path) -> None:
    """Two broadcasts over one link of 0.5 Gbit/s take size / rate longer than one; within the sites they do not."""

    def time(hosts: list[str], groups: str) -> float:
        machine = two_sites(hosts, one_way_ms=0.1, eager_bytes=65536, between="0.5Gbps")
        words = ["--operations", "bcast", "--sizes", str(SIZE), "--check", "--max-slot-us", "1000000"]
        row = measured(simulated_engine, tmp_path / f"{groups}-{hosts[1]}", machine, groups, *words)["bcast"]
        assert row["wrong"] is None
        return float(row["median_ns"]) / 1e3

    alone = time(CROSSED, "active:2")
    assert time(CROSSED, "size:2") - alone == pytest.approx(SIZE / LINK_BYTES_PER_US, rel=0.02)
    within = ["a0", "a1", "b0", "b1"]
    assert time(within, "halves") == pytest.approx(time(within, "active:2"), abs=0.1)


@pytest.mark.mpi
@pytest.mark.parametrize(
    "groups", ["halves", "active:3", *(pytest.param(each, marks=pytest.mark.slow) for each in ("strided:2", "size:2"))]
)
def test_the_data_of_every_group_are_right_and_checked(run_engine: Any, tmp_path: Path, groups: str) -> None:
    """Open MPI, 5 processes: a changed bit on the last rank is found, unless that rank is in no group."""
    words = ["--operations", "allreduce,ialltoallv,gather_init,neighbor_allgather,exchange,transfer-4"]
    words += ["--sizes", "8", "--check", "--wait", "sleep", "--groups", groups, "--batch", "1", "--max-reps", "2"]
    words += ["--min-valid", "1", "--max-valid", "1", "--probes", "off", "--passes", "1"]
    done = run_engine(*words, "--output", "right.jsonl", processes=5)
    assert done.code == 0, done.err
    rows = rows_of(read_records(tmp_path / "right.jsonl"))
    assert {(row["groups"], row["verdict"] == "failed-check") for row in rows} == {(groups, False)}
    done = run_engine(*words, "--output", "wrong.jsonl", "--corrupt-rank", "4", processes=5)
    wrong = {row["operation"]: row["wrong"]["rank"] for row in rows_of(read_records(tmp_path / "wrong.jsonl"))
             if row["verdict"] == "failed-check"}  # fmt: skip
    idle = groups in ("size:2", "active:3")
    assert done.code == (0 if idle else 4)
    assert wrong.get("allreduce") == (None if idle else 4)
