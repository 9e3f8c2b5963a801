# SPDX-License-Identifier: BSD-3-Clause
"""Rounds of made-up tables up to the proof: no rule among identical algorithms, and a bad default is cured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.schemas.run.explanation import ChangedSetting
from isochron.workflows.explanation.choices import Choices
from isochron.workflows.tuning.rounds import ROUNDS, Field
from isochron.workflows.tuning.rules import Case
from tests.postprocess.estimate.compare.sessions import compared, sides

#: Algorithms by operation; sizes; blocks of a round; deviation of a ratio between blocks.
ALGORITHMS = {"bcast": 9, "allreduce": 6, "alltoall": 5, "allgather": 6, "reduce": 7}
SIZES, BLOCKS, NOISE = (8, 64, 512, 4096, 32768, 262144), 4, 0.04
THRESHOLD = 0.05
CASES: list[Case] = [(operation, size, 4) for operation in ALGORITHMS for size in SIZES]
#: Of a case the logarithm of the time of an algorithm over that of the default.
Truth = Mapping[tuple[Case, int], float]


def field_of(counts: Mapping[str, int] = ALGORITHMS, cases: list[Case] | None = None) -> Field:
    """All cases of operations with so many algorithms."""
    algorithms = {
        operation: [
            ChangedSetting(setting=f"{operation}_algorithm", variable="V", old="ignore", new=str(number))
            for number in range(count)
        ]
        for operation, count in counts.items()
    }
    return Field(Choices(algorithms, {}, {}, "library"), CASES if cases is None else cases, THRESHOLD)


def play(rng: np.random.Generator, tuned: Field, truth: Truth, usual: float = 0.0) -> int:
    """Measure rounds until all is decided; `usual`: the logarithm where the truth has none. Returns the variants."""
    measured = 0
    while not tuned.decided:
        variants = tuned.variants()
        measured += len(variants)
        tuned.add(
            [
                (one, case, (truth.get((case, one[case[0]]), usual) + NOISE * rng.standard_t(5, BLOCKS)).tolist())
                for one in variants
                for case in tuned.cases
                if case[0] in one
            ]
        )
    return measured


def cured(rng: np.random.Generator, tuned: Field, truth: Truth, usual: float = 0.0) -> list[Case]:
    """The cases that the proof calls faster with the rules of the winners in force."""
    winners = tuned.winners()
    if not winners:
        return []
    operations = {operation for operation, _, _ in winners}
    cases = [case for case in tuned.cases if case[0] in operations]
    logs = [truth.get((case, int(winners[case].new)), usual) if case in winners else 0.0 for case in cases]
    table = compared(sides(rng, "quiet", np.exp(logs)), Rules(threshold=THRESHOLD, confidence=0.95))
    return [case for case, verdict in zip(cases, table["verdict"], strict=True) if verdict == "faster"]


@pytest.mark.heavy
@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_identical_algorithms_give_a_rule_in_few_tables(count: int) -> None:
    rng = np.random.default_rng(1)
    with_rule = 0
    for _ in range(count):
        tuned = field_of()
        play(rng, tuned, {})
        with_rule += bool(cured(rng, tuned, {}))
    assert with_rule <= 0.05 * count


@pytest.mark.heavy
@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_a_bad_default_is_found_and_cured(count: int) -> None:
    """The default of one case takes 20 % longer than one algorithm; all others are worse than it, or as good."""
    rng = np.random.default_rng(2)
    found = false = 0
    for _ in range(count):
        case, number = CASES[rng.integers(len(CASES))], int(rng.integers(5))
        truth = {(other, each): float(rng.uniform(0, 0.5)) for other in CASES for each in range(ALGORITHMS[other[0]])}
        truth[case, number] = -np.log(1.2)
        tuned = field_of()
        play(rng, tuned, truth)
        cases = cured(rng, tuned, truth)
        found += case in cases
        false += bool(set(cases) - {case})
    assert found >= 0.9 * count and false <= 0.05 * count


def test_worse_algorithms_are_not_measured_to_the_end() -> None:
    tuned = field_of()
    assert play(np.random.default_rng(3), tuned, {}, usual=0.7) == 9 and tuned.rounds == 1
    assert not tuned.left.any() and not tuned.open_cases() and not tuned.variants()


def test_only_what_is_left_is_in_the_next_round() -> None:
    tuned = field_of({"bcast": 3, "reduce": 2}, [("bcast", 8, 2), ("bcast", 64, 2), ("reduce", 8, 2)])
    assert tuned.variants() == [{"bcast": 0, "reduce": 0}, {"bcast": 1, "reduce": 1}, {"bcast": 2}]
    good, bad = np.linspace(-0.5, -0.51, 6).tolist(), np.linspace(0.5, 0.51, 6).tolist()
    tuned.add(
        [
            ({"bcast": 0, "reduce": 0}, ("bcast", 8, 2), bad), ({"bcast": 1}, ("bcast", 8, 2), good),
            ({"bcast": 2}, ("bcast", 8, 2), bad), ({"bcast": 0}, ("bcast", 64, 2), bad),
            ({"bcast": 1}, ("bcast", 64, 2), bad), ({"bcast": 2}, ("bcast", 64, 2), bad),
            ({"reduce": 0}, ("reduce", 8, 2), bad), ({"reduce": 1}, ("reduce", 8, 2), bad),
        ]
    )  # fmt: skip
    assert tuned.variants() == [{"bcast": 1}] and tuned.open_cases() == [("bcast", 8, 2)]
    assert {case: one.new for case, one in tuned.winners().items()} == {("bcast", 8, 2): "1"}
    loses = tuned.loses()
    assert loses[("bcast", 8, 2), "0"] and not loses[("bcast", 8, 2), "1"]


def test_there_are_no_more_rounds_than_were_stated() -> None:
    tuned = field_of({"bcast": 2}, CASES[:3])
    play(np.random.default_rng(4), tuned, {}, usual=-0.2)
    assert tuned.rounds == ROUNDS and len(tuned.winners()) == 3


def test_before_a_round_nothing_has_won_or_lost() -> None:
    assert not field_of().winners() and not field_of().loses()
