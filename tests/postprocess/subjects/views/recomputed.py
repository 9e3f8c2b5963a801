# SPDX-License-Identifier: BSD-3-Clause
"""The views of a run of three processes, worked out again from raw files and compared: made-up runs and real ones."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Table
from isochron.postprocess.subjects.views.bxj_table import BXJ_PING_PONG, BXJ_SENDRECV
from isochron.postprocess.subjects.views.mpiperf_table import (
    MPIPERF_DIAGRAM,
    MPIPERF_LINES,
    MPIPERF_PATTERNS,
    MPIPERF_RANKS,
    MPIPERF_RSE,
    RUNS,
)
from isochron.postprocess.subjects.views.pmb_msu_table import MSU_TOPOLOGIES, MSU_TRANSFERS, PMB_VIEW

Record = dict[Any, Any]
#: PMB's name: our operation, messages that its bandwidth counts, share of a run that is told, active processes.
PMB = {
    "PingPong": ("ping-pong", 1, 0.5, 2), "Multi-PingPong": ("multi-ping-pong", 1, 0.5, 2),
    "PingPing": ("ping-ping", 1, 1, 2), "Sendrecv": ("sendrecv", 2, 1, 3), "Exchange": ("exchange", 4, 1, 3),
    "Alltoall": ("alltoall", 9, 1, 3),
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
    return row["median_ns"] is not None and row["verdict"] in ("ok", "unstable", "disturbed")


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
    """Times, formulae of the bandwidths, repetitions and active processes."""
    rows, found = results(run), by(view(run, PMB_VIEW), "benchmark", "bytes")
    for name, (operation, counted, share, active) in PMB.items():
        for size in run.campaign.sizes:
            own, time = found[name, size], share * median_us(rows[operation, size])
            assert own["time_us"] == pytest.approx(time, rel=1e-6)
            assert own["mib_per_s"] == pytest.approx(rates(counted * size, time), rel=1e-6)
            assert own["active"] == active and own["processes"] == 3
            assert own["repetitions"] == max(1, min(1000, 40 * 2**20 // max(size, 1)))
            assert own["reps"] == sum(row["reps_made"] for row in rows[operation, size])
            for column, field in (("t_avg_us", "avg_ns"), ("t_min_us", "min_ns"), ("t_max_us", "max_ns")):
                means = [row["rank_mean"] for row in rows[operation, size] if row.get("rank_mean")]
                if means:
                    expected = share * median(mean[field] for mean in means) / 1e3
                    assert own[column] == pytest.approx(expected, rel=1e-6)
    assert all(pd.isna(found["Bcast", size]["mib_per_s"]) for size in run.campaign.sizes)


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
    names = ["star", "chaos", "ring", "istar", "ichaos", "iring"]
    assert list(table.columns)[4:10] == names
    for size in filter(None, run.campaign.sizes):
        for name in names:
            average = rates(2 * size, median_us(rows[name, size]))
            assert table.loc[size, name] == pytest.approx(average, rel=1e-6)
            assert table.loc[size, f"{name}_local"] == pytest.approx(2 * average, rel=1e-6)
            assert table.loc[size, f"{name}_total"] == pytest.approx((2 if "star" in name else 3) * average, rel=1e-6)


def check_lines(run: RunInputs) -> None:
    """A line for each launch and row that has a time, contrasts too."""
    found = by(view(run, MPIPERF_LINES), "operation", "bytes", "scheme", "block", "launch")
    count = 0
    for _, header, rows in launches(run):
        place = (int(header["launch"]["block"]), int(header["launch"]["launch"]))
        for row in rows:
            own = found.get((row["operation"], row["bytes"], row["scheme"], *place))
            if not has_time(row):
                continue
            count += 1
            assert own is not None, row["operation"]
            share = 0.5 if row["operation"] in HALVED else 1
            times = {
                "t_us": row["mean_ns"], "se_us": row["se_ns"], "min_us": row["min_ns"], "max_us": row["max_ns"],
                "e_us": row["ci_high_ns"] - row["mean_ns"], "low_us": row["ci_low_ns"], "high_us": row["ci_high_ns"],
            }  # fmt: skip
            for column, value in times.items():
                assert own[column] == pytest.approx(share * value / 1e3, rel=1e-5, abs=1e-6)
            assert (own["n_l"], own["n_c"], own["n_s"]) == (row["reps_made"], row["reps_valid"], row["reps_used"])
            assert (own["scheme"], own["timer"], own["buffers"]) == setting(header, row)
    assert len(found) == count > 0


def check_rank_lines(run: RunInputs) -> None:
    """Each process' own durations, its shortest and longest quarter left out."""
    found = by(view(run, MPIPERF_RANKS), "operation", "bytes", "block", "launch", "rank")
    names = {launch.name for launch in run.plan.launches if launch.of_results}
    trim, count = run.campaign.engine.trim, 0
    for name, header, rows in launches(run):
        place = (int(header["launch"]["block"]), int(header["launch"]["launch"]))
        for row in rows if name in names else []:
            share = 0.5 if row["operation"] in HALVED else 1
            late = row.get("overran") or [False] * len(row["valid"])
            in_time = [valid or over for valid, over in zip(row["valid"], late, strict=True)]
            if row["per_rank"] is None or not any(in_time):
                continue
            starts, ends = row["per_rank"]["start_ns"], row["per_rank"]["end_ns"]
            for rank, (own_starts, own_ends) in enumerate(zip(starts, ends, strict=True)):
                times = zip(own_starts, own_ends, in_time, strict=True)
                local = sorted(share * (end - start) / 1e3 for start, end, good in times if good)
                cut = int(trim * len(local) + 1e-9)
                kept = local[cut : len(local) - cut]
                own = found[(row["operation"], row["bytes"], *place, rank)]
                assert (own["n_c"], own["n_s"]) == (len(local), len(kept))
                assert own["t_us"] == pytest.approx(sum(kept) / len(kept), rel=1e-5, abs=1e-6)
                assert (own["min_us"], own["max_us"]) == pytest.approx((local[0], local[-1]), rel=1e-5, abs=1e-6)
                count += 1
    assert len(found) == count > 0


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


