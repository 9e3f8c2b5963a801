# SPDX-License-Identifier: BSD-3-Clause
"""The reason for the end of a job, which ReFrame's backends do not report.

ReFrame's `squeue` backend regards a job that the scheduler does not list as finished, even if the scheduler does not
answer; then the job may still be running or waiting. All backends save the job's output, in which schedulers write why
they ended it.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from isochron.compat.messages import printed_by_job

#: Messages of schedulers (Slurm, PBS, LSF) in the output of a job that they end, and their meaning.
SENTENCES = {
    r"DUE TO TIME LIMIT|TERM_RUNLIMIT|walltime \d+ exceeded limit": "the job reached its time limit",
    r"DUE TO NODE FAILURE|TERM_NODE_FAIL|node_fail": "a node of the job failed",
    r"DUE TO PREEMPTION|TERM_PREEMPT": "the job was preempted",
    r"JOB \S+ ON \S+ CANCELLED|TERM_OWNER|TERM_ADMIN|job killed": "the job was cancelled",
}

#: Slurm's states of a job that did not end by itself.
ENDED = {
    "TIMEOUT": "the job reached its time limit",
    "NODE_FAIL": "a node of the job failed",
    "PREEMPTED": "the job was preempted",
    "CANCELLED": "the job was cancelled",
    "BOOT_FAIL": "a node of the job did not start",
    "DEADLINE": "the job reached its deadline",
    "OUT_OF_MEMORY": "the job ran out of memory",
}
PENDING = "PENDING"
RUNNING = (PENDING, "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "CONFIGURING", "STAGE_OUT", "SIGNALING")

#: Message of a job that ends itself, because the engine refused the campaign's timer on a node.
REFUSED_TIMER = r"^isochron-engine: (--timer .+)$"


class Answer(NamedTuple):
    """Slurm's answer about a job.

    `state`: empty if Slurm does not list the job. `waits_for`: reason of the wait; empty if the job has started.
    """

    state: str
    waits_for: str = ""


#: Queries the state of a job by its number; None: no answer.
Ask = Callable[[str], Answer | None]


@dataclass(frozen=True)
class Patience:
    """Times in s: to wait for a silent scheduler, for a job in the queue (None: without limit), and between queries."""

    silence: float = 600
    queue: float | None = None
    interval: float = 2


def slurm_answer(job: str) -> Answer | None:
    """Ask Slurm for a job."""
    try:
        response = subprocess.run(
            ["scontrol", "show", "job", "--oneliner", job],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if response.returncode != 0:
        return Answer("") if "Invalid job id" in response.stderr else None
    facts = dict(re.findall(r"\b(JobState|Reason|RunTime)=(\S+)", response.stdout))
    waited = facts.get("RunTime") == "00:00:00" and facts.get("Reason") != "None"
    return Answer(facts.get("JobState", ""), facts.get("Reason", "").replace("_", " ") if waited else "")


def why_it_ended(case: Mapping[str, Any], patience: Patience = Patience(), ask: Ask = slurm_answer) -> str:
    """Return why the job of a test case ended, or empty if it ended by itself. Waits until it has ended.

    `case` is that of ReFrame's report.
    """
    job, reason = case.get("jobid"), ""
    if job and case.get("scheduler") in ("slurm", "squeue"):
        try:
            reason = _slurm(str(job), patience, ask)
        except BaseException:
            _cancel(str(job))
            raise
    return reason or _own_output(case)


def last_line(case: Mapping[str, Any]) -> str:
    """Return the last line that the job's script printed to standard error, if no other reason is known."""
    lines = [line.strip() for line in printed_by_job(case, "job_stderr") if line.strip()]
    return f"the job ended; its last line is: {lines[-1]}" if lines else "the job ended without a message"


def _slurm(job: str, patience: Patience, ask: Ask) -> str:
    answer, begun = ask(job), time.monotonic()
    last_answer = begun
    while answer is None or answer.state in RUNNING:
        now = time.monotonic()
        if answer is not None:
            last_answer = now
        elif now - last_answer > patience.silence:
            return f"the scheduler has not answered for {patience.silence:g} s; job {job} may still be running"
        if answer and answer.state == PENDING and patience.queue is not None and now - begun > patience.queue:
            _cancel(job)  # ReFrame no longer checks the queue
        time.sleep(patience.interval)
        answer = ask(job)
    reason = ENDED.get(answer.state, "")
    if reason and answer.waits_for:
        limit = "" if patience.queue is None else f" (limits.queue_hours is {patience.queue / 3600:.3g})"
        reason += f" before it started{limit}; the scheduler's reason for the wait: {answer.waits_for}"
    return reason


def _cancel(job: str) -> None:
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(["scancel", job], capture_output=True, timeout=60, check=False)


def _own_output(case: Mapping[str, Any]) -> str:
    """Return the meaning of the first known message in the job's output."""
    printed = "\n".join([*printed_by_job(case, "job_stderr"), *printed_by_job(case, "job_stdout")])
    refused = re.search(REFUSED_TIMER, printed, re.MULTILINE)
    if refused:
        return refused[1]
    for sentence, meaning in SENTENCES.items():
        if re.search(sentence, printed):
            return meaning
    return ""
