# SPDX-License-Identifier: BSD-3-Clause
"""The reason for the end of a job, which ReFrame's backends do not report, and the end of one that was left over.

ReFrame's `squeue` backend regards a job that the scheduler does not list as finished, even if the scheduler does not
answer; then the job may still be running or waiting. All backends save the job's output, in which schedulers write why
they ended it.
"""

import re
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from isochron.common.children import captured
from isochron.common.files import FileError, read_lines, write_atomically
from isochron.compat.messages import printed_by_job
from isochron.schemas.scheduler_kind import ENDS, StatusQuery, scheduler_kinds, scheduler_of

#: Message of a job that ends itself, because the engine refused the campaign's timer on a node.
REFUSED_TIMER = r"^isochron-engine: (--timer .+)$"


class Answer(NamedTuple):
    """The scheduler's answer about a job.

    `state`: empty if it does not list the job. `waits_for`: reason of the wait; empty if the job has started.
    """

    state: str
    waits_for: str = ""


#: Queries the state of a job by its number; None: no answer.
Ask = Callable[[StatusQuery, str], Answer | None]


@dataclass(frozen=True)
class Patience:
    """Times in s: to wait for a silent scheduler, for a job in the queue (None: without limit), and between queries."""

    silence: float = 600
    queue: float | None = None
    interval: float = 2


def answer_about(query: StatusQuery, job: str) -> Answer | None:
    """Ask the scheduler for a job."""
    try:
        response = captured(_filled(query.command, job), timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if response.returncode != 0:
        return Answer("") if re.search(query.unknown, response.stderr) else None
    found = (re.search(pattern, response.stdout) for pattern in (query.state, query.waits_for))
    state, reason = (match[1] if match else "" for match in found)
    return Answer(state, reason.replace("_", " "))


def why_it_ended(case: Mapping[str, Any], patience: Patience = Patience(), ask: Ask = answer_about) -> str:
    """Return why the job of a test case ended, or empty if it ended by itself. Waits until it has ended.

    `case` is that of ReFrame's report.
    """
    job, reason = case.get("jobid"), ""
    scheduler = scheduler_of(str(case.get("scheduler")))
    if job and scheduler is not None and scheduler.status is not None:
        try:
            reason = _as_queried(scheduler.status, str(job), patience, ask)
        except BaseException:
            _cancel(scheduler.status, str(job))
            raise
    return reason or _own_output(case)


#: File of an attempt with the back end and the number of its job.
JOB = "job"


def keep_job(folder: Path, back_end: str, number: str) -> None:
    """Write which job an attempt is, where its scheduler can be asked for it."""
    scheduler = scheduler_of(back_end)
    if scheduler is not None and scheduler.status is not None:
        write_atomically(folder / JOB, f"{back_end} {number}\n")


def end_left_over(folder: Path, patience: Patience = Patience(silence=60), ask: Ask = answer_about) -> None:
    """End the job of an attempt whose call was killed, if it still waits or runs, and wait until it has ended.

    Raises FileError if the scheduler does not answer: a second job could start beside the first.
    """
    if not (folder / JOB).is_file():
        return
    back_end, _, job = "".join(read_lines(folder / JOB)).strip().partition(" ")
    scheduler = scheduler_of(back_end)
    if scheduler is None or scheduler.status is None or not job:
        return
    query, begun = scheduler.status, time.monotonic()
    answer = ask(query, job)
    if answer is not None and answer.state in (*query.waiting, *query.running):
        _cancel(query, job)
    while answer is None or answer.state in (*query.waiting, *query.running):
        if time.monotonic() - begun > patience.silence:
            raise FileError(
                f"{folder / JOB}: job {job} of an interrupted call has not ended for {patience.silence:g} s, or the "
                f"scheduler does not answer; end it ({' '.join(_filled(query.cancel, job))}) and run the same command"
            )
        time.sleep(patience.interval)
        answer = ask(query, job)


def last_line(case: Mapping[str, Any]) -> str:
    """Return the last line that the job's script printed to standard error, if no other reason is known."""
    lines = [line.strip() for line in printed_by_job(case, "job_stderr") if line.strip()]
    return f"the job ended; its last line is: {lines[-1]}" if lines else "the job ended without a message"


def _as_queried(query: StatusQuery, job: str, patience: Patience, ask: Ask) -> str:
    answer, begun = ask(query, job), time.monotonic()
    last_answer = begun
    while answer is None or answer.state in (*query.waiting, *query.running):
        now = time.monotonic()
        if answer is not None:
            last_answer = now
        elif now - last_answer > patience.silence:
            return f"the scheduler has not answered for {patience.silence:g} s; job {job} may still be running"
        if answer and answer.state in query.waiting and patience.queue is not None and now - begun > patience.queue:
            _cancel(query, job)  # ReFrame no longer checks the queue
        time.sleep(patience.interval)
        answer = ask(query, job)
    reason = ENDS[query.ended[answer.state]] if answer.state in query.ended else ""
    if reason and answer.waits_for:
        limit = "" if patience.queue is None else f" (limits.queue_hours is {patience.queue / 3600:.3g})"
        reason += f" before it started{limit}; the scheduler's reason for the wait: {answer.waits_for}"
    return reason


def _filled(words: list[str], job: str) -> list[str]:
    return [word.replace("{job}", job) for word in words]


def _cancel(query: StatusQuery, job: str) -> None:
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(_filled(query.cancel, job), capture_output=True, timeout=60, check=False)


def _own_output(case: Mapping[str, Any]) -> str:
    """Return the meaning of the first known message in the job's output."""
    printed = "\n".join([*printed_by_job(case, "job_stderr"), *printed_by_job(case, "job_stdout")])
    refused = re.search(REFUSED_TIMER, printed, re.MULTILINE)
    if refused:
        return refused[1]
    ends = {
        end for kind in scheduler_kinds().values() for end, text in kind.messages.items() if re.search(text, printed)
    }
    return next((meaning for end, meaning in ENDS.items() if end in ends), "")
