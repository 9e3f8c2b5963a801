# SPDX-License-Identifier: BSD-3-Clause
"""What is estimated from the values of many series so far: levels, variances, tails and dependence.

Values are stationary and autoregressive of order one. Variances are in units of that of one value.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, ndtr, ndtri, polygamma, stdtr, stdtridf

from isochron.stats.launches import Values

Index = NDArray[np.intp]
#: Values of a new level among which its first is looked for.
LONGEST = 16


class Clipped:
    """`values`: (S, N), each near 0 in its series; what they count for becomes known one after another.

    A stretch is [series, start:end], not empty. `series`, `start` and `end` are arrays of integers that broadcast
    against each other, and so are the answers.
    """

    def __init__(self, values: Values) -> None:
        self.values = values
        self._counted = values.copy()
        self._sums, self._squares = np.zeros((2, values.shape[0], values.shape[1] + 1))

    def append(self, series: Index, number: Index, counted: Values) -> None:
        """What the next value of each of these series counts for; `number`: how many there are before."""
        self._counted[series, number] = counted
        self._sums[series, number + 1] = self._sums[series, number] + counted
        self._squares[series, number + 1] = self._squares[series, number] + counted**2

    def replace(self, series: int, start: int, counted: Values) -> None:
        """What the values of a series from `start` on count for."""
        end = start + len(counted)
        self._counted[series, start:end] = counted
        for sums, terms in ((self._sums, counted), (self._squares, counted**2)):
            sums[series, start : end + 1] = np.cumsum(np.append(sums[series, start], terms))

    def mean(self, series: Index, start: Index, end: Index) -> Values:
        """Return the mean of what the stretch counts for."""
        return self._stretch(self._sums, series, start, end) / (end - start)

    def squares(self, series: Index, start: Index, end: Index) -> Values:
        """Sum of squared deviations from the stretch's own mean."""
        total = self._stretch(self._sums, series, start, end)
        return np.maximum(0.0, self._stretch(self._squares, series, start, end) - total**2 / (end - start))

    def clipped(self) -> tuple[Index, Index, Values]:
        """Return series and numbers of the values that count for something else than they are, and for what."""
        series, number = np.nonzero(self._counted != self.values)
        return series, number, self._counted[series, number]

    def resume(self, series: Index, number: Index, counted: Values) -> None:
        """These count for something else, as they were `clipped`, and all others for what they are."""
        self._counted = self.values.copy()
        self._counted[series, number] = counted
        for sums, terms in ((self._sums, self._counted), (self._squares, self._counted**2)):
            np.cumsum(terms, axis=1, out=sums[:, 1:])

    def step(self, series: int, start: int, since: int, end: int) -> int:
        """Return the likeliest first value of a new level that has two or more, and `LONGEST` at most.

        The old one is that from `start` to `since`, the new one that from there to `end`: it begins where most is
        gained by taking all that follows for values of the new one.
        """
        level = self._counted[series, start:since].mean()
        step = np.median(self.values[series, since:end]) - level
        first = max(start + 1, end - LONGEST)
        away = (self.values[series, first : end - 1] - level - step / 2) * np.sign(step)
        gain = np.cumsum(np.clip(away, -abs(step) / 2, abs(step) / 2)[::-1])[::-1]
        return int(first + gain.argmax())

    @staticmethod
    def _stretch(sums: Values, series: Index, start: Index, end: Index) -> Values:
        width = sums.shape[1]
        return np.asarray(np.take(sums, series * width + end) - np.take(sums, series * width + start), dtype=np.float64)


#: Series from which a common spread can be told at all; fewer lend each other nothing.
MIN_SERIES = 20
#: More degrees of freedom than these make no difference.
MAX_FREEDOM = 1e4


@dataclass(frozen=True)
class Prior:
    """What the other series say of a variance: its typical size, and for how many degrees of freedom that counts."""

    variance: float
    freedom: float

    def moderated(self, variances: Values, freedom: Values | float) -> Values:
        """Return the means of each variance and the typical one, weighted by their degrees of freedom."""
        mixed = self.freedom * self.variance + freedom * variances
        return np.asarray(mixed / (self.freedom + freedom), dtype=np.float64)


