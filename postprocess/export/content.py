# SPDX-License-Identifier: BSD-3-Clause
"""What every export is made of: the answer as the report has it, findings, and the tables of `tables/`."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.estimate.answer.another_job import both_ways, turned_forecasts
from isochron.postprocess.estimate.answer.decision import Decision, answering, decision_on, oriented
from isochron.postprocess.estimate.compare.again import PAIR
from isochron.postprocess.formatting.spreadsheet import read_csv
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import FINDINGS, Finding, Findings
from isochron.postprocess.kit.section import Source
from isochron.postprocess.subjects.answer.section import FIRST_SCREEN, AnswerView
from isochron.postprocess.subjects.answer.table import ANSWERS
from isochron.postprocess.subjects.comparison.table import COMPARISON
from isochron.postprocess.subjects.jobs.table import JOB_RATIOS

#: Columns of `job-ratios.csv` in the workbook's sheet of comparisons, whose interval is of the jobs that were measured.
FORECAST_COLUMNS = {"next_low": "another_job_low", "next_high": "another_job_high", "reason": "another_job_reason"}


@dataclass(frozen=True)
class Question:
    """A stack against another, or all: their lines of `comparison.csv`, `ratio` being newer / older, and next_low
    and next_high, where it lies in another job.

    `decision`: which of them lose more than is accepted; its rows have the index of `rows`.
    """

    older: str
    newer: str
    rows: pd.DataFrame
    decision: Decision


@dataclass(frozen=True)
class Content:
    """A run that has been analysed and has a report."""

    inputs: RunInputs

    @property
    def heading(self) -> str:
        """Title of the campaign and name of the run."""
        return f"{self.inputs.campaign.heading} ({self.inputs.layout.run_id})"

    @cached_property
    def source(self) -> Source:
        """What the first screen of the report is made of. Raises FileError if the run is not analysed."""
        return Source(self.inputs, load_analysis(self.inputs.layout, FIRST_SCREEN.needs), self.findings, [])

    @cached_property
    def answer(self) -> AnswerView | None:
        """The first screen in words; None if it has no two stacks."""
        view = FIRST_SCREEN.build(self.source)
        return view if isinstance(view, AnswerView) else None

    @cached_property
    def questions(self) -> list[Question]:
        """The questions that the answer answers."""
        comparison = self.source.analysis[COMPARISON]
        table = oriented(comparison, self.inputs.campaign.analysis)
        table = turned_forecasts(table, comparison, self.source.analysis[JOB_RATIOS])
        lines = self.source.analysis[ANSWERS].to_dict("records")
        return [
            Question(line["baseline"], line["candidate"], answering(table, line), decision_on(self.inputs, table, line))
            for line in lines
        ]

    @cached_property
    def findings(self) -> list[Finding]:
        """What the report has found, in its order."""
        return Findings.load(self.inputs.layout.tables / FINDINGS).findings

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table of `tables/` by name, as people have it. Raises FileError if there is none."""
        paths = sorted(self.inputs.layout.tables.glob("*.csv"))
        if not paths:
            raise FileError(f"{self.inputs.layout.tables}: has no tables; call `isochron report` first")
        return {path.stem: read_csv(path) for path in paths}

    @cached_property
    def tables_with_forecasts(self) -> dict[str, pd.DataFrame]:
        """The same; `comparison` with `FORECAST_COLUMNS` behind its interval, if any job is known."""
        tables = dict(self.tables)
        if not {COMPARISON.name, JOB_RATIOS.name} <= tables.keys() or not (tables[JOB_RATIOS.name]["jobs"] > 0).any():
            return tables
        ratios = both_ways(tables[JOB_RATIOS.name]).rename(columns=FORECAST_COLUMNS)[
            [*PAIR, *FORECAST_COLUMNS.values()]
        ]
        comparison = tables[COMPARISON.name]
        joined = comparison.merge(ratios, on=PAIR, how="left")
        columns = list(comparison.columns)
        place = columns.index("ratio_high") + 1
        tables[COMPARISON.name] = joined[[*columns[:place], *FORECAST_COLUMNS.values(), *columns[place:]]]
        return tables
