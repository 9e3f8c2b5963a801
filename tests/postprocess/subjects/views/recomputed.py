# SPDX-License-Identifier: BSD-3-Clause
"""The views of a run of three processes, worked out again from raw files and compared: made-up runs and real ones."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from math import nan
from statistics import median
from typing import Any

import pandas as pd
import pytest
from scipy.stats import t as student

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Table
from isochron.postprocess.subjects.views.bxj_table import BXJ_PING_PONG, BXJ_SENDRECV
from isochron.postprocess.subjects.views.mpiperf_table import (
    MPIPERF_DIAGRAM,
    MPIPERF_LINES,
    MPIPERF_LOCAL,
    MPIPERF_PATTERNS,
    MPIPERF_RANKS,
    MPIPERF_RSE,
    RUNS,
)
from isochron.postprocess.subjects.views.pmb_msu_table import (
    MSU_COSTS,
    MSU_LOCAL,
    MSU_TOPOLOGIES,
    MSU_TRANSFERS,
    PMB_VIEW,
)

Record = dict[Any, Any]
#: PMB's name: our operation, messages that its bandwidth counts (None: none is printed), share of a run, active ranks.
PMB = {
    "PingPong": ("ping-pong", 1, 0.5, 2), "Multi-PingPong": ("multi-ping-pong", 1, 0.5, 2),
    "PingPing": ("ping-ping", 1, 1, 2), "Sendrecv": ("sendrecv", 2, 1, 3), "Exchange": ("exchange", 4, 1, 3),
    "Alltoall": ("alltoall", 9, 1, 3), "Bcast": ("bcast", None, 1, 3), "Reduce_scatter": ("reduce_scatter", None, 1, 3),
}  # fmt: skip
HALVED = ("ping-pong", "multi-ping-pong", "transfer-1")


def rates(moved: float, time_us: float) -> float:
    """MiB/s."""
    return moved / time_us * 1e6 / 2**20


def launches(run: RunInputs) -> Iterator[tuple[str, Record, list[Record]]]:
    """Name, header and measurements of each raw file."""
    for path in sorted(run.layout.launches.glob("*.jsonl")):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        yield path.stem, records[0], [each for each in records if each["record"] == "measurement"]


def has_time(row: Record) -> bool:
    """Whether statistics rest on the row."""
    return row["median_ns"] is not None and row["verdict"] not in ("failed-check", "not-supported")


def setting(header: Record, row: Record) -> tuple[str, str, str]:
    """Scheme, timer and buffers."""
    return row["scheme"], row["timer"], header["options"].get("buffers", "warm")


def results(run: RunInputs) -> dict[tuple[str, int], list[Record]]:
    """The rows of the launches that results rest on, those that have a time."""
    names = {launch.name for launch in run.plan.launches if launch.of_results}
    found = defaultdict(list)
    for name, _, rows in launches(run):
        for row in rows if name in names else []:
            if has_time(row):
                found[row["operation"], row["bytes"]].append(row)
    return found


def median_us(rows: list[Record], field: str = "median_ns") -> float:
    """Median over launches, µs, of a whole run."""
    return float(median(row[field] for row in rows)) / 1e3


def view(run: RunInputs, table: Table) -> pd.DataFrame:
    """A view as its file has it."""
    found = pd.read_csv(run.layout.tables / table.file)
    assert list(found.columns)[: len(table.columns)] == list(table.columns)
    return found


def by(table: pd.DataFrame, *names: str) -> dict[Any, Record]:
    """Its rows by some of its columns."""
    return {tuple(row[name] for name in names): row for row in table.to_dict("records")}


def check_pmb(run: RunInputs) -> None:
    """Times, bandwidths from the mean over processes, repetitions and active processes."""
    rows, lines = results(run), by(view(run, PMB_VIEW), "benchmark", "bytes")
    for name, (operation, counted, share, active) in PMB.items():
        for size in run.campaign.sizes if (operation, max(run.campaign.sizes)) in rows else []:
            own = rows[operation, size]
            message = 3 * size if operation == "reduce_scatter" else size
            line = lines[name, message]
            means = [row["rank_mean"] for row in own if row.get("rank_mean")]
            average, least, greatest = (
                share * median(mean[field] for mean in means) / 1e3 for field in ("avg_ns", "min_ns", "max_ns")
            )
            same(line, {
                "time_us": share * median_us(own), "t_avg_us": average, "t_min_us": least, "t_max_us": greatest,
                "active": active, "processes": 3, "processes_per_node": 3,
                "repetitions": max(1, min(1000, 40 * 2**20 // max(message, 1))),
                "operations": max(row["reps_made"] * row.get("operations_per_rep", 1) for row in own),
            })  # fmt: skip
            assert pd.isna(line["mib_per_s"]) == (counted is None)
            if counted is not None:
                same(line, {"mib_per_s": rates(counted * size, average)})


def check_transfers(run: RunInputs) -> None:
    """Latency at 0 bytes and rate 2L/T at all others."""
    rows, found = results(run), by(view(run, MSU_TRANSFERS), "transfer", "bytes")
    assert len(found) == 5 * len(run.campaign.sizes)
    for (number, size), own in found.items():
        time = median_us(rows[f"transfer-{number}", size])
        if size == 0:
            assert own["latency_us"] == pytest.approx(time * (0.5 if number == 1 else 1), rel=1e-6)
            assert pd.isna(own["mib_per_s"])
        else:
            assert own["mib_per_s"] == pytest.approx(rates(2 * size, time), rel=1e-6)
            assert pd.isna(own["latency_us"])


def check_topologies(run: RunInputs) -> None:
    """Of three processes star has 2 channels, both at the centre; ring and chaos have 3, two at each."""
    rows, table = results(run), view(run, MSU_TOPOLOGIES).set_index("bytes")
    local = by(view(run, MSU_LOCAL), "bytes", "process")
    names = ["star", "chaos", "ring", "istar", "ichaos", "iring"]
    assert list(table.columns)[4:10] == names
    for size in filter(None, run.campaign.sizes):
        for name in names:
            average = rates(2 * size, median_us(rows[name, size]))
            total = (2 if "star" in name else 3) * average
            same(table.loc[size].to_dict(), {name: average, f"{name}_total": total})
            for process in range(3):
                channels = 1 if "star" in name and process > 0 else 2
                same(local[size, process], {name: channels * average})
    assert len(local) == 3 * len(table)


def check_costs(run: RunInputs) -> None:
    """The items in the source's order; each cost is a median over launches."""
    rows, lines = results(run), view(run, MSU_COSTS)
    order = ["basic-timer", "basic-barrier", "basic-isend-10", "basic-signal"]
    assert lines["item"].tolist() == [1, 2, 9, 16]
    for name, line in zip(order, lines.to_dict("records"), strict=True):
        same(line, {"cost_us": median(row["costs"]["cost_ns"] for row in rows[name, 0]) / 1e3})


