# SPDX-License-Identifier: BSD-3-Clause
"""Why two stacks differ: the settings that have another value in each, and what experiments with them showed."""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from isochron.common.text import assignments
from isochron.schemas.base import Record
from isochron.schemas.run.plan import Point

#: What experiments showed of a case. `explained`: the settings give the difference back in both directions;
#: `one-direction`: in the new library only; `no-setting`: not all settings together do; `not-confirmed`: the search
#: found settings, and fresh blocks did not show it; `not-shown`: in fresh blocks the stacks do not differ;
#: `unfinished`: the minutes were over before the search ended.
Verdict = Literal["explained", "one-direction", "no-setting", "not-confirmed", "not-shown", "unfinished"]


#: The share of a difference from which on its causes say enough.
ENOUGH = 0.8


class Effect(Record):
    """A share of the difference of two stacks, with its interval."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it as people read it: 92 % [85; 97]."""
        return f"{round(100 * self.share)} % [{round(100 * self.low)}; {round(100 * self.high)}]"


class ChangedSetting(Record):
    """A setting with another value in the old and in the new library; `variable`: of the environment, which sets it.

    `needs`: further variables, without which the new library refuses the old value. `only_new`: it is a switch that the
    old library does not have, and that is on in the new one; the old value is that which switches it off.
    """

    setting: str
    variable: str
    old: str
    new: str
    meaning: str = ""
    needs: dict[str, str] = Field(default={})
    only_new: bool = False

    def variable_of(self, setting: str) -> str:
        """Return the variable that sets another setting of the same library."""
        return self.variable.removesuffix(self.setting) + setting

    def __str__(self) -> str:
        """Return it as people read it: NAME: 16384 → 8192."""
        if self.only_new:
            return f"{self.setting}={self.new}, which only the new library has"
        return (
            f"{self.setting}: {self.old} → {self.new}{f' (set with {assignments(self.needs)})' if self.needs else ''}"
        )


def set_back(settings: Iterable[ChangedSetting]) -> dict[str, str]:
    """Return the variables that give the new library the old values, and what these need."""
    chosen = list(settings)
    needs = {name: value for one in chosen for name, value in one.needs.items()}
    return {**{one.variable: one.old for one in chosen}, **needs}


class Remedy(Record):
    """Variables of the environment that give a loss back, confirmed in fresh blocks. `costs`: what is slower with them.

    `share`: of the difference; `settings`: name and value of each variable.
    """

    settings: dict[str, str]
    share: Effect
    costs: list[str]

    def __str__(self) -> str:
        """Return it as people read it."""
        slower = f", but slower with it: {', '.join(self.costs)}" if self.costs else ""
        return f"{assignments(self.settings)} gives back {self.share}{slower}"


class SystemCall(Record):
    """A function of the C library that enters the operating system: calls by a process for each operation."""

    function: str
    old: float
    new: float

    def __str__(self) -> str:
        """Return it as people read it: sched_yield 0.01 → 2.1 times."""
        old, new = (f"{calls:.2g}" if calls < 100 else f"{calls:.0f}" for calls in (self.old, self.new))
        return f"{self.function} {old} → {new} times"


class Step(Record):
    """A set of settings that the search measured, in its order, and the share of the difference that was then gone."""

    settings: list[str]
    effect: Effect


