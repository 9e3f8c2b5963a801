# SPDX-License-Identifier: BSD-3-Clause
"""The findings of a run that a program can show: comparisons of two stacks in which one is slower."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from isochron.common.files import FileError, suggest
from isochron.common.text import first_of
from isochron.schemas.run.explanation import ExplainedCase, Explanation, Explanations, set_back
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Point
from isochron.workflows.runs import comparison_of, point_of

#: Names in a message about an unknown finding, at most.
MOST_NAMES = 12


@dataclass(frozen=True)
class Finding:
    """A case in which one stack is slower. Times in microseconds, `ratio`: slow over fast, with its interval."""

    operation: str
    bytes: int
    point: Point
    fast: str
    slow: str
    #: The stack that is compared with the baseline is the slow one.
    lost: bool
    fast_us: float
    slow_us: float
    ratio: float
    low: float
    high: float
    confidence: float
    launches: int

    @property
    def name(self) -> str:
        """Its name, also that of its folder."""
        return f"{self.operation}-{self.bytes}.{self.slow}.{self.fast}.{self.point.label}"

    @property
    def least(self) -> float:
        """Logarithm of the end of the ratio's interval that is nearer to 1."""
        return math.log(self.low)


@dataclass(frozen=True)
class Setting:
    """Variables of the environment with which the slow stack loses less; `gives_back`: the share, in words."""

    variables: dict[str, str]
    gives_back: str


def find_findings(run: RunLayout, manifests: Mapping[str, Manifest]) -> list[Finding]:
    """Return all findings of a run: losses between versions of one library first, those that differ most first."""
    rows = [row for row in comparison_of(run) if row["verdict"] in ("slower", "faster")]
    findings = [(row["family"] == "question", _finding(row)) for row in rows]

    def order(asked_finding: tuple[bool, Finding]) -> tuple[bool, bool, bool, float]:
        asked, one = asked_finding
        same = manifests[one.fast].mpi_library == manifests[one.slow].mpi_library
        return not asked, not same, not one.lost, -one.least

    return [one for _, one in sorted(findings, key=order)]


def _finding(row: Mapping[str, str]) -> Finding:
    lost = row["verdict"] == "slower"
    stacks, medians = (row["baseline"], row["candidate"]), (row["baseline_median_us"], row["candidate_median_us"])
    ratio, low, high = (float(row[name]) for name in ("ratio", "ratio_low", "ratio_high"))
    return Finding(
        operation=row["operation"],
        bytes=int(row["bytes"]),
        point=point_of(row),
        fast=stacks[not lost],
        slow=stacks[lost],
        lost=lost,
        fast_us=float(medians[not lost]),
        slow_us=float(medians[lost]),
        ratio=ratio if lost else 1 / ratio,
        low=low if lost else 1 / high,
        high=high if lost else 1 / low,
        confidence=float(row["confidence"]),
        launches=int(row["baseline_launches"]) + int(row["candidate_launches"]),
    )


def choose(findings: list[Finding], name: str | None, run: RunLayout) -> Finding:
    """Return the first finding whose name begins so, up to a point. Raises FileError if there is none."""
    if not findings:
        raise FileError(f"{run.root}: nothing to reproduce: in no case is a stack established to be slower")
    for one in findings:
        if name is None or one.name == name or one.name.startswith(f"{name}."):
            return one
    short = list(dict.fromkeys(f"{one.operation}-{one.bytes}" for one in findings))
    raise FileError(
        f"{run.root}: no finding '{name}'{suggest(str(name), short)}; "
        f"there {'is' if len(short) == 1 else 'are'} {first_of(short, MOST_NAMES)}"
    )


def explained(run: RunLayout, finding: Finding) -> tuple[str, Setting | None]:
    """Return why the slow stack is slower, as `isochron explain` found, and the setting; empty if it was not called."""
    if not run.explanation.is_file():
        return "", None
    old, new = (finding.fast, finding.slow) if finding.lost else (finding.slow, finding.fast)
    for pair in Explanations.load(run.explanation).pairs:
        if (pair.old, pair.new, pair.point) != (old, new, finding.point):
            continue
        for case in pair.cases:
            if (case.operation, case.bytes) == (finding.operation, finding.bytes):
                return _reason(case, pair), _setting(case, slow_is_new=finding.lost)
    return "", None


def _reason(case: ExplainedCase, pair: Explanation) -> str:
    return "" if case.verdict == "not-shown" else case.in_words(len(pair.tried))


def _setting(case: ExplainedCase, *, slow_is_new: bool) -> Setting | None:
    """Return the values of the fast stack for the causes, or else the remedy."""
    effect = case.forward if slow_is_new else case.backward
    if case.verdict == "explained" or (case.verdict == "one-direction" and slow_is_new):
        variables = set_back(case.causes) if slow_is_new else {one.variable: one.new for one in case.causes}
        return Setting(variables, str(effect))
    if case.remedy is not None and slow_is_new:
        return Setting(case.remedy.settings, str(case.remedy.share))
    return None