def by_the_study(times: list[float], trim: float, confidence: float) -> Record:
    """Kurnosov's statistics of valid runs, in two passes over a sorted list: T = mean, SE = s/√n_s, E = a·SE."""
    cut = int(trim * len(times) + 1e-9)
    kept = sorted(times)[cut : len(times) - cut]
    if not kept:
        return {"n_c": 0, "n_s": 0}
    count, mean = len(kept), sum(kept) / len(kept)
    error = (sum((time - mean) ** 2 for time in kept) / (count - 1)) ** 0.5 / count**0.5 if count > 1 else nan
    half = float(student.ppf((1 + confidence) / 2, count - 1)) * error
    return {
        "n_c": len(times), "n_s": count, "t_us": mean, "se_us": error, "min_us": kept[0], "max_us": kept[-1],
        "e_us": half, "low_us": mean - half, "high_us": mean + half, "confidence": confidence,
    }  # fmt: skip


def same(line: Record, expected: Record) -> None:
    """Every column of `expected`."""
    for column, value in expected.items():
        assert line[column] == pytest.approx(value, rel=1e-6, abs=1e-6, nan_ok=True), column


def valid_times(row: Record, field: str) -> list[float]:
    """Times of the valid runs in µs, of what goes there and back half."""
    share = 0.5 if row["operation"] in HALVED else 1
    return [share * time / 1e3 for time, valid in zip(row[field], row["valid"], strict=True) if valid]


