# SPDX-License-Identifier: BSD-3-Clause
"""All tables, in the order of the report's list of files. A new one is a module of this folder and a word here."""

from __future__ import annotations

from isochron.postprocess.tables.answers import ANSWERS, GRADES
from isochron.postprocess.tables.bounds import BOUNDS
from isochron.postprocess.tables.comparison import COMPARISON, FASTEST
from isochron.postprocess.tables.contrasts import CONTRASTS
from isochron.postprocess.tables.declaration import SavedFrame, Table
from isochron.postprocess.tables.details.arrival import ARRIVAL
from isochron.postprocess.tables.details.bandwidth import BANDWIDTH
from isochron.postprocess.tables.details.costs import COSTS
from isochron.postprocess.tables.details.memory import GROWTH, MEMORY
from isochron.postprocess.tables.details.overlap import OVERLAP
from isochron.postprocess.tables.details.ranks import RANK_TIMES, RANKS
from isochron.postprocess.tables.details.stragglers import STRAGGLERS
from isochron.postprocess.tables.errors import SYSTEMATIC_ERRORS
from isochron.postprocess.tables.explorer.launch_times import LAUNCH_TIMES
from isochron.postprocess.tables.explorer.rates import RATES
from isochron.postprocess.tables.guidelines import ADVICE, GUIDELINES
from isochron.postprocess.tables.inconclusive import UNDECIDED
from isochron.postprocess.tables.machine import (
    BINDINGS,
    CERTIFICATE,
    CLOCKS,
    LOADS,
    PROVENANCE,
    SIDE_BY_SIDE,
    STACKS,
    TIMERS,
)
from isochron.postprocess.tables.machines.beside import BESIDE
from isochron.postprocess.tables.machines.scan import SCAN
from isochron.postprocess.tables.models import (
    MODEL_DEPARTURES,
    MODEL_PARAMETERS,
    MODEL_POINTS,
    MODELS,
    NORMAL_FORMS,
    SCALING,
)
from isochron.postprocess.tables.probes import PROBE_SERIES, PROBE_TABLE, REGIMES
from isochron.postprocess.tables.profiled.calls import CALLS
from isochron.postprocess.tables.profiled.programs import PROGRAMS
from isochron.postprocess.tables.programs.npb import NPB, NPB_BESIDE, NPB_NODES
from isochron.postprocess.tables.summary import LAUNCH_FACTORS, SCALABILITY, SUMMARY
from isochron.postprocess.tables.trust.attempts import ATTEMPTS
from isochron.postprocess.tables.trust.first_calls import FIRST_CALLS
from isochron.postprocess.tables.trust.late_initialisation import LATE_CALLS
from isochron.postprocess.tables.trust.overview import DETECTABLE, TIMELINE, TRUST
from isochron.postprocess.tables.trust.remeasured import AGAIN
from isochron.postprocess.tables.trust.starts import STARTS
from isochron.postprocess.tables.trust.tools import TOOLS
from isochron.postprocess.tables.trust.verdicts import VERDICTS
from isochron.postprocess.tables.views.bxj import BXJ_MACHINE, BXJ_PARAMETERS, BXJ_PING_PONG, BXJ_RANGE, BXJ_SENDRECV
from isochron.postprocess.tables.views.bxj_curves import BXJ_CURVES, BXJ_LARGEST
from isochron.postprocess.tables.views.mpiperf import MPIPERF_LINES, MPIPERF_RANKS
from isochron.postprocess.tables.views.mpiperf_diagram import MPIPERF_DIAGRAM
from isochron.postprocess.tables.views.mpiperf_studies import MPIPERF_BUFFERS, MPIPERF_PATTERNS, MPIPERF_RSE
from isochron.postprocess.tables.views.msu import MSU_TOPOLOGIES, MSU_TRANSFERS
from isochron.postprocess.tables.views.pmb import PMB_VIEW
from isochron.postprocess.tables.views.rotating_root import PARADOX, ROTATING_MATRIX
from isochron.postprocess.tables.views.two_sites import SITES_ORDERS, SITES_PAIRS, SITES_PING_PONG
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
