# SPDX-License-Identifier: BSD-3-Clause
"""Launches that take turns: all complete, in the counterbalanced order, never two at once, the others asleep."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from tests.engine.support import build_engine, is_crowded, wheels_stack
from tests.engine.turns.residents import CASES, ROUNDS, Outcome, Residents

pytestmark = pytest.mark.mpi


def order(outcome: Outcome, count: int) -> list[list[tuple[int, int, int]]]:
    """(resident, begin, end) of the turns in each round, by their positions."""
    turns = [outcome.turns(index) for index in range(count)]
    rounds = []
    for first in range(0, ROUNDS * CASES, CASES):
        entries = sorted(
            (each.position[first], index, each.t_ns[first], each.ends_ns[first + CASES - 1])
            for index, each in enumerate(turns)
        )
        assert [position for position, *_ in entries] == list(range(count))
        rounds.append([(index, begin, end) for _, index, begin, end in entries])
    return rounds


def test_three_take_turns(residents: Residents) -> None:
    """Every round has one turn of each, all cases in a row; each measurement has a batch in every round."""
    outcome = residents.run(3, "--turn-seed", "5")
    rounds = order(outcome, 3)
    for (_, _, end), (_, begin, _) in pairwise(turn for each in rounds for turn in each):
        assert end <= begin
    for index in range(3):
        launch, turns = outcome.launch(index), outcome.turns(index)
        assert launch.header.turns is not None and launch.header.turns.index == index
        assert list(zip(turns.operations, turns.bytes, strict=True)) == [
            (row.operation, row.bytes) for row in launch.measurements
        ]
        assert [(turns.pass_[i], turns.case[i]) for i in range(ROUNDS * CASES)] == [
            divmod(i, CASES) for i in range(ROUNDS * CASES)
        ]
        assert all(len(row.pass_reps) == ROUNDS and min(row.pass_reps) >= 8 for row in launch.measurements)
        assert [waited > 0 for waited in turns.waited_ns] == [True, False, False] * ROUNDS
        assert min(turns.warmup_reps) >= 8 and turns.lost == []
    assert not outcome.segment.exists()


def test_who_does_not_sleep_is_shown(residents: Residents) -> None:
    """A thread of one library works while its processes wait: their processor time shows it, that of no other."""
    residents.size = "256KiB"
    outcome = residents.run(2, faulty={1: {"WHERE": "MPI_Init", "WHEN": "0", "MISDEED": "-1"}})
    sleeper, spinner = (sum(turns.slept_cpu_ns) / sum(turns.waited_ns) for turns in map(outcome.turns, range(2)))
    assert sleeper <= 0.05, (sleeper, spinner)
    if spinner <= 0.05 and is_crowded():
        pytest.skip(f"the machine is too busy: the thread had {spinner:.1%} of a core")
    assert spinner > 0.05, (sleeper, spinner)


def test_the_order_is_counterbalanced_over_rounds(residents: Residents) -> None:
    """Two residents over four rounds: both orders twice."""
    rounds = order(residents.run(2, "--turn-seed", "9"), 2)
    orders = Counter(tuple(index for index, *_ in each) for each in rounds)
    assert orders == dict.fromkeys(permutations(range(2)), 2)


def test_operations_that_are_not_supported_are_left_out_of_every_round(residents: Residents) -> None:
    """All processes leave out the same ones; those beside them are complete."""
    residents.operations = "barrier,bcast,allreduce,scan,ibarrier"
    outcome = residents.run(2, "--in-place", "--turn-passes", "2")
    for index in range(2):
        launch, turns = outcome.launch(index), outcome.turns(index)
        passes = {row.operation: len(row.pass_reps) for row in launch.measurements if row.verdict != "not-supported"}
        assert passes == {"allreduce": ROUNDS, "scan": ROUNDS}
        assert len(turns.case) == ROUNDS * len(launch.measurements)


def test_passes_alone_are_recorded_apart(residents: Residents) -> None:
    """The resident that ends last measures again when the other has ended; no result has any of it."""
    outcome = residents.run(2, "--turn-last", "0", "--solo-passes", "3")
    alone, other = outcome.launch(0), outcome.launch(1)
    assert [(row.operation, row.bytes, len(row.pass_reps)) for row in alone.solo] == [
        (row.operation, row.bytes, 3) for row in alone.measurements
    ]
    assert all(len(row.pass_reps) == ROUNDS for row in (*alone.measurements, *other.measurements))
    turns, others = outcome.turns(0), outcome.turns(1)
    assert turns.solo is not None and turns.solo.company == [] and others.solo is None and other.solo == ()
    assert turns.solo.t_ns[0] >= others.ends_ns[-1] and turns.solo.case == list(range(CASES)) * 3
    assert min(turns.solo.warmup_reps) >= 8


def test_a_turn_of_two_passes_measures_all_cases_twice(residents: Residents) -> None:
    """The other has no turn between them, and only the first comes after a wait; a round has one turn of each."""
    outcome = residents.run(2, "--turn-passes", "2")
    turns, other = outcome.turns(0), outcome.turns(1)
    plan = outcome.launch(0).header.turns
    assert plan is not None and (plan.rounds, plan.passes) == (ROUNDS // 2, 2)
    assert turns.case == list(range(CASES)) * ROUNDS and turns.pass_ == [p for p in range(ROUNDS) for _ in range(CASES)]
    assert [waited > 0 for waited in turns.waited_ns] == [True, *[False] * (2 * CASES - 1)] * (ROUNDS // 2)
    for first in range(0, ROUNDS * CASES, 2 * CASES):
        begin, end = turns.t_ns[first], turns.ends_ns[first + 2 * CASES - 1]
        assert not any(begin < at < end for at in other.t_ns)
    assert all(len(row.pass_reps) == ROUNDS for row in outcome.launch(0).measurements)


def test_a_turn_begins_no_batch_after_its_time(residents: Residents) -> None:
    """Its share of the repetitions would take seconds."""
    residents.repetitions = 400_000
    outcome = residents.run(2, "--turn-time", "0.001")
    for index in range(2):
        counts = [row.pass_reps for row in outcome.launch(index).measurements]
        assert all(min(each) > 0 and sum(each) < residents.repetitions / 10 for each in counts)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["openmpi-4.1", "mpich-4.3", "mpich-5.0"])
def test_other_libraries_take_turns(name: str, residents: Residents, tmp_path: Path) -> None:
    """Two launches of that library and one of another, whose mpiexec is another one, too."""
    stack = wheels_stack(name)
    others = Residents(stack, build_engine(stack, tmp_path / "build"), tmp_path, name=residents.name)
    others.start(0, 3)
    others.start(1, 3)
    residents.start(2, 3)
    others.started |= residents.started
    outcome = others.end(3)
    assert len(order(outcome, 3)) == ROUNDS and not outcome.segment.exists()


@pytest.mark.slow
def test_oversubscribed_processes_take_turns(residents: Residents) -> None:
    """Eight processes on two processors: repetitions may all be late, and the rounds are made."""
    residents.processes = 8
    outcome = residents.run(2, "--turn-limit", "60")
    for index in range(2):
        assert all(len(row.pass_reps) == ROUNDS for row in outcome.launch(index).measurements)
    assert not outcome.segment.exists()
