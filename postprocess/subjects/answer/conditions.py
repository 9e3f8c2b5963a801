# SPDX-License-Identifier: BSD-3-Clause
"""The conditions of the letter of a run in words, each value beside its limits; and the letter with cautions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isnan

import pandas as pd

from isochron.postprocess.estimate.answer.quality import BY_NAME, LETTERS, with_cautions
from isochron.postprocess.formatting import numbers
from isochron.postprocess.kit.finding import Findings
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.answer.table import GRADES


def graded(analysis: Analysis, findings: Findings) -> Analysis:
    """The tables with the cautions among the findings counted in the letter of the run."""
    cautions = sum(finding.severity == "warning" for finding in findings.findings)
    return replace(analysis, frames={**analysis.frames, GRADES.name: with_cautions(analysis[GRADES], cautions)})


@dataclass(frozen=True)
class Condition:
    """A criterion in words: its value beside the limit of an A, and of the letter that it has."""

    meaning: str
    value: str
    limit: str
    letter: str


@dataclass(frozen=True)
class Quality:
    """The letter of a run, why it is no better, and all conditions."""

    letter: str
    reason: str
    conditions: list[Condition]


def quality(table: pd.DataFrame) -> Quality:
    """The worst letter, what it comes from, and all conditions. `table`: `GRADE_COLUMNS`."""
    worst = max(table["grade"], key=LETTERS.index)
    conditions = [_condition(row) for row in table.to_dict("records")]
    culprits = [f"{each.meaning}: {each.value} ({each.limit})" for each in conditions if each.letter == worst]
    return Quality(worst, "nothing to object to" if worst == "A" else "; ".join(culprits), conditions)


def _condition(row: Mapping[object, object]) -> Condition:
    """`14 %`, `A up to 2.0 %, B up to 10 %`."""
    criterion = BY_NAME[str(row["criterion"])]

    def shown(value: float) -> str:
        if isnan(value):
            return numbers.NONE
        return numbers.percent(value) if criterion.share else numbers.short(value)

    limits = [
        f"{letter} up to {shown(limit)}"
        for letter, limit in zip(LETTERS, criterion.limits, strict=False)
        if limit < inf
    ]
    return Condition(criterion.meaning, shown(float(str(row["value"]))), ", ".join(limits), str(row["grade"]))
