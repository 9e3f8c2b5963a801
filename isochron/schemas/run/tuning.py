# SPDX-License-Identifier: BSD-3-Clause
"""Rules that make a library take another algorithm than its own choice, and what was proven of them."""

from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record


class Rule(Record):
    """An algorithm of an operation for a range of sizes at a number of processes.

    `low`, `high`: the smallest and the largest size in bytes, both measured (`bytes` of the engine); `setting`,
    `variable`: of the library and of the environment; `algorithm`: its word, `number`: its number in the library.
    `processes`: 0 if the rule holds for all that were measured.
    """

    operation: str
    processes: int
    low: int
    high: int
    setting: str
    variable: str
    algorithm: str
    number: int

    @property
    def where(self) -> str:
        """Return the cases as people read them."""
        sizes = f"{self.low} B" if self.low == self.high else f"{self.low} to {self.high} B"
        return f"{self.operation} {sizes}" + (f", {self.processes} processes" if self.processes else "")

    def holds(self, operation: str, size: int, processes: int) -> bool:
        """Return True if it is of this case."""
        return self.operation == operation and self.low <= size <= self.high and self.processes in (0, processes)


class TunedCase(Record):
    """A case that the proof measured: the time with the rules over that of the default, with its interval.

    `rule`: whether a rule was in force there. `verdict`: of the comparison; `faster`: it is cured.
    """

    operation: str
    bytes: int
    processes: int
    rule: bool
    verdict: str
    ratio: float | None
    low: float | None
    high: float | None


class LeftOut(Record):
    """A rule that was tried and not proven, and why."""

    rule: Rule
    reason: str


class Tuning(Record):
    """`tuning.json`: what was found for a stack. `threshold`: a default is bad from this share on.

    `tried`: algorithms by operation; `refused`: those that cannot be set, with the reason; `cases`: of the proof.
    `screened`: number of cases in the rounds; `rounds`, `blocks`, `launches`: of the elimination. `files`: with the
    proven rules, beside this file.
    """

    schema_version: Literal[1] = 1
    stack: str
    library: str
    threshold: float
    error: float
    tried: dict[str, list[str]]
    refused: dict[str, str]
    screened: int
    rounds: int
    blocks: int
    launches: int
    rules: list[Rule] = Field(default=[])
    left_out: list[LeftOut] = Field(default=[])
    cases: list[TunedCase] = Field(default=[])
    files: list[str] = Field(default=[])

    @property
    def cured(self) -> list[TunedCase]:
        """The cases with a proven rule that take less time."""
        return [
            case
            for case in self.cases
            if case.verdict == "faster"
            and any(one.holds(case.operation, case.bytes, case.processes) for one in self.rules)
        ]

    @property
    def in_words(self) -> str:
        """Return the result as a sentence."""
        tried = sum(case.rule for case in self.cases)
        algorithms = sum(map(len, self.tried.values()))
        of = f"{_count(algorithms, 'algorithm')} of {_count(len(self.tried), 'operation')}, {self.screened} cases"
        if not tried:
            least = f"{100 * self.threshold:g} %"
            return f"{self.stack}: its own choice is kept everywhere: none is better by more than {least} ({of})"
        lost = sum(case.verdict == "slower" for case in self.cases)
        losses = "no case is slower" if not lost else f"{lost} slower, whose rules are left out"
        return (
            f"{self.stack}: {len(self.cured)} of {tried} cases cured by {_count(len(self.rules), 'rule')}, {losses}, "
            f"of {len(self.cases)} measured in fresh blocks ({of})"
        )


def _count(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")
