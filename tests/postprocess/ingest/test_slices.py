# SPDX-License-Identifier: BSD-3-Clause
"""Turns of raw files in the store: a line for each, with the median of its repetitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.turns import pass_times, slice_columns
from isochron.schemas.run.launch_file import LaunchFile, read_launch
from tests.postprocess.ingest.test_launch_file import first, records
from tests.postprocess.ingest.test_turns_record import COLUMNS, PLAN, TURNS
from tests.postprocess.synthetic import whole


def in_turns(run: RunInputs, company: tuple[int, ...] = ()) -> LaunchFile:
    """A launch of one case in two rounds, and again with the others ended except those in `company`.

    Its first round had two repetitions fewer.
    """
    path = first(run)
    header, *others = records(path)
    row = next(each for each in others if each["record"] == "measurement" and each["bytes"])
    made = row["reps_made"]
    row = {**row, "pass_reps": [made // 2 - 2, made - made // 2 + 2]}
    kept = [each if each["record"] != "measurement" or each["operation"] != row["operation"] or each["bytes"] !=
            row["bytes"] else row for each in others]  # fmt: skip
    turns = {**TURNS, "operations": [row["operation"]], "bytes": [row["bytes"]]}
    turns |= {"solo": {**COLUMNS, "company": list(company)}}
    header = {**header, "turns": PLAN, "options": {**header["options"], "turns": "the-session"}}
    path.write_bytes(whole([header, *kept, {**row, "record": "solo_measurement"}, turns]))
    return read_launch(path)


def test_a_slice_has_the_repetitions_of_its_pass(small: RunInputs) -> None:
    launch = in_turns(small)
    columns = slice_columns(lambda _: "run.launch", [launch])
    assert columns["others"] == ["turns", "turns", "ended", "ended"]
    assert columns["round"] == [0, 1] * 2 and columns["position"] == [1, 0] * 2
    assert set(columns["session"]) == {"the-session"} and set(columns["launch_id"]) == {"run.launch"}
    row = next(each for each in launch.measurements if each.pass_reps)
    assert sum(columns["reps"][:2]) == sum(row.in_time)
    expected = [float(np.median(times)) for times in pass_times(row)]
    assert columns["median_us"][:2] == expected
    assert columns["t_s"][:2] == pytest.approx([100e-9, 300e-9]) and columns["handover_us"][0] == pytest.approx(0.002)


def test_a_turn_of_two_passes_is_one_slice(small: RunInputs) -> None:
    """Of all its repetitions, and apart of those in the first pass and in the second."""
    launch = in_turns(small)
    assert launch.header.turns is not None
    plan = launch.header.turns.model_copy(update={"rounds": 1, "passes": 2})
    twice = replace(launch, header=launch.header.model_copy(update={"turns": plan}))
    columns = slice_columns(lambda _: "run.launch", [twice])
    row = next(each for each in launch.measurements if each.pass_reps)
    first, again = pass_times(row)
    assert columns["others"] == ["turns", "ended", "ended"] and columns["round"][0] == 0
    assert columns["reps"][0] == len(first) + len(again)
    assert columns["median_us"][0] == np.median([*first, *again])
    assert (columns["first_us"][0], columns["again_us"][0]) == (np.median(first), np.median(again))
    assert columns["first_us"][1:] == columns["again_us"][1:] == [None] * 2
    single = slice_columns(lambda _: "run.launch", [launch])
    assert columns["turn_us"][0] == sum(single["turn_us"][:2]) and columns["t_s"][0] == single["t_s"][0]


def test_rounds_in_which_others_had_not_ended_are_not_alone(small: RunInputs) -> None:
    columns = slice_columns(lambda _: "run.launch", [in_turns(small, company=(1,))])
    assert columns["others"] == ["turns", "turns"]


def test_launches_that_took_no_turns_have_no_slices(small: RunInputs) -> None:
    columns = slice_columns(lambda _: "x", [read_launch(first(small))])
    assert not any(columns.values())
