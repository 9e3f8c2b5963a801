# SPDX-License-Identifier: BSD-3-Clause
"""What to set with a new version of a library: the settings that give losses back, and what fresh blocks showed."""

from typing import Literal

from pydantic import Field

from isochron.common.text import assignments
from isochron.schemas.base import Record


class AdvisedSetting(Record):
    """A setting by the value that gives losses back: `cases`. `variables`: of the environment, which set it.

    There are several if it has no effect without another one.
    """

    variables: dict[str, str]
    cases: list[str]

    def __str__(self) -> str:
        """Return it as people read it."""
        return assignments(self.variables)


class LeftOut(Record):
    """A setting that is not advised, with the reason."""

    variables: dict[str, str]
    reason: str

    def __str__(self) -> str:
        """Return it as people read it."""
        return f"{assignments(self.variables)}: {self.reason}"


class AdvisedCase(Record):
    """A case in fresh blocks: time of the new version with the settings over that of the old one, with its interval."""

    operation: str
    bytes: int
    ratio: float
    low: float
    high: float


class Confirmation(Record):
    """Fresh blocks with all settings. `run`: its folder in the folder of results; `began`: in UTC, ISO 8601.

    Each case that was measured is in one list at most:
    `cured` lost it before, and is not slower now; `slower` still is; `undecided`: lost it, and either is possible;
    `worse`: slower than the old version and than the new one without the settings; `given_up`: a gain of the new
    version that is none with the settings. `left`: operations that lost it before, and were not measured again for
    lack of minutes.
    """

    run: str
    began: str
    screened: int
    measured: int
    cured: list[AdvisedCase]
    slower: list[AdvisedCase]
    undecided: list[AdvisedCase]
    worse: list[AdvisedCase]
    given_up: list[AdvisedCase]
    left: list[str] = Field(default_factory=list)

    @property
    def lost(self) -> int:
        """The number of losses that were measured again."""
        return len(self.cured) + len(self.slower) + len(self.undecided)

    @property
    def holds(self) -> bool:
        """Return True if no loss remains, is undecided, was not measured again, or is new."""
        return bool(self.cured) and not (self.slower or self.undecided or self.left or self.worse)


class Advice(Record):
    """`advice.json`: of a run whose differences were explained. `confirmations`: in the order in which they were made.

    The settings are empty if none was confirmed. `files`: by format, in the folder of the run.
    """

    schema_version: Literal[1] = 1
    old: str
    new: str
    settings: list[AdvisedSetting]
    left_out: list[LeftOut] = Field(default_factory=list)
    confirmations: list[Confirmation]
    files: dict[str, str] = Field(default_factory=dict)

    @property
    def variables(self) -> dict[str, str]:
        """The variables of all settings."""
        return {name: value for one in self.settings for name, value in one.variables.items()}

    @property
    def holds(self) -> bool:
        """Return True if there are settings, and no confirmation found a loss with them."""
        return bool(self.settings) and all(one.holds for one in self.confirmations)

    def __str__(self) -> str:
        """Return the settings as people read them."""
        return " ".join(map(str, self.settings))
