# SPDX-License-Identifier: BSD-3-Clause
"""Two runs against each other, row by row: is a stack slower than it was?

Launches of one night have their night in common: two nights of five launches are not ten independent ones, and what a
night adds to all its launches is not known from two. So a stack is set against its *controls*: the other stacks of both
runs whose library did not change. In each block its launches are divided by those of the controls, in which night and
regime cancel; the blocks of one run against those of the other are then the units of the exact test. With fewer than
three controls a claim needs that the row itself has changed in that direction, and by more than they have: of two
stacks one is as much slower as the other is faster. Without a control nothing is claimed: `history` finds changes of a
stack that runs alone, from many nights.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pandas as pd

from isochron.postprocess.archive.values import stored_rows
from isochron.postprocess.compare.comparison import ADJUSTED, COMPARISON_COLUMNS, compare_pair
from isochron.postprocess.compare.pairs import Rules
from isochron.postprocess.compare.sides import Rows, rows_of
from isochron.postprocess.reading.inputs import CASE, KEYS, RunInputs, planned_rows
from isochron.postprocess.values.summary import summarise, usable

Logs: TypeAlias = "pd.Series[float]"

#: Columns: as for stacks, but `baseline` and `candidate` are runs, every row has its stack, and blocks are the units.
BETWEEN_RUNS_COLUMNS = {
    **KEYS,
    **{name: meaning for name, meaning in COMPARISON_COLUMNS.items() if name not in [*CASE, *ADJUSTED]},
    "ratio": "candidate / baseline, each divided by the controls in the same block: the factor between blocks of the "
    "two runs (Hodges-Lehmann)",
    "controls": "the other stacks of both runs whose library did not change, separated by commas",
    "own_ratio": "ratio of the two values, without controls",
}

#: The median of so many controls does not follow a single one that has changed.
ROBUST = 3
#: Blocks of the second run are never blocks of the first, whatever their numbers.
APART = 1_000_000
ALONE = "one run against one: what a night adds is not known without another, unchanged stack in both; see history"


def compare_runs(baseline: RunInputs, candidate: RunInputs) -> pd.DataFrame:
    """`BETWEEN_RUNS_COLUMNS`: every row that either run planned, by the rules (threshold, confidence) of `candidate`.

    An outer join: what only one of them has is `missing` or `new`. The correction is over all rows.
    """
    analysis = candidate.campaign.analysis
    rules = Rules(analysis.threshold, analysis.confidence, candidate.campaign.seed)
    first, second = _rows(baseline, rules), _rows(candidate, rules)
    names, stacks = _names(baseline, candidate), list(dict.fromkeys([*second, *first]))
    unchanged = [stack for stack in stacks if stack in first and stack in second and _same(stack, baseline, candidate)]
    none = next(iter(second.values()))
    nothing = Rows(none.summary.iloc[:0], none.launches.iloc[:0])
    tables = []
    for stack in stacks:
        controls = [other for other in unchanged if other != stack]
        sides = (
            _controlled(first.get(stack, nothing), [first[other] for other in controls]),
            _apart(_controlled(second.get(stack, nothing), [second[other] for other in controls])),
        )
        table = compare_pair(names, sides, rules, len(stacks)).assign(stack=stack, controls=",".join(controls))
        tables.append(_judged_again(table, rules))
    return pd.concat(tables, ignore_index=True)[list(BETWEEN_RUNS_COLUMNS)]


def _judged_again(table: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """The table with `own_ratio`, and without claims that have no control, or that a few controls may have caused."""
    own = table["candidate_median_us"] / table["baseline_median_us"]
    controls = table["controls"].str.split(",").map(len).where(table["controls"] != "", 0)
    verdict, reason = table["verdict"].copy(), table["reason"].copy()
    alone = (controls == 0) & ~verdict.isin(["missing", "new"])
    verdict[alone], reason[alone] = "inconclusive", ALONE
    moved, others = np.log(own), np.log(own / table["ratio"])
    for word, direction in (("slower", moved), ("faster", -moved)):
        shared = (direction >= rules.margin) & (np.abs(moved) > np.abs(others))
        theirs = (verdict == word) & (controls < ROBUST) & ~shared
        verdict[theirs], reason[theirs] = "inconclusive", f"{word} than its controls, but they may have changed instead"
    return table.assign(own_ratio=own, verdict=verdict, reason=reason)


def _controlled(rows: Rows, controls: list[Rows]) -> Rows:
    """One unit for each block: the mean (of logarithms) over its launches, less the median over the controls."""
    own = _blocks(rows.launches)
    if controls:
        others = pd.concat([_blocks(_believed(each)) for each in controls]).groupby(level=own.index.names).median()
        own = (own - others).dropna()
    units = own.rename("median_us").reset_index()
    launches = units.assign(median_us=np.exp(units["median_us"]), launch_id=units["allocation"].astype(str))
    return Rows(rows.summary, launches[rows.launches.columns])


def _blocks(launches: pd.DataFrame) -> Logs:
    """Mean logarithm of the launch medians by CASE and allocation."""
    timed = launches[launches["median_us"] > 0]
    found: Logs = timed.assign(log=np.log(timed["median_us"])).groupby([*CASE, "allocation"])["log"].mean()
    return found


def _believed(rows: Rows) -> pd.DataFrame:
    believed = rows.summary.loc[rows.summary["believed"].astype(bool), CASE]
    return rows.launches.merge(believed, on=CASE)


def _same(stack: str, one: RunInputs, other: RunInputs) -> bool:
    """Whether both runs had the same library under that name."""
    first, second = one.manifests.get(stack), other.manifests.get(stack)
    if first is None or second is None:
        return False
    return (first.mpi_version, first.library_sha256) == (second.mpi_version, second.library_sha256)


def _names(baseline: RunInputs, candidate: RunInputs) -> tuple[str, str]:
    """Names of the runs, made distinct where two copies of one run are compared."""
    first, second = baseline.layout.run_id, candidate.layout.run_id
    return first, second if second != first else f"{second} (second)"


def _rows(inputs: RunInputs, rules: Rules) -> dict[str, Rows]:
    """Every planned row with its launches, by stack."""
    _, rows = stored_rows(inputs)
    return rows_of(summarise(planned_rows(inputs), rows, rules.confidence), usable(rows))


def _apart(rows: Rows) -> Rows:
    return Rows(rows.summary, rows.launches.assign(allocation=rows.launches["allocation"] + APART))
