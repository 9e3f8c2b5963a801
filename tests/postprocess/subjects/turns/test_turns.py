# SPDX-License-Identifier: BSD-3-Clause
"""The findings of libraries in turns, and the figure of the rounds of one case."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import figure_settings
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.turns.figure import CANDLE, MAX_SESSIONS, figures
from isochron.postprocess.subjects.turns.finding import not_asleep, price
from isochron.postprocess.subjects.turns.section import known_to
from isochron.postprocess.subjects.turns.table import COMPANY, COMPANY_CASES, ROUNDS
from isochron.schemas.run.next_blocks import Flagged

POINT = {"processes": 4, "processes_per_node": 4, "placement": "packed"}
CASE = {"operation": "bcast", "bytes": 8, **POINT}
RATIO = {"ratio": 1.0, "ratio_low": 0.99, "ratio_high": 1.01, "verdict": "equivalent"}
PRICE = {"ratio": 1.08, "ratio_low": 1.05, "ratio_high": 1.11, "verdict": "slower"}


def analysis(
    companies: list[dict[str, object]], cases: list[dict[str, object]], rounds: pd.DataFrame | None = None
) -> Analysis:
    """The tables of a run with launches that are not simulated."""
    frames = {
        COMPANY.name: pd.DataFrame(companies),
        COMPANY_CASES.name: pd.DataFrame(cases, columns=["stack", *CASE, "effect", *RATIO]),
        ROUNDS.name: pd.DataFrame() if rounds is None else rounds,
    }
    return Analysis(pd.DataFrame({"simulated": [False], "simulation": [""]}), Flagged(rows=[], points=[]), frames)


def stack(name: str, sleep: str = "asleep", share: float = 0.0, **price_: object) -> dict[str, object]:
    row = {
        "stack": name,
        **POINT,
        "effect": "presence",
        "sleep": sleep,
        "slept_share": share,
        "blocks_not_asleep": int(share > 0),
    }
    return {**row, **RATIO, **price_}


def test_a_stack_that_is_not_asleep_is_named(small: RunInputs) -> None:
    companies = [stack("openmpi-5.0"), stack("mpich-5.0", "not-asleep", 0.83)]
    (finding,) = not_asleep(small, analysis(companies, []))
    assert finding.severity == "warning" and finding.numbers == {
        "stack": "mpich-5.0", "slept_share": 0.83, "blocks": 1,
    }  # fmt: skip
    assert finding.text.startswith("mpich-5.0") and "was not asleep while it waited for its turn" in finding.text
    assert not price(small, analysis(companies, []))


@pytest.mark.parametrize(
    ("on_the_whole", "of_a_case", "said", "severity"),
    [
        (PRICE, RATIO, "is slower on the whole only because of company, by more than 1 %", "warning"),
        (RATIO, PRICE, "is slower in 1 case only because of company", "warning"),
        (PRICE, PRICE, "is slower on the whole and slower in 1 case only because of company", "warning"),
        (RATIO, {**PRICE, "verdict": "faster"}, "is faster in 1 case only because of company", "note"),
    ],
)
def test_a_stack_that_is_slower_only_because_of_company_is_named(
    small: RunInputs, on_the_whole: dict[str, object], of_a_case: dict[str, object], said: str, severity: str
) -> None:
    companies = [stack("openmpi-5.0"), stack("mpich-5.0", **on_the_whole)]
    cases = [{"stack": name, **CASE, "effect": "presence", **RATIO} for name in ("openmpi-5.0", "mpich-5.0")]
    cases[1] |= of_a_case
    (finding,) = price(small, analysis(companies, cases))
    assert finding.severity == severity and said.replace(" %", "\N{NARROW NO-BREAK SPACE}%") in finding.text
    assert finding.numbers["stack"] == "mpich-5.0" and finding.numbers["ratio"] == companies[1]["ratio"]
    assert [line.startswith("bcast at") for line in finding.details] == [True] * (of_a_case is not RATIO)


def test_what_others_leave_behind_is_told_apart_from_their_presence(small: RunInputs) -> None:
    """A stack that is not asleep is named once, though two effects have a line each."""
    companies = [
        stack("mpich-5.0", "not-asleep", 0.5, effect="carry-over", **PRICE),
        stack("mpich-5.0", "not-asleep", 0.5),
    ]
    case = {"stack": "mpich-5.0", **CASE, "effect": "carry-over", **PRICE}
    (finding,) = price(small, analysis(companies, [case]))
    assert "in the first pass of a turn are 1.08" in finding.text and finding.numbers["effect"] == "carry-over"
    assert len(finding.details) == 1 and len(not_asleep(small, analysis(companies, [case]))) == 1


def rounds_of(sessions: int) -> pd.DataFrame:
    """Both stacks under states of the machine that move them by one factor, and the candle."""
    rng = np.random.default_rng(1)
    lines = []
    for session in range(sessions):
        for round_, state in enumerate(rng.lognormal(0, 0.5, 6)):
            for position, (name, level) in enumerate((("openmpi-5.0", 2.0), ("mpich-5.0", 3.0), ("", 1.0))):
                t_s = 10.0 * session + 0.1 * round_ + 0.01 * position
                lines.append({**CASE, "stack": name, "session": session, "round": round_, "t_s": t_s,
                              "median_us": level * state})  # fmt: skip
    return pd.DataFrame(lines)


def test_the_rounds_of_one_case_are_drawn_on_one_axis_of_time(small: RunInputs) -> None:
    rounds = rounds_of(MAX_SESSIONS + 5)
    (plot,) = figures(small, analysis([], [], rounds))
    baseline, candidate = small.asked.pairs[0]
    assert f"{baseline} and {candidate} in turns, round by round" in plot.info.title and plot.info.section == "turns"
    assert f"{MAX_SESSIONS} of {MAX_SESSIONS + 5} sessions" in plot.info.caption
    with figure_settings():
        figure = plot.draw()
    times, ratios = figure.axes
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [baseline, candidate, CANDLE]
    lines = [line for line in times.lines if len(line.get_xdata()) == 6]
    assert len(lines) == 3 * MAX_SESSIONS
    axis = [line.get_xdata() for line in lines[:MAX_SESSIONS]]
    assert all(first[-1] < second[0] for first, second in pairwise(axis)), "sessions follow"
    (dots,) = [line for line in ratios.lines if len(line.get_xdata()) == 6 * MAX_SESSIONS]
    expected = {"openmpi-5.0": 2.0, "mpich-5.0": 3.0}
    assert dots.get_ydata() == pytest.approx(expected[candidate] / expected[baseline]), "the state cancels"


def test_no_figure_without_rounds(small: RunInputs) -> None:
    assert not list(figures(small, analysis([], [])))


@pytest.mark.parametrize(
    ("needed", "said"), [(90, "90 blocks are likely to reduce it"), (20_759, "more blocks do not")]
)
def test_blocks_that_nobody_measures_are_not_proposed(needed: int, said: str) -> None:
    row = {"ratio_low": 0.9, "ratio_high": 1.1, "blocks": 5, "blocks_needed": needed}
    assert said in known_to("presence", pd.DataFrame([row]))
