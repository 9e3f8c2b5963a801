# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pytest

from isochron.postprocess.formatting import labels, numbers

GAP = numbers.GAP


@pytest.mark.parametrize(
    ("value", "low", "high", "decimals"),
    [
        (12.345, 12.1, 12.6, 2),  # half an interval of 0.25: two digits of it
        (12.345, 10, 15, 1),
        (1234.5, 1100, 1400, 0),
        (0.0123, 0.0120, 0.0126, 5),
        (5.0, 5.0, 5.0, 3),  # no spread: four digits
        (5.0, float("nan"), float("nan"), 3),
        (50.0, 1.0, 2000.0, 0),  # a wild interval still leaves two digits of the value
        (0.0, 0.0, 0.0, 3),
        (0.006, 0.006, 0.006, 3),  # 6 ns: clocks read no less than 1 ns
    ],
)
def test_decimals_follow_the_uncertainty(value: float, low: float, high: float, decimals: int) -> None:
    assert numbers.decimals_for(value, low, high) == decimals


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.006, "0.006"),  # the step of a clock, 6 ns
        (0.0526, "0.053"),
        (0.317, "0.317"),
        (12.345, "12.3"),
        (0.00042, "0.0004"),  # a mean of many
        (-0.0126, "-0.013"),
        (0.0, "0"),
        (float("nan"), "–"),
    ],
)
def test_a_time_has_no_digits_below_a_nanosecond_that_no_clock_reads(value: float, text: str) -> None:
    assert numbers.microseconds(value) == text


def test_texts() -> None:
    assert numbers.fixed(1234567.891, 1) == f"1{GAP}234{GAP}567.9"
    assert numbers.interval(12.3, 12.0, 13.0, 1) == ("12.3", "[12.0; 13.0]")
    assert numbers.interval(float("nan"), 1, 2, 0) == ("–", "")
    assert numbers.interval(12.3, 12.3, 12.3, 1) == ("12.3", ""), "one launch has no interval"
    assert numbers.significant(0.012345) == "0.0123"
    assert numbers.significant(123456.0) == f"123{GAP}456"
    assert numbers.ratio(1.2345) == "1.23×"
    assert numbers.ratio(float("nan")) == "–"
    assert numbers.percent(0.0312) == f"3.1{GAP}%"
    assert numbers.given_percent(0.05) == f"5{GAP}%"
    assert numbers.count(1, "launch", "launches") == "1 launch"
    assert numbers.count(2000, "row") == f"2{GAP}000 rows"
    assert numbers.listing(["a", "b", "c"]) == "a, b and c"
    assert numbers.listing([]) == ""


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 B"), (8, "8 B"), (1000, "1000 B"), (1024, "1 KiB"), (65536, "64 KiB"), (4 << 20, "4 MiB")],
)
def test_sizes(number: int, text: str) -> None:
    assert numbers.size(number) == text.replace(" ", GAP)


def test_runs_of_sizes() -> None:
    measured = [8, 64, 512, 4096]
    assert labels.sizes([8, 64, 512], measured) == f"8{GAP}B to 512{GAP}B"
    assert labels.sizes([8, 512], measured) == f"8{GAP}B and 512{GAP}B"
    assert labels.sizes([8, 64, 4096], measured) == f"8{GAP}B, 64{GAP}B and 4{GAP}KiB"


def test_points() -> None:
    point = {"processes": 8, "processes_per_node": 4, "placement": "packed"}
    assert labels.point(point) == "8 processes, 4 per node"
    assert labels.point(point | {"processes": 4}) == "4 processes on one node"
