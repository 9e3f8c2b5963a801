# SPDX-License-Identifier: BSD-3-Clause
"""What each inconclusive comparison rules out, and what it would cost to settle it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import CASE, RunInputs


@dataclass(frozen=True)
class Open:
    """An inconclusive comparison."""

    where: str
    ruled_out: str
    cost: str


def undecided(rows: pd.DataFrame, costs: pd.DataFrame, inputs: RunInputs) -> list[Open]:
    """Those of the rows, the worst first. `rows`: `question.oriented`; `costs`: `UNDECIDED_COLUMNS`."""
    known = {_key(line, "baseline", "candidate"): line for line in costs.to_dict("records")}
    several = rows["other"].nunique() > 1
    open_rows = rows[rows["verdict"] == "inconclusive"].sort_values("ratio_high", ascending=False, kind="stable")
    return [
        Open(
            where=labels.case(row, inputs) + (f", against {row['other']}" if several else ""),
            ruled_out=ruled_out(row["ratio_low"], row["ratio_high"]),
            cost=_cost(known[_key(row, "stack", "other")]),
        )
        for row in open_rows.to_dict("records")
    ]


def _key(row: dict[Any, Any], one: str, other: str) -> tuple[Any, ...]:
    return (frozenset({row[one], row[other]}), *(row[name] for name in CASE))


def ruled_out(low: float, high: float) -> str:
    """`at worst 1.32 times slower, at best 1.10 times faster`."""
    if not (isfinite(low) and isfinite(high) and low > 0):
        return "nothing"
    worst = f"at worst {numbers.significant(high)} times slower" if high > 1 else "not slower"
    best = f"at best {numbers.significant(1 / low)} times faster" if low < 1 else "not faster"
    return f"{worst}, {best}"


def _cost(line: dict[Any, Any]) -> str:
    """`24 blocks: 96 launches, 2 minutes`."""
    if not isfinite(line["blocks_needed"]):
        return "more of the same would hardly settle it"
    minutes = max(1, round(line["minutes_needed"]))
    return (
        f"{int(line['blocks_needed'])} blocks: {numbers.count(int(line['launches_needed']), 'launch', 'launches')}, "
        f"about {numbers.count(minutes, 'minute')}"
    )
