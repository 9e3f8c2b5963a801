# SPDX-License-Identifier: BSD-3-Clause
"""Values of a run's tables with their intervals, as the checks of published sentences compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.schemas.input.published_findings import Quantity

#: How a row of a time was obtained if the time itself was run; all else is stated beside the value.
RUN = ("simulated", "measured")
#: Columns of the relative interval of a table's times, and of the error of times that were not run (run / model).
LOW, HIGH = "low_factor", "high_factor"
ERRORS = ["largest_factor", "second_factor"]


@dataclass(frozen=True)
class Margins:
    """What a campaign takes as equal: `analysis.threshold` between values, `analysis.model.tolerance` to a model."""

    threshold: float
    tolerance: float


@dataclass(frozen=True)
class Measured:
    """A value with its interval: both ends equal it if it is exact, and are NaN if there is no interval.

    `made`: how it was obtained if it was not run itself, as `model`.
    """

    value: float
    low: float
    high: float
    made: str = ""

    def over(self, other: Measured) -> Measured:
        """The ratio of two positive values, with every ratio that both intervals allow."""
        made = " and ".join(dict.fromkeys(filter(None, (self.made, other.made))))
        return Measured(self.value / other.value, self.low / other.high, self.high / other.low, made)

    def within(self, low: float, high: float) -> bool | None:
        """Return True if all of the interval lies within these bounds, False if none of it does, None otherwise."""
        if low <= self.low and self.high <= high:
            return True
        return False if self.high < low or self.low > high else None

    def at_most(self, other: Measured) -> bool | None:
        """Return True if this is not above the other one wherever both are, False if it is, None otherwise."""
        if self.high <= other.low:
            return True
        return False if self.low > other.high else None


def with_interval(table: pd.DataFrame, summary: pd.DataFrame, operation: str) -> pd.DataFrame:
    """A table of times with LOW, HIGH, relative to the time, and `reliable`, as the results have them.

    `table`: RESULT_KEY; `operation` is that of a table without this column. `summary`: `SUMMARY_COLUMNS`.
    """
    table = table.assign(operation=operation) if operation else table
    factors = {LOW: summary["median_low_us"], HIGH: summary["median_high_us"]}
    ends = summary[RESULT_KEY].assign(
        **{name: end / summary["median_us"] for name, end in factors.items()}, reliable=summary["reliable"]
    )
    return table.drop(columns="reliable", errors="ignore").merge(ends, on=RESULT_KEY, how="left")


def select(quantity: Quantity, table: pd.DataFrame, *, exact: bool) -> pd.DataFrame:
    """The rows that a quantity names, with value, low, high and made (text); none without values above 0.

    `exact`: values without an interval are exact, as those of a simulated machine.
    """
    chosen = pd.Series(True, index=table.index)
    for column, cells in quantity.rows.items():
        chosen &= table[column].isin(cells if isinstance(cells, list) else [cells])
    chosen &= table[quantity.column].gt(0)
    if quantity.over:
        chosen &= table[quantity.over].gt(0)
    rows = table[chosen]
    value = rows[quantity.column].astype(float)
    low, high = _interval(quantity, rows, value)
    if exact:
        low, high = low.fillna(value), high.fillna(value)
    if "reliable" in rows:
        doubted = rows["reliable"].eq(False)
        low, high = low.mask(doubted), high.mask(doubted)
    made = pd.Series("", index=rows.index)
    if "made" in rows:
        made = rows["made"].where(~rows["made"].isin(RUN), "")
        errors = rows.reindex(columns=ERRORS).astype(float)
        low = low.where(made == "", value * np.minimum(errors.min(axis=1), 1))
        high = high.where(made == "", value * np.maximum(errors.max(axis=1), 1))
    divisor = rows[quantity.over].astype(float) if quantity.over else 1.0
    return rows.assign(value=value / divisor, low=low / divisor, high=high / divisor, made=made)


def _interval(
    quantity: Quantity, rows: pd.DataFrame, value: pd.Series[float]
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Both ends of the interval; NaN where there is none. A rate has that of its time, inverted."""
    if quantity.low is not None and quantity.high is not None:
        return rows[quantity.low].astype(float), rows[quantity.high].astype(float)
    if LOW not in rows:
        return pd.Series(nan, index=rows.index), pd.Series(nan, index=rows.index)
    if quantity.column.endswith("_us"):
        return value * rows[LOW], value * rows[HIGH]
    return value / rows[HIGH], value / rows[LOW]


def measured(row: Mapping[Any, Any]) -> Measured:
    """The value of a row of `select`."""
    return Measured(float(row["value"]), float(row["low"]), float(row["high"]), str(row["made"]))
