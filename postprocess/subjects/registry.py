# SPDX-License-Identifier: BSD-3-Clause
"""All tables, in the order of the report's list of files. A new one is a module of this folder and a word here."""

from __future__ import annotations

from isochron.postprocess.kit.table import SavedFrame, Table
from isochron.postprocess.subjects.answer.table import ANSWERS, GRADES, UNDECIDED
from isochron.postprocess.subjects.attempts.table import ATTEMPTS
from isochron.postprocess.subjects.comparison.table import COMPARISON, FASTEST
from isochron.postprocess.subjects.contrasts.table import BOUNDS, CONTRASTS
from isochron.postprocess.subjects.details.ranks import ARRIVAL, RANK_TIMES, RANKS, STRAGGLERS
from isochron.postprocess.subjects.details.table import BANDWIDTH, COSTS, GROWTH, MEMORY, OVERLAP
from isochron.postprocess.subjects.environment.table import (
    BINDINGS,
    CERTIFICATE,
    CLOCKS,
    LOADS,
    PROVENANCE,
    SIDE_BY_SIDE,
    STACKS,
    TIMERS,
)
from isochron.postprocess.subjects.explorer.table import LAUNCH_TIMES, RATES
from isochron.postprocess.subjects.guidelines.table import ADVICE, GUIDELINES
from isochron.postprocess.subjects.interference.table import PROBE_SERIES, PROBE_TABLE, REGIMES
from isochron.postprocess.subjects.machines.table import BESIDE
from isochron.postprocess.subjects.npb.table import NPB, NPB_BESIDE, NPB_NODES
from isochron.postprocess.subjects.profiles.table import CALLS, PROGRAMS
from isochron.postprocess.subjects.results.table import LAUNCH_FACTORS, SCALABILITY, SUMMARY
from isochron.postprocess.subjects.scaling.table import (
    MODEL_DEPARTURES,
    MODEL_PARAMETERS,
    MODEL_POINTS,
    MODELS,
    NORMAL_FORMS,
    SCALING,
)
from isochron.postprocess.subjects.scan.table import SCAN
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS, LATE_CALLS, SYSTEMATIC_ERRORS
from isochron.postprocess.subjects.tools.table import TOOLS
from isochron.postprocess.subjects.trust.table import DETECTABLE, TIMELINE, TRUST
from isochron.postprocess.subjects.verdicts.table import AGAIN, STARTS, VERDICTS
from isochron.postprocess.subjects.views.bxj_table import (
    BXJ_CURVES,
    BXJ_LARGEST,
    BXJ_MACHINE,
    BXJ_PARAMETERS,
    BXJ_PING_PONG,
    BXJ_RANGE,
    BXJ_SENDRECV,
)
from isochron.postprocess.subjects.views.mpiperf_table import (
    MPIPERF_BUFFERS,
    MPIPERF_DIAGRAM,
    MPIPERF_LINES,
    MPIPERF_PATTERNS,
    MPIPERF_RANKS,
    MPIPERF_RSE,
)
from isochron.postprocess.subjects.views.pmb_msu_table import MSU_TOPOLOGIES, MSU_TRANSFERS, PMB_VIEW
from isochron.postprocess.subjects.views.two_sites_table import (
    PARADOX,
    ROTATING_MATRIX,
    SITES_ORDERS,
    SITES_PAIRS,
    SITES_PING_PONG,
)
from isochron.schemas.input.campaign import Campaign

#: What `tables/` holds as CSV.
TABLES: tuple[Table, ...] = (
    ANSWERS,
    GRADES,
    UNDECIDED,
    PROGRAMS,
    CALLS,
    SUMMARY,
    FASTEST,
    COMPARISON,
    SCALABILITY,
    TRUST,
    TIMELINE,
    DETECTABLE,
    VERDICTS,
    STARTS,
    FIRST_CALLS,
    LATE_CALLS,
    SYSTEMATIC_ERRORS,
    TOOLS,
    BANDWIDTH,
    RATES,
    RANK_TIMES,
    COSTS,
    OVERLAP,
    ARRIVAL,
    RANKS,
    STRAGGLERS,
    MEMORY,
    GROWTH,
    PMB_VIEW,
    MSU_TRANSFERS,
    MSU_TOPOLOGIES,
    SITES_PING_PONG,
    SITES_PAIRS,
    SITES_ORDERS,
    PARADOX,
    ROTATING_MATRIX,
    MPIPERF_LINES,
    MPIPERF_RANKS,
    MPIPERF_PATTERNS,
    MPIPERF_BUFFERS,
    MPIPERF_RSE,
    MPIPERF_DIAGRAM,
    BXJ_MACHINE,
    BXJ_PING_PONG,
    BXJ_SENDRECV,
    BXJ_RANGE,
    BXJ_PARAMETERS,
    BXJ_LARGEST,
    BXJ_CURVES,
    ADVICE,
    GUIDELINES,
    SCALING,
    MODELS,
    MODEL_DEPARTURES,
    MODEL_POINTS,
    MODEL_PARAMETERS,
    BOUNDS,
    CONTRASTS,
    BESIDE,
    SCAN,
    NPB,
    NPB_NODES,
    NPB_BESIDE,
    AGAIN,
    ATTEMPTS,
    STACKS,
    SIDE_BY_SIDE,
    PROVENANCE,
    TIMERS,
    CLOCKS,
    PROBE_TABLE,
    REGIMES,
)
#: What is left for `render` in `analysis/`: the tables, and what is no file for people.
ALL_SAVED: tuple[SavedFrame, ...] = (
    *TABLES,
    LAUNCH_TIMES,
    LAUNCH_FACTORS,
    NORMAL_FORMS,
    LOADS,
    BINDINGS,
    PROBE_SERIES,
    CERTIFICATE,
)

#: The files of `tables/` that are no tables, and what they hold.
FINDINGS, DOUBTS = "findings.json", "remeasure.json"
RECORDS = {FINDINGS: "the findings as data", DOUBTS: "rows that should be measured again, as data"}


def files(campaign: Campaign) -> dict[str, str]:
    """Every file of `tables/` in a campaign's run and what it holds, in the order in which the report lists them."""
    return {file: holds for table in TABLES for file, holds in table.files(campaign).items()} | RECORDS
