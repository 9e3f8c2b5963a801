# SPDX-License-Identifier: BSD-3-Clause
"""Snakemake with an executor that measures all blocks that are ready by one call, instead of one call for each.

usage: python -m isochron.workflows.driving.block_executor OPTION…     (the options of `snakemake`)

The jobs of the rule `measure` are given to `python -m isochron.reframe_checks blocks`; it says when each has ended. One
call runs at a time: jobs that are repeated wait for its end.
"""

import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface
from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry
from snakemake_interface_executor_plugins.settings import CommonSettings

from isochron.common.children import python
from isochron.common.exit_codes import Exit
from isochron.common.files import read_lines
from isochron.compat import patched_snakemake
from isochron.schemas.run.ended import Ended

#: Name of the executor in Snakemake.
NAME = "blocks"

#: Shortest and longest time in s between two readings of what the call says, and that time as a share of the one in
#: which it has said nothing.
POLL_S, LONGEST_POLL_S, POLL_SHARE = 0.5, 5.0, 0.01

#: Seconds in which an interrupted call accepts what is complete.
PATIENCE_S = 30.0

#: The output of the calls, below the run's folder, which is Snakemake's working directory.
OUTPUT = Path("log", "measure.log")

common_settings = CommonSettings(
    non_local_exec=True,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    pass_default_storage_provider_args=False,
    pass_default_resources_args=False,
    auto_deploy_default_storage_provider=False,
)


class Executor(RemoteExecutor):  # type: ignore[misc]
    """The executor; `isochron run` uses it, and a person's own call of Snakemake the one of Snakemake."""

    def __init__(self, *given: Any) -> None:
        """Begin without a call; the thread that checks begins within Snakemake's own part."""
        self._guard = threading.Lock()
        self._waiting: list[JobExecutorInterface] = []
        self._measuring: dict[str, JobExecutorInterface] = {}
        self._call: subprocess.Popen[bytes] | None = None
        self._skip = 0
        self._news = time.monotonic()
        super().__init__(*given)

    @property
    def next_seconds_between_status_checks(self) -> float:
        """Check often while blocks end: each time costs for each block that waits."""
        return min(LONGEST_POLL_S, max(POLL_S, POLL_SHARE * (time.monotonic() - self._news)))

    def run_jobs(self, jobs: list[JobExecutorInterface]) -> None:
        """Take jobs that are ready, all of them before the next call begins."""
        with self._guard:
            for job in jobs:
                self.run_job_pre(job)
                self.run_job(job)

    def run_job(self, job: JobExecutorInterface) -> None:
        """Take one job."""
        self._waiting.append(job)
        self._news = time.monotonic()
        self.report_job_submission(SubmittedJobInfo(job))

    async def check_active_jobs(self, active_jobs: list[SubmittedJobInfo]) -> AsyncGenerator[SubmittedJobInfo, None]:
        """Report the jobs whose blocks have ended, and begin the next call after the end of one."""
        with self._guard:
            ended = self._advance()
            if ended:
                self._news = time.monotonic()
        for info in active_jobs:
            result = ended.get(str(info.job.wildcards["block"]))
            if result is None:
                yield info
                continue
            Path(info.job.log[0]).write_text("".join(f"{line}\n" for line in result.lines), encoding="utf-8")
            if result.exit == Exit.DONE:
                self.report_job_success(info)
            else:
                self.report_job_error(info)

    def _advance(self) -> dict[str, Ended]:
        """Return the blocks that have ended since the last call."""
        if self._call is None:
            if self._waiting:
                self._begin()
            return {}
        code = self._call.poll()
        ended: dict[str, Ended] = {}
        last: list[str] = []
        for line in list(read_lines(OUTPUT))[self._skip :]:
            result = _ended(line)
            if result is None:
                last = [line]
            elif result.block in self._measuring:
                ended[result.block] = result
        if code is not None:
            for block in self._measuring.keys() - ended.keys():
                ended[block] = Ended(block=block, exit=Exit.FAILED, lines=last)
            self._call = None
        for block in ended:
            self._measuring.pop(block, None)
        return ended

    def _begin(self) -> None:
        """Begin a call for all waiting jobs that were tried as often as the first."""
        trial = self._waiting[0].attempt
        jobs = sorted((job for job in self._waiting if job.attempt == trial), key=lambda job: -job.priority)
        self._waiting = [job for job in self._waiting if job.attempt != trial]
        self._measuring = {str(job.wildcards["block"]): job for job in jobs}
        self._skip = len(list(read_lines(OUTPUT))) if OUTPUT.exists() else 0
        with OUTPUT.open("ab") as output:
            self._call = subprocess.Popen(
                [
                    *python("-P", "-m", "isochron.reframe_checks", "blocks", "--tell", "--try", str(trial), "."),
                    *self._measuring,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def cancel_jobs(self, active_jobs: list[SubmittedJobInfo]) -> None:  # noqa: ARG002
        """End the call; it accepts the launches that are complete."""
        if self._call is not None and self._call.poll() is None:
            self._call.terminate()
            self._call.wait(PATIENCE_S)


def _ended(line: str) -> Ended | None:
    """Return what a line says of a block; None if it says something else, or is not complete yet."""
    try:
        return Ended.model_validate_json(line)
    except ValueError:
        return None


def main() -> int | None:
    """Run Snakemake's command line, which knows this executor by its name; returns its exit code."""
    from isochron.workflows.driving import block_executor

    patched_snakemake.import_what_is_used(sys.argv[1:])
    ExecutorPluginRegistry().register_plugin(f"snakemake_executor_plugin_{NAME}", block_executor)
    return patched_snakemake.main()


if __name__ == "__main__":
    sys.exit(main())
