# SPDX-License-Identifier: BSD-3-Clause
"""What the time of a run went on: the turns in which launches measure, and what is around them."""

from collections.abc import Sequence

import pandas as pd

from isochron.postprocess.ingest.inputs import JobTime

#: Parts of the time of a run, from the inside to the outside, each without those before it.
PARTS = {
    "measuring": "turns of the launches: warm-up and repetitions",
    "launches": "start and end of the processes, synchronisation of clocks, turns of the candle, waiting for a turn",
    "jobs": "checks of nodes and timers, acceptance, launches that were refused",
    "between": "between the last jobs of blocks: Snakemake, ReFrame, the queue, earlier attempts, interruptions",
}
#: Columns of `wall-time.csv`: a line for each part.
WALL_TIME_COLUMNS = {
    "part": "part of the time: " + ", ".join(f"`{name}`" for name in PARTS),
    "seconds": "its duration, summed over jobs",
    "share": "its share of the time of the run",
    "holds": "what it consists of",
}


def wall_time(launches: pd.DataFrame, slices: pd.DataFrame, jobs: Sequence[JobTime]) -> pd.DataFrame:
    """`WALL_TIME_COLUMNS`; empty unless launches measured in turns, since others do not record when they measure.

    `launches`, `slices`: these tables of the store; `jobs`: of every block. Launches of a session run at the same
    time: it lasts as long as the longest of them. Jobs that overlap leave no time between them.
    """
    if not len(slices) or not jobs:
        return pd.DataFrame(columns=list(WALL_TIME_COLUMNS))
    sessions = slices.drop_duplicates("launch_id").set_index("launch_id")["session"]
    session = launches["launch_id"].map(sessions).fillna(launches["launch_id"])
    ends = pd.Series(
        [
            float(slices["turn_us"].sum()) / 1e6,
            float(launches.groupby(session)["duration_s"].max().sum()),
            sum(job.seconds for job in jobs),
        ]
    )
    whole = max(max(job.ended for job in jobs) - min(job.began for job in jobs), float(ends.iloc[-1]))
    seconds = pd.Series([*ends, whole]).diff().fillna(ends.iloc[0]).clip(lower=0)
    parts = {"part": list(PARTS), "seconds": seconds, "share": seconds / seconds.sum(), "holds": list(PARTS.values())}
    return pd.DataFrame(parts)[list(WALL_TIME_COLUMNS)]
