# SPDX-License-Identifier: BSD-3-Clause
"""The views of PMB 2.2 (EKSS-1, 2001) and of the MSU tests (Andreev, Voevodin), from raw files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import nan
from statistics import mean

from tests.postprocess.subjects.views.recomputed.raw import (
    HALVED,
    KEY,
    POINT,
    Raw,
    Record,
    is_usable,
    median_us,
    mib_per_s,
    middle,
)

#: PMB's name, and how many messages of X bytes its bandwidth counts; None: it prints none, "p²": of each pair.
PMB: dict[str, tuple[str, int | str | None]] = {
    "ping-pong": ("PingPong", 1), "ping-ping": ("PingPing", 1), "sendrecv": ("Sendrecv", 2),
    "exchange": ("Exchange", 4),
    "alltoall": ("Alltoall", "p²"), "bcast": ("Bcast", None), "allgather": ("Allgather", None),
    "allgatherv": ("Allgatherv", None), "reduce": ("Reduce", None), "reduce_scatter": ("Reduce_scatter", None),
    "allreduce": ("Allreduce", None), "barrier": ("Barrier", None),
}  # fmt: skip
#: Six columns of the table of topologies, in the order of the source.
SHAPES = ("star", "chaos", "ring", "istar", "ichaos", "iring")
#: The source's list of basic operations.
ITEMS = (
    ("basic-timer", "timer, DT"), ("basic-barrier", "barrier, DB"),
    ("basic-allreduce-1", "allreduce of 1 integer"), ("basic-allreduce-10", "allreduce of 10 integers"),
    ("basic-reduce-1", "reduce of 1 integer"), ("basic-reduce-10", "reduce of 10 integers"),
    ("basic-bcast-1", "bcast of 1 integer"), ("basic-gather-1", "gather of 1 integer"),
    ("basic-isend-10", "nonblocking send of 10 integers and wait"), ("basic-iprobe", "iprobe"),
    ("basic-send-10", "blocking send of 10 integers"), ("basic-sendrecv-1", "sendrecv of 1 integer"),
    ("basic-send-recv-1", "send, then recv of 1 integer"),
    ("basic-persistent-5", "5 persistent sends, started together and waited for"),
    ("basic-isend-5", "5 nonblocking sends, waited for"), ("basic-signal", "signal: 0 bytes there and back"),
)  # fmt: skip


def _on_zero_us(row: Record) -> float:
    """The mean time of an operation on process 0."""
    return float(row["rank_mean"]["zero_ns"]) / 1e3


def _benchmark(key: Record, rows: list[Record], processes: int, group_size: int) -> Record:
    """A line of PMB for `processes` processes in one communicator."""
    plain = key["operation"].removeprefix("multi-")
    multi = plain != key["operation"]
    name, messages = PMB[plain]
    group = {"ping-pong": 2, "ping-ping": 2, "sendrecv": processes, "exchange": processes}.get(plain)
    group = processes if group is None else group_size or group
    size = key["bytes"] * processes if plain == "reduce_scatter" else key["bytes"]
    means = [row["rank_mean"] for row in rows if row.get("rank_mean")]
    share = 0.5e-3 if key["operation"] in HALVED else 1e-3
    average, least, most = (share * middle(mean[f"{name}_ns"] for mean in means) for name in ("avg", "min", "max"))
    counted = group**2 if messages == "p²" else messages
    return {
        **{name: key[name] for name in KEY if name != "operation"},
        "benchmark": f"{'Multi-' if multi else ''}{name}",
        "bytes": size,
        "active": processes // group * group if multi else group,
        "repetitions": 1000 if size == 0 else min(1000, max(1, 40 * 2**20 // size)),
        "operations": max(row["reps_made"] * row.get("operations_per_rep", 1) for row in rows),
        "time_us": median_us(rows),
        "t_min_us": least,
        "t_max_us": most,
        "t_avg_us": average,
        "mib_per_s": nan if counted is None else mib_per_s(int(counted) * size, average),
    }


def pmb(raw: Raw) -> Iterator[Record]:
    """`view-pmb`."""
    for values, value in raw.values.items():
        key = dict(zip(KEY, values, strict=True))
        if key["operation"].removeprefix("multi-") in PMB and value.rows:
            yield _benchmark(key, value.rows, key["processes"], raw.campaign["engine"]["group_size"])


def pmb_groups(raw: Raw) -> Iterator[Record]:
    """`view-pmb-groups`: the same for the processes of a group, if these are two and more."""
    lines = defaultdict(list)
    for launch in raw.launches:
        for row in launch.rows if launch.planned["contrast"] else []:
            if row["groups"] != "all" and row["operation"].removeprefix("multi-") in PMB and is_usable(row):
                name = (launch.planned["contrast"], row["groups"], row["group_count"], row["active"])
                lines[name, tuple(launch.key(row).values())].append(row)
    for ((contrast, groups, count, active), values), rows in lines.items():
        key = dict(zip(KEY, values, strict=True))
        if active < 2 * count:
            continue
        line = _benchmark(key, rows, active // count, raw.engine_of(contrast)["group_size"])
        plain = line["benchmark"].removeprefix("Multi-") if count > 1 else line["benchmark"]
        line |= {"processes": key["processes"], "groups": groups, "group_count": count, "active": active}
        yield {**line, "benchmark": f"Multi-{plain}" if count > 1 else plain}


def transfers(raw: Raw) -> Iterator[Record]:
    """`view-msu-transfers`: R = 2NL/T of N exchanges in T, the mean on process 0; at 0 bytes T/2N."""
    for values, value in raw.values.items():
        key = dict(zip(KEY, values, strict=True))
        if not key["operation"].startswith("transfer-") or not value.rows:
            continue
        exchange = mean(_on_zero_us(row) for row in value.rows)
        yield {
            **{name: key[name] for name in KEY if name != "operation"},
            "transfer": int(key["operation"][-1]),
            "exchanges": max(row.get("operations_per_rep", 1) for row in value.rows),
            "latency_us": nan if key["bytes"] else exchange / 2,
            "mib_per_s": mib_per_s(2 * key["bytes"], exchange) if key["bytes"] else nan,
        }


def fits(raw: Raw) -> Iterator[Record]:
    """`view-msu-fit`: the normal equations of Σ (1 - (s + L/R) / t)², t half of an exchange on process 0."""
    times: dict[tuple[object, ...], list[tuple[int, float]]] = defaultdict(list)
    for values, value in raw.values.items():
        key = dict(zip(KEY, values, strict=True))
        if key["operation"].startswith("transfer-") and value.rows:
            place = (key["stack"], *(key[name] for name in POINT), int(key["operation"][-1]))
            times[place].append((key["bytes"], mean(_on_zero_us(row) for row in value.rows) / 2))
    for place, points in times.items():
        one, by_size = sum(1 / t for _, t in points), sum(size / t for size, t in points)
        squares = [sum(size**power / t**2 for size, t in points) for power in range(3)]
        determinant = squares[0] * squares[2] - squares[1] ** 2
        if len(points) < 2:
            continue
        start = (one * squares[2] - by_size * squares[1]) / determinant
        slope = (by_size * squares[0] - one * squares[1]) / determinant
        if start <= 0 or slope <= 0:
            continue
        off, size = max((abs(t / (start + slope * size) - 1), size) for size, t in points)
        yield {
            **dict(zip(("stack", *POINT, "transfer"), place, strict=True)),
            "sizes": len(points),
            "latency_us": start,
            "mib_per_s": mib_per_s(1, slope),
            "worst_residual": off,
            "worst_residual_bytes": size,
        }


def _exchanges(raw: Raw) -> dict[tuple[object, ...], dict[str, float]]:
    """The mean time of an exchange on process 0, until the closing barrier has ended, by stack, point and size."""
    found: dict[tuple[object, ...], dict[str, float]] = defaultdict(dict)
    for values, value in raw.values.items():
        key = dict(zip(KEY, values, strict=True))
        if key["operation"] in SHAPES and value.rows:
            place = (key["stack"], *(key[name] for name in POINT), key["bytes"])
            found[place][key["operation"]] = mean(_on_zero_us(row) for row in value.rows)
    return found


def _neighbours(shape: str, processes: int) -> list[int]:
    """Channels at each process: to the centre, to the left and right, or to all others."""
    pairs = {
        "star": [(0, other) for other in range(1, processes)],
        "ring": [(rank, (rank + 1) % processes) for rank in range(processes)],
        "chaos": [(rank, other) for rank in range(processes) for other in range(rank)],
    }[shape.removeprefix("i")]
    return [sum(rank in pair for pair in pairs) for rank in range(processes)]


def topologies(raw: Raw) -> Iterator[Record]:
    """`view-msu-topologies`: R_avg = 2L/T, and R_total of all channels; at 0 bytes the latency T/2."""
    for place, times in _exchanges(raw).items():
        line = dict(zip(("stack", *POINT, "bytes"), place, strict=True))
        size = raw.campaign["engine"]["group_size"] or line["processes"]
        for shape in SHAPES:
            time = times.get(shape, nan)
            line[shape] = mib_per_s(2 * line["bytes"], time) if line["bytes"] else nan
            line[f"{shape}_latency_us"] = nan if line["bytes"] else time / 2
            line[f"{shape}_total"] = line[shape] * sum(_neighbours(shape, size)) / 2
        yield line


def topologies_by_process(raw: Raw) -> Iterator[Record]:
    """`view-msu-local`: R_local of each process of a whole group."""
    for place, times in _exchanges(raw).items():
        line = dict(zip(("stack", *POINT, "bytes"), place, strict=True))
        size = raw.campaign["engine"]["group_size"] or line["processes"]
        rates = {shape: mib_per_s(2 * line["bytes"], time) for shape, time in times.items() if line["bytes"]}
        for process in range(line["processes"] // size * size if line["bytes"] else 0):
            local = {shape: rates.get(shape, nan) * _neighbours(shape, size)[process % size] for shape in SHAPES}
            yield {**line, "process": process, **local}


def costs(raw: Raw) -> Iterator[Record]:
    """`view-msu-costs`: of each launch the item less DT and DB, which is the item "barrier" less DT."""
    lists: dict[tuple[object, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for launch in raw.results:
        times = {row["operation"]: _on_zero_us(row) for row in launch.rows if row.get("costs") and is_usable(row)}
        for name, time in times.items():
            timer = times["basic-timer"] if name != "basic-timer" else 0.0
            barrier = times["basic-barrier"] - timer if name not in ("basic-timer", "basic-barrier") else 0.0
            lists[launch.planned["stack"], *launch.point.values()][name].append(time - timer - barrier)
    for place, times_of in lists.items():
        for item, (name, text) in enumerate(ITEMS, start=1):
            if name in times_of:
                line = dict(zip(("stack", *POINT), place, strict=True))
                yield {**line, "item": item, "text": text, "cost_us": mean(times_of[name])}
