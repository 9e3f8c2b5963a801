# SPDX-License-Identifier: BSD-3-Clause
"""Heat maps of the ratios of one stack to another, and the matrix of wins and losses of all stacks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import isfinite, log
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import POINT
from isochron.postprocess.subjects.answer.charts__forest import ESTABLISHED

#: The most points of two stacks with a heat map on the page: beyond, those with the smallest differences have none.
MAX_MAPS = 6
#: Ratios from which on a cell of the heat map has the next darker colour.
STEPS = (1.05, 1.2, 1.5, 2.0)


@dataclass(frozen=True)
class Cell:
    """A cell of the heat map. `shade`: -4 (much faster) to 4 (much slower). `established`: more than an estimate."""

    text: str
    shade: int
    established: bool
    said: str


@dataclass(frozen=True)
class Map:
    """All ratios of two stacks at a point: a line for each operation, a column for each size."""

    stack: str
    other: str
    point: str
    sizes: list[str]
    lines: list[tuple[str, list[Cell | None]]]


@dataclass(frozen=True)
class Score:
    """A stack against another: in how many comparisons it is faster, slower, equal, and in how many that is open."""

    faster: int
    slower: int
    equal: int
    open: int


def maps(rows: pd.DataFrame) -> tuple[list[Map], int]:
    """Of lines of `question.oriented`, and how many are left out."""
    groups = [group for _, group in rows.groupby(["other", *POINT], sort=False)]
    weightiest = sorted(range(len(groups)), key=lambda number: -_damage(groups[number]))[:MAX_MAPS]
    return [_map(groups[number]) for number in sorted(weightiest)], len(groups) - len(weightiest)


def _damage(rows: pd.DataFrame) -> float:
    """The size of all established differences together, as logarithms."""
    known = rows[rows["verdict"].isin(ESTABLISHED) & (rows["ratio"] > 0)]["ratio"]
    return float(sum(abs(log(ratio)) for ratio in known))


def matrix(table: pd.DataFrame, stacks: list[str]) -> list[tuple[str, list[Score | None]]]:
    """A line for each stack, its scores against all others in their order. `table`: `question.oriented`."""
    counts = Counter(zip(table["stack"], table["other"], table["verdict"], strict=True))
    compared = Counter(zip(table["stack"], table["other"], strict=True))

    def score(stack: str, other: str) -> Score | None:
        if not compared[stack, other]:
            return None
        faster, slower, equal = (counts[stack, other, word] for word in ("faster", "slower", "equivalent"))
        return Score(faster, slower, equal, compared[stack, other] - faster - slower - equal)

    return [(stack, [score(stack, other) for other in stacks]) for stack in stacks]


def _map(rows: pd.DataFrame) -> Map:
    sizes = sorted(rows["bytes"].unique())
    cells = {(row["operation"], row["bytes"]): _cell(row) for row in rows.to_dict("records")}
    operations = list(dict.fromkeys(rows["operation"]))
    first = rows.iloc[0]
    return Map(
        stack=str(first["stack"]),
        other=str(first["other"]),
        point=labels.point(first.to_dict()),
        sizes=[numbers.size(size) if size else numbers.NONE for size in sizes],
        lines=[(operation, [cells.get((operation, size)) for size in sizes]) for operation in operations],
    )


def _cell(row: dict[Any, Any]) -> Cell:
    ratio = row["ratio"]
    if not isfinite(ratio):
        return Cell(numbers.NONE, 0, False, row["verdict"])
    depth = sum(abs(log(ratio)) >= log(step) for step in STEPS)
    interval = numbers.ratio_interval(row["ratio_low"], row["ratio_high"])
    return Cell(
        text=numbers.significant(ratio),
        shade=depth if ratio > 1 else -depth,
        established=row["verdict"] in ESTABLISHED,
        said=f"{interval}, {row['verdict']}",
    )
