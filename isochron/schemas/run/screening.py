# SPDX-License-Identifier: BSD-3-Clause
"""What the first stage of an upgrade measured of each case, and which of them the second stage followed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record


class ScreenedCase(Record):
    """A case of the first stage: time of the new stack over that of the old one, with its interval.

    `p_value`: of a ratio of 1, for this case alone; `seconds`, `unverified_seconds`: that the turns of both stacks took
    in a block, and what they take without the verification of the data; `followed`: whether it was measured again.
    """

    operation: str
    bytes: int
    ratio: float
    low: float
    high: float
    p_value: float
    seconds: float
    unverified_seconds: float
    followed: bool = False


def seconds_of(cases: Iterable[ScreenedCase]) -> dict[str, float]:
    """Return the seconds of each operation without verification: of all of its cases."""
    seconds: dict[str, float] = defaultdict(float)
    for case in cases:
        seconds[case.operation] += case.unverified_seconds
    return dict(seconds)


def _listed(of: Mapping[str, list[str]]) -> str:
    """Return operations by stack: `bcast, gather with mpich-4.0.3; scan with mpich-4.1.3`."""
    return "; ".join(f"{', '.join(operations)} with {stack}" for stack, operations in of.items())


class Screening(Record):
    """The first stage of an upgrade.

    `run`: its folder's name; `blocks`: how many it has; `threshold`: the practical one, as a share; `left`: operations
    that seem to have changed and are not followed; `wrong`, `ended`: by stack, operations that delivered wrong data,
    and in which the program ended; no case of them is listed.
    """

    schema_version: Literal[1] = 1
    old: str
    new: str
    run: str
    blocks: int
    threshold: float
    cases: list[ScreenedCase]
    left: list[str] = Field(default=[])
    wrong: dict[str, list[str]] = Field(default={})
    ended: dict[str, list[str]] = Field(default={})

    @property
    def unusable(self) -> str:
        """What delivers wrong data, and what ends the program, as sentences; empty if nothing does."""
        kinds = {"Wrong data": self.wrong, "The program ends": self.ended}
        return " ".join(f"{what}, and therefore not compared: {_listed(of)}." for what, of in kinds.items() if of)

    @property
    def broken(self) -> str:
        """What the new version does not do right, as sentences; empty if there is nothing that the old one does right.

        Of an operation in which the new one ends the program it is not known what the old one does: both measure it in
        turns, and a launch ends with the first.
        """
        of_old = {*self.wrong.get(self.old, ()), *self.ended.get(self.old, ())}
        wrong, ended = ([one for one in of.get(self.new, ()) if one not in of_old] for of in (self.wrong, self.ended))
        texts = [f"{self.new} delivers wrong data in {', '.join(wrong)}, where {self.old} is right."] if wrong else []
        if ended:
            texts.append(f"{self.new} ends the program in {', '.join(ended)}; {self.old} was not seen to.")
        return " ".join(texts)

    @property
    def followed(self) -> list[ScreenedCase]:
        """The cases that were measured again."""
        return [case for case in self.cases if case.followed]
