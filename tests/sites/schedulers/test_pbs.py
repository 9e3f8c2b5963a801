# SPDX-License-Identifier: BSD-3-Clause
"""PBS Professional, OpenPBS, Torque."""

from __future__ import annotations

import pytest

from isochron.schemas.scheduler_kind import scheduler_of
from tests.sites.schedulers.conftest import Job


@pytest.mark.process
@pytest.mark.parametrize("back_end", ["pbs", "pbspro", "torque", "local"])
def test_the_hosts_are_in_a_file_with_a_line_for_each_process(in_a_job: Job, back_end: str) -> None:
    assert in_a_job.hosts(back_end, file=("PBS_NODEFILE", "n2\nn2\nn1\n"), PBS_JOBID="7.server") == "n2 n1"


@pytest.mark.parametrize(
    ("back_end", "access", "options"),
    [
        ("pbspro", ["-q workq"], ["-l place=scatter:excl", "-r n"]),
        ("pbs", ["-l place=scatter:exclhost"], ["-r n"]),
        ("torque", ["-q batch"], ["-r n"]),
        ("lsf", [], ["-rn"]),
        ("sge", [], ["-r n"]),
    ],
)
def test_whole_nodes_are_asked_for_and_a_job_is_not_restarted(
    back_end: str, access: list[str], options: list[str]
) -> None:
    scheduler = scheduler_of(back_end)
    assert scheduler is not None
    assert scheduler.request([], access) == options


@pytest.mark.process
@pytest.mark.parametrize(("back_end", "of_site", "used"), [("pbspro", "", "/hosts"), ("torque", "/site", "/site")])
def test_a_library_without_tm_is_told_the_file_of_hosts(in_a_job: Job, back_end: str, of_site: str, used: str) -> None:
    name = "OMPI_MCA_orte_default_hostfile"
    variables = {"PBS_JOBID": "7.server", "PBS_NODEFILE": "/hosts", name: of_site}
    done = in_a_job.script(back_end, f"before_launch one; printenv {name}", **variables)
    assert done.stdout == f"{used}\n", done.stderr
