# SPDX-License-Identifier: BSD-3-Clause
"""The store of a run → every table, finding and figure, as the subjects declare them."""

from collections.abc import Iterator

from isochron.common.cores import on_all_cores
from isochron.common.files import write_json
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit import svg
from isochron.postprocess.kit.drawing import figure_settings
from isochron.postprocess.kit.figure import FigureInfo, FigureList, Plot
from isochron.postprocess.kit.finding import Findings
from isochron.postprocess.kit.table import Analysis, TableContext
from isochron.postprocess.subjects.answer.conditions import graded
from isochron.postprocess.subjects.registry import ALL_SAVED, SUBJECTS, in_reading_order
from isochron.postprocess.subjects.verdicts.table import make_flagged
from isochron.schemas.run.layout import RunLayout


def analyse(inputs: RunInputs) -> Analysis:
    """Compute every table from the store. Raises FileError if it is missing."""
    context = TableContext(inputs)
    frames = {table.name: context.get(table.make) for table in ALL_SAVED}
    return Analysis(context.launches, context.get(make_flagged), frames)


def collect(inputs: RunInputs, analysis: Analysis) -> Findings:
    """Collect the findings of all subjects, in reading order."""
    findings = [each for subject in SUBJECTS for find in subject.findings for each in find(inputs, analysis)]
    return Findings(findings=in_reading_order(findings))


def complete(inputs: RunInputs) -> tuple[Analysis, Findings]:
    """All tables and findings: cautions among these count in the letter of the run. Raises FileError."""
    analysis = analyse(inputs)
    findings = collect(inputs, analysis)
    return graded(analysis, findings), findings


def catalogue(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The figures of a run, in the order of the subjects: none that would be empty."""
    for subject in SUBJECTS:
        for figures in subject.figures:
            yield from figures(inputs, analysis)


def write_figures(layout: RunLayout, plots: Iterator[Plot]) -> list[FigureInfo]:
    """Draw and save every figure, list them in `figures.json`, and remove those of an earlier analysis."""
    drawn = list(plots)
    infos = [plot.info for plot in drawn]

    def save(number: int) -> None:
        svg.save(drawn[number].draw(), layout.figures / infos[number].file)

    with figure_settings():  # the processes inherit its settings
        list(on_all_cores(save, range(len(drawn))))
    write_json(layout.figures / "figures.json", FigureList(figures=infos).model_dump())
    for stale in set(layout.figures.glob("*.svg")) - {layout.figures / info.file for info in infos}:
        stale.unlink()
    return infos
