# SPDX-License-Identifier: BSD-3-Clause
"""Why a job ended, from what the scheduler says of it and from what it wrote into the job's output."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.reframe_checks.launch import job_end
from isochron.reframe_checks.launch.job_end import (
    Answer,
    Patience,
    end_left_over,
    keep_job,
    last_line,
    why_it_ended,
)

JOB = {"jobid": "7", "scheduler": "squeue"}
AT_ONCE = Patience(interval=0)


def test_the_end_of_a_job_is_waited_for_and_said_in_words() -> None:
    answers = iter([Answer("RUNNING"), None, Answer("COMPLETING"), Answer("TIMEOUT")])
    assert why_it_ended(JOB, AT_ONCE, lambda *_: next(answers)) == "the job reached its time limit"
    assert next(answers, "all asked") == "all asked"
    assert why_it_ended({**JOB, "scheduler": "slurm"}, AT_ONCE, lambda *_: Answer("COMPLETED")) == ""


def test_a_scheduler_that_does_not_answer_is_given_up() -> None:
    words = why_it_ended(JOB, Patience(silence=0.01, interval=0.02), lambda *_: None)
    assert words == "the scheduler has not answered for 0.01 s; job 7 may still be running"


def test_a_job_that_waits_too_long_is_cancelled_and_the_reason_is_that_of_the_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancelled: list[str] = []
    monkeypatch.setattr(job_end, "_cancel", lambda _, job: cancelled.append(job))

    def ask(*_: object) -> Answer:
        return Answer("CANCELLED" if cancelled else "PENDING", "JobHeldUser")

    words = why_it_ended(JOB, Patience(queue=0.036, interval=0.01), ask)
    assert cancelled == ["7"]
    assert words == (
        "the job was cancelled before it started (limits.queue_hours is 1e-05); "
        "the scheduler's reason for the wait: JobHeldUser"
    )


def test_a_job_that_waits_without_a_limit_is_waited_for() -> None:
    answers = iter([Answer("PENDING", "Resources"), Answer("PENDING", "Resources"), Answer("COMPLETED")])
    assert why_it_ended(JOB, AT_ONCE, lambda *_: next(answers)) == ""


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("slurmstepd: error: *** JOB 7 ON a1 CANCELLED AT 2026-05-04T08:00:00 DUE TO TIME LIMIT ***", "its time limit"),
        ("=>> PBS: job killed: walltime 61 exceeded limit 60", "its time limit"),
        ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "its time limit"),
        ("slurmstepd: error: *** JOB 7 ON a1 CANCELLED AT 2026-05-04T08:00:00 DUE TO PREEMPTION ***", "preempted"),
        ("slurmstepd: error: *** JOB 7 ON a1 CANCELLED AT 2026-05-04T08:00:00 DUE TO NODE FAILURE ***", "node"),
        ("slurmstepd: error: *** JOB 7 ON a1 CANCELLED AT 2026-05-04T08:00:00 ***", "the job was cancelled"),
        ("nothing of interest", ""),
    ],
)
def test_what_schedulers_write_into_the_output_of_a_job(
    tmp_path_factory: pytest.TempPathFactory, printed: str, words: str
) -> None:
    stage = tmp_path_factory.mktemp("stage")
    (stage / "job.err").write_text(printed)
    case = {"jobid": "7", "scheduler": "pbs", "stagedir": str(stage), "job_stderr": "job.err"}
    found = why_it_ended(case, ask=lambda *_: Answer("F"))
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("a module was loaded\nsync: write error: No space left on device\n\n", "write error: No space left on device"),
        ("\n", "the job ended without a message"),
    ],
)
def test_of_a_job_of_whose_end_nothing_is_known_the_last_words_are_told(
    tmp_path: Path, printed: str, words: str
) -> None:
    (tmp_path / "job.err").write_text(printed)
    assert last_line({"stagedir": str(tmp_path), "job_stderr": "job.err"}).endswith(words)


def test_a_job_that_a_killed_call_left_is_ended_and_its_end_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled: list[str] = []
    monkeypatch.setattr(job_end, "_cancel", lambda _, job: cancelled.append(job))
    asked: list[str] = []

    def ask(_: object, job: str) -> Answer:
        asked.append(job)
        return Answer("PENDING" if len(asked) < 3 else "CANCELLED")

    keep_job(tmp_path, "slurm", "123")
    end_left_over(tmp_path, AT_ONCE, ask)
    assert (cancelled, asked) == (["123"], ["123"] * 3)
    end_left_over(tmp_path, AT_ONCE, lambda *_: Answer(""))
    assert cancelled == ["123"]


def test_a_left_job_of_which_nothing_is_known_holds_the_next_back(tmp_path: Path) -> None:
    keep_job(tmp_path, "slurm", "123")
    with pytest.raises(FileError, match=r"job 123 of an interrupted call has not ended .*; end it \(scancel 123\)"):
        end_left_over(tmp_path, Patience(silence=0, interval=0), lambda *_: None)


def test_no_job_is_asked_for_where_no_scheduler_is(tmp_path: Path) -> None:
    keep_job(tmp_path, "local", "123")
    assert list(tmp_path.iterdir()) == []
    end_left_over(tmp_path, AT_ONCE, lambda *_: pytest.fail("asked"))
