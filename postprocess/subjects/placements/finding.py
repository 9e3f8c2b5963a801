# SPDX-License-Identifier: BSD-3-Clause
"""Placements: where host order, placement or processes per node make a difference, and what to do."""

from collections.abc import Mapping
from itertools import chain
from math import isnan
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts import point_hosts
from isochron.postprocess.estimate.compare.placements import OTHER_HOSTS, OTHER_ORDER, TWO_RANKS
from isochron.postprocess.estimate.compare.trunks import orders_that_tell, pairs_by_link
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.placements.table import PLACEMENT_ADVICE, PLACEMENTS
from isochron.schemas.engine.contract import base_operation

#: Lines of details; the tables have all.
MAX_LINES = 20
#: Every two ranks send to each other at the same time.
PAIRS = ("multi-ping-pong", "multi-ping-ping")
#: What a comparison of two placements holds fixed, beside the case.
ALIKE = ["stack", "processes", "processes_per_node"]


def places(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """How many pairs of points differ, and by how much at most."""
    table = analysis[PLACEMENTS]
    if not len(table):
        return []
    differ = slower_first(table)
    equal = int((table["verdict"] == "equivalent").sum())
    threshold = numbers.given_percent(inputs.campaign.analysis.threshold)
    compared, rest = numbers.count(len(table), "comparison"), len(table) - len(differ) - equal
    counts = [f"{len(differ)} {numbers.are(len(differ))} established to differ by more than {threshold}"]
    counts += [f"{equal} {numbers.are(equal)} equivalent"] if equal else []
    counts += [f"{rest} {numbers.are(rest)} inconclusive"] if rest else []
    text = f"Of {compared} of host orders, placements and processes per node within a stack, {numbers.listing(counts)}."
    told = _on_every_placement(differ, table)
    largest = next(iter(_between_same_pairs(told).to_dict("records")), None)
    if largest:
        text += f" {difference(largest, inputs)}."
    if table["simulated"].all():
        text += " All are simulated: each launch takes the same time, so the ratios have no interval."
    shown: dict[str, float | int | str | None] = {"comparisons": len(table), "differ": len(differ), "equivalent": equal}
    if largest:
        shown |= {name: _number(float(largest[name])) for name in ("times", "times_low", "times_high")}
    return [
        Finding(
            kind="placements",
            severity="result" if len(differ) else "note",
            text=text,
            details=[difference(row, inputs) for row in told.head(MAX_LINES).to_dict("records")],
            numbers=shown,
        )
    ]


def _between_same_pairs(differ: pd.DataFrame) -> pd.DataFrame:
    """The differences without those of messages between other pairs of hosts, which no order makes faster or slower.

    `differ`: as of `slower_first`.
    """
    return differ[~(differ["operation"].map(base_operation).isin(list(TWO_RANKS)) & (differ["hosts"] == OTHER_HOSTS))]


#: Column of `_on_every_placement`: what a difference is on each placement, in words; empty if there is one placement.
EACH = "each"


def _on_every_placement(differ: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The differences with EACH; those of processes per node only if they are alike on all placements, the least one.

    Which processes share a node follows from both; a difference on one placement says nothing about the other.
    `differ`: as of `slower_first`; `table`: `PLACEMENT_COLUMNS`.
    """
    per_node = differ["placement"] == differ["baseline_placement"]
    placements = {*table["placement"], *table["baseline_placement"]}
    told = differ[~per_node].assign(**{EACH: ""}).to_dict("records")
    case = ["stack", "operation", "bytes", "processes", "processes_per_node", "baseline_per_node", "verdict"]
    for _, lines in differ[per_node].groupby(case, sort=False, dropna=False):
        if set(lines["placement"]) == placements:
            rows = lines.iloc[::-1].to_dict("records")
            each = numbers.listing([f"{times(row)} ({row['placement']})" for row in rows])
            told.append({**rows[0], EACH: each if len(rows) > 1 else ""})
    columns = [*differ.columns, EACH]
    return pd.DataFrame(told, columns=columns).sort_values("times", ascending=False, kind="stable", ignore_index=True)


def slower_first(table: pd.DataFrame) -> pd.DataFrame:
    """Established differences with `slow`, `fast`, times, times_low and times_high, the largest first.

    `table`: `PLACEMENT_COLUMNS`. `slow` and `fast` are the two places in words.
    """
    differ = table[table["verdict"].isin(["slower", "faster"])]
    lines = []
    for row in differ.to_dict("records"):
        here, there = _places(row)
        slower = row["verdict"] == "slower"
        ends = (row["ratio_low"], row["ratio_high"]) if slower else (1 / row["ratio_high"], 1 / row["ratio_low"])
        lines.append(
            {
                **row,
                "slow": here if slower else there,
                "fast": there if slower else here,
                "times": row["ratio"] if slower else 1 / row["ratio"],
                "times_low": ends[0],
                "times_high": ends[1],
            }
        )
    columns = [*table.columns, "slow", "fast", "times", "times_low", "times_high"]
    return pd.DataFrame(lines, columns=columns).sort_values("times", ascending=False, kind="stable", ignore_index=True)


def _places(row: Mapping[Any, Any]) -> tuple[str, str]:
    """This point's place and that of the other, by what differs."""
    if row["placement"] != row["baseline_placement"]:
        return str(row["placement"]), str(row["baseline_placement"])
    return f"{row['processes_per_node']} processes per node", f"{row['baseline_per_node']}"


def times(row: Mapping[Any, Any]) -> str:
    """`1.45× [1.40; 1.51]`; of a simulated stack without the interval."""
    interval = "" if row["simulated"] else f" {numbers.ratio_interval(row['times_low'], row['times_high'])}"
    return numbers.ratio(row["times"]) + interval


def difference(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`reduce at 4 KiB takes 1.45× [1.40; 1.51] as long on one-remote as on one-site`. `row`: of `slower_first`.

    Of processes per node: `… as long with 12 processes per node as with 8 (packed)`, or, with EACH,
    `… takes 1.45× (packed) and 9.00× (round-robin) as long with 12 processes per node as with 8`.
    """
    if row["placement"] != row["baseline_placement"]:
        return f"{_case(row, inputs)} takes {times(row)} as long on {row['slow']} as on {row['fast']}"
    counts = f"as long with {row['slow']} as with {row['fast']}"
    if row.get(EACH):
        return f"{_case(row, inputs)} takes {row[EACH]} {counts}"
    return f"{_case(row, inputs)} takes {times(row)} {counts} ({row['placement']})"


def _case(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """Operation and size; stack and processes if the campaign has several."""
    text = str(row["operation"]) + (f" at {numbers.size(row['bytes'])}" if row["bytes"] else "")
    if len(inputs.campaign.processes) > 1:
        text += f" with {row['processes']} processes"
    return f"{row['stack']}: {text}" if len(inputs.campaign.stacks) > 1 else text


def _number(value: float) -> float | None:
    return None if isnan(value) else value


def orders(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """What to do about it: the order or placement to use instead, what that gains, and what it costs elsewhere."""
    rows = analysis[PLACEMENT_ADVICE].to_dict("records")
    if not rows:
        return []
    lines = [recommendation(row, inputs) for row in rows]
    best = rows[0]
    text = (
        f"{lines[0][0].upper()}{lines[0][1:]}.{_elsewhere(best, analysis[PLACEMENTS], inputs)}{_sharing(best, inputs)}"
    )
    shown: dict[str, float | int | str | None] = {"advice": len(rows), "times": float(best["times_max"])}
    shown |= {name: float(best[name]) for name in ("instead_of_us", "placement_us")}
    return [Finding(kind="placement-advice", severity="result", text=text, details=lines[:MAX_LINES], numbers=shown)]


def recommendation(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`put n16 last (one-remote-last instead of one-remote): gather at 16 KiB takes 3.70 instead of 6.20 ms`.

    `row`: of `ADVICE_COLUMNS`.
    """
    instead = f"{row['placement']} instead of {row['instead_of']}"
    what = f"put {row['hosts']} ({instead})" if row["hosts"] not in ("", OTHER_ORDER) else f"use {instead}"
    unit, scale = ("ms", 1e3) if row["instead_of_us"] >= 1e3 else ("µs", 1.0)
    old, new = (numbers.significant(row[name] / scale) for name in ("instead_of_us", "placement_us"))
    return f"{what}: {_case(row, inputs)} takes {new} instead of {old} {unit}, {numbers.ratio(row['times_max'])} faster"


def _elsewhere(best: Mapping[Any, Any], table: pd.DataFrame, inputs: RunInputs) -> str:
    """Whether anything else of that stack and point is slower so."""
    same = (table[ALIKE] == [best[name] for name in ALIKE]).all(axis=1)
    differ = _between_same_pairs(slower_first(table[same]))
    worse = differ[(differ["slow"] == best["placement"]) & (differ["fast"] == best["instead_of"])]
    if not len(worse):
        return " Nothing that was measured is established to be slower so."
    return (
        f" But in {numbers.count(len(worse), 'case')} it is slower so: {difference(worse.iloc[0].to_dict(), inputs)}."
    )


def _sharing(best: Mapping[Any, Any], inputs: RunInputs) -> str:
    """Of pairs that send across a trunk of several links: how many of them each placement uses, and who shares one."""
    machine, hosts = inputs.campaign.site.machine, point_hosts(inputs)
    if machine is None or machine.topology.trunk_links == 1 or best["operation"] not in PAIRS:
        return ""
    old, new = (
        pairs_by_link(machine, hosts.get((best["processes"], best["processes_per_node"], best[name]), []))
        for name in ("instead_of", "placement")
    )
    if len(old) >= len(new):
        return ""
    sharing = numbers.listing(max(old.values(), key=len))
    links = f"{len(old)} of {machine.topology.trunk_links} links"
    return (
        f" By their addresses the pairs of {best['instead_of']} use {links} of the trunk ({sharing} share one), those "
        f"of {best['placement']} use {len(new)}."
    )


def trunk_orders(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Two orders of the hosts of a real machine that tell whether pairs share links of its trunk, if not measured."""
    del analysis
    campaign = inputs.campaign
    if campaign.site.machine is not None or not {*PAIRS} & {*campaign.operations}:
        return []
    lists = [campaign.node_lists[name] for name in campaign.placements if name in campaign.node_lists]
    sites: dict[str, list[str]] = {name: [] for name in campaign.site.locations}
    for host in dict.fromkeys(chain(*lists)):
        for name in campaign.site.groups_of(host):
            sites[name].append(host)
    largest = sorted(sites.values(), key=len, reverse=True)[:2]
    told = orders_that_tell(*largest) if len(largest) == 2 else {}
    if not told or all(hosts in lists for hosts in told.values()):
        return []
    text = (
        "Whether pairs of hosts share links of the trunk is not known: it depends on what the switches do with their "
        "addresses. Two orders of the hosts tell it (`node_lists` and `placements`): if the links are selected by the "
        "low bits of source XOR target, as by the policies layer2 (MAC) and layer3 (IP), pairs of like numbers use "
        "half of the links at most, and those of even-first at least twice as many. If even-first is not faster, the "
        "links are selected in another way, or do not limit the rate."
    )
    details = [f"{name}: [{', '.join(hosts)}]" for name, hosts in told.items()]
    return [
        Finding(
            kind="trunk-orders",
            severity="note",
            text=text,
            details=details,
            numbers={"pairs": len(told["even-first"]) // 2},
        )
    ]
