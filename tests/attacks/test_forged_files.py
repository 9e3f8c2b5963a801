# SPDX-License-Identifier: BSD-3-Clause
"""Group 4: raw files whose checksum is right and whose rows contradict their own runs. None is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.launch_file import problems, read_launch
from tests.reframe_checks.fakes import records, write_raw

Record = dict[str, Any]

#: 40 runs: 30 valid, 6 that overran and were longest, 4 late.
VALID, OVERRAN, LATE = 30, 6, 4


def honest() -> list[Record]:
    """A header, a row that agrees with itself in everything, and what the engine adds."""
    header, row, added = records(launch={"name": "a"}, processes=2, hosts=1, cases=[("bcast", 8)])
    times = [500 + 7 * i for i in range(VALID)] + [5000 + i for i in range(OVERRAN)] + [9000] * LATE
    kept = sorted(times[: VALID + OVERRAN])
    middle = kept[9:27]
    row |= {
        "reps_made": 40, "reps_valid": VALID, "reps_used": len(middle),
        "invalid": {"late_start": LATE, "overrun": OVERRAN},
        "time_ns": times, "local_ns": [time - 20 for time in times],
        "valid": [True] * VALID + [False] * (OVERRAN + LATE),
        "overran": [False] * VALID + [True] * OVERRAN + [False] * LATE,
        "mean_ns": fmean(middle), "ci_low_ns": fmean(middle) - 10, "ci_high_ns": fmean(middle) + 10,
        "median_ns": median(kept), "median_low_ns": kept[12], "median_high_ns": kept[23],
        "min_ns": kept[0], "max_ns": kept[-1], "wrong": None, "verdict": "ok", "reason": "",
        "causality": {"violations": 0, "worst_ns": 0, "error_ns": 0, "rank": None},
    }  # fmt: skip
    return [header, row, added]


def row(**changes: object) -> Callable[[list[Record]], None]:
    """A forger of the row's fields."""
    return lambda lines: lines[1].update(changes)


def header(**changes: object) -> Callable[[list[Record]], None]:
    """A forger of the header's fields."""
    return lambda lines: lines[0].update(changes)


def scaled(*names: str, by: float) -> Callable[[list[Record]], None]:
    """Makes figures smaller or larger by a factor, all alike, so that their order stays."""
    return lambda lines: lines[1].update({name: lines[1][name] * by for name in names})


def with_times(change: Callable[[list[int]], list[int]]) -> Callable[[list[Record]], None]:
    """Replaces the runs, and leaves the figures."""
    return lambda lines: lines[1].update(time_ns=change(lines[1]["time_ns"]))


FIGURES = ("mean_ns", "ci_low_ns", "ci_high_ns", "median_ns", "median_low_ns", "median_high_ns", "min_ns", "max_ns")

