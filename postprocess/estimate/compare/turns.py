# SPDX-License-Identifier: BSD-3-Clause
"""A comparison in turns on a machine with two regimes: which of them its ratio is of, and what the other one says.

In turns both stacks meet the same regime in every round, so the candle assigns each round to a regime, and the ratio of
one regime is no less valid than that of all rounds. A mixture of two regimes in which the ratios differ is never used.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.compare.interference import CLAIMS, Holds, ratio_text
from isochron.postprocess.estimate.values.launches import QUIET
from isochron.stats.adjustment import NARROWER, SAME
from isochron.stats.turns import ByRegimeInTurns

DISTURBED = "disturbed"
#: Columns of `comparison.csv`.
TURNS_COLUMNS = {
    "regime": "in turns, if rounds met two regimes of the machine: the one that ratio, interval and tests are of, "
    "`quiet` or, if too few blocks met that, `disturbed`; empty if they are of all rounds, because the ratio is not "
    "shown to differ between the regimes",
}
#: p values in the disturbed regime, corrected, until the verdicts are made; those in the quiet one are `QUIET_P`.
DISTURBED_P = [f"disturbed_{claim}" for claim in CLAIMS]
#: Likewise the ends of the intervals that hold for all cases and both regimes together.
JOINT = {regime: (f"{regime}_joint_low", f"{regime}_joint_high") for regime in (QUIET, DISTURBED)}


def no_turns(rows: int) -> dict[str, Any]:
    """`TURNS_COLUMNS`, `DISTURBED_P` and `JOINT` if nothing is known."""
    columns: dict[str, Any] = {name: np.full(rows, np.nan) for name in chain(DISTURBED_P, *JOINT.values())}
    return columns | {"regime": np.full(rows, "", dtype=object)}


def note_regime(columns: dict[str, Any], rows: NDArray[np.intp], ratios: ByRegimeInTurns) -> None:
    """Replace the ratio of all rounds by that of one regime if the ratios are shown to differ, or if that gains much.

    Shown to differ: the intervals of the two are disjoint. If the ratios do not differ, that happens by chance in about
    1 % of cases, so that what is selected keeps its coverage. It is the ratio of the quiet regime, or, if that has no
    interval, of the disturbed one. The names of the stacks play no part. `columns`: with `REGIME_COLUMNS`.
    """
    low, high = (
        np.log([columns[f"{name}_{end}"][rows] for name in ("ratio", QUIET, DISTURBED)]) for end in ("low", "high")
    )
    every, quiet, disturbed = high - low
    disjoint = np.maximum(low[1], low[2]) > np.minimum(high[1], high[2])
    unknown = np.isnan(quiet) & np.isfinite(disturbed) & (ratios.relation != SAME)
    chosen = np.select([disjoint | (quiet <= NARROWER * every), unknown], [QUIET, DISTURBED], "")
    columns["regime"][rows] = chosen
    columns["common_part"][rows[chosen != ""]] = False
    for regime, shifts, p_values, joint in (
        (QUIET, ratios.quiet, ratios.quiet_p, ratios.quiet_joint),
        (DISTURBED, ratios.disturbed, ratios.disturbed_p, ratios.disturbed_joint),
    ):
        for name, ends in zip(JOINT[regime], joint, strict=True):
            columns[name][rows] = np.exp(ends)
        of_regime = chosen == regime
        at = rows[of_regime]
        columns["p_value"][at], columns["confidence"][at] = p_values[of_regime], shifts.confidence
        for name, source in (("ratio", "ratio"), ("ratio_low", "low"), ("ratio_high", "high")):
            columns[name][at] = columns[f"{regime}_{source}"][at]


def note_regime_tests(columns: dict[str, Any], factor: float, families: int) -> None:
    """Replace the p values likewise. `factor`: 1 + the practical threshold; `families`: pairs that share the level.

    If the intervals of both regimes show a claim, it may be significant over all rounds or in either regime: all these
    tests are of one family. What the claim asks of its own regime is then a matter of the cases of this pair, and not
    multiplied by the number of pairs. If the intervals that hold for all cases and both regimes together show it, too,
    it asks no more: the exact test of the few blocks that met one of the regimes can show nothing among many cases.
    """
    ends = {regime: (f"{regime}_low", f"{regime}_high") for regime in (QUIET, DISTURBED)}
    shown, shown_for_all = _shown(columns, ends, factor), _shown(columns, JOINT, factor)
    for claim in CLAIMS:
        tests = {name: columns[f"{name}_{claim}"] for name in ("p", QUIET, DISTURBED)}
        least = np.fmin.reduce(list(tests.values()))
        for regime in (QUIET, DISTURBED):
            asked = np.where(shown_for_all[claim], least, np.fmax(least, tests[regime] / families))
            p_value = np.where(shown[claim], asked, tests[regime])
            columns[f"p_{claim}"] = np.where(columns["regime"] == regime, p_value, columns[f"p_{claim}"])


def _shown(columns: dict[str, Any], ends: dict[str, tuple[str, str]], factor: float) -> dict[str, NDArray[np.bool_]]:
    """Return of each claim the rows in which the intervals of both regimes show it: none if one has no interval."""
    low = np.minimum(*(columns[ends[regime][0]] for regime in (QUIET, DISTURBED)))
    high = np.maximum(*(columns[ends[regime][1]] for regime in (QUIET, DISTURBED)))
    return {
        "slower": low >= factor,
        "faster": high <= 1 / factor,
        "not_slower": high <= factor,
        "not_faster": low >= 1 / factor,
    }


@dataclass(frozen=True)
class SafeEnds:
    """Of each row the lower and the upper end in each regime, by its name; NaN if there is no interval."""

    low: dict[str, pd.Series[float]]
    high: dict[str, pd.Series[float]]


def safe_ends(table: pd.DataFrame) -> SafeEnds:
    """Return the outer ends of both intervals of each regime: its own, and that for all cases and both regimes.

    What these show is false only if one of the joint intervals misses its ratio. The intervals of single cases would
    not do: if a few blocks only met one of the regimes, some of its wide intervals are on the wrong side of the
    threshold by chance.
    """
    return SafeEnds(
        {name: table[[f"{name}_low", joint]].min(axis=1, skipna=False) for name, (joint, _) in JOINT.items()},
        {name: table[[f"{name}_high", joint]].max(axis=1, skipna=False) for name, (_, joint) in JOINT.items()},
    )


def held_in_turns(table: pd.DataFrame, held: Holds, ends: SafeEnds, factor: float) -> Holds:
    """`held`, but in turns a claim of one regime needs no more than that the other one does not contradict it.

    The interval of a regime contradicts `slower` and `faster` if it excludes a difference beyond the threshold on that
    side, its estimate contradicts `equivalent`, `not-slower` and `not-faster` if it is beyond the threshold. Nor may a
    regime contradict what all rounds say. `slower` and `faster` of all rounds also hold if they are shown in both
    regimes by their intervals, where the exact tests of the few blocks that met one of them can show nothing. `ends`:
    of the table.
    """
    of_regime, low, high = table["regime"] != "", ends.low, ends.high
    slower, faster, not_slower, not_faster = (
        claim | of_regime for claim in (held.slower, held.faster, held.not_slower, held.not_faster)
    )
    slower |= (low[QUIET] >= factor) & (low[DISTURBED] >= factor)
    faster |= (high[QUIET] <= 1 / factor) & (high[DISTURBED] <= 1 / factor)
    for regime in (QUIET, DISTURBED):
        ratio, regime_low, regime_high = (table[f"{regime}_{end}"] for end in ("ratio", "low", "high"))
        without = ~table["in_turns"] | ratio.isna()
        slower &= without | (regime_high >= factor)
        faster &= without | (regime_low <= 1 / factor)
        not_slower &= without | (ratio <= factor)
        not_faster &= without | (ratio >= 1 / factor)
    return Holds(slower, faster, not_slower & not_faster, not_slower, not_faster)


def depends(table: pd.DataFrame, ends: SafeEnds, factor: float) -> NDArray[np.bool_]:
    """Of each row whether a difference beyond the threshold is shown in one regime only, and the ratios do differ.

    Both are shown by intervals that hold for all cases and both regimes together: that the difference is there, and
    that the other regime's ratio is on its near side. Either is false only if one of these misses its ratio. `ends`: of
    the table.
    """
    low, high = ends.low, ends.high
    only_one = np.zeros(len(table), dtype=bool)
    for one, other in ((QUIET, DISTURBED), (DISTURBED, QUIET)):
        joint_low, joint_high = (table[name] for name in JOINT[other])
        slower, not_slower = low[one] >= factor, table[f"{other}_low"] < factor
        faster, not_faster = high[one] <= 1 / factor, table[f"{other}_high"] > 1 / factor
        only_one |= (slower & not_slower & (joint_high < low[one])).to_numpy()
        only_one |= (faster & not_faster & (joint_low > high[one])).to_numpy()
    return only_one


def regime_texts(table: pd.DataFrame) -> list[str]:
    """Of each row which regime a claim is of, and the ratio in the other one; nothing if it is of all rounds."""
    ratios = {
        regime: table[[f"{regime}_{end}" for end in ("ratio", "low", "high")]].to_numpy()
        for regime in (QUIET, DISTURBED)
    }
    return [
        regime and f"in the {regime} regime of the machine; {ratio_text(*ratios[other][row])} in the {other} one"
        for row, regime in enumerate(table["regime"])
        for other in [DISTURBED if regime == QUIET else QUIET]
    ]
