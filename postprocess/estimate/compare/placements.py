# SPDX-License-Identifier: BSD-3-Clause
"""Points that differ only in where their processes run, compared as stacks are (`comparison.compare_pair`).

One stack, operation, size and number of processes under two placements (`node_lists` are placements), or with two
numbers of processes per node. Points that share allocations are compared within blocks. Points that share none, as
those with other node counts, differ in the allocation, too: their launches in one allocation are not independent, so
each allocation counts once, and the test exchanges whole allocations.

All pairs of all stacks share the level of the table (Bonferroni), and the cases of a pair are corrected together
(`step_down`). A simulated stack takes the same time in each launch: its ratio is exact and has no interval.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.compare.comparison import COMPARISON_COLUMNS, compare_pair
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import Rows, rows_of
from isochron.postprocess.estimate.values.launches import PAIRS
from isochron.postprocess.estimate.values.verdicts import comparable
from isochron.postprocess.ingest.inputs import CASE, KEYS, POINT
from isochron.schemas.engine.contract import TRANSFERS, base_operation
from isochron.schemas.input.placement import RANDOM

#: What two points may differ in, one at a time, and the column of the other point's value.
FACTORS = {"placement": "baseline_placement", "processes_per_node": "baseline_per_node"}
#: Columns of a comparison of stacks that are the same here.
SHARED = [
    "baseline_median_us", "candidate_median_us", "ratio", "ratio_low", "ratio_high", "confidence", "within_blocks",
    "blocks", "baseline_launches", "candidate_launches", "test", "p_adjusted", "verdict", "reason",
]  # fmt: skip
#: Only the first two ranks act, so that another order of the hosts is between other hosts.
TWO_RANKS = frozenset({*PAIRS, *TRANSFERS})
OTHER_HOSTS, OTHER_ORDER = "other hosts", "other order"
#: Columns of `placements.csv`: every pair of points of a stack that differ in one of `FACTORS`.
PLACEMENT_COLUMNS = {
    **KEYS,
    "baseline_placement": "the placement that this one is compared with",
    "baseline_per_node": "the processes per node that these are compared with",
    "hosts": f"of node lists, of ping-pong and transfers their first two hosts: `{OTHER_HOSTS}`, `{OTHER_ORDER}` of "
    "the same hosts, or what is to be done with the one host that has another place in it, such as `n16 last`; "
    "otherwise empty",
    **{name: COMPARISON_COLUMNS[name] for name in SHARED},
    "baseline_median_us": "value of the point that it is compared with, as in the summary",
    "candidate_median_us": "value of this point, as in the summary",
    "blocks": "blocks (allocations) that hold launches of both points",
    "reason": "why the verdict is no better, as in `comparison.csv`; of a simulated stack that it was simulated",
    "ratio": "this point / the one that it is compared with: the factor between launches of the same block "
    "(Hodges-Lehmann), or between allocations where `within_blocks` is false; of a simulated stack the plain ratio",
    "baseline_launches": "launches that have a time of the operation; where the two points share no allocation, "
    "allocations that have",
    "p_adjusted": "p value of a difference beyond the practical threshold, corrected over the whole table",
    "verdict": "verdict on this point against the other: as in `comparison.csv`",
    "simulated": "whether the stack was simulated: then the ratio is exact, and there is neither interval nor test",
}
SIMULATED = "simulated: every launch takes the same time, so the ratio has no interval"


def placements(
    rows: pd.DataFrame,
    summary: pd.DataFrame,
    hosts: Mapping[tuple[Any, ...], Sequence[str]],
    orders: Mapping[str, Sequence[Any]],
    rules: Rules,
) -> pd.DataFrame:
    """`PLACEMENT_COLUMNS`.

    `rows`: usable rows of launches, with RESULT_KEY, ALLOCATION, launch_id, simulated and median_us, and `PROBES` if
    they were read. `summary`: `SUMMARY_COLUMNS`. `hosts`: of each point (POINT) whose nodes have names, in order.
    `orders`: the values of each of `FACTORS` in the campaign's order; the first of two is the baseline.
    """
    simulated = set(rows.loc[rows["simulated"].astype(bool), "stack"])
    compared = [(stack, pair) for stack, own in rows_of(summary, rows).items() for pair in _pairs(own, orders)]
    families = max(1, sum(stack not in simulated for stack, _ in compared))
    tables = [pair.table(rules, families, simulated=stack in simulated).assign(stack=stack) for stack, pair in compared]
    tables = [table for table in tables if len(table)]
    if not tables:
        return pd.DataFrame(columns=list(PLACEMENT_COLUMNS))
    table = pd.concat(tables, ignore_index=True)
    return table.assign(hosts=[_hosts(row, hosts) for row in table.to_dict("records")])[list(PLACEMENT_COLUMNS)]


@dataclass(frozen=True)
class _Pair:
    """Two values of one of `FACTORS`, the baseline's first, and the rows of each, in which that factor is blank."""

    factor: str
    values: tuple[Any, Any]
    sides: tuple[Rows, Rows]

    def table(self, rules: Rules, families: int, *, simulated: bool) -> pd.DataFrame:
        """`PLACEMENT_COLUMNS` but `stack` and `hosts`, of the cases that both have."""
        names = [f"{value} per node" if self.factor == "processes_per_node" else value for value in self.values]
        table = compare_pair((names[0], names[1]), self.sides, rules, families)
        table = table[~table["verdict"].isin(["missing", "new"])]
        if simulated:
            table = self._exact(table, 1 + rules.threshold)
        others = {column: table[factor] for factor, column in FACTORS.items() if factor != self.factor}
        baseline, candidate = self.values
        return table.assign(**others, **{FACTORS[self.factor]: baseline, self.factor: candidate}, simulated=simulated)

    def _exact(self, table: pd.DataFrame, factor: float) -> pd.DataFrame:
        """The same of a simulated stack: plain ratios, judged by the threshold alone."""
        ratio = table["candidate_median_us"] / table["baseline_median_us"]
        sound = np.logical_and(*(self._comparable(side, table) for side in self.sides))
        verdicts = np.select(
            [~sound, ratio >= factor, ratio <= 1 / factor], ["inconclusive", "slower", "faster"], "equivalent"
        )
        unknown = dict.fromkeys(("ratio_low", "ratio_high", "confidence", "p_adjusted"), np.nan)
        reasons = np.where(sound, SIMULATED, table["reason"])
        return table.assign(ratio=ratio, verdict=verdicts, reason=reasons, test="", **unknown)

    @staticmethod
    def _comparable(side: Rows, table: pd.DataFrame) -> NDArray[np.bool_]:
        """Of each line of `table` (CASE) whether the side's verdict may decide a comparison."""
        verdicts = table[CASE].merge(side.summary[[*CASE, "verdict"]], on=CASE, how="left")["verdict"]
        return verdicts.map(comparable).to_numpy(dtype=np.bool_)


