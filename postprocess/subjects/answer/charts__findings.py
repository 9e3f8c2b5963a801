# SPDX-License-Identifier: BSD-3-Clause
"""At most five findings in plain words, each with a small forest plot and a way to what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.answer.highlights import Highlight, highlights
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.subjects.answer.charts__forest import Forest, forest

#: Lines of a small forest plot; stacks that a sentence names.
MAX_LINES, MAX_NAMED = 4, 2


@dataclass(frozen=True)
class Shown:
    """A finding. `pair`: two stacks whose comparisons show it; `further`: comparisons that the plot leaves out."""

    text: str
    slower: bool
    exploratory: bool
    forest: Forest
    further: int
    pair: tuple[str, str]


def findings(table: pd.DataFrame, inputs: RunInputs) -> list[Shown]:
    """The weightiest first. `table`: `question.oriented`."""
    return [_shown(each, inputs) for each in highlights(table, inputs.asked, inputs.campaign.question)]


def _shown(found: Highlight, inputs: RunInputs) -> Shown:
    several = len(found.others) > 1

    def label(row: dict[Any, Any]) -> str:
        size = labels.size(row) if row["bytes"] else str(row["operation"])
        return f"{row['other']}, {size}" if several else size

    return Shown(
        text=sentence(found, inputs),
        slower=found.slower,
        exploratory=found.exploratory,
        forest=forest(found.rows.head(MAX_LINES), label, inputs.campaign.analysis.threshold),
        further=max(0, len(found.rows) - MAX_LINES),
        pair=(str(found.rows.iloc[0]["other"]), found.stack),
    )


def sentence(found: Highlight, inputs: RunInputs) -> str:
    """`mpich-5.0 takes 2.7 to 3.5 times as long as mpich-4.3 in alltoall at 8 B and 256 B.`: at most 25 words."""
    rows = found.rows
    factors = rows["ratio"] if found.slower else 1 / rows["ratio"]
    low, high = (numbers.significant(float(each), 2) for each in (factors.min(), factors.max()))
    factor = high if low == high else f"{low} to {high}"
    verb = "takes" if found.slower else "is"
    how = "as long as" if found.slower else "as fast as"
    named = numbers.listing(list(found.others))
    others = named if len(found.others) <= MAX_NAMED else f"{len(found.others)} other stacks"
    return f"{found.stack} {verb} {factor} times {how} {others} in {_where(rows, inputs)}."


def _where(rows: pd.DataFrame, inputs: RunInputs) -> str:
    """`alltoall at 3 sizes from 8 B to 4 KiB with 8 processes, 4 per node`."""
    first = rows.iloc[0].to_dict()
    sizes = sorted(set(rows["bytes"]))
    named = [numbers.size(size) for size in sizes if size]
    text = str(first["operation"])
    if len(named) > 2:
        every = sizes == sorted({size for _, size in inputs.cases if size})
        text += " at all sizes" if every else f" at {len(named)} sizes from {named[0]} to {named[-1]}"
    elif named:
        text += f" at {numbers.listing(named)}"
    return f"{text} with {labels.point(first)}" if len(inputs.plan.points) > 1 else text
