# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame with changes: for file systems that refuse chmod, clocks that are set, short blocks, and many blocks.

usage: python -m isochron.compat.patched_reframe OPTION…     (the options of `reframe`)
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from isochron.compat.stack_frames import frames_of_callers, module_of_frame
from isochron.compat.substitute import chmod_if_permitted, steady_clock, substitute

#: Modules in which ReFrame subtracts two readings of `time.time` to decide how long to wait, or when to cancel a job.
WAITING_MODULES = (
    "reframe.frontend.executors.policies",
    *(f"reframe.core.schedulers.{name}" for name in ("flux", "local", "lsf", "oar", "pbs", "sge", "slurm", "ssh")),
)


def write_scripts_without_chmod() -> None:
    """Let ReFrame write build and job scripts on a file system that refuses chmod.

    Upstream: `reframe/core/shell.py`, `generate_script.__exit__`. A refused chmod fails the test, although such file
    systems usually let every file be executed; if one does not, the job fails and says so.
    Verified with ReFrame 4.8.0, 4.8.4, 4.9.3 and 4.10.4. Superseded by docs/upstream/reframe-script-modes.patch.
    """
    substitute("reframe.core.shell", "os", chmod=chmod_if_permitted)


def wait_by_steady_clock() -> None:
    """Let ReFrame wait for jobs by a clock that nobody sets.

    Upstream: `_PollController` in `reframe/frontend/executors/policies.py`, and the checks of time limits and of
    `max_pending_time` in `reframe/core/schedulers/`. If the clock is set back by an hour, the next poll of a job comes
    an hour late (since 4.9); if it is set forward, local jobs are ended as timed out and queued jobs are cancelled.
    Verified with ReFrame 4.8.0, 4.8.4, 4.9.3 and 4.10.4. Superseded by docs/upstream/reframe-monotonic-waits.patch.
    """
    clock = steady_clock()
    for module in WAITING_MODULES:
        substitute(module, "time", time=clock)


def warn_without_reading_sources() -> None:
    """Let ReFrame decide where a deprecated name is used without reading the sources of all callers.

    Upstream: `reframe/core/warnings.py`, `user_deprecation_warning`. It reads and searches the source file of every
    caller, although only the module's name is used, and the logger does it for each message of a test by reading the
    deprecated names of the test itself: a fifth of the processor time of a call that runs a block of seconds.
    Verified with ReFrame 4.8.0, 4.8.4, 4.9.3 and 4.10.4. Superseded by docs/upstream/reframe-warning-frames.patch.
    """
    substitute("reframe.core.warnings", "inspect", stack=frames_of_callers, getmodule=module_of_frame)


#: Names of the callbacks of tests that have ended, other than by an interruption.
ENDS = ("on_task_success", "on_task_failure", "on_task_skip")


def tell_tests_of_their_jobs() -> None:
    """Let ReFrame call `when_submitted()` of a test that has it, and `when_ended(case, error)`, however it ends.

    Upstream: `RegressionTask._notify_listeners` in `reframe/frontend/executors/__init__.py`. ReFrame's hooks after
    `run` wait for the job's end, it has none for a test that failed, and its report is written when all have ended.
    `case` has the fields of that report.
    """
    from reframe.core.exceptions import what
    from reframe.frontend.executors import RegressionTask

    notify = RegressionTask._notify_listeners

    def notify_test_too(task: Any, callback: str) -> None:
        notify(task, callback)
        if callback == "on_task_run" and hasattr(task.check, "when_submitted"):
            task.check.when_submitted()
        tell = getattr(task.check, "when_ended", None)
        if tell is None or callback not in ENDS:
            return
        check, failed = task.check, callback != "on_task_success"
        case = {
            "result": "fail" if failed else "pass",
            "fail_phase": task.failed_stage if failed else None,
            "fail_reason": what(*task.exc_info) if failed else None,
            "scheduler": task.testcase.partition.scheduler.registered_name,
            "stagedir": check.stagedir,
        }
        if check.job:
            case |= {"jobid": check.job.jobid, "job_stdout": str(check.stdout), "job_stderr": str(check.stderr)}
        tell(case, task.exc_info[1] if failed else None)

    RegressionTask._notify_listeners = notify_test_too


def ask_rarely() -> None:
    """Let ReFrame ask a scheduler as often as a test's `queries_per_s` says, unless RFM_POLL_RATE_MAX is set.

    Upstream: `_PollController` in `reframe/frontend/executors/policies.py`, which has one rate for builds and jobs. All
    jobs of a partition are asked for by one query.
    """
    from reframe.frontend.executors import policies

    def slow_down(policy: Any, case: Any) -> None:
        rate = getattr(case.check, "queries_per_s", None)
        if rate and case.partition.scheduler.registered_name != "local" and "RFM_POLL_RATE_MAX" not in os.environ:
            control = policy._pollctl
            control._poll_rate_min = control._poll_rate_max = control._desired_poll_rate = rate

    for policy in (policies.SerialExecutionPolicy, policies.AsynchronousExecutionPolicy):
        policy.runcase = _after(slow_down, policy.runcase)


def _after(first: Callable[[Any, Any], None], then: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    def both(policy: Any, case: Any) -> None:
        first(policy, case)
        then(policy, case)

    return both


def submit_at_once() -> None:
    """Let ReFrame submit as many jobs at the same time as a test's `jobs_at_once` says, not as its configuration does.

    Upstream: `AsynchronousExecutionPolicy` in `reframe/frontend/executors/policies.py`; the limit `max_jobs` of a
    partition can be set in the site's configuration only. Jobs that have not ended cost 2 ms each at every query there,
    for records of its log.
    """
    from reframe.frontend.executors.policies import AsynchronousExecutionPolicy as Policy

    def limit(policy: Any, case: Any) -> None:
        jobs = getattr(case.check, "jobs_at_once", None)
        if jobs:
            policy._max_jobs[case.partition.fullname] = jobs

    def advance_if_ended(policy: Any, task: Any) -> int:
        with suppress(Exception):  # what is wrong with a job is raised again, and reported, by ReFrame's own function
            if not task.check.job.finished():
                return 0
        progressed: int = advance(policy, task)
        return progressed

    Policy.runcase = _after(Policy.runcase, limit)
    advance, Policy._advance_running = Policy._advance_running, advance_if_ended


def main() -> int | None:
    """Run ReFrame's command line; returns its exit code."""
    write_scripts_without_chmod()
    wait_by_steady_clock()
    warn_without_reading_sources()
    tell_tests_of_their_jobs()
    ask_rarely()
    submit_at_once()
    from reframe.frontend.cli import main as reframe_main

    code: int | None = reframe_main()
    return code


if __name__ == "__main__":
    sys.exit(main())
