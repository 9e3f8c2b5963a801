# SPDX-License-Identifier: BSD-3-Clause
"""What a job script takes from its scheduler: the hosts of the allocation, variables, and when it ends at once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.script import job_lines
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_command import spec_of

HOSTS = 'echo "${allocation[*]}"'


def job(
    run: FakeRun, last: str, *, site: dict[str, str] | None = None, again: bool = False, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the script of a block without launches and a last line, with variables of a scheduler.

    `site`: variables of the site's configuration; `again`: in the same attempt as before.
    """
    spec = spec_of(run).model_copy(update={"launches": [], "timer_check": None})
    Path(spec.attempt).mkdir(parents=True, exist_ok=True)
    if not again:
        (Path(spec.attempt) / "started").unlink(missing_ok=True)
    script = "\n".join([*job_lines(spec, {}, variables=site), last])
    env = {"PATH": f"{run.bin}:/usr/bin:/bin", **variables}
    return subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=False)


@pytest.mark.process
@pytest.mark.parametrize(
    ("variable", "file", "hosts"),
    [
        ("PBS_NODEFILE", "n2\nn2\nn1\n", "n2 n1"),
        ("LSB_DJOB_HOSTFILE", "n1\nn1\nn2\n", "n1 n2"),
        ("LSB_DJOB_HOSTFILE", "batch5\nn1\nn1\nn2\n", "n1 n2"),
        ("LSB_DJOB_HOSTFILE", "login1\nn1\nbatch5\n", "n1 batch5"),
        ("PE_HOSTFILE", "n2.site.org 4 all.q@n2.site.org UNDEFINED\nn1 4 all.q@n1 <NULL>\n", "n2.site.org n1"),
        ("OAR_NODEFILE", "n1\nn1\nn3\nn3\n", "n1 n3"),
    ],
)
def test_the_hosts_of_an_allocation(fake_run: FakeRun, variable: str, file: str, hosts: str) -> None:
    path = fake_run.bin / "hosts"
    path.write_text(file)
    assert job(fake_run, HOSTS, **{variable: str(path)}).stdout == f"{hosts}\n"


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
def test_a_job_of_several_components_ends_at_once(fake_run: FakeRun) -> None:
    assert job(fake_run, HOSTS, SLURM_HET_SIZE="1").returncode == 0
    done = job(fake_run, HOSTS, SLURM_HET_SIZE="2")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("a heterogeneous job of Slurm (SLURM_HET_SIZE is 2): a launch cannot use several of")
    assert not (Path(spec_of(fake_run).attempt) / "started").exists()


@pytest.mark.process
def test_a_job_that_is_started_again_ends_at_once(fake_run: FakeRun) -> None:
    """A requeued job runs the same script; one whose first start wrote nothing goes on."""
    assert job(fake_run, HOSTS, SLURM_RESTART_COUNT="1").returncode == 0
    done = job(fake_run, HOSTS, again=True, SLURM_RESTART_COUNT="2")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("the scheduler has started this job again (SLURM_RESTART_COUNT: 2), and its launches")
    assert "call isochron run again; forbid restarts of jobs in the access of the partition" in done.stderr
