# SPDX-License-Identifier: BSD-3-Clause
"""Which comparisons answer the question of a campaign, and how much each counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import CASE
from isochron.schemas.input.question import Question

#: Stands in the place of the baseline where a stack is set against all others.
ALL = "all others"


def answering(table: pd.DataFrame, line: Mapping[Any, Any]) -> pd.DataFrame:
    """The comparisons that a line of `answers.csv` rests on. `table`: `oriented`."""
    own = table["stack"] == line["candidate"]
    if line["baseline"] != ALL:
        own &= table["other"] == line["baseline"]
    rows: pd.DataFrame = table[own]
    return rows


def counting(rows: pd.DataFrame, question: Question) -> pd.DataFrame:
    """The rows (CASE) that count, with their `weight`."""
    weights = [question.weight(*each) for each in zip(rows["operation"], rows["bytes"], strict=True)]
    weighed = rows.assign(weight=np.array(weights, dtype=np.float64))
    return weighed[weighed["weight"] > 0]


def oriented(table: pd.DataFrame) -> pd.DataFrame:
    """Every comparison both ways round: `stack` against `other`, `ratio` above 1 where `stack` is slower.

    `table`: `PAIRS_COLUMNS`. The index is that of the table, so that both ways of a comparison have the same.
    """
    columns = [*CASE, "ratio", "ratio_low", "ratio_high", "blocks", "verdict", "reason", "family"]
    forth = table[columns].assign(stack=table["candidate"], other=table["baseline"])
    turned = {"faster": "slower", "slower": "faster", "missing": "new", "new": "missing"}
    back = table[columns].assign(
        stack=table["baseline"],
        other=table["candidate"],
        ratio=1 / table["ratio"],
        ratio_low=1 / table["ratio_high"],
        ratio_high=1 / table["ratio_low"],
        verdict=table["verdict"].replace(turned),
    )
    return pd.concat([forth, back])
