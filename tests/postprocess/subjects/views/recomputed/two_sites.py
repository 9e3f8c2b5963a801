# SPDX-License-Identifier: BSD-3-Clause
"""The views of a machine in two cities (A. Igumnov et al., 2015), from raw files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from math import inf, nan

from tests.postprocess.subjects.views.recomputed.raw import (
    HALVED,
    KEY,
    POINT,
    Key,
    Raw,
    Record,
    is_usable,
    median_us,
    middle,
)

PLACE = ("stack", *POINT)
ROTATING = "rotating-root"
#: Operations in which all processes need something of all others, and those with a root.
FROM_ALL = ("barrier", "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw")
ROOTED = ("bcast", "gather", "gatherv", "reduce", "scatter", "scatterv")


def _hosts(raw: Raw) -> dict[tuple[object, ...], list[str]]:
    """The host of each rank by POINT, if the plan names the hosts."""
    hosts = {}
    for launch in raw.planned:
        names, point = launch["hosts"], launch["point"]
        if names and not any(name.startswith("@") for name in names):
            in_turn, per_node = point["placement"] == "round-robin", point["processes_per_node"]
            hosts[tuple(point[name] for name in POINT)] = [
                names[rank % len(names) if in_turn else rank // per_node] for rank in range(point["processes"])
            ]
    return hosts


def _site(raw: Raw, host: str) -> str:
    """The group of a host; empty if it is not known."""
    site = raw.campaign["site"]
    if site.get("machine") is None:
        return next(
            (name for name, each in site["locations"].items() if any(fnmatchcase(host, one) for one in each)), ""
        )
    number = host.removeprefix("n")
    known = number.isdigit() and host == f"n{int(number)}" and int(number) < site["machine"]["nodes"]
    return str(int(number) // site["machine"]["topology"]["nodes_per_group"]) if known else ""


def _sites(raw: Raw, hosts: list[str]) -> str:
    groups = [_site(raw, host) for host in hosts[:2]]
    if len(groups) < 2 or "" in groups:
        return ""
    return "inside" if groups[0] == groups[1] else "between"


def _timed(raw: Raw, operation: str) -> Iterator[tuple[Record, float, list[str]]]:
    """KEY, time in µs and hosts of the results of an operation that have a time."""
    hosts = _hosts(raw)
    for values, value in raw.values.items():
        key = dict(zip(KEY, values, strict=True))
        if key["operation"] == operation and value.median > 0:
            yield key, value.median, hosts.get(tuple(key[name] for name in POINT), [])


def ping_pong(raw: Raw) -> Iterator[Record]:
    """`view-two-sites-ping-pong`."""
    for key, time, hosts in _timed(raw, "ping-pong"):
        yield {
            **{name: key[name] for name in (*PLACE, "bytes")}, "hosts": "–".join(hosts[:2]),
            "sites": _sites(raw, hosts), "time_us": time, "mb_per_s": key["bytes"] / time if key["bytes"] else nan,
        }  # fmt: skip


def streams(raw: Raw) -> Iterator[Record]:
    """`view-two-sites-streams`."""
    for key, time, hosts in _timed(raw, "burst"):
        messages = raw.campaign["engine"]["burst"]
        yield {
            **{name: key[name] for name in (*PLACE, "bytes")}, "hosts": "–".join(hosts[:2]),
            "sites": _sites(raw, hosts), "messages": messages, "time_us": time,
            "mb_per_s": messages * key["bytes"] / time if key["bytes"] else nan,
        }  # fmt: skip


def pairs(raw: Raw) -> Iterator[Record]:
    """`view-two-sites-pairs`."""
    site, group = raw.campaign["site"], raw.campaign["engine"]["group_size"] or 2
    machine = site.get("machine")
    trunk = machine["topology"].get("trunk_mb_per_s") if machine else site.get("trunk_mb_per_s")
    lines = []
    for key, time, hosts in _timed(raw, "multi-ping-ping"):
        count = key["processes"] // group
        lines.append({
            **{name: key[name] for name in (*PLACE, "bytes")}, "sites": _sites(raw, hosts), "pairs": count,
            "time_us": time, "mb_per_s": count * key["bytes"] / time,
        })  # fmt: skip
    same = ("stack", "processes_per_node", "placement", "bytes")
    single = {tuple(line[name] for name in same): line["mb_per_s"] for line in lines if line["pairs"] == 1}
    for line in lines:
        of_one = single.get(tuple(line[name] for name in same), nan)
        between = line["sites"] == "between" and trunk
        line["of_one_pair"] = line["mb_per_s"] / of_one if of_one else nan
        line["trunk_share"] = line["mb_per_s"] / trunk if between else nan
        yield line


def orders(raw: Raw) -> Iterator[Record]:
    """`view-two-sites-orders`."""
    lines = []
    for values, value in raw.values.items():
        key = dict(zip(KEY, values, strict=True))
        if key["operation"] not in ("ping-pong", "burst", "multi-ping-ping") and value.median > 0:
            low, high = raw.interval(values)
            lines.append(key | {"median_us": value.median, "median_low_us": low, "median_high_us": high,
                                "reliable": value.is_reliable})  # fmt: skip
    same = [name for name in KEY if name != "placement"]
    fastest: dict[tuple[object, ...], float] = defaultdict(lambda: inf)
    for line in lines:
        case = tuple(line[name] for name in same)
        fastest[case] = min(fastest[case], line["median_us"])
    return (line | {"of_fastest": line["median_us"] / fastest[tuple(line[name] for name in same)]} for line in lines)


def _shortest(raw: Raw) -> dict[tuple[str, str], float]:
    """Between two hosts the shortest ping-pong of the results in µs; without one the time of light from the root."""
    hosts, site, root = _hosts(raw), raw.campaign["site"], raw.campaign["engine"]["root"]
    least: dict[tuple[str, str], float] = {}
    for ranks in hosts.values() if site.get("distance_ms") else ():
        for host in sorted(set(ranks)):
            if _site(raw, host) != _site(raw, ranks[root]):
                least[min(host, ranks[root]), max(host, ranks[root])] = 1e3 * site["distance_ms"]
    times: dict[tuple[str, str], float] = {}
    for launch in raw.results:
        ends = sorted(set(hosts.get(tuple(launch.point.values()), [])[:2]))
        for row in launch.rows:
            if row["operation"] == "ping-pong" and len(ends) == 2 and (row["min_ns"] or 0) > 0:
                pair = (ends[0], ends[1])
                times[pair] = min(times.get(pair, inf), row["min_ns"] / 2e3)
    return least | times


def _bound(raw: Raw, key: Record) -> tuple[float, str]:
    """The least time of a loop with a rotating root: of a message if all need all, else half of it."""
    ranks = _hosts(raw).get(tuple(key[name] for name in POINT), [])
    share = {**dict.fromkeys(FROM_ALL, 1.0), **dict.fromkeys(ROOTED, 0.5)}.get(key["operation"])
    bounds = [(share * time, "–".join(pair)) for pair, time in _shortest(raw).items()
              if share is not None and set(pair) <= set(ranks)]  # fmt: skip
    return max(bounds, key=lambda bound: bound[0], default=(nan, ""))


def _loops(raw: Raw) -> dict[Key, list[Record]]:
    """Measurements of contrasts with a rotating root, by KEY."""
    rotating = [launch for launch in raw.launches
                if raw.engine_of(launch.planned["contrast"])["scheme"] == ROTATING]  # fmt: skip
    return raw.rows_of(rotating)


def paradox(raw: Raw) -> Iterator[Record]:
    """`view-two-sites-paradox`."""
    for values, rows in _loops(raw).items():
        key = dict(zip(KEY, values, strict=True))
        share = 0.5e-3 if key["operation"] in HALVED else 1e-3
        means = [row["rank_mean"] for row in rows if row["scheme"] == ROTATING and row["rank_mean"]]
        average, least, most = (share * middle(mean[f"{name}_ns"] for mean in means) for name in ("avg", "min", "max"))
        if means and values in raw.values:
            bound, pair = _bound(raw, key)
            yield key | {
                "results_us": raw.values[values].median, "loop_us": median_us([row for row in rows if is_usable(row)]),
                "avg_us": average, "min_us": least, "max_us": most, "bound_us": bound, "between": pair,
                "below": average < bound,
            }  # fmt: skip


def rotating(raw: Raw) -> Iterator[Record]:
    """`view-two-sites-rotating`: each operation of the loop on each rank, median over launches."""
    loops = _loops(raw)
    most = max((values[KEY.index("processes")] for values in loops), default=0)
    for values, rows in loops.items():
        key = dict(zip(KEY, values, strict=True))
        measured = [row["per_rank"]["operations_ns"] for row in rows if row["per_rank"]["operations_ns"]]
        for position in range(len(measured[0][0]) if measured else 0):
            times = [middle(ranks[rank][position] / 1e3 for ranks in measured) for rank in range(len(measured[0]))]
            yield key | {
                "position": position, "root": position % key["processes"], "mean_us": sum(times) / len(times),
                **{f"rank_{rank}_us": times[rank] if rank < len(times) else nan for rank in range(most)},
            }  # fmt: skip
