# SPDX-License-Identifier: BSD-3-Clause
"""Which of the versions between two brought the difference of these two, case by case."""

from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record
from isochron.schemas.run.explanation import Effect


class Brought(Record):
    """What the step from one version to the next brought: a share of the difference."""

    before: str
    after: str
    share: Effect

    def __str__(self) -> str:
        """Return it as people read it."""
        return f"{self.after} brings {self.share} (after {self.before})"


class BisectedCase(Record):
    """A case. `ratio`: time of the newest version over that of the oldest; None: fresh blocks did not show it.

    `brought`: confirmed in fresh blocks, the newest version first; empty: no version brings a large enough part.
    """

    operation: str
    bytes: int
    ratio: float | None
    brought: list[Brought] = Field(default=[])

    def __str__(self) -> str:
        """Return what was found, as people read it."""
        if self.ratio is None:
            return "fresh blocks do not show a difference"
        return "; ".join(map(str, self.brought)) or "no version brings a large part of it"


class Bisection(Record):
    """The versions from the oldest to the newest, as stacks, and what each case showed."""

    schema_version: Literal[1] = 1
    versions: list[str]
    processes: int
    processes_per_node: int
    placement: str
    cases: list[BisectedCase]
    blocks: int
    experiments: int
    launches: int
