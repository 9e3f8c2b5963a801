# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The ReFrame check that runs one block: all launches of an attempt, in one job."""

from __future__ import annotations

import statistics
from collections import defaultdict
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import run_before, sanity_function, variable
from reframe.core.exceptions import SanityError

from isochron.reframe_checks.checks.place import SinglePartition
from isochron.reframe_checks.launch.acceptance import judge
from isochron.reframe_checks.launch.script import job_lines, job_seconds
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.scheduler_kind import scheduler_of


@rfm.simple_test
class Block(rfm.RunOnlyRegressionTest, SinglePartition):
    """`-S Block.spec=FILE`: the launches of a BlockSpec, one after another on the same nodes."""

    #: JSON file of the BlockSpec.
    spec = variable(str)

    descr = "one block of launches"
    executable = "echo"
    exclusive_access = True

    @run_before("setup")
    def ask_for_nodes(self) -> None:
        """Request an allocation for the largest point of the block."""
        self.plan = BlockSpec.load(Path(self.spec))
        self.num_tasks = self.plan.nodes * self.plan.processes_per_node
        self.num_tasks_per_node = self.plan.processes_per_node
        self.time_limit = job_seconds(self.plan)
        if self.plan.queue_hours is not None:
            self.max_pending_time = round(self.plan.queue_hours * 3600)

    @run_before("run")
    def launch_all(self) -> None:
        """Write the job script, which starts every launch; ReFrame starts its last line only."""
        partition, environment = self.current_partition, self.current_environ
        self.job.launcher = getlauncher("local")()
        scheduler = scheduler_of(partition.scheduler.registered_name)
        self.job.options += [] if scheduler is None else scheduler.request(self.plan.hosts, partition.access)
        self.prerun_cmds = job_lines(
            self.plan,
            {"system": self.current_system.name, "partition": partition.name},
            launcher=partition.launcher_type.registered_name,
            scheduler=partition.scheduler.registered_name,
            variables={**partition.local_env.env_vars, **environment.env_vars},
        )
        self.executable_opts = [f"block {self.plan.block} done"]

    @sanity_function
    def every_launch_is_whole(self) -> object:
        """Check every launch: exit code 0, complete file, ranks, hosts, and every case once."""
        reasons = {launch.name: judge(launch, self.plan, self.plan.folder) for launch in self.plan.launches}
        refused = [f"{name}: {reason}" for name, reason in reasons.items() if reason]
        if refused:
            raise SanityError("; ".join(refused))
        return sn.assert_true(True)

    @run_before("performance")
    def medians(self) -> None:
        """Report the median in µs over the engine's launches of the block, for each case, stack and point."""
        if self.is_dry_run():
            return
        samples: dict[str, list[float]] = defaultdict(list)
        for launch in (planned for planned in self.plan.launches if not planned.tool):
            point = f"{launch.stack}.p{launch.processes}.n{launch.processes_per_node}"
            for row in read_launch(self.plan.folder / f"{launch.name}.jsonl").measurements:
                if row.median_ns is not None:
                    samples[f"{row.operation}.{row.bytes}.{point}"].append(row.median_ns / 1000)
        for name, values in samples.items():
            value = sn.defer(statistics.median(values))
            self.perf_variables[name] = sn.make_performance_function(value, "us")
