# SPDX-License-Identifier: BSD-3-Clause
"""`view-two-sites-….csv`: a machine in two cities, and a loop with a rotating root.

Ping-pong inside and between the sites, many pairs at the same time, and the time of a collective by the order of the
hosts are figures 4 to 6 of A. Igumnov et al. (2015), beside one-way streams. Rates are in MB/s of 10⁶ bytes, as the
links are in Gbit/s.

In a loop with a rotating root nothing separates the operations, so each process measures most of them as shorter than a
message from one site to the other: the mean over ranks is below what light allows (table 2 of the study).
"""

from collections.abc import Callable
from math import nan

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts import ROTATING, point_hosts
from isochron.postprocess.estimate.models.parameters import PING_PONG
from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs import KEYS, POINT, RESULT_KEY
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.contrasts.table import make_bounds
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.views.request import view
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.site import Site

#: Both of each pair send at the same time: Isend, Recv, Wait.
PAIRS = "multi-ping-ping"
#: One of a pair sends `engine.burst` messages, which are in flight at the same time: Uniband of IMB.
STREAM = "burst"
INSIDE, BETWEEN = "inside", "between"
#: The word in `analysis.views`.
SOURCE = "two-sites"

PLACE = {name: KEYS[name] for name in ("stack", *POINT)}
PING_PONG_COLUMNS = {
    **PLACE,
    "hosts": "hosts of ranks 0 and 1",
    "sites": "of a described machine: `inside` one site, or `between` two; otherwise empty",
    "bytes": KEYS["bytes"],
    "time_us": "value of the row: half of the round trip",
    "mb_per_s": "`bytes` / `time_us`: MB/s, 10⁶ bytes",
}
STREAM_COLUMNS = {
    **PLACE,
    "hosts": PING_PONG_COLUMNS["hosts"],
    "sites": PING_PONG_COLUMNS["sites"],
    "bytes": "each message of the stream",
    "messages": "messages of the stream, which are in flight at the same time: `engine.burst`",
    "time_us": "value of the row: until the receiver has acknowledged all",
    "mb_per_s": "`messages` · `bytes` / `time_us`: MB/s, 10⁶ bytes",
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


def _has(operation: str) -> Callable[[Campaign], bool]:
    return lambda campaign: operation in campaign.operations


def sites(site: Site, hosts: list[str]) -> str:
    """Whether the first two hosts are of one group of a described machine; empty if it is not known."""
    groups = [site.groups_of(host) for host in hosts[:2]]
    if len(groups) < 2 or not all(groups):
        return ""
    return INSIDE if groups[0] == groups[1] else BETWEEN


def make_ping_pong(context: TableContext) -> pd.DataFrame:
    """`PING_PONG_COLUMNS`."""
    rows = _with_hosts(context, PING_PONG)
    rows["mb_per_s"] = (rows["bytes"] / rows["time_us"]).where(rows["bytes"] > 0)
    return rows[list(PING_PONG_COLUMNS)]


def make_streams(context: TableContext) -> pd.DataFrame:
    """`STREAM_COLUMNS`."""
    rows = _with_hosts(context, STREAM)
    rows["messages"] = context.inputs.campaign.engine.burst
    rows["mb_per_s"] = (rows["messages"] * rows["bytes"] / rows["time_us"]).where(rows["bytes"] > 0)
    return rows[list(STREAM_COLUMNS)]


def make_pairs(context: TableContext) -> pd.DataFrame:
    """`PAIR_COLUMNS`."""
    campaign = context.inputs.campaign
    rows = _with_hosts(context, PAIRS)
    rows["pairs"] = rows["processes"] // (campaign.engine.group_size or 2)
    rows["mb_per_s"] = rows["pairs"] * rows["bytes"] / rows["time_us"]
    same = ["stack", "processes_per_node", "placement", "bytes"]
    one = rows.loc[rows["pairs"] == 1, [*same, "mb_per_s"]].rename(columns={"mb_per_s": "of_one"})
    rows = rows.merge(one, on=same, how="left")
    rows["of_one_pair"] = rows["mb_per_s"] / rows["of_one"]
    rows["trunk_share"] = (rows["mb_per_s"] / (campaign.site.trunk_rate or nan)).where(rows["sites"] == BETWEEN)
    return rows[list(PAIR_COLUMNS)]


def order_table(summary: pd.DataFrame) -> pd.DataFrame:
    """`ORDER_COLUMNS` of all but messages of single pairs. `summary`: `SUMMARY_COLUMNS`."""
    rows = summary[summary["median_us"].gt(0) & ~summary["operation"].isin([PING_PONG, STREAM, PAIRS])]
    same = [name for name in RESULT_KEY if name != "placement"]
    fastest = rows.groupby(same)["median_us"].transform("min")
    return rows.assign(of_fastest=rows["median_us"] / fastest)[list(ORDER_COLUMNS)]


def _with_hosts(context: TableContext, operation: str) -> pd.DataFrame:
    """Rows of an operation with a time, `time_us`: of the summary, and hosts and sites of each."""
    summary = context.get(make_summary)
    rows = summary[(summary["operation"] == operation) & summary["median_us"].gt(0)]
    hosts_of_points = point_hosts(context.inputs)
    hosts = [hosts_of_points.get(point, []) for point in rows[POINT].itertuples(index=False, name=None)]
    site = context.inputs.campaign.site
    ends, places = ["–".join(each[:2]) for each in hosts], [sites(site, each) for each in hosts]
    return rows.assign(hosts=ends, sites=places, time_us=rows["median_us"])


SITES_PING_PONG = view(
    SOURCE, "ping-pong", PING_PONG_COLUMNS, make_ping_pong, "ping-pong inside and between the sites", _has(PING_PONG)
)
SITES_STREAMS = view(
    SOURCE, "streams", STREAM_COLUMNS, make_streams, "one-way streams inside and between the sites", _has(STREAM)
)
SITES_PAIRS = view(
    SOURCE,
    "pairs",
    PAIR_COLUMNS,
    make_pairs,
    "what many pairs get at the same time, against one pair and all links",
    _has(PAIRS),
)
SITES_ORDERS = view(
    SOURCE,
    "orders",
    ORDER_COLUMNS,
    lambda context: order_table(context.get(make_summary)),
    "the time of a collective by the order of the hosts",
    lambda campaign: bool(set(campaign.operations) - {PING_PONG, STREAM, PAIRS}),
)


PARADOX_COLUMNS = {
    **KEYS,
    "results_us": "time of one operation from a common start: value of the row in the scheme of the results",
    "loop_us": "of an operation in the loop with a rotating root: last end less first start, by the operations",
    "avg_us": "of an operation in that loop, as each process sees it: mean over the processes, median over launches",
    "min_us": "the least of these means",
    "max_us": "the greatest of these means",
    "bound_us": "least time of an operation with that root by the campaign's own ping-pong",
    "between": "the two hosts of that ping-pong",
    "below": "whether `avg_us` is below `bound_us`: no duration of an operation",
}
#: The first columns of the matrix; then one for each rank.
POSITION_COLUMNS = {
    **KEYS,
    "position": "number of the operation in the last loop, from 0",
    "root": "its root: `position` modulo `processes`",
    "mean_us": "mean over the ranks; their mean over all operations is the mean over ranks of the loop",
}
MATRIX_COLUMNS = {**POSITION_COLUMNS, "rank_<rank>_us": "what the operation took on that rank, median over launches"}


def rotates(campaign: Campaign) -> bool:
    """Return True if a campaign has such a loop."""
    return ROTATING in {campaign.engine_of(contrast).scheme for contrast in campaign.all_contrasts}


def make_paradox(context: TableContext) -> pd.DataFrame:
    """`PARADOX_COLUMNS`."""
    loops = context.everything[context.everything["scheme"] == ROTATING]
    return paradox_table(context.get(make_bounds), loops, context.get(make_summary))


def paradox_table(bounds: pd.DataFrame, loops: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`PARADOX_COLUMNS` of the cases that both schemes have.

    `bounds`: `BOUND_COLUMNS`. `summary`: RESULT_KEY and median_us. `loops`: of each launch with a rotating root
    RESULT_KEY, rank_avg_us, rank_min_us, rank_max_us.
    """
    means = loops.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        avg_us=("rank_avg_us", "median"), min_us=("rank_min_us", "median"), max_us=("rank_max_us", "median")
    )
    result_times = summary[[*RESULT_KEY, "median_us"]].rename(columns={"median_us": "results_us"})
    loop = bounds.loc[bounds["scheme"] == ROTATING, [*RESULT_KEY, "median_us", "bound_us", "between"]]
    table = loop.rename(columns={"median_us": "loop_us"}).merge(result_times, on=RESULT_KEY).merge(means, on=RESULT_KEY)
    table = table[table["avg_us"].notna()]
    return table.assign(below=table["avg_us"] < table["bound_us"])[list(PARADOX_COLUMNS)]


def make_rotating(context: TableContext) -> pd.DataFrame:
    """`MATRIX_COLUMNS`."""
    files = context.everything.loc[context.everything["scheme"] == ROTATING, "launch_id"].unique()
    loops = read_table(context.inputs.layout, "loops")
    loops = loops[loops["launch_id"].isin(files)]
    table = matrix(loops.merge(context.launches[["launch_id", "stack", *POINT]], on="launch_id"))
    return in_plan_order(table, context.get(make_bounds), RESULT_KEY)


def matrix(loops: pd.DataFrame) -> pd.DataFrame:
    """`MATRIX_COLUMNS`. `loops`: RESULT_KEY, rank, position and time_us."""
    keys = [*RESULT_KEY, "position"]
    wide = loops.pivot_table(index=keys, columns="rank", values="time_us", aggfunc="median", sort=False)
    wide = wide[sorted(wide.columns)].rename(columns=lambda rank: f"rank_{rank}_us").rename_axis(columns=None)
    mean = wide.mean(axis=1)
    table = wide.assign(mean_us=mean).reset_index()
    table["root"] = table["position"] % table["processes"]
    return table[[*POSITION_COLUMNS, *wide.columns]]


PARADOX = view(
    SOURCE,
    "paradox",
    PARADOX_COLUMNS,
    make_paradox,
    "a rotating root in a loop: the mean over ranks, and the least time that ping-pong allows",
    rotates,
)
ROTATING_MATRIX = view(
    SOURCE,
    "rotating",
    MATRIX_COLUMNS,
    make_rotating,
    "a rotating root in a loop: what each operation takes on each rank",
    lambda campaign: rotates(campaign) and campaign.engine.per_rank,
)
