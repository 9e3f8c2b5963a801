# SPDX-License-Identifier: BSD-3-Clause
"""How a job ended, in words, for what ReFrame's backends do not say.

ReFrame's `squeue` backend takes a job that the scheduler does not show for a finished one, also where the scheduler
does not answer; then the job may still be running. Every backend leaves the job's own output, in which schedulers
write why they ended it.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

#: What schedulers (Slurm, PBS, LSF) write into the output of a job that they end, and what it means.
SENTENCES = {
    r"DUE TO TIME LIMIT|TERM_RUNLIMIT|walltime \d+ exceeded limit": "the job reached its time limit",
    r"DUE TO NODE FAILURE|TERM_NODE_FAIL|node_fail": "a node of the job failed",
    r"DUE TO PREEMPTION|TERM_PREEMPT": "the job was preempted",
    r"JOB \S+ ON \S+ CANCELLED|TERM_OWNER|TERM_ADMIN|job killed": "the job was cancelled",
}

#: Slurm's states of a job that has ended otherwise than by itself.
ENDED = {
    "TIMEOUT": "the job reached its time limit",
    "NODE_FAIL": "a node of the job failed",
    "PREEMPTED": "the job was preempted",
    "CANCELLED": "the job was cancelled",
    "BOOT_FAIL": "a node of the job did not start",
    "DEADLINE": "the job reached its deadline",
    "OUT_OF_MEMORY": "the job ran out of memory",
}
RUNNING = ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "CONFIGURING", "STAGE_OUT", "SIGNALING", "PENDING")

#: Seconds between two questions, and for how long a scheduler that does not answer is asked.
INTERVAL, PATIENCE = 2.0, 600.0

#: Asks Slurm for the state of a job: None where it does not answer, empty where it does not know the job.
Ask = Callable[[str], str | None]


def slurm_state(job: str) -> str | None:
    """State of a job in Slurm's words; empty: not known (any more); None: no answer."""
    try:
        asked = subprocess.run(
            ["scontrol", "show", "job", "--oneliner", job], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if asked.returncode != 0:
        return "" if "Invalid job id" in asked.stderr else None
    found = re.search(r"\bJobState=(\w+)", asked.stdout)
    return found[1] if found else ""


def why_it_ended(case: Mapping[str, Any], ask: Ask = slurm_state, interval: float = INTERVAL) -> str:
    """Why the job of a test case ended, or empty where it ended by itself. Returns when it has really ended.

    `case` is that of ReFrame's report.
    """
    job, words = case.get("jobid"), ""
    if job and case.get("scheduler") in ("slurm", "squeue"):
        try:
            words = _slurm(str(job), ask, interval)
        except BaseException:
            subprocess.run(["scancel", str(job)], capture_output=True, timeout=60, check=False)
            raise
    return words or _own_output(case)


def _slurm(job: str, ask: Ask, interval: float) -> str:
    state, silent_since = ask(job), time.monotonic()
    while state is None or state in RUNNING:
        if state is not None:
            silent_since = time.monotonic()
        elif time.monotonic() - silent_since > PATIENCE:
            return f"the scheduler has not answered for {PATIENCE:.0f} s; job {job} may still be running"
        time.sleep(interval)
        state = ask(job)
    return ENDED.get(state, "")


def _own_output(case: Mapping[str, Any]) -> str:
    """The first known sentence in what the job printed."""
    printed = ""
    for key in ("job_stderr", "job_stdout"):
        path = Path(case.get("stagedir") or "", case.get(key) or "")
        if case.get("stagedir") and path.is_file():
            printed += path.read_text(errors="replace")
    for sentence, meaning in SENTENCES.items():
        if re.search(sentence, printed):
            return meaning
    return ""
