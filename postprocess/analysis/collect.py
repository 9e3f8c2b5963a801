# SPDX-License-Identifier: BSD-3-Clause
"""All findings, in reading order: what limits the report first, then results, then their quality."""

from __future__ import annotations

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Findings
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.attempts import finding as attempts
from isochron.postprocess.subjects.comparison import finding as differences
from isochron.postprocess.subjects.comparison import finding as interim
from isochron.postprocess.subjects.comparison import finding as stacks
from isochron.postprocess.subjects.contrasts import finding as bounds
from isochron.postprocess.subjects.contrasts import finding as operations_per_rep
from isochron.postprocess.subjects.guidelines import finding as performance
from isochron.postprocess.subjects.interference import finding as regimes
from isochron.postprocess.subjects.profiles import finding as profiled
from isochron.postprocess.subjects.scaling import finding as scaling
from isochron.postprocess.subjects.scan import finding as scan
from isochron.postprocess.subjects.trust import finding as overhead
from isochron.postprocess.subjects.trust import finding as quality
from isochron.postprocess.subjects.verdicts import finding as remeasured

SOURCES = (
    quality.incomplete,
    quality.simulated,
    scan.slow_places,
    profiled.profiled,
    differences.versions,
    differences.largest,
    stacks.fastest,
    stacks.not_established,
    bounds.below_the_bound,
    operations_per_rep.operations_per_rep,
    scaling.scaling,
    performance.guidelines,
    quality.unreliable,
    quality.environment,
    overhead.overhead,
    remeasured.remeasured,
    interim.interim,
    attempts.refused,
    quality.repeatability,
    quality.dependent,
    quality.bimodal,
    regimes.other_regimes,
    regimes.by_regime,
    quality.off_launches,
    quality.late_initialisation,
)


def collect(inputs: RunInputs, analysis: Analysis) -> Findings:
    """Ask every source. A new kind of finding is a function and a line above."""
    return Findings(findings=[finding for source in SOURCES for finding in source(inputs, analysis)])