def _pairs(rows: Rows, orders: Mapping[str, Sequence[Any]]) -> Iterator[_Pair]:
    """Every two values of a factor at which a stack has points that are alike in all else."""
    for factor, order in orders.items():
        alike = [name for name in POINT if name != factor]
        for values in combinations(dict.fromkeys(order), 2):
            one, other = (rows.summary[rows.summary[factor] == value] for value in values)
            both = one[alike].drop_duplicates().merge(other[alike].drop_duplicates(), on=alike)
            if len(both):
                sides = [_side(rows, factor, value, both) for value in values]
                yield _Pair(factor, values, _by_allocation(sides[0], sides[1]))


def _side(rows: Rows, factor: str, value: Any, points: pd.DataFrame) -> Rows:
    """The rows at some points (POINT without the factor) with one value of the factor, which is blank in them."""
    blank = type(value)()
    summary, launches = (
        table[table[factor] == value].merge(points, on=list(points.columns)).assign(**{factor: blank})
        for table in (rows.summary, rows.launches)
    )
    return Rows(summary, launches)


def _by_allocation(one: Rows, other: Rows) -> tuple[Rows, Rows]:
    """Both sides; at points that share no allocation the launches of an allocation are one, of their medians."""
    places = [*POINT, "allocation"]
    shared = one.launches[places].drop_duplicates().merge(other.launches[places].drop_duplicates(), on=places)
    together = pd.MultiIndex.from_frame(shared[POINT])

    def merged(side: Rows) -> Rows:
        alone = ~pd.MultiIndex.from_frame(side.launches[POINT]).isin(together)
        apart = side.launches[alone].drop(columns="launch_id")
        apart = apart.groupby([*CASE, "allocation"], sort=False, as_index=False).median()
        apart["launch_id"] = "allocation " + apart["allocation"].astype(str)
        launches = pd.concat([side.launches[~alone], apart], ignore_index=True)
        used = launches.groupby(CASE, sort=False, as_index=False).agg(launches_used=("median_us", "size"))
        return Rows(side.summary.drop(columns="launches_used").merge(used, on=CASE, how="left"), launches)

    return merged(one), merged(other)


