# SPDX-License-Identifier: BSD-3-Clause
"""The launches behind results: as matrices, with probe readings, with active processes, slow or fast throughout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.ingest.inputs import ALLOCATION, POINT, RESULT_KEY
from isochron.schemas.engine.contract import BURSTS, ONE_SIDED, base_operation, in_a_thread
from isochron.schemas.run.store import BY_DATAGRAMS
from isochron.stats.launches import matched_columns
from isochron.stats.multiple_tests import Matrix

#: The probes, as `probes` of the store has them, and the sign of the slope that interference has: where a cache line
#: takes longer, where less is copied in a second, and where a datagram takes longer between hosts, operations take
#: longer. A library's own operations, ping-pong too, are not among them: a slow library would be explained by itself.
#: Nor is what the kernel counts: how a library waits decides about it. The standard candle runs no MPI.
CANDLE = "candle_us"
PROBES = {"cache_line_ns": 1.0, "copy_gbs": -1.0, "network_us": 1.0, CANDLE: 1.0}
#: The probes that tell one regime from another: what is copied in a second differs from reading to reading as much.
REGIMES_OF = ("cache_line_ns", "network_us")
#: What columns say where only launches of the quiet regime count.
QUIET = "quiet"
#: What columns say where no probe makes the launches more alike.
NO_PROBE = "none"


def beside(rows: pd.DataFrame, probes: pd.DataFrame) -> pd.DataFrame:
    """`rows` with a column for each of `PROBES`: the median of what was read between the batches of that row.

    Where nothing was, it is the median over the launch. `rows`: launch_id, operation, bytes; `probes`: of the store.
    What the library itself has read of the network is left out.
    """
    names, keys = [name for name in PROBES if name != CANDLE], ["launch_id", "operation", "bytes"]
    readings = probes[["launch_id", "operation", "bytes", "network_by", *names]]
    readings = readings.assign(network_us=readings["network_us"].where(readings["network_by"] == BY_DATAGRAMS))
    readings = readings.assign(**{name: readings[name].where(readings[name] > 0) for name in names})
    medians = readings.groupby(keys, sort=False)[names].median()
    launch = readings.groupby("launch_id", sort=False)[names].median()
    at_rows = medians.reindex(pd.MultiIndex.from_frame(rows[keys])).set_axis(rows.index)
    at_launches = launch.reindex(rows["launch_id"]).set_axis(rows.index)
    return rows.assign(**{name: at_rows[name].fillna(at_launches[name]) for name in names}, **{CANDLE: np.nan})


def with_candle(rows: pd.DataFrame, slices: pd.DataFrame, candles: pd.DataFrame) -> pd.DataFrame:
    """Return `rows` with the time of the standard candle in the session of the launch, in the same case: `CANDLE`.

    It is the median over the rounds of the session; NaN if there was no candle. `slices`, `candles`: of the store.
    """
    if not len(candles):
        return rows
    level = candles.groupby(["session", "operation", "bytes"])["median_us"].median()
    session = slices.groupby("launch_id")["session"].first().reindex(rows["launch_id"]).to_numpy()
    keys = pd.MultiIndex.from_arrays([session, rows["operation"], rows["bytes"]])
    return rows.assign(**{CANDLE: level.reindex(keys).to_numpy(dtype=np.float64)})


def with_candle_rounds(slices: pd.DataFrame, candles: pd.DataFrame) -> pd.DataFrame:
    """Return `slices` with the time of the standard candle in the same round and case: `CANDLE`, NaN if none."""
    keys = ["session", "operation", "bytes", "round"]
    rounds = candles[[*keys, "median_us"]].rename(columns={"median_us": CANDLE})
    return slices.merge(rounds, on=keys, how="left")


@dataclass(frozen=True)
class LaunchMatrix:
    """C rows of the summary, by their places in it, that the same U launches measured, in order of time.

    `logs`: logarithms of the launch medians, (U, C); `blocks`: (U,), numbers of the allocations; `probes`: logarithms
    of what each of `PROBES` read beside them, (K, U, C), NaN if nothing was read, K = 0 if no probes were read.
    """

    rows: NDArray[np.intp]
    logs: Matrix
    blocks: NDArray[np.int64]
    probes: Matrix


def together(summary: pd.DataFrame, used: pd.DataFrame) -> Iterator[LaunchMatrix]:
    """`summary`: RESULT_KEY; `used`: their usable rows, with ALLOCATION, launch_id, median_us and, if read, `PROBES`.

    Times of 0 are left out: they have no logarithm.
    """
    names = ["median_us", *(name for name in PROBES if name in used)]
    place = pd.MultiIndex.from_frame(summary[RESULT_KEY])
    timed = used[used["median_us"] > 0]
    timed = timed.assign(row=place.get_indexer(pd.MultiIndex.from_frame(timed[RESULT_KEY])))
    for _, group in timed.groupby(["stack", *POINT], sort=False):
        wide = group.pivot(index=[*ALLOCATION, "launch_id"], columns="row", values=names)
        values, *probes = (np.log(wide[name].to_numpy(dtype=np.float64)) for name in names)
        blocks = np.asarray(wide.index.to_frame(index=False).groupby(ALLOCATION).ngroup(), dtype=np.int64)
        rows = wide["median_us"].columns.to_numpy(dtype=np.intp)
        read = np.stack(probes) if probes else np.empty((0, *values.shape))
        for row_numbers, launches in matched_columns(~np.isnan(values)):
            at = np.ix_(launches, row_numbers)
            yield LaunchMatrix(rows[row_numbers], values[at], blocks[launches], read[:, at[0], at[1]])


#: Of each group the first two processes act; all, of the others.
PAIRS = ("ping-pong", "ping-ping", "burst", "burst-both-ways", *ONE_SIDED)
MESSAGES = (*PAIRS, *BURSTS, "sendrecv", "exchange")


def of_a_group(rows: pd.DataFrame, group: int) -> pd.Series[int]:
    """Processes of the group that acts, or of each. `group`: as asked for; 0: as the operation has it."""
    plain = rows["operation"].map(base_operation).map(in_a_thread).str.removeprefix("multi-")
    return rows["processes"].where(~plain.isin(MESSAGES), group or rows["processes"].where(~plain.isin(PAIRS), 2))


def active(rows: pd.DataFrame, group: int) -> pd.Series[int]:
    """Processes that act: of `multi-…` those of all whole groups. `rows`: operation and processes."""
    message_ranks = of_a_group(rows, group)
    return message_ranks.where(
        ~rows["operation"].str.startswith("multi-"), rows["processes"] // message_ranks * message_ranks
    )


#: Columns of what is known of each launch.
LAUNCH_FACTOR_COLUMNS = {
    "launch_id": "the launch",
    "factor": "median over its rows of launch median / row value; 1 is normal",
}
#: A launch is off when its times are, in the median over its rows, this many times the rows' values
#: (or one part in this many).
OFF = 2.0


def launch_factors(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`LAUNCH_FACTOR_COLUMNS`.

    `rows`: usable rows of launches, with RESULT_KEY, launch_id and median_us; `summary`: RESULT_KEY, median_us and gap.
    Rows whose launches fall into two groups say nothing about a single launch and do not count; a launch with mostly
    such rows is left out.
    """
    values = rows.merge(summary[[*RESULT_KEY, "median_us", "mode_ratio"]], on=RESULT_KEY, suffixes=("", "_row"))
    factor = (values["median_us"] / values["median_us_row"]).where(
        (values["median_us_row"] > 0) & values["mode_ratio"].isna()
    )
    by_launch = factor.groupby(values["launch_id"])
    return by_launch.median()[by_launch.count() * 2 >= by_launch.size()].rename("factor").reset_index()


def off(table: pd.DataFrame) -> pd.Series:
    """The launches that were off, the worst first: factors by launch_id. `table`: `LAUNCH_FACTOR_COLUMNS`."""
    factors = table.set_index("launch_id")["factor"]
    chosen = factors[(factors > OFF) | (factors < 1 / OFF)]
    return chosen.sort_values(ascending=False)
