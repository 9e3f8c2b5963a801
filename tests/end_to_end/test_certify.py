# SPDX-License-Identifier: BSD-3-Clause
"""`isochron certify`, short: a real stack against itself, one operation of it made to take twice as long.

Whether five launches on busy cores show that is a matter of noise, and not asked here; that the library slows what it
is told to slow is asked in tests/workflows/certification/test_certify.py, where the operation takes a known time.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.score import outcome
from isochron.schemas.run.certificate import SIDES, Certificate, Series, loaded_file, read_shares, shares_file
from isochron.schemas.run.layout import RunLayout
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once

pytestmark = [pytest.mark.campaign, pytest.mark.mpi]

WORDS = ("certify", "mpich-5.0", "--quick", "--results", "r")


def series_of(place: Place) -> tuple[Path, Series]:
    [folder] = (place.folder / "r" / ".certify").iterdir()
    return folder, Series.load(folder / "series.json")


def assert_scored(place: Place) -> None:
    """The certificate is what the hidden shares and the comparison say."""
    folder, series = series_of(place)
    [table] = series.tables
    one, other = (read_shares(shares_file(folder, table.name, side)) for side in SIDES)
    rows = pd.read_csv(place.folder / "r" / "certificate.csv").set_index("operation")
    found = Certificate.load(place.folder / "r" / "certificate.json")
    assert found == Certificate.load(folder / "certificate.json")
    [slowed] = {**one, **other}
    [same] = set(table.operations) - {slowed}
    assert rows["injected"].to_dict() == {slowed: 2.0 if slowed in other else 0.5, same: 1.0}
    rules = Rules(found.threshold, found.confidence)
    for row in rows.to_dict("records"):
        assert row["outcome"] == outcome(row["verdict"], row["injected"], rules)
        assert row["covered"] == (row["ratio_low"] <= row["injected"] <= row["ratio_high"])
    assert found.covered.hits == rows["covered"].sum()
    assert [(each.effect, each.detected.of) for each in found.effects] == [(0.0, 1), (1.0, 1)]
    assert found.effects[1].detected.hits == (rows.loc[slowed, "outcome"] == "detected")


def test_what_was_slowed_is_scored(place: Place) -> None:
    done = place.isochron(*WORDS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_scored(place)
    folder, series = series_of(place)
    run = RunLayout(place.folder / "r" / series.runs[series.tables[0].name])
    assert_every_launch_is_stored_once(run)
    processes = [
        len(loaded_file(shares_file(folder, series.tables[0].name, side)).read_text().split()) for side in SIDES
    ]
    assert min(processes) >= 2 * 5


@pytest.mark.slow
def test_an_interrupted_series_goes_on_where_it_stopped_and_a_complete_one_is_left_alone(place: Place) -> None:
    child = place.start(*WORDS)
    while not list((place.folder / "r").glob("certify-*/*Z-*/attempts/*/*/*.jsonl")):
        assert child.poll() is None
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGINT)
    assert child.wait(60) == 130
    _, begun = series_of(place)
    assert begun.runs == {}
    done = place.isochron(*WORDS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_scored(place)
    assert len(list((place.folder / "r" / "certify-mpich-5.0").glob("*Z-*"))) == 1
    again = place.isochron(*WORDS)
    assert again.returncode == 0
    assert "this series is complete" in again.stdout
    assert again.stdout.splitlines()[1:] == done.stdout.splitlines()[-len(again.stdout.splitlines()) + 1 :]