#: Number: what is forged, and the field that the message names.
FORGED: dict[str, tuple[Callable[[list[Record]], None], str]] = {
    "4.1": (row(reps_made=41), "reps_made"),
    "4.2": (row(reps_valid=36), "reps_valid"),
    "4.3": (row(invalid={"late_start": 0, "overrun": OVERRAN}), "reps_valid, invalid"),
    "4.4": (row(invalid={"late_start": LATE, "overrun": 0}), "invalid: 0 overruns"),
    "4.5": (row(invalid={"late_start": 10, "overrun": 0}), "invalid: 0 overruns"),
    "4.6": (row(overran=[False] * 40), "invalid: 6 overruns"),
    "4.7": (row(overran=[False] * VALID + [True] * 10), "invalid: 6 overruns"),
    "4.8": (row(valid=[True] * 40), "reps_valid"),
    "4.9": (row(reps_used=30), "mean_ns"),
    "4.10": (scaled(*FIGURES, by=0.9), "median_ns"),
    "4.11": (scaled("mean_ns", "ci_low_ns", "ci_high_ns", by=0.9), "mean_ns"),
    "4.12": (scaled("mean_ns", by=1.001), "mean_ns"),
    "4.13": (row(min_ns=400), "min_ns"),
    "4.14": (row(max_ns=6000), "max_ns"),
    "4.15": (with_times(lambda times: [time // 2 for time in times]), "local_ns"),
    "4.16": (with_times(lambda times: [times[0] - 100, *times[1:]]), "local_ns"),
    "4.17": (with_times(lambda times: [time + 300 for time in times]), "median_ns"),
    "4.18": (row(local_ns=[10**6] * 40), "local_ns"),
    "4.19": (row(start_skew_ns=-1.0), "start_skew_ns"),
    "4.20": (row(reason="rank 3 has a false clock"), "verdict"),
    "4.21": (row(causality={"violations": 3, "worst_ns": 90, "error_ns": 80, "rank": 1}), "verdict"),
    "4.22": (row(wrong={"rank": 1, "element": 0, "expected": 1, "found": 2}), "verdict"),
    "4.23": (row(median_ns=None), "median_ns"),
    "4.24": (row(median_low_ns=1e9), "median_low_ns"),
    "4.25": (row(median_ns=float("nan")), "median_ns"),
    "4.26": (row(time_ns=[2**70] * 40), "time_ns"),
    "4.27": (header(started_at="0026-05-04T08:00:00Z"), "started_at"),
    "4.28": (header(started_at="2026-05-04T25:00:00Z"), "started_at"),
    "4.29": (header(started_at="9999-12-31T23:59:59Z"), "started_at"),
    "4.30": (lambda lines: lines.append(dict(lines[0])), "more than one header"),
}


def test_the_honest_file_is_read(tmp_path: Path) -> None:
    write_raw(tmp_path / "a.jsonl", honest())
    assert len(read_launch(tmp_path / "a.jsonl").measurements) == 1


#: What is forged overhead: nothing in the rows would show it.
ADDED: list[Record] = [
    {"median_ns": 3.0}, {"from_last_median_ns": 29.0}, {"median_low_ns": 33.0}, {"from_last_median_high_ns": 15.0},
    {"time_ns": [30]}, {"from_last_ns": [31, 31]}, {"reps_made": 3}, {"median_ns": None},
]  # fmt: skip


@pytest.mark.parametrize("changes", ADDED)
def test_what_the_engine_adds_is_what_its_runs_say(tmp_path: Path, changes: Record) -> None:
    lines = honest()
    lines[2] |= changes
    write_raw(tmp_path / "a.jsonl", lines)
    with pytest.raises(FileError, match=r"line 3: .*overhead"):
        read_launch(tmp_path / "a.jsonl")


@pytest.mark.parametrize("number", FORGED)
def test_forged(tmp_path: Path, number: str) -> None:
    forge, named = FORGED[number]
    lines = honest()
    forge(lines)
    write_raw(tmp_path / "a.jsonl", lines)
    with pytest.raises(FileError, match=named):
        read_launch(tmp_path / "a.jsonl")


def test_a_launch_that_took_less_than_no_time(tmp_path: Path) -> None:
    """4.38: the footer is no part of what its checksum covers."""
    path = tmp_path / "a.jsonl"
    write_raw(path, honest())
    path.write_text(path.read_text().replace('"elapsed_ns": 1', '"elapsed_ns": -1'))
    with pytest.raises(FileError, match="elapsed_ns: Input should be greater than or equal to 0"):
        read_launch(path)


def test_more_overruns_than_are_trimmed(tmp_path: Path) -> None:
    """4.31: of 36 runs 9 are trimmed; here twelve were longest, as where a rank is slow in a third of its calls."""
    lines = honest()
    kept = [500 + 7 * i for i in range(24)] + [300_000] * 12
    lines[1] |= {
        "reps_valid": 24, "invalid": {"late_start": LATE, "overrun": 12}, "time_ns": [*kept, *[9000] * LATE],
        "local_ns": [0] * 40, "valid": [True] * 24 + [False] * 16,
        "overran": [False] * 24 + [True] * 12 + [False] * LATE,
        "mean_ns": fmean(kept[9:27]), "ci_low_ns": 0, "ci_high_ns": 1e6, "median_ns": median(kept), "max_ns": 300_000,
        "median_low_ns": kept[12], "median_high_ns": kept[23],
    }  # fmt: skip
    write_raw(tmp_path / "a.jsonl", lines)
    with pytest.raises(FileError, match="verdict: ok, but 12 overruns were longer"):
        read_launch(tmp_path / "a.jsonl")


#: Number: forged, and why it is not the launch that was planned.
OTHER: dict[str, tuple[Callable[[list[Record]], None], str]] = {
    "4.32": (row(processes=4), "has 4 processes"),
    "4.33": (header(processes=4), "4 ranks"),
    "4.34": (header(launch={"name": "b"}), "header.launch.name"),
    "4.35": (lambda lines: lines.insert(2, dict(lines[1])), "is listed 2 times"),
    "4.36": (row(operation="barrier", bytes=0), "was not requested"),
    "4.37": (row(bytes=16), "was not requested"),
}


@pytest.mark.parametrize("number", OTHER)
def test_of_another_launch(tmp_path: Path, number: str) -> None:
    forge, said = OTHER[number]
    lines = honest()
    forge(lines)
    write_raw(tmp_path / "a.jsonl", lines)
    found = problems(read_launch(tmp_path / "a.jsonl"), processes=2, nodes=1, cases=[("bcast", 8)], launch_name="a")
    assert any(said in each for each in found), found
