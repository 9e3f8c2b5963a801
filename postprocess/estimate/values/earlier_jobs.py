# SPDX-License-Identifier: BSD-3-Clause
"""The launches of earlier runs, and what they show of the spread between jobs (`stats/job_prior`).

A stack in another version is another series, since versions differ and would count as jobs that do; cases of a group
lend each other their spread all the same, so that a version that is new has one, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.values.jobs import Earlier, logs_of_jobs, numbered, pooling, ratios_of_blocks
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY
from isochron.stats.job_prior import spread_before

PAIR = ["baseline", "candidate"]


@dataclass(frozen=True)
class EarlierJobs:
    """`launches`: RESULT_KEY, mpi_version, run_id, job, block and value_us of each launch of a known job.

    `versions`: of the stacks of the run that is reported.
    """

    launches: pd.DataFrame
    versions: dict[str, str]

    def times(self, cases: pd.DataFrame) -> Earlier:
        """Return what is known of the times of these cases (RESULT_KEY)."""
        return _earlier(
            self._of_versions.rename(columns={"value_us": "value"}), self._named(cases, ["stack"]), RESULT_KEY
        )

    def ratios(self, cases: pd.DataFrame) -> Earlier:
        """Return what is known of the ratios within a job of these cases (CASE, baseline and candidate)."""
        frames = []
        for run, part in self._of_versions.groupby("run_id", sort=False):
            pairs = list(combinations(sorted(part["stack"].unique()), 2))
            frames.append(ratios_of_blocks(part, CASE, "stack", pairs).assign(run_id=run))
        named = self._named(cases, PAIR)
        named[PAIR] = np.sort(named[PAIR].to_numpy(dtype=str), axis=1)  # a ratio and its inverse have one spread
        return _earlier(pd.concat(frames, ignore_index=True), named, [*CASE, *PAIR])

    def of_stacks(self, stacks: tuple[str, str]) -> Iterator[pd.DataFrame]:
        """Yield the launches of each run that are of these stacks in the versions of the run that is reported."""
        known = self.launches["stack"].isin(stacks)
        known &= self.launches["mpi_version"] == self.launches["stack"].map(self.versions)
        for _, part in self.launches[known].groupby("run_id", sort=False):
            yield part

    @cached_property
    def _of_versions(self) -> pd.DataFrame:
        """The launches, their stacks named with their versions."""
        return self.launches.assign(stack=self.launches["stack"] + "@" + self.launches["mpi_version"])

    def _named(self, cases: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
        """Return cases whose stacks are named with their versions."""
        versions = {name: cases[name] + "@" + cases[name].map(self.versions).fillna("") for name in columns}
        return cases.assign(**versions)


def _earlier(rows: pd.DataFrame, cases: pd.DataFrame, keys: list[str]) -> Earlier:
    """Return what `rows` show of `cases`, both with `keys`; `rows` with run_id, job and value."""
    number, series = numbered(rows, keys)
    _, logs = logs_of_jobs(rows.assign(case=number), len(series))
    groups = pooling(pd.concat([series[keys], cases[keys]], ignore_index=True))
    place, _ = numbered(cases, keys, series)
    spread, rests = spread_before(logs, groups[: len(series)], place, groups[len(series) :])
    runs, _ = pd.factorize(rows["run_id"])
    measured = np.zeros((len(series), int(runs.max(initial=-1)) + 1), dtype=bool)
    measured[number, runs] = True
    return Earlier(spread, (rests.astype(np.float32) @ measured.astype(np.float32) > 0).sum(axis=1))