def _check_lines(run: RunInputs, table: Table, field: str) -> None:
    lines, engine = by(view(run, table), "operation", "bytes", "scheme", "block", "launch"), run.campaign.engine
    count = 0
    for _, header, rows in launches(run):
        place = (int(header["launch"]["block"]), int(header["launch"]["launch"]))
        for row in filter(has_time, rows):
            count += 1
            line = lines[(row["operation"], row["bytes"], row["scheme"], *place)]
            same(line, by_the_study(valid_times(row, field), engine.trim, engine.confidence))
            assert line["n_l"] == row["reps_made"]
            assert (line["scheme"], line["timer"], line["buffers"]) == setting(header, row)
            share = 0.5e-3 if row["operation"] in HALVED else 1e-3
            if table is MPIPERF_LINES:
                ours = {"engine_t_us": "mean_ns", "engine_se_us": "se_ns", "engine_low_us": "ci_low_ns",
                        "engine_high_us": "ci_high_ns"}  # fmt: skip
                same(line, {column: share * row[name] for column, name in ours.items()})
    assert len(lines) == count > 0


def check_lines(run: RunInputs) -> None:
    """A line for each launch and row that has a time, contrasts too, by the study's formulae and beside by ours."""
    _check_lines(run, MPIPERF_LINES, "time_ns")


def check_local_lines(run: RunInputs) -> None:
    """The same of the longest local durations."""
    _check_lines(run, MPIPERF_LOCAL, "local_ns")


def check_rank_lines(run: RunInputs) -> None:
    """Each process' own durations in valid runs, its shortest and longest quarter left out."""
    lines, engine = by(view(run, MPIPERF_RANKS), "operation", "bytes", "block", "launch", "rank"), run.campaign.engine
    names = {launch.name for launch in run.plan.launches if launch.of_results}
    count = 0
    for name, header, rows in launches(run):
        place = (int(header["launch"]["block"]), int(header["launch"]["launch"]))
        for row in rows if name in names else []:
            if row["per_rank"] is None or not any(row["valid"]):
                continue
            starts, ends = row["per_rank"]["start_ns"], row["per_rank"]["end_ns"]
            for rank, (own_starts, own_ends) in enumerate(zip(starts, ends, strict=True)):
                operations = row.get("operations_per_rep", 1)
                local = [(end - start) / operations for start, end in zip(own_starts, own_ends, strict=True)]
                times = valid_times({**row, "local_ns": local}, "local_ns")
                line = lines[(row["operation"], row["bytes"], *place, rank)]
                same(line, by_the_study(times, engine.trim, engine.confidence))
                count += 1
    assert len(lines) == count > 0


def check_diagram(run: RunInputs) -> None:
    """Starts and ends in one time, within slots where the scheme has them."""
    found = by(view(run, MPIPERF_DIAGRAM), "operation", "bytes", "scheme", "block", "launch", "rep", "rank")
    seen = set()
    for _, header, rows in launches(run):
        place = (int(header["launch"]["block"]), int(header["launch"]["launch"]))
        for row in rows:
            key = (row["operation"], row["bytes"], row["scheme"], *place)
            if (*key, 0, 0) not in found:
                continue
            own = row["per_rank"]
            seen.add(key[:3])
            for number in range(min(RUNS, row["reps_made"])):
                begin = own["begin_ns"][number]
                for rank in range(len(own["start_ns"])):
                    line = found.pop((*key, number, rank))
                    expected = ((begin + own[field][rank][number]) / 1e3 for field in ("start_ns", "end_ns"))
                    assert (line["start_us"], line["end_us"]) == pytest.approx(tuple(expected), rel=1e-6)
                    assert bool(line["valid"]) == row["valid"][number]
                    if row["scheme"] == "window":
                        slot = begin - own["into_slot_ns"][number]
                        ends = (slot / 1e3, (slot + own["slot_ns"][number]) / 1e3)
                        assert (line["slot_us"], line["slot_end_us"]) == pytest.approx(ends, rel=1e-6, abs=1e-3)
                        assert not line["valid"] or ends[0] <= line["start_us"] + 1e-3 < line["end_us"] + 2e-3
                    else:
                        assert pd.isna(line["slot_us"])
    assert not found and seen


