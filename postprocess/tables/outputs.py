# SPDX-License-Identifier: BSD-3-Clause
"""The one list of what is left in `tables/`: file, and what it holds.

Figures are listed by `isochron.postprocess.figures.catalogue`, for they depend on the campaign.
"""

from __future__ import annotations

from isochron.postprocess.compare import comparison, contrast, leaders
from isochron.postprocess.guidelines import judge
from isochron.postprocess.machine import clocks, provenance, timers
from isochron.postprocess.models import curves, parameters, results
from isochron.postprocess.tables import first_calls, others
from isochron.postprocess.values import doubt, summary
from isochron.schemas.campaign import Campaign

SUMMARY = "summary.csv"
COMPARISON = "comparison.csv"
FASTEST = "fastest.csv"
VERDICTS = "verdicts.csv"
FIRST_CALLS = "first-calls.csv"
STACKS = "stacks.csv"
GUIDELINES = "guidelines.csv"
MODELS = "models.csv"
MODEL_POINTS = "model-points.csv"
MODEL_PARAMETERS = "model-parameters.csv"
AGAIN = "again.csv"
PROVENANCE = "provenance.csv"
TIMERS = "timers.csv"
CLOCKS = "clock-synchronisation.csv"
BOUNDS = "bounds.csv"
DOUBTS = "doubts.json"
FINDINGS = "findings.json"


#: Columns of the tables and their meaning; those of `scalability-<operation>.csv` depend on the stacks.
COLUMNS = {
    SUMMARY: summary.SUMMARY,
    FASTEST: leaders.LEADERS,
    COMPARISON: comparison.COMPARISON,
    VERDICTS: others.VERDICTS,
    FIRST_CALLS: first_calls.FIRST_CALLS,
    BOUNDS: contrast.BOUNDS,
    AGAIN: doubt.AGAIN,
    PROVENANCE: provenance.PROVENANCE,
    TIMERS: timers.TIMERS,
    CLOCKS: clocks.CLOCKS,
    STACKS: others.STACKS,
    GUIDELINES: judge.GUIDELINE_TABLE,
    MODELS: results.MODELS,
    MODEL_POINTS: curves.MODEL_POINTS,
    MODEL_PARAMETERS: parameters.PARAMETERS,
}
#: Tables of campaigns with enough process counts for curves, and what they hold.
OF_CURVES = {
    MODELS: "every curve over processes: nearest model, where it leaves it, by what factor; fitted normal form",
    MODEL_POINTS: "every measured point beside the models of its operation",
    MODEL_PARAMETERS: "α, β and γ of the models, and where they come from",
}


def scalability_file(operation: str) -> str:
    """Name of an operation's scalability table."""
    return f"scalability-{operation}.csv"


def tables(campaign: Campaign) -> dict[str, str]:
    """Every file of `tables/` and its meaning, in the order in which the report lists them."""
    return {
        SUMMARY: "value, intervals, standard error, RSE and verdict of every row",
        FASTEST: "the fastest stack of every case, its lead, and whether that is established",
        COMPARISON: "every pair of stacks in every case: ratio, interval, exact test, verdict",
        **{
            scalability_file(operation): f"{operation}: bytes × processes × processes per node, a column a stack"
            for operation in campaign.operations
        },
        VERDICTS: "launches by verdict and runs by reason of rejection, for every row",
        FIRST_CALLS: "first call against second call",
        GUIDELINES: "performance guidelines: whether an operation is slower than another way to its result",
        **(OF_CURVES if results.applies(campaign) else {}),
        BOUNDS: "least times by the campaign's own ping-pong, and what a further scheme reads (`contrast`)",
        AGAIN: "rows that were in doubt and were measured again: both results",
        STACKS: "the MPI stacks and where they come from",
        PROVENANCE: "nodes and environment of the launches: every fact with every value that it had",
        TIMERS: "every timer on every node, as tried before each block",
        CLOCKS: "every synchroniser at every point: time, error and bound",
        FINDINGS: "the findings as data",
        DOUBTS: "rows that should be measured again, as data",
    }
