# SPDX-License-Identifier: BSD-3-Clause
"""The launchers of libraries from wheels, which lack the support of most schedulers, start on all hosts of a job."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from isochron.reframe_checks.launch.launchers import OWN, launcher_commands
from isochron.reframe_checks.launch.script import job_lines
from isochron.schemas.run.plan import Point
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.toolchain import shell_lines
from isochron.spack_envs.wheels import resolve
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_command import spec_of
from tests.sites.launching import PROGRAMS
from tests.sites.programs.nodes import on_first


class Allocation(NamedTuple):
    """What a job of a scheduler has: variables, and the one that names a file of hosts, with this text."""

    variables: dict[str, str]
    names_file: str
    text: str


HOSTS, HOSTS_OF_FLUX = ["n1", "n2", "n3"], ["n1", "n2"]
SLOTS = "".join(f"{host}\n" * 2 for host in HOSTS)
ALLOCATIONS = {
    "lsf": Allocation({"LSB_JOBID": "7"}, "LSB_DJOB_HOSTFILE", SLOTS),
    "sge": Allocation({"JOB_ID": "7"}, "PE_HOSTFILE", "".join(f"{host} 2 all.q@{host} <NULL>\n" for host in HOSTS)),
    "oar": Allocation({"OAR_JOB_ID": "7"}, "OAR_NODEFILE", SLOTS),
    "torque": Allocation({"PBS_JOBID": "7.server"}, "PBS_NODEFILE", SLOTS),
    "local": Allocation({"FLUX_URI": "local:///run/flux/local-0"}, "UNUSED", ""),
}
RANK = "echo ${OMPI_COMM_WORLD_RANK-$PMI_RANK} $(hostname)"
LIBRARIES = ("openmpi-4.1", "openmpi-5.0", "mpich-5.0")
#: By what Hydra knows of these itself, it starts processes by their own commands.
NOT_TRIED = {("lsf", "mpich-5.0"), ("sge", "mpich-5.0")}


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.parametrize(
    ("scheduler", "stack"),
    [(name, stack) for name in ALLOCATIONS for stack in LIBRARIES if (name, stack) not in NOT_TRIED],
)
def test_ranks_are_started_on_the_hosts_of_the_job(scheduler: str, stack: str, tmp_path: Path) -> None:
    """Packed on the first two of three, and where placed on the others in the order that was asked for."""
    job, file = ALLOCATIONS[scheduler], tmp_path / "hosts"
    file.write_text(job.text)
    variables = {**job.variables, job.names_file: str(file)}
    point = Point(processes=4, processes_per_node=2, placement="packed")
    used = HOSTS_OF_FLUX if scheduler == "local" else HOSTS
    assert started(scheduler, stack, point, [], variables, tmp_path) == [used[0], used[0], used[1], used[1]]
    point = Point(processes=2, processes_per_node=1, placement="reversed")
    last, before = f"@{len(used) - 1}", f"@{len(used) - 2}"
    assert started(scheduler, stack, point, [last, before], variables, tmp_path) == [used[-1], used[-2]]


def started(
    scheduler: str, stack: str, point: Point, asked: list[str], variables: dict[str, str], folder: Path
) -> list[str]:
    """The host of each rank of a launch in a job."""
    toolchain = resolve(load_declaration(stack))
    words = launcher_commands(toolchain.launcher, point, stack, named_hosts=bool(asked))[OWN]
    run = FakeRun(folder / point.label)
    spec = spec_of(run).model_copy(update={"launches": [], "timer_check": None})
    Path(spec.attempt).mkdir(parents=True)
    script = [
        *job_lines(spec, {}, scheduler=scheduler),
        shlex.join(["place", *asked]),
        shlex.join(["fill", "$host_file", "one", *words, "sh", "-c", RANK]).replace("'$host_file'", '"$host_file"'),
        *shell_lines(toolchain.environment),
        "before_launch one",
        '"${words[@]}"',
    ]
    command = on_first(HOSTS, folder / "names", "bash", "-c", "\n".join(script))
    env = {"HOME": os.environ["HOME"], "PATH": f"{PROGRAMS}:{os.environ['PATH']}", **variables}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [host for _, host in sorted(line.split() for line in done.stdout.splitlines())]
