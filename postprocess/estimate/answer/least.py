# SPDX-License-Identifier: BSD-3-Clause
"""What a difference is at least: the end of its interval nearest to 1, of intervals that hold for all comparisons.

The largest of many differences is selected because it is large, in part by chance, so that neither its ratio nor its
95 % interval may be quoted as that of a single comparison (the winner's curse). What is named is ordered by this bound.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

Ratios = NDArray[np.float64]


def at_least(rows: pd.DataFrame, confidence: float, threshold: float) -> Ratios:
    """Of each comparison the ratio that is shown at least, (C,): above 1 if slower, below 1 if faster, 1 if neither.

    Half the interval is widened by t(1 - α/2m) / t(1 - α/2), so that those of the m comparisons of a family hold
    together (Bonferroni), with the degrees of freedom of the blocks, or of the launches where a block has several. A
    `slower` or `faster` comparison is beyond the threshold at least: its test says so at the level of its family.
    `rows`: family, verdict, ratio, ratio_low, ratio_high, blocks, in_turns, regime, and launches of both sides.
    """
    with np.errstate(divide="ignore"):
        ratio, low, high = np.log(rows[["ratio", "ratio_low", "ratio_high"]].to_numpy(dtype=np.float64)).T
    known = rows.assign(known=np.isfinite(ratio)).groupby("family")["known"]
    tests = known.transform("sum").to_numpy(dtype=np.float64)
    freedom, alpha = _freedom(rows, confidence), 1 - confidence
    with np.errstate(invalid="ignore"):
        wider = stdtrit(freedom, 1 - alpha / 2 / np.maximum(tests, 1)) / stdtrit(freedom, 1 - alpha / 2)
        slower, faster = ratio - wider * (ratio - low), ratio + wider * (high - ratio)
    bound = np.where(slower > 0, slower, np.where(faster < 0, faster, 0.0))
    beyond = np.log1p(threshold)
    bound = np.where(rows["verdict"] == "slower", np.maximum(bound, beyond), bound)
    bound = np.where(rows["verdict"] == "faster", np.minimum(bound, -beyond), bound)
    return np.asarray(np.exp(bound), dtype=np.float64)


def nearest_to_one(low: Ratios, high: Ratios) -> Ratios:
    """The end of each interval that is nearest to 1; 1 if the interval contains it, or an end is not known."""
    return np.where(low > 1, low, np.where(high < 1, high, 1.0))


def _freedom(rows: pd.DataFrame, confidence: float) -> Ratios:
    """Degrees of freedom of the error of each ratio, at least 1.

    How many blocks met a regime is not known here: no fewer than a signed-rank test needs for an interval of this
    confidence, whose smallest p value is 2^(1 - blocks).
    """
    blocks = rows["blocks"].to_numpy(dtype=np.float64)
    launches = rows[["baseline_launches", "candidate_launches"]].to_numpy(dtype=np.float64).sum(axis=1)
    of_blocks = rows["in_turns"].to_numpy(dtype=bool)
    freedom = np.where(of_blocks, blocks - 1, np.maximum(blocks - 1, launches - blocks - 1))
    return np.maximum(np.where(rows["regime"] == "", freedom, np.ceil(-np.log2(1 - confidence))), 1.0)
