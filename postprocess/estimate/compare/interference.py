# SPDX-License-Identifier: BSD-3-Clause
"""A comparison under interference: adjusted by probe readings, and by regime of the machine.

Two stacks that a regime slows down by different factors have a ratio in each regime, and none over all launches: that
depends on the share of slow launches. If a probe shows two regimes, a claim must therefore hold in the quiet one, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.compare.pairs import Pair
from isochron.postprocess.estimate.values.launches import NO_PROBE, PROBES, QUIET
from isochron.stats.adjustment import DIFFERS, NARROWER, SAME, UNKNOWN, Adjustment, ByRegime
from isochron.stats.shift import Shifts

#: Columns of `comparison.csv`, beside the plain ones.
ADJUSTED_COLUMNS = {
    "adjusted_by": "the probe that makes the launches more alike: `cache_line_ns`, "
    "`copy_gbs` or `network_us`, in turns the standard candle, `candle_us`; `quiet`: only launches that met the quiet "
    "regime of the machine count, because that decides more; in turns as `regime`, if the plain ratio is of one; "
    "`none`: no probe does, and the adjusted values are the plain ones; empty: nothing was read, or the probes differ "
    "between the stacks",
    "adjusted_slope": "by how many per cent the times of launches differ for each per cent by which the probe does",
    "adjusted_ratio": "as `ratio`, after what the probe explains is taken out of each launch; never in its place",
    "adjusted_low": "lower end of its interval, likewise from the rank test within blocks",
    "adjusted_high": "upper end of that interval",
    "adjusted_p": "as `p_adjusted`; the correction is over plain and adjusted values together",
    "adjusted_verdict": "verdict by the adjusted values, or, where they leave it open, `slower` or `faster` by the "
    "plain ones: both keep one level together; nothing else goes by it",
}
#: What is tested of each row: `DIFFERENCES` are one family of tests, `BOUNDS` another one.
DIFFERENCES, BOUNDS = ("slower", "faster"), ("not_slower", "not_faster")
CLAIMS = (*DIFFERENCES, *BOUNDS)
#: What stands beside them until the verdicts are made.
ADJUSTED_P = [f"adjusted_{claim}" for claim in CLAIMS]
#: The same of plain and adjusted values, by the names that the judgement knows.
PLAIN = {
    "ratio_low": "adjusted_low",
    "ratio_high": "adjusted_high",
    **{f"p_{claim}": f"adjusted_{claim}" for claim in CLAIMS},
}


def not_adjusted(rows: int) -> dict[str, Any]:
    """`ADJUSTED_COLUMNS` and `ADJUSTED_P` if nothing is known."""
    columns: dict[str, Any] = {name: np.full(rows, np.nan) for name in [*ADJUSTED_COLUMNS, *ADJUSTED_P]}
    words = ("adjusted_by", "adjusted_verdict", "adjusted_by_regime")
    return columns | {name: np.full(rows, "", dtype=object) for name in words}


def note_adjusted(columns: dict[str, Any], at: NDArray[np.intp], pair: Pair, fitted: Adjustment) -> None:
    """The same of the adjusted values: those of the cases in which a probe is used, else the plain ones."""
    rows = at[fitted.known]
    columns["adjusted_by"][rows] = np.array([*PROBES, NO_PROBE], dtype=object)[fitted.chosen[fitted.known]]
    columns["adjusted_slope"][rows] = fitted.slope[fitted.known]
    for name, plain in zip(("ratio", "low", "high"), ("ratio", "ratio_low", "ratio_high"), strict=True):
        columns[f"adjusted_{name}"][rows] = columns[plain][rows]
    if pair.adjusted is not None:
        ratio, pair_rows = pair.adjusted.ratio, at[pair.adjusted.cases]
        with np.errstate(over="ignore"):
            columns["adjusted_ratio"][pair_rows] = np.exp(ratio.estimate)
            columns["adjusted_low"][pair_rows], columns["adjusted_high"][pair_rows] = (
                np.exp(ratio.low),
                np.exp(ratio.high),
            )
        if pair.adjusted.regimes is not None:
            columns["adjusted_by_regime"][pair_rows[pair.adjusted.regimes.cases]] = pair.adjusted.regimes.relation
    if pair.in_turns:
        _note_regime(columns, rows[columns["regime"][rows] != ""])
    else:
        _note_quiet(columns, rows)


def _note_regime(columns: dict[str, Any], rows: NDArray[np.intp]) -> None:
    """The plain ratio of one regime is the adjusted one: a slope over both regimes would mix them."""
    for name, plain in zip(("ratio", "low", "high"), ("ratio", "ratio_low", "ratio_high"), strict=True):
        columns[f"adjusted_{name}"][rows] = columns[plain][rows]
    columns["adjusted_by"][rows], columns["adjusted_slope"][rows] = columns["regime"][rows], np.nan


def _note_quiet(columns: dict[str, Any], rows: NDArray[np.intp]) -> None:
    """The ratio of the quiet regime as the adjusted one, where it decides that much more."""
    quiet, adjusted = (
        [columns[f"{name}_{end}"][rows] for end in ("ratio", "low", "high")] for name in (QUIET, "adjusted")
    )
    narrower = np.log(quiet[2] / quiet[1]) <= NARROWER * np.log(adjusted[2] / adjusted[1])
    for end, values in zip(("ratio", "low", "high"), quiet, strict=True):
        columns[f"adjusted_{end}"][rows[narrower]] = values[narrower]
    columns["adjusted_by"][rows[narrower]], columns["adjusted_slope"][rows[narrower]] = QUIET, np.nan


def note_adjusted_tests(columns: dict[str, Any]) -> None:
    """The p values of rows that no probe adjusts are those of the plain values, also of those of one regime."""
    same = (columns["adjusted_by"] == NO_PROBE) | (columns["regime"] != "")
    for claim in CLAIMS:
        columns[f"adjusted_{claim}"][same] = columns[f"p_{claim}"][same]


def in_place_of_plain(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the adjusted numbers where a judgement looks for the plain ones.

    Of two regimes all that matters after a slope is whether the adjusted ratio still differs between them.
    """
    slope = table["adjusted_by"].isin(list(PROBES))
    relation = table["by_regime"].mask(table["adjusted_by"] == QUIET, "").mask(slope, table["adjusted_by_regime"])
    regimes = {
        f"{name}_{end}": table[f"{name}_{end}"].mask(slope)
        for name in ("quiet", "disturbed")
        for end in ("ratio", "low", "high")
    }
    return table.assign(**{plain: table[name] for plain, name in PLAIN.items()}, **regimes, by_regime=relation)