def study_means(run: RunInputs) -> dict[Any, list[float]]:
    """T of each launch in µs, by operation, size and setting."""
    means = defaultdict(list)
    for _, header, rows in launches(run):
        for row in filter(has_time, rows):
            line = by_the_study(valid_times(row, "time_ns"), run.campaign.engine.trim, 0.95)
            if line["n_s"]:
                means[row["operation"], row["bytes"], *setting(header, row)].append(line["t_us"])
    return means


def check_patterns(run: RunInputs) -> None:
    """As many µs as processes, or 0; and what the launches had."""
    lines = by(view(run, MPIPERF_PATTERNS), "operation", "scheme", "timer", "buffers")
    means = {(key[0], *key[2:]): times for key, times in study_means(run).items() if key[0].startswith("wait-pattern")}
    assert set(lines) == set(means)
    for key, times in means.items():
        true = 0 if key[0] == "wait-pattern-null" else 3
        same(lines[key], {
            "launches": len(times), "true_us": true, "t_us": median(times), "t_min_us": min(times),
            "t_max_us": max(times), "off_us": median(times) - true,
        })  # fmt: skip


def check_rse(run: RunInputs) -> None:
    """s/(M·√L) over the launches' T, of every scheme."""
    lines = by(view(run, MPIPERF_RSE), "operation", "bytes", "scheme", "timer", "buffers")
    several = {key: times for key, times in study_means(run).items() if len(times) > 1}
    assert set(lines) == set(several)
    for key, times in several.items():
        mean, count = sum(times) / len(times), len(times)
        deviation = (sum((time - mean) ** 2 for time in times) / (count - 1)) ** 0.5
        same(lines[key], {"launches": count, "mean_us": mean, "rse": deviation / (mean * count**0.5)})


def check_bxj_messages(run: RunInputs) -> None:
    """Half of the round trip, 2m/t of the Sendrecv of all, and α + mβ … α + 2mβ through it."""
    rows = results(run)
    for (size,), own in by(view(run, BXJ_PING_PONG), "bytes").items():
        time = median_us(rows["ping-pong", size]) / 2
        assert own["latency_us"] == pytest.approx(time, rel=1e-6)
        assert size == 0 or own["one_way_mib_per_s"] == pytest.approx(rates(size, time), rel=1e-6)
    first, last = min(run.campaign.sizes), max(run.campaign.sizes)
    latency, time = median_us(rows["sendrecv", first]), median_us(rows["sendrecv", last])
    table = view(run, BXJ_SENDRECV)
    assert table["bytes"].tolist() == sorted(run.campaign.sizes)
    for (size,), line in by(table, "bytes").items():
        measured = median_us(rows["sendrecv", size])
        assert line["measured_us"] == pytest.approx(measured, rel=1e-6)
        if size > 0:
            assert line["imb_mib_per_s"] == pytest.approx(rates(2 * size, measured), rel=1e-6)
            assert line["node_imb_mib_per_s"] == pytest.approx(3 * rates(2 * size, measured), rel=1e-6)
        one_way = size * time / (2 * last)
        expected = (latency + one_way, latency + 2 * one_way)
        assert (line["overlap_us"], line["no_overlap_us"]) == pytest.approx(expected, rel=1e-6)


CHECKS = (
    check_pmb, check_transfers, check_topologies, check_costs, check_lines, check_local_lines, check_rank_lines,
    check_diagram, check_patterns, check_rse, check_bxj_messages,
)  # fmt: skip
