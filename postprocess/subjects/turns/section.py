# SPDX-License-Identifier: BSD-3-Clause
"""Libraries in turns: the rounds of one case, and what company costs each stack."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.company import LIMIT, PLACE
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import FigureView, Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.turns import figure
from isochron.postprocess.subjects.turns.finding import not_asleep, price
from isochron.postprocess.subjects.turns.table import COMPANY, COMPANY_CASES, ROUNDS

#: Nobody measures more than so many times the blocks to know a price better.
MOST_TIMES = 20


@dataclass(frozen=True)
class CompanyRow:
    """An effect of company on a stack at a point, as text."""

    mark: StackMark
    point: str
    effect: str
    price: str
    interval: str
    verdict: str
    largest: str
    slept: str
    sleep: str


@dataclass(frozen=True)
class View:
    """The figures, a sentence on how well the prices are known, and a row for each stack, point and effect."""

    figures: list[FigureView]
    known: str
    limit: str
    rows: list[CompanyRow]


def build(source: Source) -> View | None:
    """None unless stacks have measured in turns."""
    table, cases = source.analysis[COMPANY], source.analysis[COMPANY_CASES]
    if not len(table):
        return None
    rows = [_row(row, cases, source) for row in table.to_dict("records")]
    known = " ".join(filter(None, (known_to(effect, of_effect) for effect, of_effect in table.groupby("effect"))))
    return View(source.figures_of("turns"), known, numbers.given_percent(LIMIT), rows)


def _row(row: dict[Any, Any], cases: pd.DataFrame, source: Source) -> CompanyRow:
    keys = [*PLACE, "effect"]
    own = cases[(cases[keys] == [row[name] for name in keys]).all(axis=1)]
    return CompanyRow(
        mark=source.marks[row["stack"]],
        point=labels.point(row),
        effect=row["effect"],
        price=numbers.ratio(row["ratio"]),
        interval=_interval(row["ratio_low"], row["ratio_high"]),
        verdict=row["verdict"],
        largest=_largest(own, source.inputs),
        slept=numbers.percent(row["slept_share"]),
        sleep=row["sleep"],
    )


def _interval(low: float, high: float) -> str:
    return numbers.ratio_interval(low, high) if isfinite(low) else ""


def _largest(cases: pd.DataFrame, inputs: RunInputs) -> str:
    """The case whose price is farthest from 1 by its interval; a dash if no interval excludes 1."""
    above, below = np.log(cases["ratio_low"]).clip(lower=0), (-np.log(cases["ratio_high"])).clip(lower=0)
    farthest = np.maximum(above, below)
    if not (farthest > 0).any():
        return numbers.NONE
    case = cases.loc[farthest.idxmax()].to_dict()
    interval = numbers.ratio_interval(case["ratio_low"], case["ratio_high"])
    return f"{labels.case(case, inputs)}: {numbers.ratio(case['ratio'])} {interval}"


def known_to(effect: object, table: pd.DataFrame) -> str:
    """How well the prices of an effect are known, and what it takes to know all to the limit; empty if none is."""
    known = table[table["blocks_needed"].notna()]
    if not len(known):
        return ""
    widest, blocks = float(np.log(known["ratio_high"] / known["ratio_low"]).max()) / 2, int(known["blocks"].max())
    text = f"The half width of intervals of {effect} is at most {numbers.percent(widest)}, after {blocks} blocks"
    if widest <= LIMIT:
        return text + "."
    needed = int(known["blocks_needed"].max())
    if needed > MOST_TIMES * blocks:
        return f"{text}; more blocks do not reduce it to {numbers.given_percent(LIMIT)} in any sensible time."
    return f"{text}; {needed} blocks are likely to reduce it to {numbers.given_percent(LIMIT)}."


IN_TURNS = Section("turns", "Libraries in turns", "turns/section.html.j2", build, needs=(COMPANY, COMPANY_CASES))

SUBJECT = Subject(
    tables=(COMPANY, COMPANY_CASES),
    frames=(ROUNDS,),
    figures=(figure.figures,),
    findings=(not_asleep, price),
    sections=(IN_TURNS,),
)
