# SPDX-License-Identifier: BSD-3-Clause
"""The formats in which a run can be exported: names and files."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A format: the suffix of its files, their content, and whether it is computed from all runs of a campaign."""

    suffix: str
    meaning: str
    of_all_runs: bool = False


FORMATS = {
    "pdf": Format("pdf", "the report, printed"),
    "html": Format("html", "the report as one file with its tables inside, for a mail"),
    "md": Format("md", "the answer, for a pull request, mail or chat"),
    "xlsx": Format("xlsx", "all tables, one sheet each"),
    "latex": Format("tex", "the comparisons of the question, as tables for a paper"),
    "junit": Format("xml", "the same as tests of a pipeline: a slowdown is a failure"),
    "json": Format("json", "answer, findings and the main tables, for programs"),
    "jsonl": Format("jsonl", "a line of JSON for each result, comparison and answer, as `isochron push` sends them"),
    "reframe": Format("reference.json", "references for ReFrame checks, from all runs", of_all_runs=True),
}
