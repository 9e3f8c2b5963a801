# SPDX-License-Identifier: BSD-3-Clause
"""What a job script takes from its scheduler: the hosts of the allocation, variables, and when it ends at once."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.script import job_lines
from isochron.schemas.run.block_spec import LaunchSpec
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_command import spec_of

HOSTS = 'echo "${allocation[*]}"'


def job(
    run: FakeRun,
    last: str,
    *,
    scheduler: str = "local",
    site: dict[str, str] | None = None,
    commands: Sequence[str] = (),
    again: bool = False,
    transport_checks: Sequence[LaunchSpec] = (),
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Run the script of a block without launches and a last line, with variables of a scheduler.

    `scheduler`: that of the partition, by ReFrame's name; `site`: variables of the site's configuration, and `commands`
    the job's first lines by it; `again`: in the same attempt as before.
    """
    update = {"launches": [], "timer_check": None, "transport_checks": list(transport_checks)}
    spec = spec_of(run).model_copy(update=update)
    Path(spec.attempt).mkdir(parents=True, exist_ok=True)
    if not again:
        (Path(spec.attempt) / "started").unlink(missing_ok=True)
    lines = job_lines(spec, {}, scheduler=scheduler, variables=site, commands=commands)
    script = "\n".join([*commands, *lines, last])
    env = {"PATH": f"{run.bin}:/usr/bin:/bin", **variables}
    return subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=False)


@pytest.mark.process
def test_variables_of_another_scheduler_mislead_only_a_local_partition(fake_run: FakeRun) -> None:
    """They are left from the shell that submitted the job; `local` may be within a job of any scheduler."""
    path = fake_run.bin / "hosts"
    path.write_text("n2\nn1\n")
    variables = {"PBS_JOBID": "7", "PBS_NODEFILE": str(path)}
    (own,) = job(fake_run, HOSTS, scheduler="lsf", **variables).stdout.splitlines()
    assert own != "n2 n1"
    assert job(fake_run, HOSTS, scheduler="torque", **variables).stdout == "n2 n1\n"
    assert job(fake_run, HOSTS, **variables).stdout == "n2 n1\n"


@pytest.mark.process
@pytest.mark.parametrize("site", [{}, {"SLURM_EXPORT_ENV": "NONE"}])
def test_steps_get_the_environment_whatever_the_site_exports(fake_run: FakeRun, site: dict[str, str]) -> None:
    done = job(fake_run, 'enter fake-1; echo "$SLURM_EXPORT_ENV"', site=site, SLURM_EXPORT_ENV="NONE")
    assert done.stdout == "ALL\n", done.stderr


@pytest.mark.process
def test_what_slurm_sets_for_mpiexec_stays_in_its_jobs(fake_run: FakeRun) -> None:
    last = 'enter fake-1; echo "$OMPI_MCA_plm_slurm_args$OMPI_MCA_btl"'
    values = {"OMPI_MCA_plm_slurm_args": "--external-launcher", "OMPI_MCA_btl": "tcp"}
    assert job(fake_run, last, **values, SLURM_JOB_ID="7").stdout == "--external-launcher\n"
    assert job(fake_run, last, **values).stdout == "\n"


@pytest.mark.process
def test_a_launcher_is_that_of_the_site_not_one_that_the_stack_brings(fake_run: FakeRun) -> None:
    """As with the `mpiexec` of PALS and that of Open MPI; one that only the stack brings is found when it starts."""
    of_site = fake_run.bin / "mpiexec"
    of_site.write_text("#!/bin/sh\n")
    of_site.chmod(0o755)
    last = 'fill hosts {0} {1} -n 2; PATH=/of/the/stack; echo "${{words[*]}}"'
    assert job(fake_run, last.format("one", "mpiexec")).stdout == f"{of_site} -n 2\n"
    assert job(fake_run, last.format("one", "brought")).stdout == "brought -n 2\n"


@pytest.mark.process
def test_a_job_of_several_components_ends_at_once(fake_run: FakeRun) -> None:
    assert job(fake_run, "", SLURM_JOB_ID="7", SLURM_HET_SIZE="1").returncode == 0
    done = job(fake_run, HOSTS, SLURM_JOB_ID="7", SLURM_HET_SIZE="2")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("a heterogeneous job (SLURM_HET_SIZE is 2): a launch cannot use several of its")
    assert not (Path(spec_of(fake_run).attempt) / "started").exists()


@pytest.mark.process
def test_a_job_that_is_started_again_ends_at_once(fake_run: FakeRun) -> None:
    """A requeued job runs the same script; one whose first start wrote nothing goes on."""
    assert job(fake_run, "", SLURM_JOB_ID="7", SLURM_RESTART_COUNT="1").returncode == 0
    done = job(fake_run, HOSTS, again=True, SLURM_JOB_ID="7", SLURM_RESTART_COUNT="2")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("the scheduler has started this job again (SLURM_RESTART_COUNT: 2), and its launches")
    assert job(fake_run, HOSTS, again=True).stderr.startswith("the scheduler has started this job again, and its")
    assert "call isochron run again; forbid restarts of jobs in the access of the partition" in done.stderr


@pytest.mark.process
def test_what_the_commands_of_a_partition_export_reaches_launches(fake_run: FakeRun) -> None:
    """As at Vega and Karolina; what the shell before them has does not, nor what would load another library."""
    commands = [
        "source /dev/null",
        "export FABRIC=ucx; export OMPI_MCA_pml=$FABRIC",
        "export LD_LIBRARY_PATH=/site/lib",
    ]
    last = 'enter fake-1; echo "$OMPI_MCA_pml-${OMPI_MCA_btl-}-${LD_LIBRARY_PATH-}"'
    done = job(fake_run, last, commands=commands, OMPI_MCA_btl="tcp", OMPI_MCA_pml="ob1")
    assert done.stdout.startswith("ucx--") and "/site/lib" not in done.stdout, done.stderr
    assert job(fake_run, last, OMPI_MCA_pml="ob1").stdout.startswith("--")
