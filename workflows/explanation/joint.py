# SPDX-License-Identifier: BSD-3-Clause
"""The searches of several cases in the same experiments, since a variant may be wanted for several of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from statistics import median_high
from typing import Generic, TypeVar

from isochron.workflows.explanation.experiments import Case, Experiments, OutOfMinutesError, Setup
from isochron.workflows.explanation.search import Measured, Sets, Share

#: How many times as many blocks are measured at most if the first ones are too few.
FURTHER = 4

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Answers(Generic[Answer]):
    """What the search of each case found. `unfinished`: the cases whose search the minutes ended.

    A case in which the stacks do not differ in one of the experiments is in neither.
    """

    of_case: dict[Case, Answer]
    unfinished: frozenset[Case] = frozenset()


def search_jointly(
    searches: Mapping[Case, Generator[Sets, Measured, Answer]],
    variant: Callable[[int, frozenset[str]], tuple[str, Setup]],
    experiments: Experiments,
    precise: float,
) -> Answers[Answer]:
    """Return what the search of each case found. Raises UnfinishedError.

    `variant`: the name and the setup of a set of settings, which has this number in its experiment. `precise`: half the
    width of the interval of a share above which the experiments after the first one have more blocks, if it is so in
    half of the cases.
    """
    answers: dict[Case, Answer] = {}
    waiting: dict[Case, tuple[Generator[Sets, Measured, Answer], Sets]] = {}

    def go_on(
        case: Case, steps: Generator[Sets, Measured, Answer], shares: Mapping[frozenset[str], Share] | None
    ) -> None:
        try:
            waiting[case] = (steps, next(steps) if shares is None else steps.send(shares))
        except StopIteration as end:
            answers[case] = end.value

    for case, steps in searches.items():
        go_on(case, steps, None)
    first = True
    while waiting:
        asked = dict(waiting)
        sets = list(dict.fromkeys(one for _, wanted in asked.values() for one in wanted))
        variants = {one: variant(number, one) for number, one in enumerate(sets, 1)}
        try:
            measured = experiments.measure(dict(variants.values()), asked)
        except OutOfMinutesError:
            return Answers(answers, frozenset(asked))
        waiting.clear()
        for case, (steps, wanted) in asked.items():
            shares = {one: measured[variants[one][0]].get(case) for one in wanted}
            known = {one: share for one, share in shares.items() if share is not None}
            if len(known) == len(shares):
                go_on(case, steps, known)
        if first:
            _measure_more(experiments, precise, measured.values(), waiting)
        first = False
    return Answers(answers)


def _measure_more(
    experiments: Experiments,
    precise: float,
    measured: Iterable[Mapping[Case, Share | None]],
    waiting: Collection[Case],
) -> None:
    """After the first experiment of a search, choose the blocks of the others: enough for half of the waiting cases.

    The widest interval is often of a case in two states, which more blocks do not make narrow.
    """
    widths: dict[Case, float] = {}
    for shares in measured:
        for case, share in shares.items():
            if share is not None and case in waiting:
                widths[case] = max(widths.get(case, 0.0), share.half_width)
    typical = median_high(widths.values()) if widths else 0.0
    experiments.blocks *= min(FURTHER, max(1, math.ceil((typical / precise) ** 2)))
