# SPDX-License-Identifier: BSD-3-Clause
"""The example settings are what ReFrame accepts, and it writes from them a job with the nodes of a block."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from reframe.core.config import load_config

from isochron.reframe_checks.call import BLOCKS_VARIABLE, reframe_command
from isochron.schemas.input.site import Site
from isochron.schemas.launcher_kind import site_launchers
from isochron.schemas.run.plan import Block, PlannedLaunch, Point
from tests.reframe_checks.conftest import FakeRun

SETTINGS = Path(__file__).parents[2] / "reframe_checks" / "settings"

#: What the job script of a block with 4 nodes and 2 processes on each must ask for, in each scheduler's words.
DIRECTIVES = {
    "cray_example": ["#SBATCH --nodes=4", "#SBATCH --ntasks-per-node=2", "#SBATCH --constraint=cpu"],
    "flux_example": [],
    "lsf_example": ["#BSUB -q normal", "#BSUB -n 8", "#BSUB -x"],
    "pbs_example": ["#PBS -l select=4:mpiprocs=2", "#PBS -l place=scatter:excl", "#PBS -q workq"],
    "slurm_example": [
        "#SBATCH --nodes=4",
        "#SBATCH --ntasks-per-node=2",
        "#SBATCH --exclusive",
        "#SBATCH --no-requeue",
        "--account=my-project",
    ],
}

#: Those that ReFrame tries in the normal set: a scheduler by its count of nodes, and one by its own selection of them.
DRY_RUN = {"slurm_example", "pbs_example"}


def test_there_is_one_for_each_kind_of_site() -> None:
    assert sorted(path.stem for path in SETTINGS.glob("*_example.py")) == sorted(DIRECTIVES)


@pytest.mark.parametrize("name", DIRECTIVES)
def test_reframe_loads_the_example(name: str) -> None:
    config = load_config("<builtin>", str(SETTINGS / f"{name}.py"))
    config.validate()
    config.select_subconfig(name)
    partitions = config.get("systems/0/partitions")
    assert partitions
    for partition in partitions:
        assert partition["environs"] == ["stack"]
        assert partition["launcher"] in {"mpiexec", "local", *site_launchers()}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in DRY_RUN else pytest.mark.slow) for name in DIRECTIVES]
)
@pytest.mark.process
def test_reframe_writes_a_job_with_the_nodes_of_a_block(fake_run: FakeRun, tmp_path: Path, name: str) -> None:
    written = job_of(fake_run, tmp_path, SETTINGS / f"{name}.py", f"{name}:compute")
    for directive in DIRECTIVES[name]:
        assert directive in written


#: Back end, launcher, access -> what the job must ask for, and what it must not.
REQUESTS = {
    "lsf": ("mpiexec", ["-q normal"], ["-n 8", '-R "span[ptile=2]"', "-x", "-rn", "-q normal"], "-nnodes"),
    "lsf with CSM": ("lrun", ["-q normal"], ["-nnodes 4", "-x", "-rn", "-q normal"], "span"),
    "sge": ("mpiexec", ["-pe mpi {processes}", "-q all.q"], ["-pe mpi 8", "-q all.q", "-r n"], "{"),
    "oar": ("mpiexec", ["-q default", "-p cpu"], ["-l /host=4/core=2,", "-q default", "-p cpu"], "{"),
    "torque": ("mpiexec", ["-q batch", "-A me"], ["-l nodes=4:ppn=2", "-q batch", "-A me", "-r n"], "place="),
}
PREFIX = {"lsf": "#BSUB", "sge": "#$", "oar": "#OAR", "torque": "#PBS"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in ("oar", "torque") else name for name in REQUESTS]
)
@pytest.mark.process
def test_a_job_asks_for_what_the_partition_says(fake_run: FakeRun, tmp_path: Path, name: str) -> None:
    launcher, access, wanted, unwanted = REQUESTS[name]
    back_end = name.partition(" ")[0]
    partition = {
        "name": "compute",
        "scheduler": back_end,
        "launcher": launcher,
        "access": access,
        "environs": ["stack"],
    }
    system = {"name": "here", "hostnames": [".*"], "modules_system": "nomod", "partitions": [partition]}
    settings = {"systems": [system], "environments": [{"name": "stack", "target_systems": ["here"]}]}
    (tmp_path / "site.py").write_text(f"site_configuration = {settings!r}\n")
    written = job_of(fake_run, tmp_path, tmp_path / "site.py", "here:compute")
    directives = [line for line in written.splitlines() if line.startswith(PREFIX[back_end])]
    for words in wanted:
        assert any(line.startswith(f"{PREFIX[back_end]} {words}") for line in directives), directives
    assert not any(unwanted in line for line in directives), directives


def job_of(fake_run: FakeRun, folder: Path, settings: Path, system: str) -> str:
    """The job script of a block with 4 nodes: ReFrame's own dry run of the check, everything but the submission."""
    point = Point(processes=8, processes_per_node=2, placement="packed")
    launch = PlannedLaunch(name="one", stack="fake-1", point=point, block=1, launch=1, seconds=1)
    block = Block(name="b001", index=1, nodes=4, launches=[launch])
    fake_run.plan.model_copy(update={"blocks": [block]}).save(fake_run.layout.plan)
    site = Site(reframe_config=str(settings), system=system, nodes=4)
    variables = {"Block.campaign_run": str(fake_run.layout.root), "Block.call": str(folder)}
    command = reframe_command("block", variables, site, folder / "reframe")
    words = ["--dry-run" if word == "--run" else word for word in command]
    environment = {**os.environ, BLOCKS_VARIABLE: "b001"}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=900, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (script,) = (folder / "reframe").rglob("rfm_job.sh")
    written = script.read_text()
    assert "\nlaunch one fake-1 " in written
    assert not fake_run.layout.attempts("b001").exists()
    return written
