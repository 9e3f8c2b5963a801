# SPDX-License-Identifier: BSD-3-Clause
"""`view-two-sites-….csv`: what a study of a machine in two cities shows (A. Igumnov et al., 2015).

Ping-pong inside and between the sites, many pairs at the same time, and the time of a collective by the order of the
hosts: its figures 4 to 6. Rates are in MB/s of 10⁶ bytes, as the links are in Gbit/s.
"""

from __future__ import annotations

from math import nan

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts__contrast import point_hosts
from isochron.postprocess.estimate.models.parameters__parameters import PING_PONG
from isochron.postprocess.ingest.inputs__inputs import KEYS, POINT, RESULT_KEY
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.machine import Machine

#: Both of each pair send at the same time: Isend, Recv, Wait.
PAIRS = "multi-ping-ping"
INSIDE, BETWEEN = "inside", "between"

PLACE = {name: KEYS[name] for name in ("stack", *POINT)}
PING_PONG_COLUMNS = {
    **PLACE,
    "hosts": "hosts of ranks 0 and 1",
    "sites": "of a described machine: `inside` one site, or `between` two; otherwise empty",
    "bytes": KEYS["bytes"],
    "time_us": "value of the row: half of the round trip",
    "mb_per_s": "`bytes` / `time_us`: MB/s, 10⁶ bytes",
}
PAIR_COLUMNS = {
    **PLACE,
    "sites": PING_PONG_COLUMNS["sites"] + ", of the first pair",
    "bytes": "message that each of a pair sends",
    "pairs": "pairs that send at the same time",
    "time_us": "value of the row: from the first start to the last end",
    "mb_per_s": "all pairs together, each direction, `pairs` · `bytes` / `time_us`: MB/s, 10⁶ bytes",
    "of_one_pair": "how many times what one pair gets with this stack, placement and size",
    "trunk_share": "share of all links between two sites together, in each direction; empty where it is not known",
}
ORDER_COLUMNS = {
    **KEYS,
    "median_us": "value of the row",
    "median_low_us": "lower end of its interval",
    "median_high_us": "upper end of that interval",
    "of_fastest": "how many times the time in the fastest order of the hosts",
    "reliable": "whether the row is reliable",
}


def wanted(campaign: Campaign) -> bool:
    """Whether a campaign asks for this view."""
    return "two-sites" in campaign.analysis.views


def sites(machine: Machine | None, hosts: list[str]) -> str:
    """Whether the first two hosts are of one group of a described machine; empty where that is not known."""
    if machine is None or len(hosts) < 2:
        return ""
    names = {machine.node_name(index): index // machine.topology.nodes_per_group for index in range(machine.nodes)}
    one, other = (names.get(host) for host in hosts[:2])
    return "" if one is None or other is None else INSIDE if one == other else BETWEEN


def make_ping_pong(context: TableContext) -> pd.DataFrame:
    """`PING_PONG_COLUMNS`."""
    rows = _with_hosts(context, PING_PONG)
    rows["time_us"] = rows["median_us"]
    rows["mb_per_s"] = (rows["bytes"] / rows["time_us"]).where(rows["bytes"] > 0)
    return rows[list(PING_PONG_COLUMNS)]


def make_pairs(context: TableContext) -> pd.DataFrame:
    """`PAIR_COLUMNS`."""
    campaign = context.inputs.campaign
    machine = campaign.site.machine
    rows = _with_hosts(context, PAIRS)
    rows["time_us"] = rows["median_us"]
    rows["pairs"] = rows["processes"] // (campaign.engine.group_size or 2)
    rows["mb_per_s"] = rows["pairs"] * rows["bytes"] / rows["time_us"]
    same = ["stack", "processes_per_node", "placement", "bytes"]
    one = rows.loc[rows["pairs"] == 1, [*same, "mb_per_s"]].rename(columns={"mb_per_s": "of_one"})
    rows = rows.merge(one, on=same, how="left")
    rows["of_one_pair"] = rows["mb_per_s"] / rows["of_one"]
    trunk = machine.topology.trunk_mb_per_s if machine is not None else nan
    rows["trunk_share"] = (rows["mb_per_s"] / trunk).where(rows["sites"] == BETWEEN)
    return rows[list(PAIR_COLUMNS)]


def make_orders(context: TableContext) -> pd.DataFrame:
    """`ORDER_COLUMNS`."""
    return order_table(context.get(make_summary))


def order_table(summary: pd.DataFrame) -> pd.DataFrame:
    """`ORDER_COLUMNS` of all but messages of single pairs. `summary`: `SUMMARY_COLUMNS`."""
    rows = summary[summary["median_us"].gt(0) & ~summary["operation"].isin([PING_PONG, PAIRS])]
    same = [name for name in RESULT_KEY if name != "placement"]
    fastest = rows.groupby(same)["median_us"].transform("min")
    return rows.assign(of_fastest=rows["median_us"] / fastest)[list(ORDER_COLUMNS)]


def _with_hosts(context: TableContext, operation: str) -> pd.DataFrame:
    """Rows of an operation with a time: of the summary, and hosts and sites of each."""
    summary = context.get(make_summary)
    rows = summary[(summary["operation"] == operation) & summary["median_us"].gt(0)]
    known = point_hosts(context.inputs)
    hosts = [known.get(point, []) for point in rows[POINT].itertuples(index=False, name=None)]
    machine = context.inputs.campaign.site.machine
    return rows.assign(hosts=["–".join(each[:2]) for each in hosts], sites=[sites(machine, each) for each in hosts])


SITES_PING_PONG = Table(
    name="view-two-sites-ping-pong",
    columns=PING_PONG_COLUMNS,
    make=make_ping_pong,
    holds="ping-pong inside and between the sites",
    applies=lambda campaign: wanted(campaign) and PING_PONG in campaign.operations,
)
SITES_PAIRS = Table(
    name="view-two-sites-pairs",
    columns=PAIR_COLUMNS,
    make=make_pairs,
    holds="what many pairs get at the same time, against one pair and all links",
    applies=lambda campaign: wanted(campaign) and PAIRS in campaign.operations,
)
SITES_ORDERS = Table(
    name="view-two-sites-orders",
    columns=ORDER_COLUMNS,
    make=make_orders,
    holds="the time of a collective by the order of the hosts",
    applies=lambda campaign: wanted(campaign) and bool(set(campaign.operations) - {PING_PONG, PAIRS}),
)
