# SPDX-License-Identifier: BSD-3-Clause
"""Forest plots: the axis ends at a mark, and a wide interval is clipped instead of flattening all others."""

from __future__ import annotations

from itertools import pairwise
from math import inf, log, nan
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.subjects.answer.forest import MARKS, Forest, forest, limits

#: Half the width of the usual intervals below, as a logarithm.
HALF = 0.02


def lines(*ratios: float) -> list[dict[str, Any]]:
    return [
        {
            "ratio": ratio,
            "ratio_low": ratio / (1 + HALF),
            "ratio_high": ratio * (1 + HALF),
            "again_low": nan,
            "again_high": nan,
            "next_low": nan,
            "next_high": nan,
            "jobs": nan,
            "verdict": "slower",
        }
        for ratio in ratios
    ]


def plotted(rows: list[dict[str, Any]]) -> Forest:
    return forest(pd.DataFrame(rows), lambda _: "case", 0.05)


def test_a_wide_interval_is_clipped_and_counted() -> None:
    """Beside it the others keep their places: the axis is about the bulk of the intervals and every ratio."""
    usual = lines(1.1, 1.2, 1.3)
    wide = {"ratio": 1.25, "ratio_low": 0.2, "ratio_high": 12.9, "verdict": "inconclusive"}
    plot = plotted([*usual, wide])
    assert plot.clipped == 1 and plot.lines[-1].clipped == ("low", "high")
    assert [line.clipped for line in plot.lines[:-1]] == [(), (), ()]
    assert plot.lines[2].at - plot.lines[0].at > 30
    assert plotted(usual).clipped == 0


@pytest.mark.parametrize("end", [("ratio_low", nan), ("ratio_high", inf), ("ratio_high", nan)])
def test_an_end_that_is_not_known_has_an_arrow(end: tuple[str, float]) -> None:
    name, value = end
    plot = plotted([*lines(1.1, 1.2), {**lines(1.3)[0], name: value}])
    assert plot.clipped == 1 and plot.lines[-1].clipped == (name.removeprefix("ratio_"),)


@pytest.mark.parametrize("ratio", [1.35, 0.62, 3.3, 40.0, 250.0])
def test_the_axis_ends_at_a_mark_beyond_every_ratio(ratio: float) -> None:
    """With its text: an axis that ended at 1.2 had marks at 1.35."""
    plot = plotted(lines(ratio, 1.0))
    shown = [float(text) for _, text in plot.marks]
    assert min(shown) < ratio < max(shown) if ratio > 1 else min(shown) < ratio
    outer = plot.marks[-1] if ratio > 1 else plot.marks[0]
    assert outer[0] == (97.0 if ratio > 1 else 3.0)
    assert all(3 < line.at < 97 and not line.clipped for line in plot.lines)


def test_marks_that_would_touch_on_a_narrow_screen_are_left_out() -> None:
    """A mark and its neighbour need a quarter of the 105 pixels that a plot has on a screen of 390."""
    for ratio in (0.84, 0.9, 1.1, 1.5, 3.0, 40.0):
        places = [place for place, _ in plotted(lines(ratio, 1.0)).marks]
        assert all(after - before > 23 for before, after in pairwise(places))


def test_a_forecast_of_another_job_is_drawn_as_far_as_the_axis_reaches() -> None:
    """Without one a line says why, if there was one job."""
    usual = lines(1.1, 1.2, 1.3)
    known, wide, single = usual
    known |= {"jobs": 4.0, "next_low": 1.05, "next_high": 1.15}
    wide |= {"jobs": 4.0, "next_low": 0.1, "next_high": 12.0}
    single |= {"jobs": 1.0}
    plot = plotted(usual)
    first, second, third = plot.lines
    assert first.another is not None and first.another[0] < first.low < first.high < first.another[1]
    assert second.another == (3.0, 97.0)
    assert (third.another, third.another_job) == (None, "cannot forecast: one job")
    assert plot.another and not plot.one_job
    assert plotted([single]).one_job and not plotted([single]).another
    assert not plotted(lines(1.1)).one_job


def test_limits_contain_every_ratio_and_are_marks() -> None:
    low, high = limits([(log(2.0), log(1.9), log(2.1)), (log(0.5), -inf, inf)], 0.05)
    assert low <= log(0.5) and high >= log(2.1)
    assert any(log(mark) == pytest.approx(-low) for mark in MARKS)
    assert limits([], 0.05) == (pytest.approx(-log(1.2)), pytest.approx(log(1.2)))
