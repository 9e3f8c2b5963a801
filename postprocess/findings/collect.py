# SPDX-License-Identifier: BSD-3-Clause
"""All findings, in reading order: what limits the report first, then results, then their quality."""

from __future__ import annotations

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.findings import (
    attempts,
    bounds,
    differences,
    interim,
    profiled,
    quality,
    regimes,
    remeasured,
    scaling,
    scan,
    stacks,
)
from isochron.postprocess.findings import guidelines as performance
from isochron.postprocess.findings.engine import operations_per_rep, overhead
from isochron.postprocess.findings.model import Findings
from isochron.postprocess.reading.inputs import RunInputs

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
