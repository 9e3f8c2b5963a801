# SPDX-License-Identifier: BSD-3-Clause
"""Systematic errors: ratios within blocks, the closed form of the loop, and the shipped campaign that shows all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isochron.common.resources import shipped
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.kit.figure import marks
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis, TableContext
from isochron.postprocess.subjects.systematic import figure as errors
from isochron.postprocess.subjects.systematic.errors import (
    ERRORS,
    LINEAR,
    beside,
    by_rank,
    contrasts_of,
    loop_ratio,
    shows_errors,
)
from isochron.postprocess.subjects.systematic.finding import systematic_errors
from isochron.postprocess.subjects.systematic.section import build_errors
from isochron.postprocess.subjects.systematic.table import SYSTEMATIC_ERRORS, make_errors
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.next_blocks import Flagged
from isochron.workflows.campaign_file import load_campaign
from tests.postprocess.conftest import SMALL
from tests.postprocess.synthetic import Spec, write_run

POINT = {"processes": 4, "processes_per_node": 4, "placement": "packed"}


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return load_campaign(shipped("workflows", "campaigns", "mpiperf.yaml"))


def launches(values: list[float], column: str = "median_us", **what: object) -> pd.DataFrame:
    """One launch of each block from 1 on."""
    known = {"stack": "openmpi-5.0", "operation": "bcast", "bytes": 8192, **POINT, **what}
    return pd.DataFrame([{**known, "block": block, column: value} for block, value in enumerate(values, start=1)])


def test_the_published_loop_ratios() -> None:
    assert [loop_ratio(4, 4, rank) for rank in (1, 2, 3)] == [2.5, 1.375, 1.0]


def test_ratios_are_taken_within_blocks() -> None:
    """The second block is ten times slower for both; the third has no right side, the fourth no time."""
    (row,) = beside("E6", "time", launches([6, 60, 9, 8]), launches([3, 20]).iloc[:2]).to_dict("records")
    assert (row["blocks"], row["ratio"], row["ratio_min"], row["ratio_max"]) == (2, 2.5, 2.0, 3.0)
    assert (row["wrong_us"], row["right_us"]) == (33.0, 11.5)
    assert not len(beside("E6", "time", launches([6]), launches([0])))


def test_a_reason_says_which_way_the_ratio_goes() -> None:
    for error in ERRORS.values():
        assert [error.reason(ratio) for ratio in (2.0, 1.05, 0.5)] == [error.above, error.near, error.below]
        assert len({error.above, error.near, error.below}) == 3


def test_ranks_of_the_linear_broadcast_stand_beside_the_closed_form() -> None:
    wrong = pd.concat([
        launches([2.5 * 10], "local_us", rank=1, operation=LINEAR),
        launches([1.4 * 20], "local_us", rank=2, operation=LINEAR),
        launches([99], "local_us", rank=1),
        launches([30], "local_us", rank=0, operation=LINEAR),
    ])  # fmt: skip
    right = pd.concat([launches([own], "local_us", rank=rank, operation=LINEAR) for rank, own in ((0, 30.0), (1, 7.0))])
    found = pd.concat(by_rank(wrong, right, 4))
    assert list(found["quantity"]) == ["duration on rank 1", "duration on rank 2"]
    assert list(found["ratio"]) == pytest.approx([2.5, 1.4])
    assert list(found["expected"]) == [2.5, 1.375] == list(found["published"])
    other = pd.concat(by_rank(wrong, right, 8))
    assert list(other["expected"]) == [loop_ratio(4, 8, 1), loop_ratio(4, 8, 2)] and other["published"].isna().all()


def test_the_shipped_campaign_shows_every_error(campaign: Campaign) -> None:
    assert set(contrasts_of(campaign)) == {"E3", "E4", "E5", "E6"}
    assert campaign.first_calls is not None and campaign.engine.per_rank and campaign.engine.batch == 4
    assert LINEAR in campaign.operations and 4 in campaign.processes
    assert set(ERRORS) == {f"E{number}" for number in range(1, 7)}


def test_one_contrast_alone_is_no_exhibit(campaign: Campaign) -> None:
    assert shows_errors(campaign)
    assert not shows_errors(campaign.model_copy(update={"contrasts": {"slow": {"scheme": "loop"}}}))
    assert not shows_errors(campaign.model_copy(update={"contrasts": {"both": {"scheme": "loop", "buffers": "cold"}}}))


def test_a_run_with_contrasts_has_ratios_and_reasons(tmp_path: Path) -> None:
    """The loop reads 0.6 times the true time, cold buffers 1.5 times; E4 is warm over cold."""
    ways = {"cold": ({"buffers": "cold"}, 1.5), "loop": ({"scheme": "loop"}, 0.6)}
    inputs = load_inputs(
        write_run(tmp_path / "run", Spec(**{**vars(SMALL), "contrasts": ways, "launches": 6, "launch_spread": 0.005}))
    )
    ingest(inputs)
    context = TableContext(inputs)
    table = make_errors(context)
    assert list(table.columns) == list(SYSTEMATIC_ERRORS.columns)
    expected = table["error"].map({"E4": 1 / 1.5, "E6": 0.6}).to_numpy()
    assert set(table["error"]) == {"E4", "E6"} and set(table["blocks"]) == {6}
    assert table["ratio"].to_numpy() == pytest.approx(expected, rel=0.06)
    assert set(table["reason"]) == {ERRORS["E4"].below, ERRORS["E6"].below}
    assert (table["ratio_min"] <= table["ratio"]).all() and (table["ratio"] <= table["ratio_max"]).all()

    def view(frame: pd.DataFrame) -> object:
        analysis = Analysis(context.launches, Flagged(rows=[], points=[]), {SYSTEMATIC_ERRORS.name: frame})
        return build_errors(Source(inputs, analysis, [], []))

    shown = view(table)
    assert isinstance(shown, list) and [each.number for each in shown] == ["E4", "E6"]
    assert not shown[0].known and shown[1].rows[0].reason == ERRORS["E6"].below
    assert view(table.iloc[:0]) is None

    def said(frame: pd.DataFrame) -> list[Finding]:
        analysis = Analysis(context.launches, Flagged(rows=[], points=[]), {SYSTEMATIC_ERRORS.name: frame})
        return systematic_errors(inputs, analysis)

    [finding] = said(table)
    assert finding.text.startswith("2 of 2 wrong ways to measure change a time by more than 10\u202f% in some case: ")
    furthest = table.loc[np.log(table["ratio"]).abs().idxmax(), "ratio"]
    assert finding.numbers == {"ways": 2, "off": 2, "furthest": furthest}
    assert [line[:3] for line in finding.details] == ["E4,", "E6,"]
    assert said(table.assign(ratio=1.05))[0].text.startswith("0 of 2 wrong ways to measure change")
    assert said(table.iloc[:0]) == []


@pytest.mark.heavy
def test_a_figure_for_each_error() -> None:
    """Bars stand where the closed form says, a line at 1."""
    rows = pd.concat(
        [beside("E5", "spread of starts", launches([3]), launches([1])), *by_rank(
            launches([25], "local_us", rank=1, operation=LINEAR),
            launches([30], "local_us", rank=0, operation=LINEAR), 4,
        )]
    )  # fmt: skip
    first, second = errors.error_plots(rows, marks(["openmpi-5.0", "mpich-5.0"]), "")
    assert [first.info.file, second.info.file] == ["error-e5.svg", "error-e6.svg"]
    assert second.info.title == "E6: a loop without synchronisation" and "Upright bars" in second.info.caption
    (axes,) = second.draw().axes
    assert [2.5, 2.5] in [np.asarray(line.get_xdata()).tolist() for line in axes.get_lines()]
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"{LINEAR}, 8\u202fKiB, duration on rank 1"]
