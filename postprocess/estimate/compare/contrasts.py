# SPDX-License-Identifier: BSD-3-Clause
"""Contrasts: compared with the results, and with the least time that ping-pong allows.

Data cannot cross a link faster than the campaign's own ping-pong did. A collective in which two hosts take part
therefore takes at least the time of a message from one to the other, if the root is on one of them or all send to all;
with a root on a third host, by the triangle inequality, at least half of it. Between hosts of different sites without a
ping-pong, the time of light counts (`site.distance_ms`). A time below that was not measured from a
start that all processes have in common: in a loop, operations that follow each other overlap (A. Igumnov et al., 2015).

In a contrast each stack is compared with itself, at the same points with other options of the engine, by the rules by
which stacks are compared. Results of two contrasts are never compared.
"""

from collections.abc import Iterable
from math import nan
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.compare.comparison import ADJUSTED, COMPARISON_COLUMNS, compare_pair
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import rows_of
from isochron.postprocess.estimate.models.parameters import PING_PONG
from isochron.postprocess.estimate.values.summary import summarise, usable
from isochron.postprocess.ingest.inputs import CASE, KEYS, POINT, RESULT_KEY, RunInputs, planned_rows, results_of
from isochron.schemas.engine.contract import ROOTED, base_operation
from isochron.schemas.engine.groups import ALL
from isochron.schemas.input.placement import rank_hosts
from isochron.schemas.input.site import Site

#: Operations in which every process needs something of every other one.
FROM_ALL = frozenset({"barrier", "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw"})
ROTATING = "rotating-root"

#: Columns of `bounds.csv`.
BOUND_COLUMNS = {
    **KEYS,
    "contrast": "the campaign's contrast that it was measured in; empty: the results",
    "scheme": "measurement scheme",
    "median_us": "median over launches of the launch medians",
    "median_low_us": "lower end of its exact binomial interval, or of the range of the launches",
    "median_high_us": "upper end of that interval",
    "reliable": "whether the engine and the launches give no reason to doubt the row",
    "bound_us": "least time by the campaign's own ping-pong, or by `site.distance_ms` between hosts without one; empty "
    "where no two hosts of the row have either",
    "between": "the two hosts of that ping-pong or distance",
    "below": "whether the whole interval is below the bound",
}


