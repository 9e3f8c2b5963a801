# SPDX-License-Identifier: BSD-3-Clause
"""Charts of the first screen: findings with a forest plot each, heat maps of ratios."""

from collections import Counter
from dataclasses import dataclass
from math import isfinite, log
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.answer.highlights import Highlight, highlights
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import POINT, RunInputs
from isochron.postprocess.subjects.answer.forest import Forest, forest, style_of
from isochron.postprocess.subjects.explanation.finding import reason_of
from isochron.schemas.run.comparisons import DECIDED

#: Factors of a finding that differ by more are stated as from and to, else the smallest alone.
FAR_APART = 1.2
#: Lines of a small forest plot; stacks that a sentence names.
MAX_LINES, MAX_NAMED = 4, 2


@dataclass(frozen=True)
class Shown:
    """A finding. `pair`: two stacks whose comparisons show it; `further`: comparisons that the plot leaves out.

    `reason`: why the two differ, if that is known; `programs`: reports that show it to the library's developers, in the
    folder of the run.
    """

    text: str
    slower: bool
    exploratory: bool
    forest: Forest
    further: int
    pair: tuple[str, str]
    reason: str
    programs: list[str]


def findings(table: pd.DataFrame, inputs: RunInputs) -> list[Shown]:
    """The weightiest first. `table`: `question.oriented`."""
    return [_shown(each, inputs) for each in highlights(table, inputs.asked, inputs.campaign.question)]


def _shown(highlight: Highlight, inputs: RunInputs) -> Shown:
    several = len(highlight.others) > 1
    lines = highlight.rows.head(MAX_LINES).sort_values(["other", "bytes"], kind="stable")

    def label(row: dict[Any, Any]) -> str:
        size = labels.size(row) if row["bytes"] else str(row["operation"])
        return f"{row['other']}, {size}" if several else size

    pair = str(highlight.rows.iloc[0]["other"]), highlight.stack
    cases = {(str(row["operation"]), int(row["bytes"])) for row in highlight.rows.to_dict("records")}
    return Shown(
        text=sentence(highlight, inputs),
        slower=highlight.slower,
        exploratory=highlight.exploratory,
        forest=forest(lines, label, inputs.campaign.analysis.threshold),
        further=max(0, len(highlight.rows) - MAX_LINES),
        pair=pair,
        reason="" if several else reason_of(inputs, *pair, cases),
        programs=[] if several else _programs(inputs, pair, cases),
    )


def _programs(inputs: RunInputs, pair: tuple[str, str], cases: set[tuple[str, int]]) -> list[str]:
    """The reports of `isochron reproduce` on these cases of two stacks; the largest message last."""
    layout = inputs.layout
    return [
        str((folder / "report.md").relative_to(layout.root))
        for operation, size in sorted(cases)
        for slow, fast in (pair, pair[::-1])
        for folder in sorted(layout.reproducers.glob(f"{operation}-{size}.{slow}.{fast}.*"))
    ]


def sentence(highlight: Highlight, inputs: RunInputs) -> str:
    """`mpich-5.0 takes at least 2.5 to 3.3 times as long as mpich-4.3 in alltoall at 8 B and 256 B.`, in few words."""
    rows = highlight.rows
    factors = rows["least"] if highlight.slower else 1 / rows["least"]
    low, high = (numbers.factor_at_least(float(each)) for each in (factors.min(), factors.max()))
    factor = f"at least {f'{low} to {high}' if factors.max() > FAR_APART * factors.min() else low}"
    verb = "takes" if highlight.slower else "is"
    how = "as long as" if highlight.slower else "as fast as"
    named = numbers.listing(list(highlight.others))
    others = named if len(highlight.others) <= MAX_NAMED else f"{len(highlight.others)} other stacks"
    return f"{highlight.stack} {verb} {factor} times {how} {others} in {_where(rows, inputs)}."


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


#: The most points of two stacks with a heat map on the page: beyond, those with the smallest differences have none.
MAX_MAPS = 6
#: Ratios from which on a cell of the heat map has the next darker colour.
STEPS = (1.05, 1.2, 1.5, 2.0)


@dataclass(frozen=True)
class Cell:
    """A cell of the heat map. `shade`: -4 (much faster) to 4 (much slower); `style`: `style_of` its verdict."""

    text: str
    shade: int
    style: str
    verdict: str
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
    """A stack against another: how many comparisons have which verdict. `open`: all that have none of the others."""

    faster: int
    slower: int
    equal: int
    dependent: int
    not_slower: int
    open: int


def maps(rows: pd.DataFrame) -> tuple[list[Map], int]:
    """Of lines of `question.oriented`, and how many are left out."""
    groups = [group for _, group in rows.groupby(["other", *POINT], sort=False)]
    weightiest = sorted(range(len(groups)), key=lambda number: -_damage(groups[number]))[:MAX_MAPS]
    return [_map(groups[number]) for number in sorted(weightiest)], len(groups) - len(weightiest)


def _damage(rows: pd.DataFrame) -> float:
    """The size of all established differences together, by what is shown at least, as logarithms."""
    return float(sum(abs(log(least)) for least in rows[rows["verdict"].isin(DECIDED)]["least"]))


def matrix(table: pd.DataFrame, stacks: list[str]) -> list[tuple[str, list[Score | None]]]:
    """A line for each stack, its scores against all others in their order. `table`: `question.oriented`."""
    counts = Counter(zip(table["stack"], table["other"], table["verdict"], strict=True))
    compared = Counter(zip(table["stack"], table["other"], strict=True))

    def score(stack: str, other: str) -> Score | None:
        if not compared[stack, other]:
            return None
        words = ("faster", "slower", "equivalent", "depends", "not-slower")
        faster, slower, equal, dependent, not_slower = known = [counts[stack, other, word] for word in words]
        return Score(faster, slower, equal, dependent, not_slower, open=compared[stack, other] - sum(known))

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
        return Cell(numbers.NONE, 0, "open", row["verdict"], row["verdict"])
    depth = sum(abs(log(ratio)) >= log(step) for step in STEPS)
    interval = numbers.ratio_interval(row["ratio_low"], row["ratio_high"])
    return Cell(
        text=numbers.significant(ratio),
        shade=depth if ratio > 1 else -depth,
        style=style_of(row["verdict"]),
        verdict=row["verdict"],
        said=f"{interval}, {row['verdict']}",
    )
