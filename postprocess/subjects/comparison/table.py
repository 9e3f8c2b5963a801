# SPDX-License-Identifier: BSD-3-Clause
"""`comparison.csv`: every pair of stacks, `tail-comparison.csv`: in long repetitions; `fastest.csv`: what follows."""

import pandas as pd

from isochron.common.copies import is_there
from isochron.postprocess.estimate.compare.again import AGAIN_COLUMNS, earlier_comparisons, note_again
from isochron.postprocess.estimate.compare.company import note_company
from isochron.postprocess.estimate.compare.comparison import compare
from isochron.postprocess.estimate.compare.interim import DECIDED_COLUMNS, analyse_interim, decided_at_interim
from isochron.postprocess.estimate.compare.leaders import LEADER_COLUMNS, leaders
from isochron.postprocess.estimate.compare.rows import rows_of
from isochron.postprocess.estimate.compare.tails import TAIL_COMPARISON_COLUMNS, compare_tails
from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs import CASE, RunInputs
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.results.table import make_quantiles, make_summary, make_values
from isochron.postprocess.subjects.turns.table import make_company, make_company_cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.next_blocks import InterimAnalysis, InterimFile


def make_comparison(context: TableContext) -> pd.DataFrame:
    """`DECIDED_COLUMNS` and `AGAIN_COLUMNS` in the plan's order."""
    summary, rules = context.get(make_summary), context.rules
    if context.inputs.campaign.replication.sequential:
        table = decided_at_interim(
            context.inputs, context.rows, context.launches["file"], recorded(context.inputs), context.slices
        )
    else:
        sides, inputs = rows_of(summary, context.beside, context.slices), context.inputs
        table = compare(sides, inputs.campaign.stacks, rules, inputs.asked.pairs).assign(decided_after=0)
    table = note_company(table, context.get(make_company), context.get(make_company_cases))
    families = {stack: manifest.mpi_library for stack, manifest in context.inputs.manifests.items()}
    table = note_again(table, earlier_comparisons(context.inputs), families, rules.confidence)
    return in_plan_order(table, summary, CASE)


def recorded(inputs: RunInputs) -> list[InterimAnalysis]:
    """The interim analyses that the driver has made."""
    return InterimFile.load(inputs.layout.interim).analyses if is_there(inputs.layout.interim) else []


def take_interim(inputs: RunInputs) -> InterimAnalysis:
    """The interim analysis that is due: the last stage of the plan is measured. Raises FileError if it is not."""
    context, stage = TableContext(inputs), inputs.plan.stage
    before = recorded(inputs)[:stage]
    return analyse_interim(inputs, context.rows, context.launches["file"], before, context.slices)


def make_tail_comparison(context: TableContext) -> pd.DataFrame:
    """`TAIL_COMPARISON_COLUMNS` in the plan's order; empty if not `ends_as_planned`."""
    campaign, summary = context.inputs.campaign, context.get(make_values)
    if not ends_as_planned(campaign):
        return pd.DataFrame(columns=list(TAIL_COMPARISON_COLUMNS))
    quantiles, asked = context.get(make_quantiles), (campaign.stacks, context.inputs.asked.pairs)
    table = compare_tails(*quantiles, summary, context.slices, context.rules, asked)
    table = note_company(table, context.get(make_company), context.get(make_company_cases))
    return in_plan_order(table, summary, CASE)[list(TAIL_COMPARISON_COLUMNS)]


def ends_as_planned(campaign: Campaign) -> bool:
    """Whether no interim analysis of medians ends a case: the tests of its quantiles would not keep their level."""
    return not campaign.replication.sequential


COMPARISON = Table(
    name="comparison",
    columns=DECIDED_COLUMNS | AGAIN_COLUMNS,
    make=make_comparison,
    holds="every pair of stacks in every case: ratio, interval, exact test, verdict",
)
TAIL_COMPARISON = Table(
    name="tail-comparison",
    columns=TAIL_COMPARISON_COLUMNS,
    make=make_tail_comparison,
    holds="every pair of stacks in p95, p99 and p99.9 of their repetitions: ratio, interval, exact test, verdict",
    applies=ends_as_planned,
)
FASTEST = Table(
    name="fastest",
    columns=LEADER_COLUMNS,
    make=lambda context: leaders(context.get(make_summary), context.get(make_comparison), context.rules.threshold),
    holds="the fastest stack of every case, its lead, and whether that is established",
)
