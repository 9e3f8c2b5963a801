# SPDX-License-Identifier: BSD-3-Clause
"""Processes that were started with different options end at once, with one line, and measure nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.support import Finished, Mpi

WAYS = {
    "batch": (["--batch", "4"], ["--batch", "8"]),
    "longer batch on rank 0": (["--batch", "8"], ["--batch", "4"]),
    "root": (["--root", "0"], ["--root", "1"]),
    "scheme": (["--scheme", "window"], ["--scheme", "barrier"]),
    "synchroniser": (["--clock-sync", "ring"], ["--clock-sync", "hca3"]),
    "sizes": (["--sizes", "8,16"], ["--sizes", "8"]),
    "operations": (["--operations", "bcast"], ["--operations", "reduce"]),
    "check": (["--check"], []),
    "stop": (["--stop", "reps"], ["--stop", "time"]),
    "per rank": ([], ["--per-rank"]),
    "order": (["--rank-order", "reverse"], []),
    "memory": (["--memory"], []),
    "memory on the other rank": ([], ["--memory"]),
    "timers": (["--check-timer"], []),
    "help": (["--help"], []),
    "help on the other rank": ([], ["--help"]),
    "version": ([], ["--version"]),
    "output": (["--output", "one.jsonl"], ["--output", "two.jsonl"]),
}


#: These stand for their kinds in `make test`: a buffer that was too short, a message nobody sent, steps that others do
#: not take, no batch at all, no start of MPI.
FAST = ("batch", "root", "memory", "timers", "help on the other rank")


@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(*words, id=way, marks=() if way in FAST else pytest.mark.slow) for way, words in WAYS.items()],
)
def test_other_options_than_rank_0(engine: Path, mpi: Mpi, tmp_path: Path, first: list[str], second: list[str]) -> None:
    base = {"--operations": "bcast", "--sizes": "8", "--output": "raw.jsonl"}

    def words(own: list[str]) -> list[str]:
        common = [word for name, value in base.items() if name not in own for word in (name, value)]
        return [str(engine), *common, *own]

    command = [*mpi.launch(1, words(first)), ":", *mpi.launch(1, words(second))[1:]]
    done = subprocess.run(command, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 2
    said = "rank 1 has other options than rank 0; start all processes by one command"
    assert f"isochron-engine: {said}\n" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_all_ask_for_is_printed_once(run_engine: Callable[..., Finished]) -> None:
    done = run_engine("--version", processes=2)
    assert done.code == 0 and done.out.count("isochron-engine ") == 1