def prior(variances: Values, freedom: Values) -> Prior:
    """The prior of variances with their degrees of freedom, by moments of their logarithms (Smyth 2004, section 6.2).

    `variances`: shape (S,), positive. The true ones are taken to be scattered like d/χ²(d) about a typical one. Equal
    ones give many degrees of freedom, different ones few.
    """
    if len(variances) < MIN_SERIES:
        return Prior(1.0, 0.0)
    logs = np.log(variances) - digamma(freedom / 2) + np.log(freedom / 2)
    centre = float(logs.mean())
    excess = float(logs.var(ddof=1) - polygamma(1, freedom / 2).mean())
    freedom_of_prior = MAX_FREEDOM if excess <= 0 else min(MAX_FREEDOM, 2 * _inverse_trigamma(excess))
    return Prior(float(np.exp(centre + digamma(freedom_of_prior / 2) - np.log(freedom_of_prior / 2))), freedom_of_prior)


def _inverse_trigamma(value: float) -> float:
    """x > 0 with trigamma(x) = value > 0, by Newton's steps on 1/trigamma, which is nearly linear (Smyth 2004)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, x))
        x += step
        if -step < 1e-8 * x:
            break
    return x


#: Scores beyond which deviations are counted. Each deviation counts once for each: none has more weight than others.
CUTS = np.array([2.5, 3.25, 4.25, 6.0, 9.0, 13.0])
NO_COUNTS = np.zeros(1 + len(CUTS))
#: Standard errors that are added to each count: beyond the first two there are no normal deviations, unless in very
#: many, so that caution costs nothing; nearer, what chance alone may be is no tail.
COUNT_CAUTION = np.array([-0.5, -0.5, 1.0, 1.0, 1.0, 1.0])
#: No t is taken to be wider.
MIN_FREEDOM = 1.0


class Tails:
    """The shares of deviations beyond `CUTS`, of which more and more become known."""

    def __init__(self, known: Values = NO_COUNTS) -> None:
        """`known`: number of deviations, and of those beyond each cut, of another one."""
        self.known = known.copy()

    def add(self, deviations: Values) -> None:
        """These normal scores are known now. Any shape; their sign plays no part."""
        away = np.sort(np.abs(deviations), axis=None)
        self.known += (len(away), *(len(away) - np.searchsorted(away, CUTS, side="right")))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the narrowest t that has as much beyond each of the cuts."""
        number, beyond = self.known[0], self.known[1:]
        if not number:
            return np.inf
        shares = (beyond + COUNT_CAUTION * np.sqrt(beyond)) / number
        wide = (shares > 2 * ndtr(-CUTS)) & (beyond > 0)
        candidates = stdtridf(np.minimum(shares[wide] / 2, 0.49), -CUTS[wide])
        return float(max(MIN_FREEDOM, candidates.min(initial=np.inf)))


def scores(statistics: Values, freedom: Values | float) -> Values:
    """The normal deviations that are as rare as these of Student's t: a spread from few values makes no heavy tail."""
    return np.asarray(-ndtri(stdtr(freedom, -np.abs(statistics))), dtype=np.float64)


#: The mean of two deviations counts for at most so many times the smaller: one of them alone shows nothing.
RATIO = 1.5
#: Less of the larger than this, and two deviations are not of one level.
ALIKE = 1 / 3
#: No p is taken to be smaller.
SMALLEST = 1e-300
#: Of smaller ones p is 1: they are never significant.
WORTH = 1.0
NODES, WEIGHTS = np.polynomial.laguerre.laggauss(6)


def agree(one: Values, other: Values) -> Values:
    """Whether two deviations are to one side, the smaller at least `ALIKE` of the larger: as if of one new level."""
    away = np.abs(one), np.abs(other)
    return np.asarray((one * other > 0) & (np.minimum(*away) >= ALIKE * np.maximum(*away)))


def together(one: Values, other: Values) -> Values:
    """Return what two deviations to one side show together: their mean, at most `RATIO` times the smaller."""
    smaller, mean = np.minimum(np.abs(one), np.abs(other)), (np.abs(one) + np.abs(other)) / 2
    return np.asarray(np.minimum(RATIO * smaller, mean))


