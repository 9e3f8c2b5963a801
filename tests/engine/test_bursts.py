# SPDX-License-Identifier: BSD-3-Clause
"""Bursts: how many messages they are, their rates on simulated links, and what several senders cost one receiver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.engine.contract import BURSTS, ONE_SIDED
from tests.engine.simulator import cluster, records_on
from tests.engine.support import Mpi, rows_of
from tests.engine.test_operations import FEW_RUNS, run

#: Messages of a burst of 5 between 4 processes, and in groups of 3: the first two, one pair, or all with the first.
IN_ALL = {
    "burst": (5, 5), "burst-both-ways": (10, 10), "burst-pairs": (10, 5), "burst-pairs-both-ways": (20, 10),
    "fan-in": (15, 10), "fan-out": (15, 10),
    "put-burst": (5,), "put-burst-both-ways": (10,), "get-burst": (5,),
}  # fmt: skip
#: Links of 5 GB/s that carry what they say, and 1 us: one process a node.
LINK = 5000.0
EXACT = ("smpi/lat-factor:0:1", "smpi/bw-factor:0:1")
#: Two repetitions of long messages, each as long as it takes.
LONG = ["--sizes", "1MiB", "--stop", "reps", "--max-reps", "2", "--min-valid", "1", "--batch", "2"]
LONG += ["--warmup-reps", "1", "--max-slot-us", "1000000"]


@pytest.mark.mpi
def test_messages_are_those_of_all_processes(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Of one repetition of the group that acts; their bytes are what the bandwidth counts."""
    in_groups = set(BURSTS) - {*ONE_SIDED}
    for number, (bursts, words) in enumerate([(set(BURSTS), []), (in_groups, ["--group-size", "3"])]):
        line = ["--operations", ",".join([*bursts, "ping-pong"]), *FEW_RUNS, "--burst", "5", *words]
        code, rows, err = run(mpi, engine, tmp_path / str(number), 4, *line)
        assert code == 0, err
        assert {row["operation"] for row in rows} == {*bursts, "ping-pong"}
        for row in rows:
            if row["operation"] == "ping-pong":
                assert row["messages"] is None and row["bytes_moved"] == 2 * row["bytes"]
                continue
            assert row["messages"] == IN_ALL[row["operation"]][number], row["operation"]
            assert row["bytes_moved"] == row["messages"] * row["bytes"]


@pytest.mark.mpi
def test_messages_of_groups_are_those_of_one(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Also where process 0 has another rank than 0, or is in no group."""
    line = ["--operations", "fan-in", *FEW_RUNS, "--burst", "5", "--rank-order", "reverse"]
    for number, (groups, messages) in enumerate({"size:2": 5, "size:3": 10, "halves": 10}.items()):
        code, rows, err = run(mpi, engine, tmp_path / str(number), 5, *line, "--groups", groups)
        assert code == 0, err
        assert {row["messages"] for row in rows} == {messages}, groups


@pytest.mark.mpi
def test_a_volume_counts_all_messages_of_a_burst(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    line = ["--operations", "burst,ping-pong", "--sizes", "8", "--burst", "5", "--max-volume", "400"]
    code, rows, err = run(mpi, engine, tmp_path / "out", 2, *line, "--stop", "reps", "--max-reps", "100")
    assert code == 0, err
    assert {row["operation"]: row["reps_made"] for row in rows} == {"burst": 10, "ping-pong": 50}


@pytest.mark.mpi
def test_later_passes_have_the_messages_of_the_first(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Bursts beside others, in several passes, of which processes other than 0 keep no results."""
    line = ["--operations", "bursts,ping-pong,bcast", "--sizes", "8", "--check", "--passes", "4", "--batch", "2"]
    code, rows, err = run(
        mpi, engine, tmp_path / "out", 2, *line, "--stop", "reps", "--max-reps", "8", "--min-valid", "1"
    )
    assert code == 0, err
    assert {row["messages"] for row in rows} == {64, 128, None}
    assert all(len(row["pass_reps"]) == 4 for row in rows)


@pytest.mark.mpi
def test_a_burst_of_one_has_right_data_and_a_large_one_is_refused(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    code, rows, err = run(mpi, engine, tmp_path / "one", 2, "--operations", "bursts", *FEW_RUNS, "--burst", "1")
    assert code == 0 and {row["messages"] for row in rows} == {1, 2}, err
    code, _, err = run(mpi, engine, tmp_path / "large", 2, "--operations", "burst", "--sizes", "64MiB")
    assert code == 2 and "64" in err and "take at most 33554431, or lower --burst" in err


def times(engine: Path, folder: Path, processes: int, *words: str) -> dict[str, dict[str, Any]]:
    """The rows by operation on simulated nodes of one process each."""
    folder.mkdir()
    machine = replace(cluster(processes, per_node=1), settings=EXACT)
    return {row["operation"]: row for row in rows_of(records_on(machine, engine, folder, *words, *LONG))}


def rate(row: dict[str, Any]) -> float:
    """MB/s."""
    return float(1000 * row["bytes_moved"] / row["median_ns"])


def test_the_bandwidth_is_that_of_the_link(simulated_engine: Path, tmp_path: Path) -> None:
    """Within 1 %: one way, both ways of a link that has both, and of four links together."""
    two = times(simulated_engine, tmp_path / "two", 2, "--operations", "bursts")
    for name, links in {"burst": 1, "burst-both-ways": 2, "burst-pairs": 1, "fan-in": 1, "fan-out": 1}.items():
        assert rate(two[name]) == pytest.approx(links * LINK, rel=0.01), name
    eight = times(simulated_engine, tmp_path / "eight", 8, "--operations", "burst,burst-pairs,burst-pairs-both-ways")
    for name, links in {"burst": 1, "burst-pairs": 4, "burst-pairs-both-ways": 8}.items():
        assert rate(eight[name]) == pytest.approx(links * LINK, rel=0.01), name


@pytest.mark.parametrize("senders", [2, 7])
def test_many_to_one_takes_as_many_times_one(simulated_engine: Path, tmp_path: Path, senders: int) -> None:
    """Within 2 %, and so does one to many: all bytes pass the link of the first process."""
    one = times(simulated_engine, tmp_path / "one", 2, "--operations", "fan-in,fan-out")
    many = times(simulated_engine, tmp_path / "many", senders + 1, "--operations", "fan-in,fan-out")
    for name in ("fan-in", "fan-out"):
        assert many[name]["median_ns"] == pytest.approx(senders * one[name]["median_ns"], rel=0.02), name


def test_more_in_flight_hide_the_latency(simulated_engine: Path, tmp_path: Path) -> None:
    """Of 64 short messages in flight each takes less than the latency of one, which a burst of one has twice."""
    machine = replace(cluster(2, per_node=1), settings=EXACT)
    each = {}
    for burst in (1, 64):
        folder = tmp_path / str(burst)
        folder.mkdir()
        words = ["--operations", "burst", "--sizes", "1KiB", *LONG[2:], "--burst", str(burst)]
        (row,) = rows_of(records_on(machine, simulated_engine, folder, *words))
        each[burst] = row["median_ns"] / burst
    assert each[1] > 4000, "1 us on three links there and back"
    assert each[64] < 2000
