# SPDX-License-Identifier: BSD-3-Clause
"""The analysis → `tables/`."""

from __future__ import annotations

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.findings.model import Findings
from isochron.postprocess.machine.simulation import simulation
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.tables import outputs
from isochron.postprocess.tables.files import write_csv
from isochron.postprocess.tables.others import scalability, stack_table


def write_tables(inputs: RunInputs, analysis: Analysis, findings: Findings) -> None:
    """Write every file of `outputs.tables`, each atomically."""
    frames = {
        outputs.SUMMARY: analysis.summary,
        outputs.FASTEST: analysis.leaders,
        outputs.COMPARISON: analysis.comparison,
        outputs.VERDICTS: analysis.verdicts,
        outputs.FIRST_CALLS: analysis.first_calls,
        outputs.GUIDELINES: analysis.guidelines,
        outputs.MODELS: analysis.models.curves,
        outputs.MODEL_POINTS: analysis.models.points,
        outputs.MODEL_PARAMETERS: analysis.models.parameters,
        outputs.BOUNDS: analysis.bounds,
        outputs.AGAIN: analysis.again,
        outputs.STACKS: stack_table(inputs),
        outputs.PROVENANCE: analysis.provenance,
        outputs.TIMERS: analysis.timers,
        outputs.CLOCKS: analysis.clocks,
        **{
            outputs.scalability_file(operation): scalability(analysis.summary, operation, inputs.campaign.stacks)
            for operation in inputs.campaign.operations
        },
    }
    simulated = simulation(analysis.launches)
    for name in outputs.tables(inputs.campaign).keys() & frames.keys():
        frame = frames[name].assign(simulated=simulated) if simulated else frames[name]
        write_csv(inputs.layout.tables / name, frame)
    analysis.doubts.save(inputs.layout.doubts)
    findings.save(inputs.layout.tables / outputs.FINDINGS)
