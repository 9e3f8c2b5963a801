# SPDX-License-Identifier: BSD-3-Clause
"""A resident that dies, hangs, is stopped or never comes loses its turns; the others complete, and nothing waits."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import time

import pytest

from tests.engine.turns.residents import CASES, ROUNDS, Outcome, Residents, wait_for

pytestmark = pytest.mark.mpi

#: Calls of a launch: where it is in its prologue turn, in a slice of the second round, and in its epilogue turn.
STAGES = {
    "prologue": {"WHERE": "MPI_Init", "WHEN": "0"},
    "slice": {"WHERE": "MPI_Allreduce", "WHEN": "30"},
    "epilogue": {"WHERE": "MPI_Finalize", "WHEN": "0"},
}
KILLED, SEGFAULT, STOPPED, HANGS = signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP, 0
#: The first two are noticed at once, the others when the limit is over, in seconds. On a busy machine an innocent turn
#: may take the first of these: then all is done again with the second.
LIMITS = (3, 30)


def check_others(outcome: Outcome, lost: int, reasons: set[str]) -> None:
    """All but one have all their turns; who ended after it was lost knows why; nothing is left."""
    for index in range(len(outcome.files)):
        if index != lost:
            assert len(outcome.turns(index).t_ns) == ROUNDS * CASES
            assert set(outcome.lost(index)) <= {lost} and set(outcome.lost(index).values()) <= reasons
    assert not outcome.segment.exists()


def with_fault(residents: Residents, misdeed: int, stage: str) -> Outcome:
    faulty = {1: {**STAGES[stage], "MISDEED": str(int(misdeed))}}
    if misdeed not in (STOPPED, HANGS):
        return residents.run(3, faulty=faulty)
    for limit in LIMITS:
        for index in range(3):
            residents.file(index).unlink(missing_ok=True)
        outcome = residents.run(3, "--turn-limit", str(limit), faulty=faulty)
        if all(outcome.finished[index].code == 0 and set(outcome.lost(index)) <= {1} for index in (0, 2)):
            break
    return outcome


def test_one_is_killed_in_a_slice(residents: Residents) -> None:
    outcome = with_fault(residents, KILLED, "slice")
    check_others(outcome, 1, {"died"})
    assert outcome.lost(0) == outcome.lost(2) == {1: "died"}
    assert outcome.finished[1].code != 0 and not outcome.files[1].exists()


def test_one_is_stopped_in_a_slice(residents: Residents) -> None:
    """Its other process ends it after the limit, with a line that says so."""
    outcome = with_fault(residents, STOPPED, "slice")
    check_others(outcome, 1, {"too-long", "died"})
    assert set(outcome.lost(0)) == {1} and outcome.finished[1].code != 0 and not outcome.files[1].exists()
    line = r"of --turn 1/3 took longer than \d+ s while measuring \w+ of \d+ bytes; ended"
    assert re.search(line, outcome.finished[1].err)


def test_one_that_a_signal_ends_names_the_operation(residents: Residents) -> None:
    """The signal then has the effect that it has without the engine's message."""
    outcome = with_fault(residents, SEGFAULT, "slice")
    check_others(outcome, 1, {"died"})
    assert re.search(r"isochron-engine: rank 0: signal 11 while measuring \w+ of \d+ bytes\n", outcome.finished[1].err)
    assert outcome.finished[1].code not in (0, 5, 6)


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("misdeed", [KILLED, SEGFAULT, STOPPED, HANGS], ids=["kill", "segfault", "stop", "hang"])
def test_every_fault_at_every_stage(residents: Residents, misdeed: int, stage: str) -> None:
    outcome = with_fault(residents, misdeed, stage)
    check_others(outcome, 1, {"died", "too-long"})
    assert outcome.finished[1].code != 0
    assert not outcome.files[1].exists()  # its footer, with the time of MPI_Finalize, is the last that a launch writes


@pytest.mark.slow
def test_one_never_comes(residents: Residents) -> None:
    """Then it comes after all: it measures nothing, because its turns are over."""
    limit = ("--turn-limit", str(LIMITS[0]))
    residents.start(0, 3, *limit)
    residents.start(2, 3, *limit)
    wait_for(lambda: any(residents.folder.glob("2.jsonl*")))
    residents.start(1, 3, *limit)
    outcome = residents.end(3)
    check_others(outcome, 1, {"not-joined"})
    assert outcome.lost(0) == {1: "not-joined"} and not outcome.files[1].exists()
    assert outcome.finished[1].code != 0
    assert "--turn 1/3: lost its turn (not-joined); the other residents went on" in outcome.finished[1].err


def test_a_refused_start_costs_the_others_nothing_but_its_turns(residents: Residents) -> None:
    """An error of one launch alone, found before its first slice."""
    outcome = residents.run(2, own={1: ["--expect-ranks", "3"]})
    check_others(outcome, 1, {"failed", "died"})
    assert outcome.finished[1].code == 3 and set(outcome.lost(0)) == {1}


def test_a_leftover_segment_is_removed(residents: Residents) -> None:
    """That of a job whose processes were all killed, an hour ago; the one of a running job stays."""
    old, used = (residents.segment.with_name(f"{residents.segment.name}-{end}") for end in ("old", "used"))
    then = time.time() - 3600
    with used.open("w") as running:
        fcntl.lockf(running, fcntl.LOCK_EX, 1)
        try:
            old.touch(mode=0o600)
            for path in (old, used):
                os.utime(path, (then, then))
            outcome = residents.run(2)
            assert used.exists() and not old.exists()
        finally:
            used.unlink()
    told = "".join(each.err for each in outcome.finished)
    assert f"isochron: removed {old}, which no process uses any more\n" in told
