# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a real job: those of one launch are ended, and others of the same job go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.reframe_checks.launch.schedulers import scheduler_lines
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.wheels import resolve
from tests.cluster.virtual import VirtualCluster

#: A job of two nodes. `steps`: names of its steps; `reach WORDS`: wait until they are these.
JOB = """#!/bin/bash
steps() {
    squeue --noheader --steps --jobs "$SLURM_JOB_ID" --format %j | grep -vxE 'batch|extern' | sort | paste -sd' '
}
reach() {
    local turn
    for turn in {1..300}; do [ "$(steps)" != "$*" ] || return 0; sleep 0.2; done
    echo "steps: $(steps); expected: $*"
    scancel "$SLURM_JOB_ID"
}
"""


def in_a_job(cluster: VirtualCluster, folder: Path, *lines: str) -> str:
    """What the lines print in a job of two nodes."""
    script = folder / "job.sh"
    script.write_text("\n".join([JOB, *scheduler_lines("slurm"), *lines, ""]))
    output = folder / "output"
    words = ["--wait", "--nodes=2", "--ntasks-per-node=2", "--exclusive", f"--output={output}", str(script)]
    cluster.on("login", "sbatch", *words, folder=folder, check=False)
    return output.read_text()


def test_the_steps_of_a_launch_are_ended_and_no_other(cluster: VirtualCluster, tmp_path: Path) -> None:
    step = "srun --overlap --nodes=2 --ntasks=2 --job-name={name} sleep 600 &"
    printed = in_a_job(
        cluster, tmp_path, *(step.replace("{name}", name) for name in ("one", "two", "their-own")),
        "reach one their-own two", "end_steps one", "reach their-own two", "end_steps two", "reach their-own",
        "end_steps their-own", "reach", "echo done",
    )  # fmt: skip
    assert "done" in printed.splitlines(), printed  # an srun may still report the end of its step
    assert "expected" not in printed


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.parametrize("stack", ["openmpi-4.1", "openmpi-5.0", "mpich-5.0"])
def test_steps_that_the_launcher_of_a_library_starts_are_those_of_its_launch(
    cluster: VirtualCluster, tmp_path: Path, stack: str
) -> None:
    """Its mpiexec is killed before, so that it ends nothing itself."""
    prefix = resolve(load_declaration(stack)).prefix
    environment = load_declaration(stack).environment.set
    exports = [f"export {name}={value}" for name, value in environment.items()]
    exports += ["export HYDRA_LAUNCHER_EXTRA_ARGS=--overlap"]  # as Slurm sets it since 23.11
    per_node = "-ppn 1" if stack.startswith("mpich") else "--map-by ppr:1:node"
    printed = in_a_job(
        cluster, tmp_path, *exports, "srun --overlap --nodes=2 --ntasks=2 --job-name=two sleep 600 &", "reach two",
        f"(before_launch one; exec {prefix}/bin/mpiexec -n 2 {per_node} sleep 600) & launcher=$!",
        "reach one two", "kill -STOP $launcher", "end_steps one", "reach two", "kill -KILL $launcher",
        "end_steps two", "reach", "echo done",
    )  # fmt: skip
    assert "done" in printed.splitlines(), printed
    assert "expected" not in printed
