# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of an import: the spread of its values between them, and where those of another job lie.

A launch is a file; its value is the median over its lines, and parts of it are medians of consecutive lines.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.estimate.values.job_changes import job_changes
from isochron.postprocess.estimate.values.jobs import JOB_COLUMNS, JOB_RATIO_COLUMNS, job_ratios, job_times
from isochron.postprocess.ingest.imported import timed_rows
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY
from isochron.schemas.run.imported import ImportLayout
from isochron.tools.pico import FIRST

#: Parts of a launch. Repetitions resemble their neighbours, so single ones say little about what lasts.
PARTS = 10
CONFIDENCE = 0.95


@dataclass(frozen=True)
class ImportedJobs:
    """`jobs`: their number; `times`: `JOB_COLUMNS`; `ratios`: `JOB_RATIO_COLUMNS` of every pair; `changes`:
    `JOB_CHANGE_COLUMNS`.

    The stack is the benchmark as the tool names it.
    """

    jobs: int
    times: pd.DataFrame
    ratios: pd.DataFrame
    changes: pd.DataFrame

    @property
    def in_words(self) -> str:
        """`2 jobs; 117 of 126 cases have a forecast of another job`."""
        counted = f"{self.jobs} job{'s' if self.jobs > 1 else ''}"
        said = (
            f"{counted}; {(self.times['rule'] != '').sum()} of {len(self.times)} cases have a forecast of another job"
        )
        names = list(dict.fromkeys(self.changes["stack"]))
        return f"{said}; not the same in all jobs: {', '.join(names)}" if names else said


def imported_jobs(layout: ImportLayout) -> ImportedJobs:
    """Return what the jobs of an import show. Raises FileError if its files do not state their job."""
    rows = timed_rows(layout)
    if not (rows["job"] != "").any():
        raise FileError(f"{layout.root}: its files do not state their job, so nothing is known of another")
    rows = rows.assign(stack=_names(rows), placement="", **{name: rows[name].astype("Int64") for name in CASE[1:4]})
    by_launch = [*RESULT_KEY, "job", "file"]
    rows = rows.assign(launch=rows.groupby(by_launch, dropna=False, sort=False).ngroup())
    known = rows.drop_duplicates("launch")[[*by_launch, "launch"]].set_index("launch")
    launches = known.assign(value_us=rows.groupby("launch")["value_us"].median()).reset_index()
    launches = launches.assign(block=launches["job"])
    later = rows[rows["note"] != FIRST]
    order = later.groupby("launch").cumcount()
    part = order * PARTS // later.groupby("launch")["launch"].transform("size").clip(lower=PARTS)
    medians = later.groupby([later["launch"], part.rename("part")])["value_us"].median().reset_index()
    parts = known.loc[medians["launch"]].reset_index().assign(value_us=medians["value_us"].to_numpy(dtype=np.float64))
    times = job_times(launches, parts, RESULT_KEY, CONFIDENCE)
    ratios = job_ratios(launches, CASE, "stack", None, CONFIDENCE)
    jobs = int(rows.loc[rows["job"] != "", "job"].nunique())
    return ImportedJobs(
        jobs,
        times[list(JOB_COLUMNS)].sort_values([*CASE, "stack"], ignore_index=True),
        ratios[list(JOB_RATIO_COLUMNS)].sort_values([*CASE, "baseline", "candidate"], ignore_index=True),
        job_changes(launches),
    )


def _names(rows: pd.DataFrame) -> pd.Series:
    """The benchmarks, with the meaning of their values where it is not the same in all rows."""
    names = rows["benchmark"]
    for name in ("scheme", "statistic"):
        names = names + ", " + rows[name] if rows[name].nunique() > 1 else names
    return names
