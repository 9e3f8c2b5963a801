# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns on two nodes of an imitated OAR and Grid Engine: a process on each, and jobs have their nodes whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.layout import RunLayout
from tests.cluster.conftest import CAMPAIGN
from tests.end_to_end.conftest import assert_every_launch_is_stored_once
from tests.home import at_home
from tests.sites.launching import PROGRAMS

STACKS = ["mpich-5.0", "openmpi-4.1", "openmpi-5.0"]
#: What waits on the few cores of this machine lets others run.
HERE = [["FI_PROVIDER", "tcp"], ["MPIR_CVAR_ENABLE_PROGRESS_YIELD", "1"], ["OMPI_MCA_mpi_yield_when_idle", "1"]]
#: How a site with OAR starts processes on other nodes of a job.
OARSH = [["OMPI_MCA_plm_rsh_agent", "oarsh"], ["PRTE_MCA_plm_ssh_agent", "oarsh"], ["HYDRA_LAUNCHER_EXEC", "oarsh"]]
OAR: dict[str, Any] = {
    "systems": [{"name": "g5k", "hostnames": [".*"], "partitions": [{
        "name": "compute", "scheduler": "oar", "launcher": "mpiexec", "access": ["-q default"], "environs": ["stack"],
        "env_vars": [*HERE, *OARSH],
    }]}],
    "environments": [{"name": "stack"}],
}  # fmt: skip

pytestmark = [pytest.mark.slow, pytest.mark.mpi, pytest.mark.campaign]


@pytest.fixture(autouse=True)
def _names() -> None:
    if subprocess.run(["unshare", "--uts", "--mount", "hostname", "n1"], check=False).returncode:
        pytest.skip("no host names of one's own here (unshare --uts --mount)")


def measured(folder: Path, scheduler: str, system: str) -> set[str]:
    """Run a campaign whose launches have a process on each of two nodes; return the directives of its job."""
    (folder / scheduler).mkdir()
    site = {"reframe_config": "site.py", "system": system, "nodes": 2, "cores_per_node": 2}
    changes = {"operations": ["barrier"], "site": site, "stacks": STACKS, "processes": [2], "processes_per_node": [1]}
    (folder / "virtual.yaml").write_text(yaml.safe_dump({**CAMPAIGN, **changes}))
    commands = f"{PROGRAMS / scheduler}:{PROGRAMS}:{os.environ['PATH']}"
    variables = {"PATH": commands, f"FAKE_{scheduler.upper()}": str(folder / scheduler)}
    done = subprocess.run(
        [sys.executable, "-m", "isochron", "run", "virtual.yaml", "--until", "store"],
        cwd=folder, env={**os.environ, **at_home(), **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    run = RunLayout((folder / "results" / "virtual" / "latest").resolve())
    assert_every_launch_is_stored_once(run)
    assert (folder / scheduler / "1.directives").exists() and not (folder / scheduler / "2.directives").exists()
    for stack in STACKS:
        (path,) = run.launches.glob(f"{stack}.*.jsonl")
        header = read_launch(path).header
        assert [(host.name, host.ranks) for host in header.hosts] == [("n1", "0"), ("n2", "1")], stack
    return set((folder / scheduler / "1.directives").read_text().splitlines())


def test_a_campaign_under_oar(tmp_path: Path) -> None:
    (tmp_path / "site.py").write_text(f"site_configuration = {OAR!r}\n")
    directives = measured(tmp_path, "oar", "g5k:compute")
    assert [line.partition(",")[0] for line in directives if line.startswith("-l")] == ["-l /host=2/core=2"]
    assert "-q default" in directives


def test_a_campaign_under_grid_engine_with_the_configuration_of_a_site(tmp_path: Path) -> None:
    """Slots of two processes only would be on one node."""
    text = (Path(__file__).parent / "published" / "kathleen.py").read_text()
    text = text.replace('"name": "compute-node",', f'"name": "compute-node", "env_vars": {HERE!r},')
    (tmp_path / "site.py").write_text(text.replace("login[0-9]+.kathleen.ucl.ac.uk", ".*"))
    directives = measured(tmp_path, "sge", "kathleen:compute-node")
    assert {"-pe mpi 4", "-r n"} <= directives