def bounds(inputs: RunInputs, summary: pd.DataFrame, rows: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """`BOUND_COLUMNS` of every row with a bound and of every row of a contrast.

    `summary`: `SUMMARY_COLUMNS`. `rows`: the rows of all launches, contrasts and all, as `joined` gives them.
    """
    campaign = inputs.campaign
    engines = {name: campaign.engine_of(name) for name in ("", *campaign.all_contrasts)}
    both = [summary.assign(contrast="", scheme=campaign.engine.scheme)]
    for name in campaign.all_contrasts:
        again = contrast_summary(inputs, name, rows, confidence)
        both.append(again.assign(contrast=name, scheme=engines[name].scheme))
    hosts = point_hosts(inputs)
    least = distances(campaign.site, hosts.values(), campaign.engine.root) | _messages(inputs, rows)
    rows_with_bound = []
    for row in pd.concat(both, ignore_index=True).to_dict("records"):
        together = engines[row["contrast"]].groups == ALL
        row_hosts = hosts.get(tuple(row[name] for name in POINT), []) if together else []
        bound, pair = _bound(row, row_hosts, least, campaign.engine.root)
        if bound > 0 or row["contrast"]:
            row |= {"bound_us": bound, "between": pair, "below": bool(row["median_high_us"] < bound)}
            rows_with_bound.append({name: row[name] for name in BOUND_COLUMNS})
    return pd.DataFrame(rows_with_bound, columns=list(BOUND_COLUMNS))


def contrast_summary(inputs: RunInputs, name: str, rows: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """`SUMMARY_COLUMNS` of a contrast. `rows`: of all launches, as `joined` gives them."""
    contrast_rows = rows[rows["file"].isin(inputs.plan.files_of_contrast(name))]
    return summarise(planned_rows(inputs, name), contrast_rows, confidence)


def point_hosts(inputs: RunInputs) -> dict[tuple[Any, ...], list[str]]:
    """The host of every rank by point, if the campaign names the hosts."""
    hosts = {}
    for launch in inputs.plan.launches:
        point = launch.point
        if launch.hosts and not any(host.startswith("@") for host in launch.hosts):
            key = tuple(getattr(point, name) for name in POINT)
            hosts[key] = rank_hosts(launch.hosts, point.placement, point.processes, point.processes_per_node)
    return hosts


def distances(site: Site, points: Iterable[list[str]], root: int) -> dict[tuple[str, str], float]:
    """The time of light in µs from the root's host to each host at another site. `points`: the hosts of the ranks."""
    least: dict[tuple[str, str], float] = {}
    for hosts in points if site.distance_ms is not None else ():
        at_root = hosts[root]
        for host in set(hosts):
            if site.groups_of(host) != site.groups_of(at_root):
                least[min(host, at_root), max(host, at_root)] = 1e3 * (site.distance_ms or 0.0)
    return least


def _messages(inputs: RunInputs, rows: pd.DataFrame) -> dict[tuple[str, str], float]:
    """The shortest way of a message between two hosts in µs: the shortest ping-pong, that of ranks 0 and 1."""
    least: dict[tuple[str, str], float] = {}
    result_rows = results_of(rows, inputs)
    hosts = point_hosts(inputs)
    for row in result_rows[(result_rows["operation"] == PING_PONG) & (result_rows["min_us"] > 0)].to_dict("records"):
        ranks = hosts.get(tuple(row[name] for name in POINT), [])[:2]
        if len(set(ranks)) == 2:
            pair = (min(ranks), max(ranks))
            least[pair] = min(least.get(pair, float("inf")), row["min_us"])
    return least


def _bound(row: dict[Any, Any], hosts: list[str], least: dict[tuple[str, str], float], root: int) -> tuple[float, str]:
    """Least time in µs that the messages between two of the row's hosts allow, and the two; nan if none does."""
    operation = base_operation(row["operation"])
    if operation not in ROOTED | FROM_ALL:
        return nan, ""
    best, between = nan, ""
    for pair, one_way in least.items():
        if not set(pair) <= set(hosts):
            continue
        direct = operation in FROM_ALL or (row["scheme"] != ROTATING and hosts[root] in pair)
        bound = one_way if direct else one_way / 2
        if not bound <= best:
            best, between = bound, "–".join(pair)
    return best, between


def compared(table: pd.DataFrame, summary: pd.DataFrame, contrast: str) -> pd.DataFrame:
    """Cases that results and contrast have, at the smallest size of each operation: `BOUND_COLUMNS` of both.

    `table`: `BOUND_COLUMNS`, of the results only those rows that have a bound. `summary`: `SUMMARY_COLUMNS`.
    """
    bound = table.loc[table["contrast"] == "", [*RESULT_KEY, "bound_us"]]
    result_times = summary.merge(bound, on=RESULT_KEY, how="left").assign(contrast="")
    columns = [*RESULT_KEY, "contrast", "median_us", "median_low_us", "median_high_us", "reliable", "bound_us"]
    table = pd.concat([result_times[columns], table.loc[table["contrast"] == contrast, columns]], ignore_index=True)
    keys = [name for name in RESULT_KEY if name != "stack"]
    both = table.groupby(keys, sort=False)["contrast"].transform("nunique") > 1
    chosen = table[both & (table["median_us"] > 0)]
    return chosen[chosen["bytes"] == chosen.groupby("operation")["bytes"].transform("min")]


#: The results as one side of the comparison.
RESULTS = "results"
_LEFT_OUT = {*CASE, *ADJUSTED, "baseline", "candidate", "baseline_median_us", "candidate_median_us", "ratio", "p_value"}

#: Columns of `contrasts.csv`.
CONTRAST_COLUMNS = {
    **KEYS,
    "contrast": "name of the contrast",
    "options": "what it changes of the engine's options",
    "scheme": "its measurement scheme",
    "timer": "its timer",
    "buffers": "its buffers: `warm` or `cold`",
    "groups": "its groups of processes, each with its own communicator; `all`: one group of all, as in the results",
    "result_us": "value of the row in the results",
    "contrast_us": "its value in the contrast",
    "ratio": "contrast / results: the factor between launches of the same block, or between any launches where "
    "`within_blocks` is false",
    **{name: meaning for name, meaning in COMPARISON_COLUMNS.items() if name not in _LEFT_OUT},
}


def contrasted(inputs: RunInputs, summary: pd.DataFrame, rows: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """`CONTRAST_COLUMNS` of every row that a contrast has.

    `summary`: `SUMMARY_COLUMNS` of the results. `rows`: the rows of all launches, as `joined` gives them.
    """
    campaign, tables = inputs.campaign, []
    result_rows = rows_of(summary, usable(results_of(rows, inputs)))
    families = max(1, len(campaign.all_contrasts) * len(campaign.stacks))
    for name, changes in campaign.all_contrasts.items():
        files, engine = inputs.plan.files_of_contrast(name), campaign.engine_of(name)
        again = contrast_summary(inputs, name, rows, rules.confidence)
        further = rows_of(again, usable(rows[rows["file"].isin(files)]))
        for stack in campaign.stacks:
            if stack in result_rows and stack in further:
                table = compare_pair((RESULTS, name), (result_rows[stack], further[stack]), rules, families)
                table = table[
                    table[CASE].apply(tuple, axis=1).isin(list(again[CASE].itertuples(index=False, name=None)))
                ]
                how = {"scheme": engine.scheme, "timer": engine.timer, "buffers": engine.buffers}
                how["groups"] = engine.groups
                tables.append(table.assign(stack=stack, contrast=name, options=_options(changes), **how))
    if not tables:
        return pd.DataFrame(columns=list(CONTRAST_COLUMNS))
    joined_table = pd.concat(tables, ignore_index=True)
    joined_table = joined_table.rename(
        columns={"baseline_median_us": "result_us", "candidate_median_us": "contrast_us"}
    )
    return joined_table[list(CONTRAST_COLUMNS)]


def _options(changes: dict[str, Any]) -> str:
    """`buffers: cold, timer: tsc`."""
    return ", ".join(
        f"{name}: {str(value).lower() if isinstance(value, bool) else value}" for name, value in changes.items()
    )
