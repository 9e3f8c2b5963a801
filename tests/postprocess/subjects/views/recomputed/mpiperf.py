# SPDX-License-Identifier: BSD-3-Clause
"""The views of MPIPerf (Kurnosov, 2012), from raw files: T = mean of the middle runs, SE = s/√n_s, E = a·SE."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import isnan, nan

from scipy.stats import t as student

from tests.postprocess.subjects.views.recomputed.raw import (
    HALVED,
    KEY,
    Launch,
    Raw,
    Record,
    is_usable,
    middle,
    time_us,
)

SETTING = ("scheme", "timer", "buffers")
#: What the study does not measure: messages of processes, not collectives.
NO_COLLECTIVE = ("ping-", "multi-", "sendrecv", "exchange", "transfer-", "basic-", "star", "ring", "chaos", "istar",
                 "iring", "ichaos")  # fmt: skip
#: Runs in a time diagram.
DRAWN = 6


def _of_valid_runs(times: list[float], engine: Record) -> Record:
    """The study's statistics of times in µs, in two passes over a sorted list."""
    cut = int(engine["trim"] * len(times) + 1e-9)
    kept = sorted(times)[cut : len(times) - cut]
    count = len(kept)
    line: Record = {"n_c": len(times), "n_s": count}
    if not kept:
        return line | dict.fromkeys(("t_us", "se_us", "min_us", "max_us", "e_us", "low_us", "high_us"), nan)
    mean = sum(kept) / count
    error = (sum((time - mean) ** 2 for time in kept) / (count - 1) / count) ** 0.5 if count > 1 else nan
    half = float(student.ppf((1 + engine["confidence"]) / 2, count - 1)) * error
    return line | {
        "t_us": mean, "se_us": error, "min_us": kept[0], "max_us": kept[-1],
        "e_us": half, "low_us": mean - half, "high_us": mean + half,
    }  # fmt: skip


def _valid_times(row: Record, times_ns: list[float]) -> list[float]:
    """Those of the valid runs in µs, one way."""
    share = 0.5e-3 if row["operation"] in HALVED else 1e-3
    return [share * time for time, is_valid in zip(times_ns, row["valid"], strict=True) if is_valid]


def _measured(raw: Raw) -> Iterator[tuple[Launch, Record, Record]]:
    """Launch, row and KEY with SETTING of what differs from the results in SETTING alone."""
    for launch in raw.launches:
        kind = launch.planned
        changed = set(raw.campaign["contrasts"].get(kind["contrast"], {}))
        if kind["clock_sync"] or kind["first_call"] or not changed <= set(SETTING):
            continue
        for row in filter(is_usable, launch.rows):
            buffers = launch.header["options"].get("buffers", "warm")
            yield launch, row, launch.key(row) | {"scheme": row["scheme"], "timer": row["timer"], "buffers": buffers}


def lines(raw: Raw) -> Iterator[Record]:
    """`view-mpiperf`: the study's statistics, and the engine's own as it wrote them."""
    for line, row in _lines(raw, "time_ns"):
        written = {"t": "mean_ns", "se": "se_ns", "low": "ci_low_ns", "high": "ci_high_ns"}
        yield line | {f"engine_{name}_us": time_us(row, field) for name, field in written.items()}


def local_lines(raw: Raw) -> Iterator[Record]:
    """`view-mpiperf-local`: the time of a run is its longest local duration."""
    return (line for line, _ in _lines(raw, "local_ns"))


def _lines(raw: Raw, field: str) -> Iterator[tuple[Record, Record]]:
    engine = raw.campaign["engine"]
    for launch, row, key in _measured(raw):
        statistics = _of_valid_runs(_valid_times(row, row[field]), engine)
        made = {"n_l": row["reps_made"], "confidence": row["confidence"]}
        yield key | launch.number | statistics | made, row


def lines_by_rank(raw: Raw) -> Iterator[Record]:
    """`view-mpiperf-ranks`: each process' runs are timed by its own start and end."""
    engine = raw.campaign["engine"]
    for launch in raw.results:
        for row in launch.rows:
            if row["per_rank"] is None or not any(row["valid"]):
                continue
            ends = zip(row["per_rank"]["start_ns"], row["per_rank"]["end_ns"], strict=True)
            for rank, (starts, stops) in enumerate(ends):
                operations = row.get("operations_per_rep", 1)
                durations = [(stop - start) / operations for start, stop in zip(starts, stops, strict=True)]
                statistics = _of_valid_runs(_valid_times(row, durations), engine)
                key = launch.key(row) | launch.number | {"rank": rank}
                yield key | statistics | {"confidence": engine["confidence"]}