def p_value(shown: Values, correlation: Values, freedom: Values) -> Values:
    """Return how often normal deviations show `shown` together or more. All arguments have one shape.

    They have this correlation, and are divided by one estimate of their standard deviation with so many degrees of
    freedom. The mean m of the two and half their difference are independent, with variances (1 ± correlation)/2, so
    that p is an integral over m, here by Gauss and Laguerre. It falls like exp(-m²/(1+c)), of which the expectation
    over estimates of the standard deviation is (1 + 2m²/((1+c)·f))^(-f/2): m is reduced accordingly.
    """
    up = (1 + correlation) / 2
    reduced = np.sqrt(up * freedom * np.log1p(shown**2 / (up * freedom)))
    p_values = np.ones(shown.shape)
    worth = reduced > WORTH
    m, up, down = reduced[worth], up[worth], (1 - correlation[worth]) / 2
    further = np.outer(NODES, up / m)
    inside = 2 * ndtr((m * (1 - 1 / RATIO) + further) / np.sqrt(down)) - 1
    height = np.sqrt(2 * up / np.pi) / m * np.exp(-(m**2) / (2 * up))
    p_values[worth] = height * (WEIGHTS[:, None] * np.exp(-(further**2) / (2 * up)) * inside).sum(axis=0)
    return np.clip(p_values, SMALLEST, 1.0)


Counts = NDArray[np.intp]
#: Nothing is taken to be more persistent: a series with ρ = 1 has no level.
LARGEST = 0.9
#: What ρ is taken to be before anything is known, and the number of values for which that counts.
USUAL, BEFOREHAND = 0.3, 10
#: Standard errors that are added to ρ. By the simulations of tests/…/test_change_point_errors.py.
RHO_CAUTION = 1.0
#: What is added in proportion to the ρ that was shown: values that resemble each other are not quite autoregressive.
MORE = 0.3
NO_PRODUCTS = np.zeros(6)


@dataclass(frozen=True)
class Autocorrelation:
    """Variances of means under one ρ. `of_mean` and `damping`: of 0 … N values in a row; index 0 is void."""

    rho: float
    of_mean: Values
    damping: Values

    def between(self, one: Counts, other: Counts) -> Values:
        """Return covariance of the means of two consecutive stretches of these lengths."""
        return np.asarray(self.rho * self.damping[one] * self.damping[other], dtype=np.float64)

    def of_squares(self, count: Counts) -> Values:
        """Return expected sum of squared deviations of `count` values from their own mean; n - 1 if ρ = 0."""
        return np.asarray(count * (1 - self.of_mean[count]), dtype=np.float64)

    def effective(self, freedom: Values) -> Values:
        """Return the degrees of freedom of such a variance: (1-ρ²)/(1+ρ²) as many (Bayley and Hammersley 1946)."""
        return np.asarray(freedom * (1 - self.rho**2) / (1 + self.rho**2), dtype=np.float64)


def autocorrelation(rho: float, most: int) -> Autocorrelation:
    """Return the variances for up to `most` values: Var(mean) = (n·(1+ρ)/(1-ρ) - 2ρ·(1-ρ^n)/(1-ρ)²)/n²."""
    count = np.maximum(np.arange(most + 1), 1).astype(np.float64)
    damping = (1 - rho**count) / (count * (1 - rho))
    return Autocorrelation(rho, ((1 + rho) / (1 - rho) - 2 * rho * damping / (1 - rho)) / count, damping)


class Persistence:
    """ρ of many series by the products of successive deviations, of which more and more become known.

    A deviation is that of a value from the mean of all before it in its level, over its standard deviation: such ones
    are uncorrelated where ρ = 0. How well ρ is known is seen by how much the products differ from run to run: series
    that share their runs know it no better than one.
    """

    def __init__(self, known: Values = NO_PRODUCTS) -> None:
        """`known`: what another one knew."""
        self.known = known.copy()

    def add(self, before: Values, after: Values) -> None:
        """Deviations of the values of one run, and of those before them in their series."""
        if len(after):
            squares, product = float((before**2 + after**2).sum()) / 2, float((before * after).sum())
            self.known += (len(after), squares, product, squares**2, squares * product, product**2)

    @property
    def rho(self) -> float:
        """ρ, rather too large than too small.

        It is taken as if `BEFOREHAND` further values had shown `USUAL`; a part `MORE` of what was shown and
        `RHO_CAUTION` standard errors are added.
        """
        pairs, squares, products, both_squares, mixed, both_products = self.known.tolist()
        shown, worth = 0.0, 0.0
        if squares > 0:
            shown = min(LARGEST, max(0.0, products / squares))
            scatter = both_products - 2 * shown * mixed + shown**2 * both_squares
            worth = min(pairs, (1 - shown**2) * squares**2 / scatter if scatter > 0 else pairs)
        rho = (worth * shown + BEFOREHAND * USUAL) / (worth + BEFOREHAND)
        more = MORE * worth * shown / (worth + BEFOREHAND)
        return float(min(LARGEST, rho + more + RHO_CAUTION * sqrt((1 - rho**2) / (worth + BEFOREHAND))))
