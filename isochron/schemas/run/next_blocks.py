# SPDX-License-Identifier: BSD-3-Clause
"""What the analysis requests of the driver: `interim.json` and `tables/remeasure.json`."""

from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record
from isochron.schemas.run.plan import Point


class Comparison(Record):
    """Two stacks in one case."""

    baseline: str
    candidate: str
    operation: str
    bytes: int
    point: Point


class Decided(Comparison):
    """A comparison that an interim analysis has decided; the decision is final."""

    verdict: Literal["slower", "faster", "equivalent", "depends"]


class InterimAnalysis(Record):
    """An interim analysis after all blocks of the stages up to `stage` (from 0), with `blocks` per node count.

    `level`: significance level of differences; `equal_level`: 1 minus the confidence level of the intervals.
    """

    stage: int
    blocks: int
    level: float
    equal_level: float
    decided: list[Decided]
    open: list[Comparison]


class InterimFile(Record):
    """All interim analyses so far, in their order."""

    schema_version: Literal[1] = 1
    analyses: list[InterimAnalysis] = Field(default=[])


class FlaggedResult(Record):
    """A flagged result. `degree`: share of its launches that contradict its value, from 0 to 1."""

    stack: str
    operation: str
    bytes: int
    point: Point
    degree: float
    reason: str


class FlaggedPoint(Record):
    """A point with flagged results, and the nodes on which it was measured, the most deviating launch first."""

    point: Point
    degree: float
    hosts: list[list[str]]


class Flagged(Record):
    """All flagged results, and their points, highest degree first."""

    schema_version: Literal[1] = 1
    rows: list[FlaggedResult]
    points: list[FlaggedPoint]