class ExplainedCase(Record):
    """A case that differs. `ratio`: new over old, in the first experiment; `all_settings`: with all old values.

    `forward`: the new library with the old values of the causes; `backward`: the old one with their new values.
    """

    operation: str
    bytes: int
    ratio: float | None
    verdict: Verdict
    causes: list[ChangedSetting] = Field(default_factory=list)
    all_settings: Effect | None = None
    forward: Effect | None = None
    backward: Effect | None = None
    #: The causes explain more together than one by one.
    interact: bool = False
    #: What gives the loss back although it is not what explains it: an algorithm of the operation.
    remedy: Remedy | None = None
    #: Where settings do not explain it: functions of the operating system that one library calls more often, the new
    #: one with the old values of the causes.
    system_calls: list[SystemCall] = Field(default_factory=list)
    #: How it was found; the first step has all settings.
    steps: list[Step] = Field(default_factory=list)

    @property
    def is_lost(self) -> bool:
        """True if the new library takes longer."""
        return self.ratio is not None and self.ratio > 1

    @property
    def is_given_back(self) -> bool:
        """True if the old values of the causes give nearly all of the difference back."""
        return self.forward is not None and self.forward.share >= ENOUGH

    def in_words(self, tried: int) -> str:
        """Return the result as a sentence; `tried`: number of settings that were tried."""
        return "; ".join(filter(None, [self._reason(tried), str(self.remedy or ""), self.calls_in_words]))

    @property
    def calls_in_words(self) -> str:
        """Return which system calls differ, as a part of a sentence; empty if none does."""
        which = "without these, called in each" if self.forward is not None else "called in each"
        return f"{which}: {', '.join(map(str, self.system_calls))}" if self.system_calls else ""

    def _reason(self, tried: int) -> str:
        many = {1: "the one setting that differs explains", 2: "both settings that differ explain"}.get(
            tried, f"all {tried} settings that differ explain"
        )
        causes = (" together with " if self.interact else " and ").join(map(str, self.causes))
        if self.verdict == "not-shown":
            return "fresh blocks do not show a difference"
        if self.verdict == "unfinished":
            gone = f": {many} {self.all_settings} of it" if self.all_settings else ""
            return f"not searched to the end for lack of minutes{gone}"
        if self.verdict == "no-setting":
            return f"by no setting: {many} {self.all_settings} of it" if tried else "by no setting"
        if self.verdict == "not-confirmed":
            return f"not explained: fresh blocks do not confirm {causes}"
        if self.verdict == "one-direction" and all(cause.only_new for cause in self.causes):
            return f"explained to {self.forward} by {causes}"
        if self.verdict == "one-direction":
            return f"explained to {self.forward} by {causes}, in the new library only (in the old one {self.backward})"
        return f"explained to {self.forward} by {causes} (in the old library {self.backward})"


class Explanation(Record):
    """What was found for two stacks. `old_library`, `new_library`: texts of MPI_Get_library_version.

    `refused`: changed settings that cannot be set, each with the reason; `only_old`, `only_new`: settings that the
    other library does not have; `switches`: those of the new one that are on and were tried off. `minutes`: what the
    experiments took; those of an earlier call are for nothing. `without_remedies`: the minutes did not suffice to try
    the algorithms that may give losses back.
    """

    old: str
    new: str
    old_library: str
    new_library: str
    processes: int
    processes_per_node: int
    placement: str
    tried: list[ChangedSetting]
    refused: dict[str, str]
    only_old: list[str]
    only_new: list[str]
    switches: list[ChangedSetting] = Field(default_factory=list)
    cases: list[ExplainedCase]
    blocks: int
    experiments: int
    launches: int
    minutes: float | None = None
    without_remedies: bool = False

    @property
    def point(self) -> Point:
        """The point at which the two were measured."""
        return Point(processes=self.processes, processes_per_node=self.processes_per_node, placement=self.placement)

    @property
    def causes(self) -> frozenset[str]:
        """The settings that explain its cases."""
        return frozenset(one.setting for case in self.cases for one in case.causes)

    @property
    def lines(self) -> list[str]:
        """What was found, a line for each case, and what it took."""
        tried, refused = len(self.tried), len(self.refused)
        first = (
            f"{self.old} → {self.new}: {tried} setting{'' if tried == 1 else 's'} with another value"
            + (f", {refused} that cannot be set" if refused else "")
            + f"; {len(self.only_old)} that only the old library has, {len(self.only_new)} only the new one"
            + (f", {len(self.switches)} of them switches that are on" if self.switches else "")
        )
        cases = [
            f"  {case.operation} {case.bytes} B: "
            + ("" if case.ratio is None else f"{case.ratio:.3g} times as long; ")
            + case.in_words(tried)
            for case in self.cases
        ]
        last = f"  ({self.experiments} experiments, {self.launches} launches)"
        left = (
            ["  algorithms that may give losses back: not tried for lack of minutes"] if self.without_remedies else []
        )
        return [first, *cases, *left, last]


class Explanations(Record):
    """`explanation.json` of a run: what was found for each pair of stacks."""

    schema_version: Literal[1] = 1
    pairs: list[Explanation]
