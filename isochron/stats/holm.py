# SPDX-License-Identifier: BSD-3-Clause
"""Correction for many tests at once."""

from __future__ import annotations

import numpy as np

from isochron.stats.launches import Values


def holm(p_values: Values) -> Values:
    """Adjusted p values that keep the family-wise error (Holm 1979). Shape (T,) → (T,).

    The i-th smallest of T is multiplied by T - i + 1, made monotone and cut at 1. NaN stands for
    a test that was not made: it stays NaN and does not count.
    """
    adjusted = np.full(len(p_values), np.nan)
    made = np.flatnonzero(~np.isnan(p_values))
    order = made[np.argsort(p_values[made], kind="stable")]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted
