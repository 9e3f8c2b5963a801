# SPDX-License-Identifier: BSD-3-Clause
"""`isochron certify`, short: a real stack against itself, one operation of it made to take ten times as long.

Ten times is far beyond what any machine's noise does to the medians of launches; twice is not, on two busy cores.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pandas as pd
import pytest

from isochron.schemas.run.certificate import SIDES, Certificate, Series, loaded_file, read_shares, shares_file
from isochron.schemas.run.layout import RunLayout
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once

pytestmark = [pytest.mark.campaign, pytest.mark.mpi]

WORDS = ("certify", "mpich-5.0", "--short", "--results", "r")


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
    assert rows["injected"].to_dict() == {slowed: 10.0 if slowed in other else 0.1, same: 1.0}
    assert rows.loc[slowed, "verdict"] == ("slower" if slowed in other else "faster")
    assert rows.loc[slowed, "outcome"] == "found"
    assert 10 / 3 < rows.loc[slowed, "ratio"] ** (1 if slowed in other else -1) < 30
    assert [(each.effect, each.found.of) for each in found.effects] == [(0.0, 1), (9.0, 1)]
    assert (found.false_tables.of, found.effects[1].found.hits) == (1, 1)


def test_what_was_slowed_is_found_and_a_certified_machine_is_left_alone(place: Place) -> None:
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
    again = place.isochron(*WORDS)
    assert again.returncode == 0
    assert "this series is complete" in again.stdout
    assert again.stdout.splitlines()[1:] == done.stdout.splitlines()[-len(again.stdout.splitlines()) + 1 :]


@pytest.mark.slow
def test_an_interrupted_series_goes_on_where_it_stopped(place: Place) -> None:
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
