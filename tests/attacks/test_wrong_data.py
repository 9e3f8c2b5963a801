# SPDX-License-Identifier: BSD-3-Clause
"""Group 1: an MPI library that delivers wrong data. With --check the launch ends with 4 and its row is no result.

Data are verified after each batch, whose runs all carry the same: a run that delivers nothing, after one of the batch
that did, is not seen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.postprocess.estimate.values.verdicts import result_verdict
from tests.attacks.support import Attacked, tell

pytestmark = pytest.mark.mpi

WORDS = ["--sizes", "64", "--check"]

#: Number: operation, how it lies, on which rank, in how many percent of the calls, and from which call on.
WRONG = {
    "1.1": ("bcast", "flip", 1, 100, 0),
    "1.2": ("bcast", "flip", 1, 100, 20),
    "1.3": ("bcast", "stale", 1, 100, 0),
    "1.4": ("bcast", "stale", 1, 100, 10),
    "1.5": ("reduce", "flip", 0, 100, 0),
    "1.6": ("reduce", "stale", 0, 100, 5),
    "1.7": ("allreduce", "flip", 0, 100, 0),
    "1.8": ("allreduce", "flip", 1, 100, 20),
    "1.9": ("allreduce", "stale", -1, 100, 0),
    "1.10": ("alltoall", "flip", 1, 100, 12),
    "1.11": ("alltoall", "stale", 0, 100, 0),
    "1.12": ("gather", "flip", 0, 100, 0),
    "1.13": ("scatter", "stale", 1, 100, 0),
    "1.14": ("allgather", "flip", 1, 100, 8),
}
FAST = ("1.4",)


@pytest.mark.parametrize(
    "number", [pytest.param(each, marks=() if each in FAST else pytest.mark.slow) for each in WRONG]
)
def test_wrong_data(attacked: Attacked, tmp_path: Path, number: str) -> None:
    operation, attack, rank, share, first = WRONG[number]
    settings = {"attack": attack, "rank": rank, "share": share, "from": first, "seed": 3}
    (row,) = attacked.rows(tmp_path, ["--operations", operation, *WORDS], settings, code=4)
    tell(number, f"{operation}: {attack} on rank {rank}, {share} % of the calls from {first} on", row)
    assert row["verdict"] == "failed-check"
    assert row["wrong"]["rank"] in ((0, 1) if rank < 0 else (rank,))
    assert not result_verdict(["ok"] * 9 + ["failed-check"]).reliable


@pytest.mark.parametrize("rank", [-1, 1])
def test_wrong_sizes_of_types(attacked: Attacked, tmp_path: Path, rank: int) -> None:
    """1.15: what such a library moves is another number of bytes than the row would say. No --check is needed."""
    done = attacked.run(tmp_path, ["--operations", "bcast", "--sizes", "64"], {"attack": "sizes", "rank": rank})
    assert done.code == 4
    assert "MPI_Type_size: type byte has 2 bytes instead of 1" in done.err
    assert not list(tmp_path.iterdir())