#: Columns of a table of ratios.
REGIME_COLUMNS = {
    "by_regime": "where a probe shows that launches met two regimes of the machine, whether the ratio is the "
    "`same` in both (it is not shown to differ), `differs`, or is `unknown` in the quiet one, which too few launches "
    "met; else empty",
    "quiet_ratio": "as `ratio`, between the launches that met the quiet regime, in turns of the rounds that met it by "
    "the standard candle; empty where there are no two regimes, or too few launches or blocks for an interval",
    "quiet_low": "lower end of its interval",
    "quiet_high": "upper end of that interval",
    "disturbed_ratio": "as `quiet_ratio`, of the launches or rounds that met a slower regime",
    "disturbed_low": "lower end of its interval",
    "disturbed_high": "upper end of that interval",
}
#: Why a claim does not hold, before the ratios of the two regimes.
NOT_SHOWN = "not shown in the quiet regime of the machine"
WHY = {DIFFERS: "depends on the regime of the machine", SAME: NOT_SHOWN, UNKNOWN: NOT_SHOWN}
#: What stands beside them until the verdicts are made: p values in the quiet regime, corrected.
QUIET_P = [f"quiet_{claim}" for claim in CLAIMS]


def no_regimes(rows: int) -> dict[str, Any]:
    """`REGIME_COLUMNS` and `QUIET_P` if nothing is known."""
    columns: dict[str, Any] = {name: np.full(rows, np.nan) for name in [*REGIME_COLUMNS, *QUIET_P]}
    return columns | {"by_regime": np.full(rows, "", dtype=object)}


def note_regimes(columns: dict[str, Any], at: NDArray[np.intp], ratios: ByRegime) -> None:
    """Write what is known into the columns. `at`: the rows of all cases of the pair."""
    rows = at[ratios.cases]
    columns["by_regime"][rows] = ratios.relation
    for name, shifts in (("quiet", ratios.quiet), ("disturbed", ratios.disturbed)):
        _note(columns, rows, name, shifts)


def _note(columns: dict[str, Any], rows: NDArray[np.intp], name: str, shifts: Shifts) -> None:
    with np.errstate(over="ignore"):
        columns[f"{name}_ratio"][rows] = np.exp(shifts.estimate)
        columns[f"{name}_low"][rows], columns[f"{name}_high"][rows] = np.exp(shifts.low), np.exp(shifts.high)


@dataclass(frozen=True)
class Holds:
    """Of each row whether, as far as regimes go, it may be said of all launches that they are so."""

    slower: pd.Series[bool]
    faster: pd.Series[bool]
    equal: pd.Series[bool]
    not_slower: pd.Series[bool]
    not_faster: pd.Series[bool]


def holds(table: pd.DataFrame, alpha: float, factor: float) -> Holds:
    """`table`: `REGIME_COLUMNS` and `QUIET_P`; `factor`: 1 + the practical threshold.

    With two regimes a claim is to be significant in the quiet one by itself, or, where the ratio is not shown to differ
    between them, to have the whole interval of the quiet one on its side of 1, if that has an interval.
    """
    one, same = table["by_regime"] == "", table["by_regime"] == SAME
    low, high, none = table["quiet_low"], table["quiet_high"], table["quiet_ratio"].isna()
    return Holds(
        slower=one | (same & (none | (low > 1))) | (table["quiet_slower"] <= alpha),
        faster=one | (same & (none | (high < 1))) | (table["quiet_faster"] <= alpha),
        equal=one | same | ((low >= 1 / factor) & (high <= factor)),
        not_slower=one | same | (high <= factor),
        not_faster=one | same | (low >= 1 / factor),
    )


def reasons(table: pd.DataFrame) -> list[str]:
    """Of each row why a claim does not hold in the quiet regime; nothing if there are no two."""
    ratios = iter(both_ratios(table[table["by_regime"] != ""], "one"))
    return [relation and f"{WHY[relation]}: {next(ratios)}" for relation in table["by_regime"]]


def both_ratios(table: pd.DataFrame, noun: str = "regime") -> list[str]:
    """Of each row `1.08 [1.06; 1.10] in the quiet regime, 0.93 [0.91; 0.95] in the disturbed one`."""
    sides = [table[[f"{name}_{end}" for end in ("ratio", "low", "high")]] for name in ("quiet", "disturbed")]
    texts = [[ratio_text(*row) for row in side.itertuples(index=False, name=None)] for side in sides]
    return [
        f"{quiet} in the quiet {noun}, {disturbed} in the disturbed one"
        for quiet, disturbed in zip(*texts, strict=True)
    ]


def ratio_text(ratio: float, low: float, high: float) -> str:
    """`1.02 [0.99; 1.05]`."""
    return "not known" if np.isnan(ratio) else f"{ratio:.2f} [{low:.2f}; {high:.2f}]"
