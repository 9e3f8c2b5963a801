# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The ReFrame check that runs one block: all launches of an attempt, in one job."""

import os
import statistics
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import parameter, run_before, sanity_function, variable
from reframe.core.exceptions import SanityError

from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.reframe_checks.attempts import Attempts
from isochron.reframe_checks.call import BLOCKS_VARIABLE, JOBS_VARIABLE, OUTPUT, reason_of
from isochron.reframe_checks.checks.place import SinglePartition
from isochron.reframe_checks.launch.acceptance import judge
from isochron.reframe_checks.launch.job_end import keep_job
from isochron.reframe_checks.launch.script import job_lines, job_seconds
from isochron.reframe_checks.launch.sharing import not_started, with_shared_cores
from isochron.schemas.launcher_kind import alone_launchers, site_launchers
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.budget import OverBudget
from isochron.schemas.run.ended import Ended, append_ended, read_ended
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.scheduler_kind import scheduler_of

NAMES = os.environ.get(BLOCKS_VARIABLE, "").split()


@cache
def attempts_at(run: str) -> dict[str, Attempts]:
    """Return the attempts at the blocks of this call, by the block's name. Raises FileError."""
    return dict(zip(NAMES, Attempts.of_blocks(Path(run), NAMES), strict=True))


@rfm.simple_test
class Block(rfm.RunOnlyRegressionTest, SinglePartition):
    """One attempt at a block: its missing launches, one after another on the same nodes.

    A test for each name in the environment variable ISOCHRON_BLOCKS.
    """

    #: Folder of the run.
    campaign_run = variable(str)
    #: Folder of this call, in which blocks that ended are listed.
    call = variable(str)

    block = parameter(NAMES or [""])

    descr = "one block of launches"
    executable = "echo"
    exclusive_access = True
    #: Queries of the scheduler per second: sites ask for that of programs that wait for jobs.
    queries_per_s = 0.1
    #: Jobs that ReFrame submits at the same time.
    jobs_at_once = int(os.environ.get(JOBS_VARIABLE, "1"))
    #: Folder of the attempt, once it has begun.
    folder = variable(str, value="")

    @run_before("setup")
    def ask_for_nodes(self) -> None:
        """Request an allocation for the largest point of the block."""
        spec = attempts_at(self.campaign_run)[self.block].next()
        self.num_tasks = spec.nodes * spec.processes_per_node
        self.num_tasks_per_node: int | None = spec.processes_per_node
        if spec.cores_per_process > 1:
            self.num_cpus_per_task = spec.cores_per_process
        self.time_limit = job_seconds(spec)
        if spec.queue_hours is not None:
            self.max_pending_time = round(spec.queue_hours * 3600)

    @run_before("run")
    def begin(self) -> None:
        """Write the job script, which starts every launch; ReFrame starts its last line only."""
        attempts = attempts_at(self.campaign_run)[self.block]
        spec = attempts.next()
        shared = with_shared_cores(read_ended(Path(self.call)))
        if shared:
            raise FileError(not_started(self.block, shared))
        if not self.is_dry_run():
            self.folder = str(attempts.begin(spec))
        partition, environment = self.current_partition, self.current_environ
        self.job.launcher = getlauncher("local")()
        scheduler = scheduler_of(partition.scheduler.registered_name)
        if scheduler is not None:
            per_node = spec.processes_per_node
            cores = spec.cores_per_node or per_node
            options = scheduler.request(
                spec.hosts,
                partition.access,
                processes=spec.nodes * per_node,
                per_node=per_node,
                cores=spec.nodes * cores,
            )
            self.extra_resources = scheduler.slots_of(partition.resources, spec.nodes * cores)
            if scheduler.counts_cores:
                self.num_tasks, self.num_tasks_per_node = spec.nodes * cores, cores
            launcher = spec.launcher if spec.launcher in site_launchers() else partition.launcher_type.registered_name
            spread = [] if launcher in alone_launchers() else scheduler.spread(per_node)
            if spread:
                self.num_tasks_per_node = None
            self.job.options += [*spread, *options]
        self.prerun_cmds = job_lines(
            spec,
            {"system": self.current_system.name, "partition": partition.name},
            launcher=partition.launcher_type.registered_name,
            scheduler=partition.scheduler.registered_name,
            variables={**partition.local_env.env_vars, **environment.env_vars},
            commands=[*partition.prepare_cmds, *environment.prepare_cmds],
        )
        self.executable_opts = [f"block {self.block} done"]

    @sanity_function
    def every_launch_is_whole(self) -> object:
        """Check every launch: exit code 0, complete file, ranks, hosts, and every case once."""
        spec = self.spec()
        reasons = {launch.name: judge(launch, spec, spec.folder) for launch in spec.launches}
        refused = [f"{name}: {reason}" for name, reason in reasons.items() if reason]
        if refused:
            raise SanityError("; ".join(refused))
        return sn.assert_true(True)

    @run_before("performance")
    def medians(self) -> None:
        """Report the median in µs over the engine's launches of the block, for each case, stack and point."""
        if self.is_dry_run():
            return
        spec = self.spec()
        samples: dict[str, list[float]] = defaultdict(list)
        for launch in (planned for planned in spec.launches if not planned.tool):
            point = f"{launch.stack}.p{launch.processes}.n{launch.processes_per_node}"
            for row in read_launch(spec.folder / f"{launch.name}.jsonl").measurements:
                if row.median_ns is not None:
                    samples[f"{row.operation}.{row.bytes}.{point}"].append(row.median_ns / 1000)
        for name, values in samples.items():
            value = sn.defer(statistics.median(values))
            self.perf_variables[name] = sn.make_performance_function(value, "us")

    def spec(self) -> BlockSpec:
        """Return the launches of the attempt."""
        return BlockSpec.load(Path(self.folder) / "spec.json")

    def when_submitted(self) -> None:
        """Write the job's number, by which a later call ends it if this one is killed; called as `when_ended` is."""
        if self.is_dry_run():
            return
        with suppress(FileError):
            keep_job(Path(self.folder), self.current_partition.scheduler.registered_name, str(self.job.jobid))

    def when_ended(self, case: Mapping[str, Any], error: BaseException | None) -> None:
        """Accept the launches. Called by isochron.compat.patched_reframe before the next test of a serial call.

        Says nothing if the outcome cannot be written (the disk is full): the caller accepts them when ReFrame ends.
        """
        if self.is_dry_run():
            return
        exit_code = Exit.FAILED
        try:
            if isinstance(error, OverBudget):
                exit_code, lines = Exit.OVER_BUDGET, [f"{self.block}: not started: {error}"]
            elif isinstance(error, FileError) and not self.folder:
                lines = [str(error)]
            else:
                log = Path(self.call) / OUTPUT
                folder = Path(self.folder) if self.folder else None
                lines = attempts_at(self.campaign_run)[self.block].end(folder, case, reason_of(case, log))
        except FileError:
            return
        append_ended(Path(self.call), Ended(block=self.block, exit=exit_code if lines else Exit.DONE, lines=lines))
