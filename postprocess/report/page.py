# SPDX-License-Identifier: BSD-3-Clause
"""What analysis and figures left → what the templates show."""

from dataclasses import dataclass, replace

import pandas as pd

from isochron.common.files import FileError, read_text
from isochron.postprocess.estimate.values.verdicts import min_ok_text
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.labels import simulation
from isochron.postprocess.formatting.numbers import distinct
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.figure import FigureList
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.section import FigureView, Shown, Source, StackMark, stack_marks
from isochron.postprocess.kit.svg import themed
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.answer.section import FIRST
from isochron.postprocess.subjects.registry import SECTIONS, files, in_page_order
from isochron.schemas.engine.options import EngineOptions


@dataclass(frozen=True)
class Page:
    """The report: its head, what several sections show, and the sections. `method`: what texts say in numbers.

    `point`: the point of a campaign that has one alone, else empty: tables then need no column for it.
    """

    title: str
    description: str
    campaign: str
    system: str
    run_id: str
    measured_on: str
    complete: bool
    state: str
    simulation: str
    one_stack: bool
    point: str
    warnings: list[Finding]
    marks: list[StackMark]
    method: dict[str, str]
    sections: list[Shown]


def build(inputs: RunInputs, analysis: Analysis, findings: list[Finding]) -> Page:
    """The page of a run. `analysis`: the tables that the sections need. Raises FileError if a figure is missing."""
    launches, points = analysis.launches, inputs.plan.points
    planned, measured = len(inputs.plan.engine_launches), len(launches)
    return Page(
        title=inputs.campaign.heading,
        description=inputs.campaign.description,
        campaign=inputs.campaign.name,
        system=inputs.state.system if inputs.state else distinct(launches["system"]),
        run_id=inputs.state.run_id if inputs.state else inputs.layout.run_id,
        measured_on=_measured_on(launches["started_at"]),
        complete=measured == planned,
        state=f"{numbers.fixed(measured, 0)} of {numbers.fixed(planned, 0)} planned launches measured",
        simulation=simulation(launches),
        one_stack=len(inputs.manifests) == 1,
        point=labels.point(points[0].model_dump()) if len(points) == 1 else "",
        warnings=[finding for finding in findings if finding.kind in FIRST],
        marks=list(stack_marks(inputs).values()),
        method=_method(inputs, launches),
        sections=_sections(Source(inputs, analysis, findings, _figures(inputs), files(inputs.campaign))),
    )


def _sections(source: Source) -> list[Shown]:
    """The sections that the run has; each sees the tables that it says it needs."""
    built = (
        (section, section.build(replace(source, analysis=source.analysis.only(section.needs)))) for section in SECTIONS
    )
    return [Shown(each.anchor, each.heading, each.template, view) for each, view in built if view is not None]


def _measured_on(started: pd.Series) -> str:
    if not len(started):
        return "nothing measured yet"
    first, last = started.min(), started.max()
    begin = f"{first.day} {first:%B %Y, %H:%M}"
    end = f"{last:%H:%M}" if first.date() == last.date() else f"{last.day} {last:%B %Y, %H:%M}"
    return f"{begin} – {end} UTC"


def _method(inputs: RunInputs, launches: pd.DataFrame) -> dict[str, str]:
    """What the texts say in numbers."""
    engine, options = inputs.campaign.engine, inputs.campaign.analysis
    return {
        "clock_sync": engine.clock_sync,
        "offset": engine.offset,
        "timer": engine.timer,
        "trim": numbers.given_percent(engine.trim),
        "stop": _stop(engine),
        "confidence": numbers.given_percent(options.confidence),
        "threshold": numbers.given_percent(options.threshold),
        "tolerance": numbers.given_percent(options.model.tolerance),
        "blocks": str(inputs.campaign.replication.blocks),
        "fewest": min_ok_text(launches),
    }


def _stop(engine: EngineOptions) -> str:
    """When a measurement ends, as the end of a sentence."""
    rules = {
        "relative-error": f"until the interval of the mean is within {numbers.given_percent(engine.relative_error)} "
        f"with at least {engine.min_valid} valid runs, but no more than {engine.max_reps} times",
        "reps": f"until {engine.max_valid} of them are valid, but no more than {engine.max_reps} times",
        "time": "until the time for one operation and size is used up",
    }
    passes = ", in passes over all operations and sizes" if engine.passes > 1 else ""
    return rules[engine.stop] + passes


def _figures(inputs: RunInputs) -> list[FigureView]:
    """The figures that `analyse` left, numbered as they stand on the page. Raises FileError when it has not run."""
    listing = inputs.layout.figures / "figures.json"
    if not listing.exists():
        raise FileError(f"{listing}: missing; run `python -m isochron.postprocess analyse {inputs.layout.root}` first")
    views = []
    for number, info in enumerate(in_page_order(FigureList.load(listing).figures), start=1):
        anchor = f"figure-{number}"
        path = inputs.layout.figures / info.file
        picture = read_text(path, "analyse the run again")
        try:
            drawn = themed(picture, anchor, info.title, info.caption)
        except ValueError as error:
            raise FileError(f"{path}: is no figure of Isochron's: {error}; analyse the run again") from error
        title = f"Figure {number}. {info.title}"
        views.append(FigureView(anchor, title, info.caption, drawn, info.section, info.folded))
    return views
