# SPDX-License-Identifier: BSD-3-Clause
"""Group 3: a rank whose clock is false, for a while or for ever, after the clocks were synchronised."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.support import Attacked, tell

pytestmark = [pytest.mark.mpi, pytest.mark.slow]

#: One row of two seconds; what is false begins 0.3 s after the timer was checked.
WORDS = ["--operations", "barrier", "--stop", "time", "--time-budget", "2", "--clock-sync"]

#: Number: settings of the library; whether it is a lie that can change the median by more than a microsecond.
FALSE: dict[str, tuple[dict[str, object], bool]] = {
    "3.1": ({"rank": 1, "ns": 2000, "for_ms": 1600}, True),
    "3.2": ({"rank": 1, "ns": -2000, "for_ms": 1600}, True),
    "3.3": ({"rank": 0, "ns": 2000, "for_ms": 1600}, True),
    "3.4": ({"rank": 0, "ns": -2000, "for_ms": 1600}, True),
    "3.5": ({"rank": 1, "ns": 20000, "for_ms": 1200}, True),
    "3.6": ({"rank": 1, "ns": -20000, "for_ms": 1200}, True),
    "3.7": ({"rank": 1, "ns": 1000000}, True),
    "3.8": ({"rank": 1, "ns": -1000000}, True),
    "3.9": ({"rank": 1, "ppm": 20}, True),
    "3.10": ({"rank": 0, "ppm": -20}, True),
    "3.11": ({"rank": 1, "ns": 5000, "for_ms": 50}, False),
    "3.12": ({"rank": 1, "ns": -5000, "for_ms": 50}, False),
    "3.13": ({"rank": 1, "ns": 200}, False),
    "3.14": ({"rank": -1, "ns": 1000000000}, False),
}


@pytest.mark.parametrize("number", FALSE)
@pytest.mark.parametrize("sync", ["ring", "none"])
def test_false_clock(attacked: Attacked, tmp_path: Path, number: str, sync: str) -> None:
    """Never reliable where the lie can show; and what is reliable is what the same barrier takes without a lie."""
    settings, shows = FALSE[number]
    (row,) = attacked.rows(tmp_path, [*WORDS, sync], {"attack": "clock", "after_ms": 300, **settings})
    tell(number, f"{sync}: {settings}", row)
    if row["verdict"] == "ok":
        assert not shows, row["median_ns"]
        (tmp_path / "out.jsonl").unlink()
        (honest,) = attacked.rows(tmp_path, [*WORDS, sync], {})
        assert row["median_ns"] < 1.5 * honest["median_ns"] + 1000
        return
    assert row["verdict"] in ("clock-limited", "unstable", "too-few-valid")
    if row["verdict"] == "clock-limited":
        assert row["causality"]["rank"] in (1, None)  # of two, rank 0 has the time by definition
