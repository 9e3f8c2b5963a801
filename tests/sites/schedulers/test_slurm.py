# SPDX-License-Identifier: BSD-3-Clause
"""Slurm; the virtual cluster (tests/cluster) tries the same with a real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.reframe_checks.launch.job_end import Answer, answer_about
from isochron.schemas.scheduler_kind import scheduler_of
from tests.sites.launching import PROGRAMS
from tests.sites.schedulers.conftest import Job

JOB = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n1,n2"}


@pytest.mark.process
@pytest.mark.parametrize("back_end", ["slurm", "squeue", "local"])
def test_the_hosts_are_asked_for(in_a_job: Job, back_end: str) -> None:
    assert in_a_job.hosts(back_end, **JOB) == "n1 n2"


@pytest.mark.process
def test_only_the_steps_of_a_launch_are_ended_until_they_are_gone(in_a_job: Job, tmp_path: Path) -> None:
    """The first signal does not reach one of the two; that is signalled again."""
    done = in_a_job.script("slurm", "end_steps run-b001-one", **JOB, ENDED=str(tmp_path / "ended"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ended").read_text() == "--signal=KILL 7.0 7.2\n--signal=KILL 7.2\n"


@pytest.mark.process
@pytest.mark.parametrize("by_slurm", ["", "--external-launcher "])
def test_steps_that_the_launcher_of_a_library_starts_have_the_name_of_the_launch(in_a_job: Job, by_slurm: str) -> None:
    """Without options of Slurm (< 23.11) Hydra may start its processes by ssh, which refuses `--job-name`."""
    names = ["OMPI_MCA_plm_slurm_args", "PRTE_MCA_plm_slurm_args", "HYDRA_LAUNCHER_EXTRA_ARGS"]
    print_all = "; ".join(f'echo "${{{name}-}}"' for name in names)
    done = in_a_job.script("slurm", f"before_launch one; {print_all}", **JOB, **dict.fromkeys(names, by_slurm.strip()))
    expected = f"{by_slurm}--job-name=one"
    assert done.stdout.splitlines() == [expected, expected, expected if by_slurm else ""], done.stderr


@pytest.mark.process
@pytest.mark.parametrize(
    ("job", "answer"),
    [
        ("7", Answer("RUNNING")),
        ("8", Answer("PENDING", "ReqNodeNotAvail, UnavailableNodes:n1")),
        ("9", Answer("")),
        ("10", None),
    ],
)
def test_the_state_of_a_job(job: str, answer: Answer | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(PROGRAMS), prepend=":")
    scheduler = scheduler_of("squeue")
    assert scheduler is not None and scheduler.status is not None
    assert answer_about(scheduler.status, job) == answer


def test_named_nodes_are_asked_for_and_a_job_is_not_restarted() -> None:
    scheduler = scheduler_of("slurm")
    assert scheduler is not None
    assert scheduler.request([]) == ["--no-requeue"]
    assert scheduler.request(["n1", "n2"]) == ["--no-requeue", "--nodelist=n1,n2"]
