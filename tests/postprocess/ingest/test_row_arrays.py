# SPDX-License-Identifier: BSD-3-Clause
"""Rows are looked at as arrays first: none that contradicts itself may pass, and none that agrees is held up."""

from __future__ import annotations

import random
from typing import Any

import pytest

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.measurement_checks import doubtful_rows, row_problems
from isochron.schemas.run.records import Measurement
from tests.postprocess.ingest.test_launch_file import first

NUMBERS = (
    *(
        "reps_made",
        "reps_valid",
        "reps_used",
        "slot_ns",
        "start_skew_ns",
        "confidence",
        "mean_ns",
        "median_ns",
        "min_ns",
    ),
    *("median_low_ns", "median_high_ns", "ci_low_ns", "ci_high_ns", "max_ns", "processes", "bytes"),
)
#: What an `ok` row never has, and passes that do not make up the runs.
OTHERS: list[dict[str, Any]] = [
    {"median_ns": None},
    {"reason": "odd"},
    {"wrong": {"rank": 0, "element": 3, "expected": 1, "found": 2}},
    {"causality": {"violations": 2}},
    {"pass_reps": (3, 4)},
    {"pass_reps": (10**6, -1)},
]


@pytest.fixture
def rows(small: RunInputs) -> list[dict[str, Any]]:
    return [row.model_dump() for row in read_launch(first(small)).measurements]


def spoilt(row: dict[str, Any], rng: random.Random) -> Measurement:
    """The row with one thing changed."""
    row = {name: list(value) if isinstance(value, list) else value for name, value in row.items()}
    kind = rng.randrange(8)
    place = rng.randrange(len(row["time_ns"]))
    if kind == 0:
        name = rng.choice(NUMBERS)
        row[name] = rng.choice([-1, 0, 1, row[name] + 1, int(row[name] * 1.001) + 1, 10**16])
    elif kind == 1:
        row[rng.choice(["time_ns", "local_ns"])][place] = rng.choice([-5, 0, 1, 10**15, 10**18])
    elif kind == 2:
        row["valid"][place] = not row["valid"][place]
    elif kind == 3:
        row["overran"] = tuple(rng.random() < 0.1 for _ in range(len(row["time_ns"]) - rng.randrange(2)))
    elif kind == 4:
        row["invalid"] = {rng.choice(["late_start", "overrun", "disturbed", "other"]): rng.randrange(-1, 4)}
    elif kind == 5:
        row |= rng.choice(OTHERS)
    elif kind == 6:
        runs = len(row["time_ns"]) - (rng.random() < 0.1)
        listed = [rng.random() < 0.1 for _ in range(runs)]
        row["regimes"] = dict.fromkeys(("quiet_ns", "limit_ns", "disturbed_ns")) | {"extra_ns": 0, "disturbed": listed}
        row |= rng.choice([{}, {"verdict": "disturbed"}])
    else:
        rng.choice([row["time_ns"], row["local_ns"], row["valid"]]).append(1)
    return Measurement.model_validate(row)


def test_every_row_that_contradicts_itself_is_looked_at(rows: list[dict[str, Any]]) -> None:
    rng = random.Random(3)
    wrong = 0
    for _ in range(600):
        each = [spoilt(row, rng) for row in rows]
        closely = {id(row) for row in doubtful_rows(each)}
        bad = {id(row) for row in each if row_problems(row)}
        wrong += len(bad)
        assert bad <= closely, [row_problems(row) for row in each if id(row) in bad - closely]
    assert wrong > 600


def test_rows_that_agree_are_not_held_up(rows: list[dict[str, Any]]) -> None:
    assert doubtful_rows([Measurement.model_validate(row) for row in rows]) == []


@pytest.mark.parametrize("field", ["batch", "reps", "t_ns"])
def test_readings_that_go_back(rows: list[dict[str, Any]], field: str) -> None:
    row = rows[0]
    probes = {**row["probes"], field: list(reversed(row["probes"][field]))}
    (found,) = doubtful_rows([Measurement.model_validate({**row, "probes": probes})])
    assert any(f"probes.{field}" in problem for problem in row_problems(found))
