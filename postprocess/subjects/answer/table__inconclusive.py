# SPDX-License-Identifier: BSD-3-Clause
"""`inconclusive.csv`: what each inconclusive comparison rules out, and what it would cost to settle it."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.answer.decision__decision import MAX_BLOCKS, blocks_to_settle, stricter
from isochron.postprocess.estimate.compare.comparison import OPEN, UNKNOWN
from isochron.postprocess.ingest.inputs__inputs import CASE, CASE_KEYS, POINT
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.comparison.table import make_comparison

UNDECIDED_COLUMNS = {
    "baseline": "the stack that the candidate is compared with",
    "candidate": "the stack that is compared",
    **CASE_KEYS,
    "family": "`question` or `exploratory`, as in `comparison.csv`",
    "reason": "why it is inconclusive",
    "ratio_low": "the smallest ratio candidate / baseline that is not ruled out",
    "ratio_high": "the largest ratio that is not ruled out",
    "blocks_needed": "blocks with which it is likely to be settled; empty where "
    f"{MAX_BLOCKS} would not do, or where it is open for another reason",
    "launches_needed": "launches of both stacks in so many blocks, at all points",
    "minutes_needed": "what they take, one after the other, as long as those of this run",
}
#: Seconds that the start and end of `mpiexec` add to what the engine itself measured.
LAUNCHER_S = 1.0
SIDES = ("baseline", "candidate")


def make_undecided(context: TableContext) -> pd.DataFrame:
    """`UNDECIDED_COLUMNS`, a line for each inconclusive comparison, in the order of `comparison.csv`."""
    table, campaign = context.get(make_comparison), context.inputs.campaign
    rows = table[table["verdict"] == "inconclusive"].reset_index(drop=True)
    counted = context.launches[context.launches["file"].isin(context.inputs.plan.files_of_results)]
    each = counted.groupby(["stack", *POINT])["duration_s"].median() + LAUNCHER_S
    seconds = each.groupby(level="stack").sum()
    points = each.groupby(level="stack").size()
    blocks = pd.Series(
        blocks_to_settle(rows, context.inputs.tolerated, _strict(context, table)),
        dtype=float,
    )
    blocks = blocks.where((blocks <= MAX_BLOCKS) & rows["reason"].isin([OPEN, UNKNOWN]))
    again = blocks * campaign.replication.launches_per_block
    count, spent = (
        sum(rows[side].map(known).astype(float).fillna(0.0) for side in SIDES) for known in (points, seconds)
    )
    return rows[["baseline", "candidate", *CASE, "family", "reason", "ratio_low", "ratio_high"]].assign(
        blocks_needed=blocks,
        launches_needed=again * count,
        minutes_needed=again * spent / 60,
    )[list(UNDECIDED_COLUMNS)]


def _strict(context: TableContext, table: pd.DataFrame) -> float:
    """As if the pair were asked about alone, which is how it is settled."""
    cases = len(table[CASE].drop_duplicates())
    return stricter(context.rules.confidence, 2 * cases)


UNDECIDED = Table(
    name="inconclusive",
    columns=UNDECIDED_COLUMNS,
    make=make_undecided,
    holds="every inconclusive comparison: what is ruled out, and what it costs to settle it",
)
