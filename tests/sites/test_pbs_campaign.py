# SPDX-License-Identifier: BSD-3-Clause
"""A campaign on two nodes of an imitated OpenPBS: submission, hosts, launchers of libraries, the end of the job."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.layout import RunLayout
from tests.cluster.conftest import CAMPAIGN
from tests.end_to_end.conftest import assert_every_launch_is_stored_once
from tests.home import at_home
from tests.sites.launching import PROGRAMS

SITE = """
VARIABLES = [["FI_PROVIDER", "tcp"], ["MPIR_CVAR_ENABLE_PROGRESS_YIELD", "1"], ["OMPI_MCA_mpi_yield_when_idle", "1"]]
site_configuration = {
    "systems": [{
        "name": "pbs", "hostnames": [".*"], "modules_system": "nomod",
        "partitions": [{
            "name": "compute", "scheduler": "pbspro", "launcher": "mpiexec", "access": ["-q workq"],
            "environs": ["stack"], "max_jobs": 1, "processor": {"num_cpus": 2}, "env_vars": VARIABLES,
        }],
    }],
    "environments": [{"name": "stack", "target_systems": ["pbs"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
"""


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.campaign
def test_a_campaign_on_two_nodes(tmp_path: Path) -> None:
    if subprocess.run(["unshare", "--uts", "--mount", "hostname", "n1"], check=False).returncode:
        pytest.skip("no host names of one's own here (unshare --uts --mount)")
    (tmp_path / "site.py").write_text(SITE)
    (tmp_path / "pbs").mkdir()
    site = {"reframe_config": "site.py", "system": "pbs:compute", "nodes": 2}
    stacks = ["mpich-5.0", "openmpi-4.1", "openmpi-5.0"]
    campaign = {**CAMPAIGN, "operations": ["barrier"], "site": site, "stacks": stacks}
    (tmp_path / "virtual.yaml").write_text(yaml.safe_dump(campaign))
    variables = {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "FAKE_PBS": str(tmp_path / "pbs")}
    done = subprocess.run(
        [sys.executable, "-m", "isochron", "run", "virtual.yaml", "--until", "store"],
        cwd=tmp_path, env={**os.environ, **at_home(), **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    run = RunLayout((tmp_path / "results" / "virtual" / "latest").resolve())
    assert_every_launch_is_stored_once(run)
    for stack in stacks:
        (path,) = run.launches.glob(f"{stack}.*.jsonl")
        hosts = [(host.name, host.ranks) for host in read_launch(path).header.hosts]
        assert hosts == [("n1", "0-1"), ("n2", "2-3")], stack
    directives = (tmp_path / "pbs" / "1.directives").read_text().splitlines()
    assert {"-l select=2:mpiprocs=2:ncpus=2", "-l place=scatter:excl", "-r n", "-q workq"} <= set(directives)
