# SPDX-License-Identifier: BSD-3-Clause
"""The two halves of `analyse`, each in a process of its own: `python -m tests.bench.parts tables|figures RUN`."""

from __future__ import annotations

import sys
from pathlib import Path

from isochron.postprocess.analysis.analyse import analyse, catalogue, collect, write_figures
from isochron.postprocess.analysis.saved import load_analysis, save
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.finding import FINDINGS
from isochron.postprocess.subjects.registry import ALL_SAVED


def tables(inputs: RunInputs) -> None:
    """Store → tables and findings."""
    analysis = analyse(inputs)
    save(inputs, analysis)
    collect(inputs, analysis).save(inputs.layout.tables / FINDINGS)


def figures(inputs: RunInputs) -> None:
    """Tables → figures."""
    write_figures(inputs.layout, catalogue(inputs, load_analysis(inputs.layout, ALL_SAVED)))


if __name__ == "__main__":
    {"tables": tables, "figures": figures}[sys.argv[1]](load_inputs(Path(sys.argv[2])))
