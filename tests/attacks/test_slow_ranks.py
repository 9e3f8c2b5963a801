# SPDX-License-Identifier: BSD-3-Clause
"""Group 2: a rank that is 300 µs slow in a share of its calls. What is reliable is right; no other rank is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.support import Attacked, tell

pytestmark = pytest.mark.mpi

SLOW_US = 300
WORDS = ["--sizes", "8", "--max-valid", "100", "--max-reps", "400"]

#: Number: operation, where it sleeps, rank, percent of the calls, further words.
SLOW: dict[str, tuple[str, str, int, int, list[str]]] = {
    "2.1": ("barrier", "after", 1, 10, []),
    "2.2": ("bcast", "after", 1, 20, []),
    "2.3": ("bcast", "after", 1, 35, []),
    "2.4": ("bcast", "before", 0, 35, []),
    "2.5": ("reduce", "before", 1, 20, []),
    "2.6": ("reduce", "after", 0, 35, []),
    "2.7": ("reduce", "before", 0, 65, []),
    "2.8": ("allreduce", "before", 1, 35, []),
    "2.9": ("allreduce", "after", 0, 45, []),
    "2.10": ("allreduce", "after", 1, 90, []),
    "2.11": ("alltoall", "before", 1, 30, []),
    "2.12": ("barrier", "before", 1, 45, []),
    "2.13": ("barrier", "after", 0, 65, []),
    "2.14": ("bcast", "after", 1, 30, ["--trim", "0"]),
    "2.15": ("bcast", "after", 1, 35, ["--stop", "reps"]),
    "2.16": ("allreduce", "after", 1, 35, ["--scheme", "round-time", "--time-budget", "0.3"]),
    "2.17": ("barrier", "engine", 1, 100, []),
    "2.18": ("barrier", "engine", 1, 30, []),
    "2.19": ("allreduce", "engine", 0, 100, []),
    "2.20": ("allreduce", "engine", 0, 30, []),
    "2.21": ("bcast", "engine", 1, 50, ["--scheme", "round-time", "--time-budget", "0.3"]),
    "2.22": ("allreduce", "engine", 0, 50, ["--scheme", "round-time", "--time-budget", "0.3"]),
}
FAST = ("2.3", "2.9")


@pytest.mark.parametrize(
    "number", [pytest.param(each, marks=() if each in FAST else pytest.mark.slow) for each in SLOW]
)
def test_slow_rank(attacked: Attacked, tmp_path: Path, number: str) -> None:
    """The median of all calls is the fast one up to half of the calls, and the slow one beyond. A reliable mean is the
    trimmed one: fast up to a quarter, slow from three quarters on.
    """
    operation, attack, rank, share, words = SLOW[number]
    settings = {"attack": attack, "rank": rank, "share": share, "us": SLOW_US, "seed": share}
    (row,) = attacked.rows(tmp_path, ["--operations", operation, *WORDS, *words], settings)
    tell(number, f"{operation}: rank {rank} slow {attack}, {share} % of the calls {' '.join(words)}", row)
    calls = 0 if attack == "engine" else share
    named = {each["rank"] for each in row["stragglers"]["ranks"]}
    # On a loaded machine the other one may be slow as well, and is named too; or alone, where the row changed.
    assert not named or rank in named or row["verdict"] in ("too-few-valid", "unstable", "disturbed")
    if row["verdict"] != "ok":
        assert row["reason"]
        return
    slow_ns = 1000 * SLOW_US
    assert (row["median_ns"] >= slow_ns) if calls > 50 else (row["median_ns"] < slow_ns / 2)
    assert calls <= 25 or calls > 50, "a mean of fast and slow runs is reliable"


@pytest.mark.slow
def test_without_an_attack_it_is_reliable(attacked: Attacked, tmp_path: Path) -> None:
    """2.0: the library alone changes nothing."""
    rows = attacked.rows(tmp_path, ["--operations", "barrier,bcast,allreduce", *WORDS], {})
    assert [row["verdict"] for row in rows].count("ok") >= 2
