# SPDX-License-Identifier: BSD-3-Clause
"""Rounds of fresh blocks in which algorithms are variants of one library, and what is left of them after each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from isochron.schemas.run.explanation import ChangedSetting
from isochron.stats.elimination import Standing, stand
from isochron.workflows.explanation.choices import Choices
from isochron.workflows.tuning.rules import Case

#: Rounds at most, and in how many of all tables a variant is eliminated that is the best and beats the default.
ROUNDS, ERROR = 3, 0.05

#: A variant: of each operation the number of its algorithm.
Variant = dict[str, int]


@dataclass
class Field:
    """The algorithms of all operations in all cases, and what was measured of them.

    `left`: (V, C), which are still in; `values`: of each the logarithms of its time over the default's, by block.
    """

    choices: Choices
    cases: list[Case]
    threshold: float
    values: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    rounds: int = 0
    standing: Standing | None = None

    def __post_init__(self) -> None:
        counts = [len(self.choices.algorithms[operation]) for operation, _, _ in self.cases]
        self.wanted: NDArray[np.bool_] = np.arange(max(counts, default=0))[:, None] < np.array(counts, dtype=int)
        self.left: NDArray[np.bool_] = self.wanted.copy()

    @property
    def decided(self) -> bool:
        """True if no further round can change anything: none is left, or no more rounds are."""
        return self.rounds == ROUNDS or not self.left.any()

    def variants(self) -> list[Variant]:
        """Return the variants of the next round: each has one algorithm of every operation that has so many left."""
        alive = {operation: self._alive(operation) for operation in dict.fromkeys(case[0] for case in self.cases)}
        columns = zip_longest(*alive.values())
        return [
            {name: number for name, number in zip(alive, column, strict=True) if number is not None}
            for column in columns
        ]

    def _alive(self, operation: str) -> list[int]:
        of_it = [column for column, case in enumerate(self.cases) if case[0] == operation]
        return np.flatnonzero(self.left[:, of_it].any(axis=1)).tolist()

    def open_cases(self) -> list[Case]:
        """Return the cases in which an algorithm is left."""
        return [case for column, case in enumerate(self.cases) if self.left[:, column].any()]

    def add(self, measured: Iterable[tuple[Variant, Case, Sequence[float]]]) -> None:
        """Add what a round measured, and eliminate."""
        places = {case: column for column, case in enumerate(self.cases)}
        for variant, case, logs in measured:
            if case in places and case[0] in variant:
                self.values.setdefault((variant[case[0]], places[case]), []).extend(logs)
        self.rounds += 1
        blocks = max(map(len, self.values.values()), default=0)
        table = np.full((blocks, *self.wanted.shape), np.nan)
        for (number, column), logs in self.values.items():
            table[: len(logs), number, column] = logs
        self.standing = stand(table, self.wanted, self.threshold, ROUNDS, ERROR)
        self.left = self.left & self.standing.left

    def winners(self) -> dict[Case, ChangedSetting]:
        """Return the best algorithm of each case in which it beats the default by more than the threshold."""
        if self.standing is None:
            return {}
        standing = Standing(self.standing.median, self.standing.low, self.standing.high, self.left)
        return {
            case: self.choices.algorithms[case[0]][number]
            for case, number in zip(self.cases, standing.winners(self.threshold, self._near()), strict=True)
            if number >= 0
        }

    def _near(self) -> list[list[int]]:
        """Return of each case its number and those of the next smaller and larger size of its operation."""
        lines: dict[tuple[str, int], list[int]] = {}
        for column in sorted(range(len(self.cases)), key=lambda one: self.cases[one][1]):
            operation, _, processes = self.cases[column]
            lines.setdefault((operation, processes), []).append(column)
        near = {
            column: line[max(0, place - 1) : place + 2] for line in lines.values() for place, column in enumerate(line)
        }
        return [near[column] for column in range(len(self.cases))]

    def loses(self) -> Mapping[tuple[Case, str], bool]:
        """Return of each case and algorithm whether it seems to take longer than the default, by half the threshold."""
        if self.standing is None:
            return {}
        return {
            (case, choice.new): not self.standing.median[number, column] <= np.log1p(self.threshold) / 2
            for column, case in enumerate(self.cases)
            for number, choice in enumerate(self.choices.algorithms[case[0]])
        }
