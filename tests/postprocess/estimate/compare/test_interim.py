# SPDX-License-Identifier: BSD-3-Clause
"""Looks of sequential campaigns: what they decide stays, errors hold at any stop, and launches are saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isochron.common.files import FileError
from isochron.postprocess.estimate.compare.interim import (
    DECIDED_COLUMNS,
    analyse_interim,
    decided_at_interim,
    due_analyses,
)
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.run.comparisons import DECIDED
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.next_blocks import InterimAnalysis
from isochron.stats import multiple_tests as step_down_module
from tests.postprocess.estimate.compare.looked import SEQUENTIAL, at_the_edge, campaigns
from tests.postprocess.estimate.compare.sequential import SIX, World, at_once, judged, planned, sequential

CAMPAIGN, PLAN = planned(repr(SIX))
#: Two clear differences, two that are too small for four blocks, two that are none.
FACTORS = np.array([2.0, 0.5, 1.08, 1.08, 1.0, 1.0])

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr(step_down_module, "DRAWN", 4999)


def world(seed: int = 3, spread: float = 0.015) -> World:
    return World(np.random.default_rng(seed), CAMPAIGN, PLAN, FACTORS, "quiet", spread)


def first_stage(made: World) -> tuple[RunInputs, pd.DataFrame, set[str]]:
    rows = pd.DataFrame([row for launch in PLAN.launches for row in made.rows(launch, CAMPAIGN)])
    inputs = RunInputs(RunLayout(Path("none")), CAMPAIGN, PLAN, None, {})
    return inputs, rows, {launch.file for launch in PLAN.launches}


def test_a_campaign_stops_where_it_is_decided() -> None:
    ended = sequential(CAMPAIGN, PLAN, world())
    wrong, right = judged(ended.table, FACTORS, CAMPAIGN.analysis.threshold)
    assert list(ended.table.columns) == list(DECIDED_COLUMNS)
    assert right.all() and not wrong.any()
    after = ended.table["decided_after"].to_numpy()
    assert set(after[:2]) <= {4, 5} and set(after) <= {4, 5, 7, 10}
    assert ended.measured < 0.8 * 240, "of ten blocks of 2 × 2 launches of six cases"
    assert [look.blocks for look in ended.analyses] == [4, 5, 7][: len(ended.analyses)]
    blocks = ended.table["blocks"].to_numpy()
    assert (blocks == after).all(), "each row's numbers rest on the blocks that decided it, whatever came later"
    by_looks = {
        (each.operation, each.bytes): (each.verdict, look.blocks) for look in ended.analyses for each in look.decided
    }
    for row in ended.table.to_dict("records"):
        known = by_looks.get((row["operation"], row["bytes"]))
        assert known == (row["verdict"], row["decided_after"]) or (known is None and row["decided_after"] == 10)


def test_what_a_look_has_decided_stands() -> None:
    """Also where a launch had to be measured again since, and says something else."""
    inputs, rows, files = first_stage(world())
    look = analyse_interim(inputs, rows, files, [])
    decided = [each for each in look.decided if (each.operation, each.bytes) == ("bcast", 8)]
    assert [each.verdict for each in decided] == ["slower"]
    changed = rows.copy()
    changed.loc[(changed["operation"] == "bcast") & (changed["bytes"] == 8), "median_us"] = np.linspace(1, 1.2, 16)
    again = decided_at_interim(inputs, changed, files, [look]).set_index(["operation", "bytes"])
    assert (again.loc[("bcast", 8), "verdict"], again.loc[("bcast", 8), "decided_after"]) == ("slower", 4)
    alone = decided_at_interim(inputs, changed, files, []).set_index(["operation", "bytes"])
    assert alone.loc[("bcast", 8), "verdict"] != "slower"


def test_before_a_stage_is_measured_nothing_is_decided() -> None:
    inputs, rows, files = first_stage(world())
    lost = PLAN.launches[-1].file
    rows, files = rows[rows["file"] != lost], files - {lost}
    table = decided_at_interim(inputs, rows, files, [])
    assert set(table["verdict"]) == {"inconclusive"} and set(table["decided_after"]) == {0}
    assert table["reason"].str.startswith("the first interim analysis is still to come").all()
    with pytest.raises(FileError, match="not stored yet"):
        analyse_interim(inputs, rows, files, [])


def test_what_is_open_after_an_early_look_says_so() -> None:
    inputs, rows, files = first_stage(world(spread=0.05))
    table = decided_at_interim(inputs, rows, files, [])
    still = table[~table["verdict"].isin(DECIDED)]
    assert len(still) and still["reason"].str.startswith("inconclusive in the interim analysis after 4 blocks").all()
    assert set(still["verdict"]) == {"inconclusive"}, "also if it may be said already that it is not slower"
    look = analyse_interim(inputs, rows, files, [])
    assert {(each.operation, each.bytes) for each in look.open} == set(
        zip(still["operation"], still["bytes"], strict=True)
    )


def test_looks_are_data() -> None:
    """As the driver reads them from the process that takes the look."""
    inputs, rows, files = first_stage(world())
    look = analyse_interim(inputs, rows, files, [])
    assert InterimAnalysis.model_validate_json(look.model_dump_json()) == look


def test_campaigns_of_one_case_take_half_of_the_launches() -> None:
    """A few of the two thousand, with the levels that tables are looked at with."""
    assert [(each.blocks, each.level, each.equal_level) for each in due_analyses(CAMPAIGN)] == SEQUENTIAL
    told, single = campaigns(60, 1)
    assert told.launches <= 0.5
    assert told.false <= 0.05 and single.false <= 0.05
    assert told.found >= single.found - 0.1


@pytest.mark.slow
def test_two_thousand_campaigns() -> None:
    """At most half of the launches, false verdicts in at most 5 %, and at most two points of power lost."""
    told, single = campaigns(2000, 1)
    assert told.launches <= 0.5
    assert told.false <= 0.05
    assert told.found >= single.found - 0.02
    assert told.equal >= single.equal - 0.02


@pytest.mark.slow
@pytest.mark.parametrize("cases", [1, 12])
@pytest.mark.parametrize("factor", [1.05, 1.0501])
def test_errors_hold_where_they_are_most_likely(cases: int, factor: float) -> None:
    """At the threshold: below it a claim is false, above it equality; a share of cases for the latter."""
    made = 1000 if cases == 1 else 200
    told = at_the_edge(made, factor, cases=cases)
    assert told.false <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / made) or (factor > 1.05 and cases > 1)


@pytest.mark.slow
def test_what_tables_of_whole_campaigns_save() -> None:
    """Through plan, looks and stages; six cases on machines with and without regimes."""
    rng = np.random.default_rng(1)
    ended: list[Any] = []
    for number in range(40):
        factors = np.where(rng.random(6) < 0.5, 1.0, rng.choice([1.1, 1.2, 1.5, 2.0], 6) ** rng.choice([-1, 1], 6))
        made = World(rng, CAMPAIGN, PLAN, factors, ("quiet", "blocks", "drift", "dwell-30")[number % 4], 0.02)
        one, whole = sequential(CAMPAIGN, PLAN, made), at_once(CAMPAIGN, PLAN, made)
        wrong, right = judged(one.table, factors, CAMPAIGN.analysis.threshold)
        ended.append((one.measured / 240, wrong.any(), right.mean(), judged(whole, factors, 0.05)[1].mean()))
    measured, wrong, right, at_the_end = np.array(ended, dtype=float).T
    assert np.median(measured) <= 0.7
    assert wrong.mean() <= 0.05
    assert right.mean() >= at_the_end.mean() - 0.02


def test_in_turns_the_unit_of_an_analysis_is_the_block() -> None:
    """Whatever the number of sessions in a block; ratios are of their rounds."""
    inputs, rows, files = first_stage(world())
    session = (
        rows["block"].astype(str) + "." + rows.groupby(["stack", "block", "operation", "bytes"]).cumcount().astype(str)
    )
    columns = ["launch_id", "session", "operation", "bytes", "median_us"]
    slices = rows.assign(session=session)[columns].merge(pd.DataFrame({"round": range(4)}), how="cross")
    table = decided_at_interim(inputs, rows, files, [], slices)
    assert table["in_turns"].all() and table["blocks"].eq(4).all()
    in_turns, single = (
        CAMPAIGN.model_copy(update={"replication": CAMPAIGN.replication.model_copy(update=changes)})
        for changes in ({"design": "turns"}, {"launches_per_block": 1})
    )
    assert due_analyses(in_turns) == due_analyses(single) != due_analyses(CAMPAIGN)
