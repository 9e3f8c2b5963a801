# SPDX-License-Identifier: BSD-3-Clause
"""The rounds of one case: both libraries and the standard candle on one axis of time, and the ratio beneath."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import grid, legend, log_axis
from isochron.postprocess.kit.figure import INK, MUTED, FigureInfo, Mark, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.turns.table import ROUNDS

#: Sessions of one figure: of more, as many that are spread over the run.
MAX_SESSIONS = 12
#: Between two sessions the axis of time continues after this share of a session.
PAUSE = 0.12
CANDLE = "standard candle (no MPI)"


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The rounds of one case of the first pair of the question; none unless stacks have measured in turns."""
    rounds = analysis[ROUNDS]
    if not len(rounds):
        return
    baseline, candidate = inputs.asked.pairs[0]
    case = labels.case(rounds.iloc[0].to_dict(), inputs)
    shown = _spread_sessions(rounds)
    count, all_sessions = shown["session"].nunique(), rounds["session"].nunique()
    which = f"{count} of {all_sessions} sessions, spread over the run" if count < all_sessions else "all sessions"
    caption = (
        "Above, each marker is the median of one turn; of all cases this is the one whose times vary most. The axis is "
        f"time: {which}, each as wide as the others, without the pauses between them. Beneath, the ratio in each "
        f"round, {candidate} / {baseline}, and its median in each session: what disturbs the machine moves both "
        "libraries, and not their ratio."
    )
    title = f"{case}: {baseline} and {candidate} in turns, round by round{simulation_note(analysis.launches)}"
    info = FigureInfo(file="rounds.svg", title=title, caption=caption, section="turns")
    yield Plot(info, partial(drawn, shown, (baseline, candidate), inputs.campaign.stacks))


def _spread_sessions(rounds: pd.DataFrame) -> pd.DataFrame:
    """Return the rounds of at most `MAX_SESSIONS` sessions, numbered anew."""
    sessions = np.sort(rounds["session"].unique())
    chosen = sessions[np.unique(np.linspace(0, len(sessions) - 1, MAX_SESSIONS).round().astype(int))]
    return rounds[rounds["session"].isin(chosen)].assign(
        session=lambda frame: np.searchsorted(chosen, frame["session"])
    )


def drawn(rounds: pd.DataFrame, pair: tuple[str, str], stacks: list[str]) -> Figure:
    """Times above, ratios beneath. `rounds`: `ROUND_COLUMNS`; `pair`: baseline and candidate."""
    stack_marks = marks(stacks)
    shown = {stack: stack_marks[stack] for stack in pair} | {CANDLE: Mark(MUTED, "x")}
    rounds = rounds.assign(stack=rounds["stack"].replace("", CANDLE), x=_axis(rounds))
    figure, (times, ratios) = grid(2, 1, 1.9)
    ratios.sharex(times)
    for stack, mark in shown.items():
        for _, session in rounds[rounds["stack"] == stack].groupby("session"):
            times.plot(session["x"], session["median_us"], color=mark.colour, marker=mark.marker, markersize=2.5,
                       linewidth=0.7, markeredgewidth=0.6)  # fmt: skip
    log_axis(times, "y")
    times.set_ylabel("Time (µs)")
    times.tick_params(axis="x", length=0, labelbottom=False)
    _ratios(ratios, rounds, pair)
    for edge in np.arange(1, rounds["session"].max() + 1):
        for axes in (times, ratios):
            axes.axvline(edge * (1 + PAUSE) - PAUSE / 2, color=MUTED, linewidth=0.3)
    sessions = range(rounds["session"].max() + 1)
    ratios.tick_params(axis="x", length=0)
    ratios.set_xticks([number * (1 + PAUSE) + 0.5 for number in sessions], [str(number + 1) for number in sessions])
    ratios.set_xlim(-PAUSE / 2, len(sessions) * (1 + PAUSE) - PAUSE / 2)
    times_s = rounds.groupby("session")["t_s"].agg(lambda begins: begins.max() - begins.min())
    lengths = f"{numbers.significant(times_s.min(), 2)} to {numbers.significant(times_s.max(), 2)} s"
    ratios.set_xlabel(f"Time: sessions in their order, each of {lengths}")
    for axes in (times, ratios):
        axes.grid(visible=False, axis="x")
    if not (rounds["stack"] == CANDLE).any():
        del shown[CANDLE]
    legend(figure, shown, joined=True, doubtful=False)
    return figure


def _axis(rounds: pd.DataFrame) -> pd.Series[float]:
    """Return places on the axis of time: each session takes 1, then a pause."""
    times = rounds.groupby("session")["t_s"]
    begins, ends = times.transform("min"), times.transform("max")
    within: pd.Series[float] = (rounds["t_s"] - begins) / (ends - begins).where(ends > begins, 1.0)
    return within + rounds["session"] * (1 + PAUSE)


def _ratios(axes: Axes, rounds: pd.DataFrame, pair: tuple[str, str]) -> None:
    """The ratio of each round, and the median of each session as a line."""
    baseline, candidate = (rounds[rounds["stack"] == stack] for stack in pair)
    both = baseline.merge(candidate, on=["session", "round"], suffixes=("_1", "_2"))
    both = both.assign(ratio=both["median_us_2"] / both["median_us_1"], x=(both["x_1"] + both["x_2"]) / 2)
    axes.plot(both["x"], both["ratio"], color=MUTED, marker="o", markersize=2.5, linewidth=0)
    for _, session in both.groupby("session"):
        axes.plot([session["x"].min(), session["x"].max()], [session["ratio"].median()] * 2, color=INK, linewidth=1.4)
    axes.axhline(1.0, color=MUTED, linewidth=0.6, linestyle="--")
    log_axis(axes, "y")
    axes.set_ylabel(f"{pair[1]} / {pair[0]}", fontsize=7)
