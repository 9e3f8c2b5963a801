# SPDX-License-Identifier: BSD-3-Clause
"""Inputs, analysis, findings and figures → the report's context."""

from __future__ import annotations

import pandas as pd

from isochron.ground.files import FileError
from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.figures import svg
from isochron.postprocess.figures.model import FigureList
from isochron.postprocess.findings.collect import collect
from isochron.postprocess.machine.simulation import simulation
from isochron.postprocess.machine.timers import timers_in_words
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report import clocks, environment, provenance, quality, results, scaling
from isochron.postprocess.report.bindings import binding_rows
from isochron.postprocess.report.model import FigureView, KeyFigure, Link, ReportContext
from isochron.postprocess.tables import outputs
from isochron.postprocess.words import labels, numbers
from isochron.schemas.campaign import EngineOptions

#: Findings that stand above everything else.
FIRST = ("incomplete", "simulated")


def build(inputs: RunInputs, analysis: Analysis) -> ReportContext:
    """The context of a run's report."""
    findings = collect(inputs, analysis).findings
    verdicts = quality.verdict_rows(inputs, analysis)
    planned, measured = len(inputs.plan.launches), len(analysis.launches)
    return ReportContext(
        title=inputs.campaign.heading,
        description=inputs.campaign.description,
        campaign=inputs.campaign.name,
        system=inputs.state.system if inputs.state else environment.distinct(analysis.launches["system"]),
        run_id=inputs.state.run_id if inputs.state else inputs.layout.run_id,
        measured_on=_measured_on(analysis.launches["started_at"]),
        complete=measured == planned,
        state=f"{numbers.fixed(measured, 0)} of {numbers.fixed(planned, 0)} planned launches measured",
        simulation=simulation(analysis.launches),
        method=_method(inputs, analysis),
        key_figures=_key_figures(inputs, analysis),
        warnings=[finding for finding in findings if finding.kind in FIRST],
        findings=[finding for finding in findings if finding.kind not in FIRST],
        matrices=results.matrices(inputs, analysis),
        stacks=environment.stack_views(inputs),
        marks=list(results.stack_marks(inputs).values()),
        scalability=results.scalability_tables(inputs, analysis),
        figures=_figures(inputs),
        curves=scaling.curve_rows(inputs, analysis),
        largest=scaling.largest_tables(inputs, analysis),
        parameters=scaling.parameter_rows(inputs, analysis),
        guidelines=scaling.guideline_rows(inputs, analysis),
        guideline_count=scaling.guideline_count(analysis),
        doubtful=[row for row in verdicts if row.verdict != "ok"],
        verdicts=verdicts,
        environment=environment.facts(inputs, analysis) + provenance.common_facts(analysis),
        differences=provenance.differences(analysis),
        again=quality.again_rows(inputs, analysis),
        clocks=clocks.clock_rows(analysis),
        bindings=binding_rows(inputs, analysis),
        skipped=[
            (
                skip.stack,
                labels.point(skip.point.model_dump()),
                f"{skip.label}: {skip.reason}" if skip.operation else skip.reason,
            )
            for skip in inputs.plan.skipped
        ],
        tables=[Link(f"../tables/{name}", name, text) for name, text in outputs.tables(inputs.campaign).items()],
        raw=_raw(inputs),
    )


def _measured_on(started: pd.Series) -> str:
    if not len(started):
        return "nothing measured yet"
    first, last = started.min(), started.max()
    begin = f"{first.day} {first:%B %Y, %H:%M}"
    end = f"{last:%H:%M}" if first.date() == last.date() else f"{last.day} {last:%B %Y, %H:%M}"
    return f"{begin} – {end} UTC"


def _method(inputs: RunInputs, analysis: Analysis) -> dict[str, str]:
    """What the text on methods says in numbers."""
    engine, options = inputs.campaign.engine, inputs.campaign.analysis
    return {
        "clock_sync": engine.clock_sync,
        "offset": engine.offset,
        "timer": engine.timer,
        "trim": numbers.given_percent(engine.trim),
        "stop": _stop(engine),
        "timers": timers_in_words(analysis.timers),
        "confidence": numbers.given_percent(options.confidence),
        "threshold": numbers.given_percent(options.threshold),
        "tolerance": numbers.given_percent(options.model.tolerance),
        "blocks": str(inputs.campaign.repetition.blocks),
    }


def _stop(engine: EngineOptions) -> str:
    """When a measurement ends, as the end of a sentence."""
    rules = {
        "relative-error": f"until the interval of the mean is within {numbers.given_percent(engine.relative_error)} "
        f"with at least {engine.min_valid} valid runs, but no more than {engine.max_runs} times",
        "runs": f"until {engine.max_valid} of them are valid, but no more than {engine.max_runs} times",
        "time": "until the time for one operation and size is used up",
    }
    return rules[engine.stop]


def _key_figures(inputs: RunInputs, analysis: Analysis) -> list[KeyFigure]:
    rows, leaders = analysis.summary, analysis.leaders
    planned = len(inputs.plan.launches)
    figures = [
        KeyFigure(f"{numbers.fixed(len(analysis.launches), 0)} of {numbers.fixed(planned, 0)}", "launches measured"),
        KeyFigure(str(rows.loc[rows["launches"] > 0, "stack"].nunique()), "MPI stacks"),
        KeyFigure(f"{int(rows['believed'].sum())} of {len(rows)}", "rows believed"),
    ]
    if len(inputs.campaign.stacks) > 1:
        won = int((leaders["state"] == "established").sum())
        figures.append(KeyFigure(f"{won} of {len(leaders)}", "cases with an established fastest stack"))
    return figures


def _figures(inputs: RunInputs) -> list[FigureView]:
    """The figures that `analyse` left. Raises FileError when it has not run."""
    listing = inputs.layout.figures / "figures.json"
    if not listing.exists():
        raise FileError(f"{listing}: missing; run `python -m isochron.postprocess analyse {inputs.layout.root}` first")
    views = []
    for number, info in enumerate(FigureList.load(listing).figures, start=1):
        anchor = f"figure-{number}"
        try:
            picture = (inputs.layout.figures / info.file).read_text()
        except OSError as error:
            raise FileError(f"{inputs.layout.figures / info.file}: {error.strerror}; analyse the run again") from error
        drawn = svg.themed(picture, anchor, info.title, info.caption)
        views.append(FigureView(anchor, f"Figure {number}. {info.title}", info.caption, drawn, info.section))
    return views


def _raw(inputs: RunInputs) -> list[Link]:
    return [
        Link("../campaign.yaml", "campaign.yaml", "the campaign as it was asked for"),
        Link("../plan.json", "plan.json", "every planned launch"),
        Link("../launches/", "launches/", "raw files, one a launch, with every run"),
        *(
            Link(f"../stacks/{stack}.json", f"stacks/{stack}.json", "manifest of the stack")
            for stack in inputs.manifests
        ),
        Link("../store/", "store/", "launches, measurements and runs as Parquet"),
    ]
