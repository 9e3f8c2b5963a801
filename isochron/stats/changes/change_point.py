# SPDX-License-Identifier: BSD-3-Clause
"""Where the levels of many series changed, looked for again with every run that is added.

A change has to be shown twice: with run t, the newest n values of a series and the n before them (n = 1, 2, 4, 8) are
both set against its level before. One value alone is never a change (`Singles`). What it rests on:

- *Level and spread.* Means and variances of values that count for at most three standard deviations each; the variances
  of all series moderate each other (Smyth 2004), so that a few values are enough, with 20,000 series too. A change of
  level leaves the relative spread alone.
- *Shown twice.* The mean of the two deviations counts for at most 1.5 times the smaller, and p is how often normal
  ones show as much (`twice`). Two values at 1:1000 make one in a million, and 1:1000 can be learnt from an archive.
- *Tails* of single values are never lighter than those of the series themselves: the narrowest t that has as many
  beyond each of some limits. Means of two and more clipped values are as good as normal.
- *Dependence in time.* Values resemble the one before (autoregressive, order one). ρ is that of all series together,
  plus a standard error, for which the run is the unit: series may share their runs.
- *Dependence between series* may be any: Holm's correction assumes none.
- *The machine.* What all stacks share of a run is taken from every row, and searched by itself (`machine`).

The error budget α is for all series, places and runs to come; the machine has a tenth of it. Run t may spend
6/(t·(t-1)), which from run 7 on add up to 1 (Lan and DeMets 1983). Run t is judged by what was known then, so that what
was found stays found. What is usual (moderation, tails, ρ) is learnt from values that are at least five runs old: in
younger ones there may be changes that are not found yet. A permutation of runs would assume less, but the newest of 40
runs has only 40 places: no p is below 1/40, and no budget over runs can be kept.

- G. K. Smyth: Linear Models and Empirical Bayes Methods …, Statistical Applications in Genetics 3 (1), 2004.
- K. K. G. Lan, D. L. DeMets: Discrete Sequential Boundaries for Clinical Trials, Biometrika 70, 1983.
"""

from dataclasses import dataclass

import numpy as np

from isochron.stats.changes.estimates import Index
from isochron.stats.changes.search import Changes, Search, Singles, State, spent
from isochron.stats.launches import Values

#: The machine's share of the error budget.
MACHINE = 0.1
PREFIX = "machine_"


@dataclass(frozen=True)
class Findings:
    """What was found in S rows over T runs. `singles`: at most α of the runs have one that is none.

    `machine`: changes of what all stacks share; its series is 0. `nights`: runs in which that was far from its level:
    with a probability of at most `MACHINE`·α there is any that was not. `shared`: by run its logarithm, NaN if there
    are less than two stacks.
    """

    changes: Changes
    singles: Singles
    machine: Changes
    nights: Singles
    shared: Values


def changes(values: Values, alpha: float) -> Changes:
    """Return changes of level with a probability of at most `alpha` that there is any where there is none in truth.

    `values`: shape (T, S), positive, in order of time; NaN if a series has none. Nothing is known of stacks.
    """
    return continued(values, np.zeros(values.shape[1], dtype=np.intp), alpha, None)[0].changes


def continued(values: Values, stacks: Index, alpha: float, known: State | None) -> tuple[Findings, State]:
    """Return what is found, and what to go on from when there are more runs: only these are then looked at.

    `stacks`: the number of each series' stack. `known`: what was returned for the first rows of `values`, by the same
    `alpha`, None if nothing was. Series that have come since stand behind the others, and have no value in those.
    """
    rows = Search(values, stacks, alpha * (1 - MACHINE), known)
    before = {name.removeprefix(PREFIX): array for name, array in (known or {}).items() if name.startswith(PREFIX)}
    machine = Search(
        np.exp(rows.machine)[:, None], np.zeros(1, dtype=np.intp), alpha * MACHINE, before or None, machine=True
    )
    newest = machine.singles
    corrected = np.minimum(1.0, newest.p_value / spent(newest.run))
    far = corrected <= alpha * MACHINE
    nights = Singles(newest.series[far], newest.run[far], newest.p_value[far], corrected[far])
    state = {**rows.state, **{f"{PREFIX}{name}": array for name, array in machine.state.items()}}
    return Findings(rows.changes, rows.singles, machine.changes, nights, rows.machine), state
