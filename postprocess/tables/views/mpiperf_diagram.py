# SPDX-License-Identifier: BSD-3-Clause
"""`view-mpiperf-diagram.csv`: slots, and starts and ends of each process in the first runs, for time diagrams."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, RESULT_KEY
from isochron.postprocess.reading.store import read_table
from isochron.postprocess.tables.declaration import TableContext
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.tables.views.mpiperf import LAUNCH
from isochron.postprocess.tables.views.request import view
from isochron.postprocess.tables.views.settings import SETTING, make_measured
from isochron.postprocess.values.summary import in_plan_order
from isochron.schemas.engine.contract import BASIC, MESSAGES, MULTI, TOPOLOGIES, TRANSFERS

#: Runs that a diagram has.
RUNS = 6
#: What MPIPerf does not measure.
NO_COLLECTIVES = frozenset({*MESSAGES, *MULTI, *TRANSFERS, *TOPOLOGIES, *BASIC})
DIAGRAM_COLUMNS = {
    **KEYS,
    **SETTING,
    **LAUNCH,
    "rep": "number of the run, from 0; in loops, number of the loop",
    "rank": "rank in MPI_COMM_WORLD",
    "slot_us": "begin of the run's slot, in global time from the first start of the first run on; empty without slots",
    "slot_end_us": "end of that slot",
    "start_us": "the rank's start, in the same time",
    "end_us": "its end",
    "valid": "whether the run started in time and ended in its slot on every process",
}


def diagram_table(rows: pd.DataFrame, ranks: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """`DIAGRAM_COLUMNS`: of each collective's row and setting the first `RUNS` runs of its first launch.

    `rows`: as of `make_measured`. `ranks`, `runs`: as in the store.
    """
    rows = rows[~rows["operation"].isin(list(NO_COLLECTIVES))]
    first = rows.sort_values(list(LAUNCH), kind="stable").drop_duplicates([*RESULT_KEY, *SETTING])
    keys = ["launch_id", "operation", "bytes"]
    drawn = ranks[(ranks["rep"] < RUNS) & ranks["begin_us"].notna()]
    own = first[[*keys, *RESULT_KEY[3:], "stack", *SETTING, *LAUNCH]].merge(drawn, on=keys)
    table = own.merge(runs[[*keys, "rep", "valid"]], on=[*keys, "rep"])
    slot = (table["begin_us"] - table["into_slot_us"]).where(table["slot_us"] > 0)
    return table.assign(
        slot_end_us=slot + table["slot_us"],
        slot_us=slot,
        start_us=table["begin_us"] + table["start_us"],
        end_us=table["begin_us"] + table["end_us"],
    )[list(DIAGRAM_COLUMNS)]


def make_diagram(context: TableContext) -> pd.DataFrame:
    """`DIAGRAM_COLUMNS`, in the plan's order."""
    ranks, runs = (read_table(context.inputs.layout, name) for name in ("ranks", "repetitions"))
    table = diagram_table(context.get(make_measured), ranks, runs)
    return in_plan_order(table, context.get(make_summary)[RESULT_KEY], RESULT_KEY)


MPIPERF_DIAGRAM = view(
    "mpiperf",
    "diagram",
    DIAGRAM_COLUMNS,
    make_diagram,
    "slots, and starts and ends of each process in the first runs",
    has=lambda campaign: campaign.engine.per_rank,
)