def check_patterns(run: RunInputs) -> None:
    """As many µs as processes, or 0; and what the launches had."""
    found = by(view(run, MPIPERF_PATTERNS), "operation", "scheme", "timer", "buffers")
    times = defaultdict(list)
    for _, header, rows in launches(run):
        for row in filter(has_time, rows):
            if row["operation"].startswith("wait-pattern"):
                times[row["operation"], *setting(header, row)].append(row["mean_ns"] / 1e3)
    assert set(found) == set(times)
    for key, own in found.items():
        true = 0 if key[0] == "wait-pattern-null" else 3
        assert own["true_us"] == true and own["t_us"] == pytest.approx(median(times[key]), rel=1e-5)
        assert own["off_us"] == pytest.approx(median(times[key]) - true, rel=1e-4, abs=1e-5)


def check_rse(run: RunInputs) -> None:
    """s/(M·√L) over the launches' means, of every scheme."""
    found = by(view(run, MPIPERF_RSE), "operation", "bytes", "scheme", "timer", "buffers")
    means = defaultdict(list)
    for _, header, rows in launches(run):
        for row in filter(has_time, rows):
            means[row["operation"], row["bytes"], *setting(header, row)].append(row["mean_ns"])
    several = {key: each for key, each in means.items() if len(each) > 1}
    assert set(found) == set(several)
    for key, each in several.items():
        mean, count = sum(each) / len(each), len(each)
        spread = (sum((value - mean) ** 2 for value in each) / (count - 1)) ** 0.5
        assert found[key]["rse"] == pytest.approx(spread / (mean * count**0.5), rel=1e-5)


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
    check_pmb, check_transfers, check_topologies, check_lines, check_rank_lines, check_diagram, check_patterns,
    check_rse, check_bxj_messages,
)  # fmt: skip
