# SPDX-License-Identifier: BSD-3-Clause
"""Outcomes of the published sentences of the two sites, by hand from the values of a simulated run.

Nothing of the checks or of their file is used: the sentences are written out here once more.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from isochron.schemas.run.layout import RunLayout

COLLECTIVES = (
    "bcast", "reduce", "allreduce", "reduce_scatter", "allgather", "allgatherv", "gather", "gatherv", "scatter",
    "scatterv", "alltoall", "alltoallv",
)  # fmt: skip
ROOTED = ("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv")
#: Of which library and operation section 4.3 states a mean of about 0.400 ms; it does not name Open MPI.
SHORTER = {"smpi-intel": ROOTED, "smpi-mpich": ("bcast", "gatherv", "scatter", "scatterv")}
ORDERS = ("alternating", "one-remote", "half-and-half", "one-site")
#: (sentence, stack, operation, bytes, placement); empty where the sentence compares several.
Case = tuple[str, str, str, str, str]


def printed(run: RunLayout) -> dict[Case, str]:
    """The outcomes of a run's table by case; the only one of those that differ in the process count alone."""
    table = pd.read_csv(run.tables / "published-findings.csv", dtype=str, keep_default_na=False)
    keys = table[["sentence", "stack", "operation", "bytes", "placement"]].itertuples(index=False, name=None)
    return dict(zip(keys, table["outcome"], strict=True))


def collectives(run: RunLayout) -> dict[Case, str]:
    """The outcomes of the sentences on messages, orders and the rotating root, of `two-sites`."""
    return {case: "agrees" if holds else "differs" for case, holds in _collectives(run)}


def _collectives(run: RunLayout) -> Iterator[tuple[Case, bool]]:
    time, barrier = _by_scheme(run, "window", "median_us"), _by_scheme(run, "mpi-barrier", "median_us")
    loop = _by_scheme(run, "rotating-root", "rank_avg_us")
    stacks = sorted({key[0] for key in time})
    for placement in ("alternating", "one-remote"):
        message = {stack: time[stack, "ping-pong", 8, placement] for stack in stacks}
        for stack in stacks:
            yield ("latency", stack, "ping-pong", "8", placement), abs(message[stack] - 2600) <= 130
            yield ("light", stack, "ping-pong", "8", placement), message[stack] >= 2280
        stream = {stack: time[stack, "burst", 2**22, placement] for stack in stacks}
        for other in ("openmpi", "mpich"):
            ratio = stream[f"smpi-{other}"] / stream["smpi-intel"]
            yield (f"intel-before-{other}", "", "burst", "4194304", placement), ratio >= 1.05
    for stack in stacks:
        for operation in COLLECTIVES:
            for size in (8, 128, 1024, 16384, 131072, 2**20):
                times = [time[stack, operation, size, order] for order in ORDERS]
                yield ("order", stack, operation, str(size), ""), max(times) > 1.05 * min(times)
                if operation in ROOTED:
                    means = [loop[stack, operation, size, order] for order in ORDERS]
                    yield ("order-in-a-loop", stack, operation, str(size), ""), max(means) > 1.05 * min(means)
        bound = time[stack, "ping-pong", 8, "one-remote"] / 2
        for operation in ROOTED:
            half = (stack, operation, "1024", "half-and-half")
            mean = loop[stack, operation, 1024, "half-and-half"]
            if operation in SHORTER.get(stack, ()):
                library = stack.removeprefix("smpi-")
                yield (f"paradox-{library}", *half), 360 <= mean <= 440
                yield (f"below-light-{library}", *half), mean <= 1500
            if operation == "bcast" and stack in SHORTER:
                yield ("faster-than-light", *half), mean <= 750
            # A message takes half of the way back and forth: whatever the root, it needs at least half of a ping-pong.
            alternating = loop[stack, operation, 1024, "alternating"]
            yield ("alternating-order", stack, operation, "1024", "alternating"), alternating >= bound
            for name, times in (("common-start", time), ("barrier", barrier)):
                yield (name, *half), times[stack, operation, 1024, "half-and-half"] >= bound


def streams(run: RunLayout) -> dict[Case, str]:
    """The outcomes of the sentences on the trunk, of `two-sites-streams`: MB/s of all pairs that are 10⁶ bytes."""
    rows = _measurements(run)
    rows = rows[(rows["operation"] == "multi-ping-ping") & (rows["placement"] == "like-numbers")]
    rates = {
        (count // 2, size): count / 2 * size / time
        for count, size, time in zip(rows["processes"], rows["bytes"], rows["median_us"], strict=True)
    }
    trunk = 465.0  # MB/s of `trunk_mb_per_s` of the machine: what 46 nodes of a site got, 3.7 Gbit/s
    holds = {
        ("single-stream", 2**25): abs(rates[1, 2**25] - 930 / 8) <= 0.05 * 930 / 8,
        ("four-streams", 2**25): abs(rates[4, 2**25] - 2200 / 8) <= 0.05 * 2200 / 8,
        ("many-pairs", 2**22): abs(rates[8, 2**22] - 225) <= 0.05 * 225,
        ("half-of-the-trunk", 2**22): abs(rates[8, 2**22] / trunk - 0.5) <= 0.025,
    }
    stack = rows["stack"].iloc[0]
    return {
        (name, stack, "multi-ping-ping", str(size), "like-numbers"): "agrees" if true else "differs"
        for (name, size), true in holds.items()
    }


def _measurements(run: RunLayout) -> pd.DataFrame:
    """`measurements` of the store beside stack, placement and process count of their launch."""
    rows, launches = (pd.read_parquet(run.root / "store" / f"{name}.parquet") for name in ("measurements", "launches"))
    return rows.merge(launches[["launch_id", "stack", "placement", "processes"]], on="launch_id")


def _by_scheme(run: RunLayout, scheme: str, column: str) -> dict[tuple[str, str, int, str], float]:
    """A value by stack, operation, bytes and placement; of ping-pong half of it, one way."""
    rows = _measurements(run)
    rows = rows[rows["scheme"] == scheme]
    half = rows[column].where(rows["operation"] != "ping-pong", rows[column] / 2)
    keys = rows[["stack", "operation", "bytes", "placement"]].itertuples(index=False, name=None)
    return dict(zip(keys, half, strict=True))
