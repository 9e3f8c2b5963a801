# SPDX-License-Identifier: BSD-3-Clause
"""How the numbers were made, and links to the files of the run."""

from dataclasses import dataclass

from isochron.postprocess.estimate.machine.clocks import timers_in_words
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.guidelines.table import GUIDELINES
from isochron.postprocess.subjects.methods import figure
from isochron.postprocess.subjects.methods.finding import poor_timers
from isochron.postprocess.subjects.methods.table import CLOCKS, TIMERS
from isochron.postprocess.subjects.scaling.curves import parameter_rows
from isochron.postprocess.subjects.scaling.table import MODEL_PARAMETERS, MODELS


@dataclass(frozen=True)
class ClockRow:
    """A synchroniser at a point: time, errors and bound, as text."""

    method: str
    stack: str
    point: str
    phase: str
    error: str
    error_end: str
    bound: str
    errors: str
    launches: str


@dataclass(frozen=True)
class MethodsView:
    """Synchronisers; what the checks of timers have shown, in words; and which methods the report has made use of."""

    clocks: list[ClockRow]
    figures: list[FigureView]
    timers: str
    guidelines: bool
    models: bool


def build_methods(source: Source) -> MethodsView:
    """Always there."""
    return MethodsView(
        clocks=clock_rows(source.analysis),
        figures=source.figures_of("methods"),
        timers=timers_in_words(source.analysis[TIMERS]),
        guidelines=len(source.analysis[GUIDELINES]) > 0,
        models=bool(parameter_rows(source)),
    )


def clock_rows(analysis: Analysis) -> list[ClockRow]:
    """Every synchroniser at every point."""
    return [
        ClockRow(
            method=f"{row['clock_sync']}, {row['clock_estimator']}",
            stack=row["stack"],
            point=labels.point(row),
            phase=numbers.significant(row["phase_ms"]),
            error=numbers.significant(row["error_us"]),
            error_end=numbers.significant(row["error_end_us"]),
            bound=numbers.significant(row["bound_us"]),
            errors=row["errors"],
            launches=numbers.fixed(row["launches"], 0),
        )
        for row in analysis[CLOCKS].to_dict("records")
    ]


METHODS = Section(
    "methods",
    "Methods",
    "methods/section.html.j2",
    build_methods,
    needs=(CLOCKS, TIMERS, GUIDELINES, MODELS, MODEL_PARAMETERS),
)


@dataclass(frozen=True)
class Link:
    """A file of the run; `path`: in its folder."""

    path: str
    meaning: str


@dataclass(frozen=True)
class FilesView:
    """The files of `tables/`, and what all rests on."""

    tables: list[Link]
    raw: list[Link]


def build_files(source: Source) -> FilesView:
    """Every file of `tables/`, and what all rests on."""
    tables = [Link(f"tables/{name}", text) for name, text in source.files.items()]
    return FilesView(tables, _raw(source.inputs))


def _raw(inputs: RunInputs) -> list[Link]:
    return [
        Link("campaign.yaml", "the campaign as it was requested"),
        Link("plan.json", "every planned launch"),
        Link("launches/", "raw files, one per launch, with every run"),
        *(Link(f"stacks/{stack}.json", "manifest of the stack") for stack in inputs.manifests),
        Link("store/", "launches, measurements and runs as Parquet"),
    ]


FILES = Section("files", "Files", "methods/files.html.j2", build_files)

SUBJECT = Subject(
    tables=(TIMERS, CLOCKS),
    figures=(figure.figures,),
    findings=(poor_timers,),
    sections=(METHODS, FILES),
)
