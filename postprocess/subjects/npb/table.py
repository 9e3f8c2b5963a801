# SPDX-License-Identifier: BSD-3-Clause
"""`npb.csv`, `npb-nodes.csv` and `npb-published.csv`: the NAS Parallel Benchmarks."""

from collections import Counter
from math import ceil, sqrt
from typing import Any

import pandas as pd

from isochron.common.text import natural
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.programs import read_programs
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.npb.results import NPB_COLUMNS, NPB_PUBLISHED_COLUMNS, beside_published, npb_table
from isochron.schemas.input.campaign import Campaign

#: What a drawing is of.
POINT = ["placement", "processes_per_node", "processes"]

#: Columns of `npb-nodes.csv`.
NODE_COLUMNS = {
    "placement": "how processes were placed on the nodes",
    "processes_per_node": "processes on each node",
    "processes": "processes of the launch",
    "host": "the node, by its own name",
    "row": "its row on the map, from 0: `programs.npb.node_map`, else all nodes by name in a square",
    "column": "its column on the map, from 0",
    "least": "fewest processes that a launch of the point had there; 0: it was not used",
    "most": "most processes; more than `least` where the scheduler gave other nodes to other blocks",
    "launches": "launches of the point",
}


def node_table(launches: pd.DataFrame, inputs: RunInputs) -> pd.DataFrame:
    """`NODE_COLUMNS`: of every point each node of the map. `launches`: `programs` of the store."""
    npb = inputs.campaign.npb
    if npb is None or not len(launches):
        return pd.DataFrame(columns=list(NODE_COLUMNS))
    used = {text: Counter(text.split(",")) for text in launches["hosts"]}
    places = node_map(npb.node_map, {host for each in used.values() for host in each})
    rows: list[dict[str, Any]] = []
    for point, point_launches in launches.groupby(POINT, sort=False):
        for host, (row, column) in places.items():
            counts = [used[text][host] for text in point_launches["hosts"]]
            node = {"host": host, "row": row, "column": column, "least": min(counts), "most": max(counts)}
            rows.append({**dict(zip(POINT, point, strict=True)), **node, "launches": len(point_launches)})
    table = pd.DataFrame(rows)[list(NODE_COLUMNS)]
    order = [inputs.campaign.placements.index(name) for name in table["placement"]]
    ordered = table.assign(order=order).sort_values(["order", *POINT[1:], "row", "column"], kind="stable")
    return ordered.drop(columns="order").reset_index(drop=True)


def node_map(given: list[list[str]], hosts: set[str]) -> dict[str, tuple[int, int]]:
    """(row, column) of each node: those of the given map, then all others by name in rows as long.

    A node of the map that launches knew by a longer name (with its domain) gets that one.
    """
    full = {host.split(".")[0]: host for host in hosts}
    places = {
        name if name in hosts else full.get(name, name): (row, column)
        for row, names in enumerate(given)
        for column, name in enumerate(names)
    }
    rest = sorted(hosts - places.keys(), key=natural)
    width = max((len(names) for names in given), default=0) or ceil(sqrt(len(rest)))
    for number, host in enumerate(rest):
        places[host] = (len(given) + number // width, number % width)
    return places


def make_launches(context: TableContext) -> pd.DataFrame:
    """`programs` of the store."""
    return read_programs(context.inputs.layout)


def make_npb(context: TableContext) -> pd.DataFrame:
    """`NPB_COLUMNS`."""
    return npb_table(context.get(make_launches), context.inputs)


def make_published(context: TableContext) -> pd.DataFrame:
    """`NPB_PUBLISHED_COLUMNS`."""
    return beside_published(context.get(make_npb), context.inputs)


def _runs_npb(campaign: Campaign) -> bool:
    return campaign.npb is not None


NPB = Table(
    name="npb",
    columns=NPB_COLUMNS,
    make=make_npb,
    holds="the NAS Parallel Benchmarks: seconds, rates, speed-up and efficiency by placement",
    applies=_runs_npb,
)
NPB_NODES = Table(
    name="npb-nodes",
    columns=NODE_COLUMNS,
    make=lambda context: node_table(context.get(make_launches), context.inputs),
    holds="which nodes their launches took",
    applies=_runs_npb,
)
NPB_PUBLISHED = Table(
    name="npb-published",
    columns=NPB_PUBLISHED_COLUMNS,
    make=make_published,
    holds="the same beside what others have published",
    applies=lambda campaign: campaign.npb is not None and bool(campaign.npb.compare_with),
)
