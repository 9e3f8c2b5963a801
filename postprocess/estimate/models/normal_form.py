# SPDX-License-Identifier: BSD-3-Clause
"""Performance-model normal form: time as a sum of terms p^i·log2^j p, fitted and cross-validated.

A. Calotoiu, T. Hoefler, M. Poke, F. Wolf: Using automated performance modeling to find scalability bugs in complex
codes. SC 2013 (Extra-P). This is a fit of our own after that paper, for one parameter: the number of processes.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isochron.postprocess.formatting import numbers
from isochron.stats.launches import Values

#: i and j of the terms; the paper's, up to p².
POWERS = (0.0, 0.5, 1.0, 1.5, 2.0)
LOGARITHMS = (0, 1, 2)
#: Fewer process counts say too little; two terms beside the constant need more.
FEWEST, MIN_FOR_TWO = 5, 8
#: A further term has to lower the cross-validated error to this share of what it was.
WORTH = 0.7
#: Below this error there is nothing left to explain: simulated times are exact.
EXACT = 1e-6

Term = tuple[float, int]
TERMS: tuple[Term, ...] = tuple((i, j) for i in POWERS for j in LOGARITHMS if (i, j) != (0.0, 0))


@dataclass(frozen=True)
class NormalForm:
    """c0 + Σ c_k·p^i·log2^j p in µs; `error` is the leave-one-out root mean square of relative errors."""

    constant: float
    terms: tuple[Term, ...]
    coefficients: tuple[float, ...]
    error: float

    def times(self, processes: Values) -> Values:
        """µs at process counts, shape (P,) → (P,)."""
        parts = (c * values(term, processes) for term, c in zip(self.terms, self.coefficients, strict=True))
        return np.asarray(self.constant + sum(parts, np.zeros(len(processes))), dtype=np.float64)

    @property
    def text(self) -> str:
        """`2.10 + 0.31·p·log2 p`."""
        parts = [numbers.significant(self.constant)] if self.constant or not self.terms else []
        parts += [
            f"{numbers.significant(c)}·{name(term)}" for term, c in zip(self.terms, self.coefficients, strict=True)
        ]
        return " + ".join(parts).replace("+ -", "- ")


def name(term: Term) -> str:
    """`p^1.5·log2² p`."""
    i, j = term
    power = "" if i == 0 else "p" if i == 1 else f"p^{i:g}"
    logarithm = "" if j == 0 else "log2 p" if j == 1 else "log2² p"
    return "·".join(part for part in (power, logarithm) if part)


def values(term: Term, processes: Values) -> Values:
    """p^i·log2^j p, shape (P,) → (P,)."""
    return np.asarray(processes ** term[0] * np.log2(processes) ** term[1], dtype=np.float64)


def fit(processes: Values, times: Values) -> NormalForm | None:
    """The form that predicts left-out points best; None with fewer than `FEWEST` process counts.

    Least squares of relative errors (a time of 3 µs counts as much as one of 3 ms). Terms have positive
    coefficients: work of an operation is not negative. Shapes (P,), one time (µs) for each process count.
    """
    if len(np.unique(processes)) < FEWEST:
        return None
    most = 2 if len(np.unique(processes)) >= MIN_FOR_TWO else 1
    best = _fitted((), processes, times)
    for count in range(1, most + 1):
        if best and best.error < EXACT:
            break
        forms = [form for terms in _hypotheses(count) if (form := _fitted(terms, processes, times))]
        closest = min(forms, key=lambda form: form.error, default=best)
        if best is None or (closest is not None and closest.error < WORTH * best.error):
            best = closest
    return best


def refit(form: NormalForm, processes: Values, times: Values) -> NormalForm:
    """The form with as many terms as `form`, whichever fit best; the constant where none has positive coefficients.

    Shapes (P,), as in `fit`; any number of process counts that determines the terms.
    """
    forms = [other for terms in _hypotheses(len(form.terms)) if (other := _fitted(terms, processes, times))]
    return min(forms, key=lambda other: other.error, default=NormalForm(float(np.median(times)), (), (), np.inf))


@lru_cache
def _hypotheses(count: int) -> tuple[tuple[Term, ...], ...]:
    return tuple(combinations(TERMS, count))


def _fitted(terms: tuple[Term, ...], processes: Values, times: Values) -> NormalForm | None:
    """Weighted least squares with its exact leave-one-out errors; None if a term has no positive coefficient."""
    columns = [np.ones(len(processes)), *(values(term, processes) for term in terms)]
    scales = [float(column.max()) for column in columns]
    design: NDArray[np.float64] = np.stack(
        [column / scale / times for column, scale in zip(columns, scales, strict=True)], axis=1
    )
    q, r = np.linalg.qr(design)
    if np.abs(np.diag(r)).min() < 1e-10 * np.abs(np.diag(r)).max():
        return None
    solution = np.linalg.solve(r, q.T @ np.ones(len(times)))
    if (solution[1:] <= 0).any():
        return None
    leverage = np.clip((q**2).sum(axis=1), 0, 1 - 1e-9)
    left_out = (1 - design @ solution) / (1 - leverage)
    error = float(np.sqrt(np.mean(left_out**2)))
    constant, *coefficients = (float(c) / scale for c, scale in zip(solution, scales, strict=True))
    return NormalForm(constant, terms, tuple(coefficients), error)
