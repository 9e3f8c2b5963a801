# SPDX-License-Identifier: BSD-3-Clause
"""The formats in which a run can be exported: what each is called, and what its files are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A format: the suffix of its files, what they hold, and whether that follows from all runs of a campaign."""

    suffix: str
    meaning: str
    of_all_runs: bool = False


FORMATS = {
    "pdf": Format("pdf", "the report, printed"),
    "html": Format("html", "the report as one file with its tables inside, for a mail"),
    "md": Format("md", "the answer, for a pull request, a mail, a chat"),
    "xlsx": Format("xlsx", "all tables, a sheet each"),
    "latex": Format("tex", "the comparisons of the question, as tables of a paper"),
    "junit": Format("xml", "the same as tests of a pipeline: what is slower fails"),
    "json": Format("json", "answer, findings and the main tables, for programs"),
    "reframe": Format("reference.json", "references for ReFrame checks, by all runs", of_all_runs=True),
}
