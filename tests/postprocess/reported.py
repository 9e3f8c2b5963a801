# SPDX-License-Identifier: BSD-3-Clause
"""A run taken to its report with those figures alone that a test examines: drawing is most of the time of a report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.analysis import analyse as figures
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.figure import Plot
from isochron.postprocess.kit.table import Analysis


def report(run: Path, *drawn: str, steps: tuple[str, ...] = ("ingest", "analyse", "render")) -> None:
    """Make the report of a run; figures are drawn whose file names begin with one of `drawn`."""
    catalogue = figures.catalogue

    def some(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
        return (plot for plot in catalogue(inputs, analysis) if plot.info.file.startswith(drawn))

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(figures, "catalogue", some)
        for step in steps:
            assert main([step, str(run)]) == 0
