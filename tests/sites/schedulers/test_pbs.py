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
@pytest.mark.parametrize("back_end", ["pbspro", "torque"])
def test_a_library_without_tm_is_told_the_hosts_unless_the_site_does(in_a_job: Job, back_end: str) -> None:
    nodes = in_a_job.run.bin / "nodes"
    nodes.write_text("n2\nn2\nn1\n")
    variables = {"PBS_JOBID": "7.server", "PBS_NODEFILE": str(nodes), "PRTE_MCA_prte_default_hostfile": "/site"}
    last = 'before_launch one; cat "$OMPI_MCA_orte_default_hostfile"; echo "$PRTE_MCA_prte_default_hostfile"'
    done = in_a_job.script(back_end, last, **variables)
    assert done.stdout == "n2\nn1\n/site\n", done.stderr
