# SPDX-License-Identifier: BSD-3-Clause
"""A ratio in each regime of the machine, and whether what is claimed of all launches holds in the quiet one.

Two sides that a regime slows down by different factors have a ratio in each regime, and none over all launches: that
goes with the share of slow ones. So where a probe shows two regimes, a claim has to hold in the quiet one as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.stats.adjustment import DIFFERS, SAME, UNKNOWN, ByRegime
from isochron.stats.shift import Shifts

#: Columns of a table of ratios.
REGIME_COLUMNS = {
    "by_regime": "where a probe shows that launches met two regimes of the machine, whether the ratio is the "
    "`same` in both (it is not shown to differ), `differs`, or is `unknown` in the quiet one, which too few launches "
    "met; else empty",
    "quiet_ratio": "as `ratio`, between the launches that met the quiet regime; empty where there are no two regimes, "
    "or too few launches for an interval",
    "quiet_low": "lower end of its interval",
    "quiet_high": "upper end of that interval",
    "disturbed_ratio": "as `quiet_ratio`, between the launches that met a slower regime",
    "disturbed_low": "lower end of its interval",
    "disturbed_high": "upper end of that interval",
}
#: Why a claim does not hold, before the ratios of the two regimes.
NOT_SHOWN = "not shown in the quiet regime of the machine"
WHY = {DIFFERS: "depends on the regime of the machine", SAME: NOT_SHOWN, UNKNOWN: NOT_SHOWN}
#: What stands beside them until the verdicts are made: p values in the quiet regime, corrected.
QUIET_P = ["quiet_slower", "quiet_faster"]


def no_regimes(rows: int) -> dict[str, Any]:
    """`REGIME_COLUMNS` and `QUIET_P` where nothing is known."""
    known: dict[str, Any] = {name: np.full(rows, np.nan) for name in [*REGIME_COLUMNS, *QUIET_P]}
    return known | {"by_regime": np.full(rows, "", dtype=object)}


def note_regimes(known: dict[str, Any], at: NDArray[np.intp], found: ByRegime) -> None:
    """Write what is known into the columns. `at`: the rows of all cases of the pair."""
    rows = at[found.cases]
    known["by_regime"][rows] = found.relation
    for name, shifts in (("quiet", found.quiet), ("disturbed", found.disturbed)):
        _note(known, rows, name, shifts)


def _note(known: dict[str, Any], rows: NDArray[np.intp], name: str, shifts: Shifts) -> None:
    with np.errstate(over="ignore"):
        known[f"{name}_ratio"][rows] = np.exp(shifts.estimate)
        known[f"{name}_low"][rows], known[f"{name}_high"][rows] = np.exp(shifts.low), np.exp(shifts.high)


@dataclass(frozen=True)
class Holds:
    """Of each row whether, as far as regimes go, it may be said of all launches that they are so."""

    slower: pd.Series[bool]
    faster: pd.Series[bool]
    equal: pd.Series[bool]


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
    )


def reasons(table: pd.DataFrame) -> list[str]:
    """Of each row why a claim does not hold in the quiet regime; nothing where there are no two."""
    sides = [table[[f"{name}_{end}" for end in ("ratio", "low", "high")]] for name in ("quiet", "disturbed")]
    texts = [[_ratio(*row) for row in side.itertuples(index=False, name=None)] for side in sides]
    return [
        relation and f"{WHY[relation]}: {quiet} in the quiet one, {disturbed} in the disturbed one"
        for relation, quiet, disturbed in zip(table["by_regime"], *texts, strict=True)
    ]


def _ratio(ratio: float, low: float, high: float) -> str:
    """`1.02 [0.99; 1.05]`."""
    return "not known" if np.isnan(ratio) else f"{ratio:.2f} [{low:.2f}; {high:.2f}]"
