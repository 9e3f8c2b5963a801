# SPDX-License-Identifier: BSD-3-Clause
"""What the analysis requests of the driver: `interim.json` and `tables/remeasure.json`."""

from __future__ import annotations

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
    """What a look has decided about them: it stays decided."""

    verdict: Literal["slower", "faster", "equivalent"]


class Look(Record):
    """A look after all blocks of the stages up to `stage` (the first is 0), `blocks` for each node count.

    `level`: at which differences were established; `equal_level`: 1 less the confidence of the intervals.
    """

    stage: int
    blocks: int
    level: float
    equal_level: float
    decided: list[Decided]
    open: list[Comparison]


class Looks(Record):
    """All looks so far, in their order."""

    schema_version: Literal[1] = 1
    looks: list[Look] = Field(default=[])


class FlaggedResult(Record):
    """A row in doubt. `degree`: from 0 to 1, the share of its launches that speak against its value."""

    stack: str
    operation: str
    bytes: int
    point: Point
    degree: float
    reason: str


class FlaggedPoint(Record):
    """A point that has rows in doubt, and the nodes on which it was measured, the most deviating launch first."""

    point: Point
    degree: float
    hosts: list[list[str]]


class Flagged(Record):
    """All rows in doubt, and their points with the greatest doubt first."""

    schema_version: Literal[1] = 1
    rows: list[FlaggedResult]
    points: list[FlaggedPoint]
