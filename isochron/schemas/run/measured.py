# SPDX-License-Identifier: BSD-3-Clause
"""What `isochron checks FILE…` prints: values of launches that belong to no campaign, for a check of a site."""

from isochron.schemas.base import Record


class MeasuredResult(Record):
    """An operation at one size over all launches; None if no launch has a time. `reason`: why launches have none."""

    operation: str
    bytes: int
    median_us: float | None = None
    median_low_us: float | None = None
    median_high_us: float | None = None
    median_confidence: float | None = None
    rse: float | None = None
    launches_used: int
    reason: str


class Measured(Record):
    """`problems`: why the launches are refused, one line each; `results` are empty then."""

    problems: list[str]
    results: list[MeasuredResult]
