# SPDX-License-Identifier: BSD-3-Clause
"""The differences that are worth a sentence: what a stack does in one operation at one point, the weightiest first."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.answer.decision import by_least, counting
from isochron.postprocess.ingest.inputs import POINT
from isochron.schemas.input.question import Question, QuestionPairs

#: Findings on the page, and of these for what the campaign does not ask about where there is any such.
MAX_HIGHLIGHTS, MIN_OTHERS = 5, 1


@dataclass(frozen=True)
class Highlight:
    """`stack` is slower (or faster) than `others`.

    `rows`: lines of `oriented`, the largest difference first, by what is shown at least.
    """

    stack: str
    others: tuple[str, ...]
    slower: bool
    exploratory: bool
    rows: pd.DataFrame
    score: float


def highlights(table: pd.DataFrame, asked: QuestionPairs, question: Question) -> list[Highlight]:
    """At most `MAX_HIGHLIGHTS`: those of the question first, then what is exploratory, each by its score.

    `table`: `oriented`. The score is the sum over cases of weight × |log of what is shown at least|, so that a large
    ratio with a wide interval is no better than what its interval shows.
    """
    rows = counting(table[table["verdict"].isin(["slower", "faster"])], question)
    rows = rows.assign(score=rows["weight"].to_numpy() * np.abs(np.log(rows["least"].to_numpy())))
    question_rows, others = rows[rows["family"] == "question"], rows[rows["family"] == "exploratory"]
    first = _covered(question_rows) if asked.default else _of_pairs(question_rows, asked.pairs)
    beside = _covered(others)
    most = MAX_HIGHLIGHTS - min(MIN_OTHERS, len(beside))
    return [*first[:most], *beside[: MAX_HIGHLIGHTS - len(first[:most])]]


def _of_pairs(rows: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> list[Highlight]:
    """Of each candidate against its baseline: the worst loss, which an answer names, before all others."""
    ranked = []
    for baseline, candidate in pairs:
        pair_rows = rows[(rows["stack"] == candidate) & (rows["other"] == baseline)]
        ranked += [_highlight(group) for _, group in pair_rows.groupby(["verdict", "operation", *POINT], sort=False)]
    worst = max((each.rows["least"].iloc[0] for each in ranked if each.slower), default=np.inf)
    return sorted(ranked, key=lambda each: (not each.slower or each.rows["least"].iloc[0] < worst, -each.score))


def _covered(rows: pd.DataFrame) -> list[Highlight]:
    """Of any stack against any others: what says most first, then what says most of the differences that are left.

    Each difference is a loss of one stack and a gain of another: it is told once, by what has more to tell.
    """
    keys = ["stack", "verdict", "operation", *POINT]
    selected: list[Highlight] = []
    while len(rows) and len(selected) < MAX_HIGHLIGHTS:
        groups = [group for _, group in rows.groupby(keys, sort=False)]
        chosen = max(groups, key=lambda group: float(group["score"].sum()))
        selected.append(_highlight(chosen))
        rows = rows.drop(index=chosen.index)
    return selected


def _highlight(group: pd.DataFrame) -> Highlight:
    first = group.iloc[0]
    slower = first["verdict"] == "slower"
    rows = by_least(group, slowest_first=bool(slower))
    others = tuple(dict.fromkeys(rows["other"]))
    return Highlight(
        stack=str(first["stack"]),
        others=others,
        slower=bool(slower),
        exploratory=first["family"] == "exploratory",
        rows=rows,
        score=float(group["score"].sum()),
    )
