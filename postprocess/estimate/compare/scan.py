# SPDX-License-Identifier: BSD-3-Clause
"""The scan of a campaign: which nodes, and which links between two of them, are slower than the others.

Times of one stack, operation and size are compared within each allocation; the claim is that a node (or link) is slower
than the others by more than the practical threshold, corrected by Holm over everything that is scanned. A pair is slow
because of a node where that node's links are slow in the median; a link is what is slow beyond its two nodes.
"""

from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.ingest.inputs import ALLOCATION, KEYS
from isochron.schemas.engine.contract import HALVED
from isochron.stats.multiple_tests import holm
from isochron.stats.node_ranks import Matrix, link_rests, node_effects, slow_p

#: What is compared: everything but where it ran.
CASE = ["stack", "operation", "bytes", "processes", "processes_per_node"]

#: Columns of `scan.csv`.
SCAN_COLUMNS = {
    **{name: KEYS[name] for name in CASE},
    "unit": "`node`, or `link` between two",
    "host": "the node, or one end of the link",
    "peer": "the other end of a link; empty: a node",
    "time_us": "median over allocations of the time on that node or link; of a node of pairs, over its links",
    "mb_per_s": "bandwidth in that time, where it is defined; 1 MB is 10⁶ bytes",
    "ratio": "time / median of all alike in the same allocation, in the median over allocations",
    "allocations": "allocations in which it was measured",
    "p_adjusted": "p value that it is slower than the others by more than the practical threshold, exact in ranks "
    "within allocations, corrected by Holm over all that is scanned",
    "verdict": "`slow`, `as the others`, `by its node` (of a link with a slow node), or `not established`",
}


def scan_table(rows: pd.DataFrame, launches: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """`SCAN_COLUMNS`. `rows`: usable rows of launches as `joined` gives them; `launches`: launch_id and hosts."""
    rows = rows.merge(launches[["launch_id", "hosts"]], on="launch_id")
    rows = rows[rows["median_us"] > 0].assign(allocation=lambda table: table.groupby(ALLOCATION).ngroup())
    lines: list[dict[str, Any]] = []
    for case, case_rows in rows.groupby(CASE, sort=False):
        units = _pairs(case_rows, rules) if case_rows["hosts"].str.contains(",").any() else _nodes(case_rows, rules)
        lines += [dict(zip(CASE, case, strict=True)) | unit for unit in units]
    if not lines:
        return pd.DataFrame(columns=list(SCAN_COLUMNS))
    table = pd.DataFrame(lines)
    table["p_adjusted"] = holm(table["p"].to_numpy(dtype=np.float64))
    near = table["ratio"] <= 1 + rules.threshold
    slow = table["p_adjusted"] <= rules.alpha
    nodes = pd.MultiIndex.from_frame(table.loc[slow & (table["unit"] == "node"), [*CASE, "host"]])
    by_node = (table["unit"] == "link").to_numpy() & np.logical_or(
        *(pd.MultiIndex.from_frame(table[[*CASE, end]]).isin(nodes) for end in ("host", "peer"))
    )
    table["verdict"] = np.select(
        [slow, near, by_node], ["slow", "as the others", "by its node"], default="not established"
    )
    return table[list(SCAN_COLUMNS)]


def _nodes(rows: pd.DataFrame, rules: Rules) -> list[dict[str, Any]]:
    """Of launches on one node each."""
    names, logs = _by_allocation(rows)
    return _units(logs, slow_p(logs, rules.margin), [("node", name, "") for name in names], rows)


def _pairs(rows: pd.DataFrame, rules: Rules) -> list[dict[str, Any]]:
    """Of launches on two nodes each: the nodes by the median of their links, then the links without their nodes."""
    names, logs = _by_allocation(rows)
    ends = [tuple(name.split(",")) for name in names]
    hosts = sorted({host for pair in ends for host in pair})
    links = [(hosts.index(pair[0]), hosts.index(pair[-1])) for pair in ends]
    effects = node_effects(logs, links, len(hosts))
    rests = link_rests(logs, links, effects)
    nodes = _units(effects, slow_p(effects, rules.margin), [("node", host, "") for host in hosts], rows)
    return nodes + _units(logs, slow_p(rests, rules.margin), [("link", pair[0], pair[-1]) for pair in ends], rows)


def _by_allocation(rows: pd.DataFrame) -> tuple[list[str], Matrix]:
    """Hosts of the launches, and the mean logarithm of their times by allocation, less the median of all there."""
    logs = rows.assign(log=np.log(rows["median_us"])).pivot_table(
        index="allocation", columns="hosts", values="log", aggfunc="mean", sort=True
    )
    return [str(name) for name in logs.columns], logs.to_numpy(dtype=np.float64)


def _units(logs: Matrix, p_values: Any, names: list[tuple[str, str, str]], rows: pd.DataFrame) -> list[dict[str, Any]]:
    moved = rows["bytes_moved"].dropna()
    units = []
    usual = np.nanmedian(logs, axis=1, keepdims=True)
    for place, (unit, host, peer) in enumerate(names):
        unit_logs, there = logs[:, place], ~np.isnan(logs[:, place])
        time = float(np.exp(np.median(unit_logs[there]))) if there.any() else np.nan
        ratio = float(np.exp(np.median((unit_logs - usual[:, 0])[there]))) if there.any() else np.nan
        rate = float(moved.iloc[0]) / _runs_per_time(rows) / time if len(moved) and moved.iloc[0] > 0 else np.nan
        units.append({
            "unit": unit, "host": host, "peer": peer, "time_us": time, "mb_per_s": rate, "ratio": ratio,
            "allocations": int(there.sum()), "p": float(p_values[place]),
        })  # fmt: skip
    return units


def _runs_per_time(rows: pd.DataFrame) -> float:
    """2 if what is told is half of a run, there and back."""
    return 2.0 if rows["operation"].iloc[0] in HALVED else 1.0


def heat(table: pd.DataFrame) -> tuple[list[str], Matrix]:
    """Hosts and the ratios of one case as a matrix: of pairs symmetric, of nodes one row."""
    links = table[table["unit"] == "link"]
    if not len(links):
        return table["host"].tolist(), table["ratio"].to_numpy(dtype=np.float64)[None, :]
    hosts = sorted({*links["host"], *links["peer"]})
    matrix = np.full((len(hosts), len(hosts)), np.nan)
    for row in links.to_dict("records"):
        one, other = hosts.index(row["host"]), hosts.index(row["peer"])
        matrix[one, other] = matrix[other, one] = row["ratio"]
    return hosts, matrix