def diagram(raw: Raw) -> Iterator[Record]:
    """`view-mpiperf-diagram`: the first runs of the first launch of each collective and setting, in one time."""
    first: dict[tuple[object, ...], tuple[Launch, Record, Record]] = {}
    for launch, row, key in _measured(raw):
        if not row["operation"].startswith(NO_COLLECTIVE):
            place = tuple(key.values())
            if place not in first or tuple(launch.number.values()) < tuple(first[place][0].number.values()):
                first[place] = (launch, row, key)
    for launch, row, key in first.values():
        per_rank = row["per_rank"]
        for rep in range(min(DRAWN, row["reps_made"]) if per_rank and per_rank["begin_ns"] else 0):
            begin, slot = per_rank["begin_ns"][rep], per_rank["slot_ns"][rep]
            opened = begin - per_rank["into_slot_ns"][rep] if slot else nan
            for rank, (starts, stops) in enumerate(zip(per_rank["start_ns"], per_rank["end_ns"], strict=True)):
                yield key | launch.number | {
                    "rep": rep, "rank": rank, "slot_us": opened / 1e3, "slot_end_us": (opened + slot) / 1e3,
                    "start_us": (begin + starts[rep]) / 1e3, "end_us": (begin + stops[rep]) / 1e3,
                    "valid": row["valid"][rep],
                }  # fmt: skip


def _means(raw: Raw) -> dict[tuple[object, ...], list[float]]:
    """T of each launch in µs, by KEY and SETTING; NaN of a launch without valid runs."""
    means = defaultdict(list)
    for _, row, key in _measured(raw):
        statistics = _of_valid_runs(_valid_times(row, row["time_ns"]), raw.campaign["engine"])
        means[tuple(key.values())].append(statistics["t_us"])
    return means


def wait_patterns(raw: Raw) -> Iterator[Record]:
    """`view-mpiperf-wait-patterns`: as many µs as processes, or 0, beside what was read."""
    for values, means in _means(raw).items():
        key = dict(zip((*KEY, *SETTING), values, strict=True))
        if not key["operation"].startswith("wait-pattern-"):
            continue
        del key["bytes"]
        times = [time for time in means if not isnan(time)]
        true = 0 if key["operation"] == "wait-pattern-null" else key["processes"]
        yield key | {
            "true_us": true, "launches": len(times), "t_us": middle(times), "t_min_us": min(times, default=nan),
            "t_max_us": max(times, default=nan), "off_us": middle(times) - true,
        }  # fmt: skip


def rse(raw: Raw) -> Iterator[Record]:
    """`view-mpiperf-rse`: s/(M·√L) over the launches' T."""
    for values, means in _means(raw).items():
        times = [time for time in means if not isnan(time)]
        if len(times) > 1:
            mean = sum(times) / len(times)
            deviation = (sum((time - mean) ** 2 for time in times) / (len(times) - 1)) ** 0.5
            error = deviation / mean / len(times) ** 0.5 if mean else nan
            yield dict(zip((*KEY, *SETTING), values, strict=True)) | {
                "launches": len(times), "mean_us": mean, "rse": error,
            }  # fmt: skip


def buffers(raw: Raw) -> Iterator[Record]:
    """`view-mpiperf-buffers`: launch medians with cold buffers, and with warm ones if there are any."""
    times = defaultdict(list)
    first_uses = defaultdict(list)
    for _, row, key in _measured(raw):
        kind = key.pop("buffers")
        place = tuple(key.values())
        times[kind, place].append(time_us(row))
        if row.get("cold"):
            share = 0.5e-3 if row["operation"] in HALVED else 1e-3
            first_uses[place].append(share * row["cold"]["first_use_ns"])
    for kind, place in list(times):
        if kind != "cold":
            continue
        line = dict(zip((*KEY, "scheme", "timer"), place, strict=True))
        for name in ("warm", "cold"):
            values = times.get((name, place), [])
            line |= {f"{name}_us": middle(values), f"{name}_min_us": min(values, default=nan)}
            line |= {f"{name}_max_us": max(values, default=nan)}
        yield line | {"ratio": line["cold_us"] / line["warm_us"], "first_use_us": middle(first_uses[place])}
