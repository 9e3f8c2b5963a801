# SPDX-License-Identifier: BSD-3-Clause
"""`trust.csv`, `timeline.csv`, `wall-time.csv`, `detectable.csv`: whether to trust the run, and what it can show."""

import pandas as pd

from isochron.common.detectable import Design, ratio_spreads
from isochron.postprocess.estimate.answer.price import launches_of_a_block
from isochron.postprocess.estimate.answer.trust import (
    DETECTABLE_COLUMNS,
    TRUST_COLUMNS,
    detectable_table,
    spreads,
    trust,
)
from isochron.postprocess.estimate.machine.timeline import TIMELINE_COLUMNS, timeline
from isochron.postprocess.estimate.machine.wall_time import WALL_TIME_COLUMNS, wall_time
from isochron.postprocess.ingest.inputs import CASE, job_times
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.comparison.table import make_comparison
from isochron.postprocess.subjects.environment.table import make_observations
from isochron.postprocess.subjects.interference.table import PROBE_TABLE, REGIMES
from isochron.postprocess.subjects.results.table import LAUNCH_FACTORS, make_summary
from isochron.postprocess.subjects.verdicts.table import VERDICTS


def make_timeline(context: TableContext) -> pd.DataFrame:
    """`TIMELINE_COLUMNS`."""
    observed, factors = context.get(make_observations), context.get(LAUNCH_FACTORS.make)
    return timeline(context.launches, observed, factors, context.get(PROBE_TABLE.make), context.inputs.layout.run_id)


def make_detectable(context: TableContext) -> pd.DataFrame:
    """`DETECTABLE_COLUMNS`; empty if no stacks are compared, or where launches are simulated."""
    inputs, rules = context.inputs, context.rules
    launches = context.launches[context.launches["file"].isin(inputs.plan.files_of_results)]
    if not len(launches) or launches["simulated"].any():
        return pd.DataFrame(columns=list(DETECTABLE_COLUMNS))
    blocks, in_turns = launches["block"].nunique(), inputs.campaign.replication.design == "turns"
    design = Design(
        blocks=blocks,
        launches=inputs.campaign.replication.launches_per_block,
        pairs=len(inputs.asked.pairs),
        cases=len(context.used[CASE].drop_duplicates()),
        threshold=rules.threshold,
        confidence=rules.confidence,
        in_turns=in_turns,
    )
    asked = inputs.asked.pairs
    if in_turns:
        spread = ratio_spreads(context.get(make_comparison), asked).groupby(CASE, sort=False)["spread"].median()
    else:
        spread = spreads(context.used, asked)
    _, minutes = launches_of_a_block(inputs.plan, launches, inputs.campaign.stacks)
    return detectable_table(design, spread, minutes)


TRUST = Table(
    name="trust",
    columns=TRUST_COLUMNS,
    make=lambda context: trust(context.get(make_summary), context.get(VERDICTS.make), context.get(REGIMES.make)),
    holds="every row with what may be wrong with its value, as parts of it, and the causes to distrust it",
)
TIMELINE = Table(
    name="timeline",
    columns=TIMELINE_COLUMNS,
    make=make_timeline,
    holds="the launches in order of time: load, regime of the machine, how far each was off, what was gated",
)
WALL_TIME = Table(
    name="wall-time",
    columns=WALL_TIME_COLUMNS,
    make=lambda context: wall_time(context.launches, context.all_slices, job_times(context.inputs)),
    holds="what the time of the run went on: measuring, and what is around it",
)
DETECTABLE = Table(
    name="detectable",
    columns=DETECTABLE_COLUMNS,
    make=make_detectable,
    holds="the smallest difference that the run can show now, and after more blocks",
)
