# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons in two states that no probe need tell apart: the ratio in either of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.stats.groups import gap, slow
from isochron.stats.launches import Values, known_medians

#: Columns of `comparison.csv`.
STATE_COLUMNS = {
    "fast_ratio": "ratio in the faster of two states; empty where there are no two. In turns there are two if the "
    "ratios of the blocks fall into two groups: this is the median of the smaller ones. Otherwise if the launches of a "
    "stack do: this is of the medians of the faster groups, a stack in one group with all its launches",
    "slow_ratio": "ratio in the slower of them, likewise; in turns the median of the larger ratios",
}
STATES = list(STATE_COLUMNS)


def ratios_in_states(logs: Values, names: Values) -> tuple[Values, Values]:
    """The logarithms of the ratio in the faster and in the slower state, (C,); NaN where there is one state only.

    `logs`: (U, C), logarithms of the times of launches, or in turns differences (`names` 1) and zeros (0).
    """
    sides = [_sides(logs[names == name]) for name in (1, 0)]
    apart = sides[0][2] | sides[1][2]
    fast, slower = (np.where(apart, one - other, np.nan) for one, other in zip(sides[0][:2], sides[1][:2], strict=True))
    return fast, slower


def _sides(logs: Values) -> tuple[Values, Values, NDArray[np.bool_]]:
    """Of each case the medians of the faster and of the slower group, of all where there is one, and if there are two.

    Shape (L, C) → (C,) each.
    """
    values = logs.T
    apart = np.asarray(np.isfinite(gap(np.exp(values))))
    upper = slow(np.exp(values))
    known = ~apart[:, None]
    groups = [np.where(known | group, values, np.nan) for group in (~upper, upper)]
    lower, higher = (known_medians(group) for group in groups)
    return lower, higher, apart


def in_two_states(table: pd.DataFrame) -> pd.Series[bool]:
    """Of each row whether there are two states that no probe tells apart."""
    return table["fast_ratio"].notna() & (table["by_regime"] == "")


def state_texts(table: pd.DataFrame) -> list[str]:
    """Of each row `1.08× in the faster group, 1.52× in the slower one`; nothing if there are no two states."""
    pairs = table[STATES].itertuples(index=False, name=None)
    words = table["in_turns"].map({True: ("smaller", "larger"), False: ("faster", "slower")})
    return [
        f"{one:.2f}× in the {low} group, {other:.2f}× in the {high} one" if np.isfinite(one) else ""
        for (one, other), (low, high) in zip(pairs, words, strict=True)
    ]


def mixed_texts(table: pd.DataFrame) -> list[str]:
    """Of each row why its claim is of two states."""
    what = np.where(table["in_turns"], "ratios of blocks", "launches")
    return [
        f"{each} fall into two groups, which no probe tells apart: {text}; this is of both together"
        for each, text in zip(what, state_texts(table), strict=True)
    ]