def _hosts(row: Mapping[Any, Any], hosts: Mapping[tuple[Any, ...], Sequence[str]]) -> str:
    """What the hosts of a line are to those that it is compared with (`PLACEMENT_COLUMNS`)."""
    if row["placement"] == row["baseline_placement"]:
        return ""
    busy = -(-2 // row["processes_per_node"]) if base_operation(row["operation"]) in TWO_RANKS else None
    one, other = (
        hosts.get((row["processes"], row["processes_per_node"], row[name]), ())[:busy]
        for name in ("baseline_placement", "placement")
    )
    if not one or not other:
        return ""
    if sorted(one) != sorted(other):
        return OTHER_HOSTS
    return _moved(list(one), list(other))


def _moved(old: list[str], new: list[str]) -> str:
    """`n16 last`, if that alone is what makes one order of the same hosts of the other; or `OTHER_ORDER`."""
    alone = [host for host in new if _without(old, host) == _without(new, host)]
    if old == new or not alone:
        return "" if old == new else OTHER_ORDER
    places = {0: "first", len(new) - 1: "last"}
    host = max(alone, key=lambda each: (abs(new.index(each) - old.index(each)), new.index(each) in places))
    return f"{host} {places.get(new.index(host), f'as number {new.index(host) + 1}')}"


def _without(hosts: list[str], left_out: str) -> list[str]:
    return [host for host in hosts if host != left_out]


#: Columns of `placement-advice.csv`, the largest gain first.
ADVICE_COLUMNS = {
    "stack": KEYS["stack"],
    "operation": "operation that is slower than it must be",
    "processes": KEYS["processes"],
    "processes_per_node": KEYS["processes_per_node"],
    "instead_of": "the slower placement",
    "placement": "the faster placement, of the same hosts; of all such the one that gains most",
    "hosts": "what is to be done to `instead_of`: `" + OTHER_ORDER + "`, or the one host that gets another place, such "
    "as `n16 last`; empty where the hosts have no names",
    "sizes": "message sizes at which that is faster, in bytes, separated by semicolons",
    "times_min": "by what factor it is faster, at least: the smallest of the ratios",
    "times_max": "the largest of them",
    "times_low": "the smallest lower end of their intervals; empty of a simulated stack",
    "bytes": "the size of the largest of them",
    "instead_of_us": "the slower placement's value at that size",
    "placement_us": "the faster one's",
}


def advice(table: pd.DataFrame, hosts: Mapping[tuple[Any, ...], Sequence[str]]) -> pd.DataFrame:
    """`ADVICE_COLUMNS`: orders of the same hosts, and placements of the launcher's nodes, that are slower than others.

    `table`: `PLACEMENT_COLUMNS`; `hosts`: as in `placements`.
    """
    free = (table["placement"] != table["baseline_placement"]) & (table["hosts"] != OTHER_HOSTS)
    drawn = (table[["placement", "baseline_placement"]] == RANDOM).any(axis=1)
    chosen = table[free & ~drawn & table["verdict"].isin(["slower", "faster"])]
    if not len(chosen):
        return pd.DataFrame(columns=list(ADVICE_COLUMNS))
    gains = pd.DataFrame([_gain(row, hosts) for row in chosen.to_dict("records")])
    case = ["stack", "operation", "processes", "processes_per_node", "instead_of"]
    best = gains.loc[gains.groupby([*case, "bytes"], sort=False)["times"].idxmax()].sort_values("bytes", kind="stable")
    keys = [*case, "placement", "hosts"]
    merged = best.groupby(keys, sort=False, as_index=False).agg(
        sizes=("bytes", lambda sizes: ";".join(map(str, sizes))),
        times_min=("times", "min"),
        times_max=("times", "max"),
        times_low=("times_low", "min"),
    )
    largest = best.loc[
        best.groupby(keys, sort=False)["times"].idxmax(), [*keys, "bytes", "instead_of_us", "placement_us"]
    ]
    merged = merged.merge(largest, on=keys)
    return merged.sort_values("times_max", ascending=False, kind="stable", ignore_index=True)[list(ADVICE_COLUMNS)]


def _gain(row: Mapping[Any, Any], hosts: Mapping[tuple[Any, ...], Sequence[str]]) -> dict[str, Any]:
    """From the slower to the faster placement of a line of `PLACEMENT_COLUMNS`."""
    slower = row["verdict"] == "slower"
    old, new = ("candidate", "baseline") if slower else ("baseline", "candidate")
    places = {"candidate": row["placement"], "baseline": row["baseline_placement"]}
    turned = {**row, "placement": places[new], "baseline_placement": places[old]}
    return {
        **{name: row[name] for name in ("stack", "operation", "bytes", "processes", "processes_per_node")},
        "instead_of": places[old],
        "placement": places[new],
        "hosts": _hosts(turned, hosts),
        "times": row["ratio"] if slower else 1 / row["ratio"],
        "times_low": row["ratio_low"] if slower else 1 / row["ratio_high"],
        "instead_of_us": row[f"{old}_median_us"],
        "placement_us": row[f"{new}_median_us"],
    }
