# SPDX-License-Identifier: BSD-3-Clause
"""A campaign on two nodes of an imitated OpenPBS: submission, hosts, launchers of libraries, the end of the job."""

from __future__ import annotations

import json
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


def imitated(folder: Path) -> dict[str, str]:
    """Write the settings of the site, and return the variables by which its imitations are called."""
    if subprocess.run(["unshare", "--uts", "--mount", "hostname", "n1"], check=False).returncode:
        pytest.skip("no host names of one's own here (unshare --uts --mount)")
    (folder / "site.py").write_text(SITE)
    (folder / "pbs").mkdir()
    return {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "FAKE_PBS": str(folder / "pbs")}


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.campaign
def test_a_campaign_on_two_nodes(tmp_path: Path) -> None:
    variables = imitated(tmp_path)
    site = {"reframe_config": "site.py", "system": "pbs:compute", "nodes": 2}
    stacks = ["mpich-5.0", "openmpi-4.1", "openmpi-5.0"]
    campaign = {**CAMPAIGN, "operations": ["barrier"], "site": site, "stacks": stacks}
    (tmp_path / "virtual.yaml").write_text(yaml.safe_dump(campaign))
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


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.campaign
def test_the_doctor_tries_each_stack_on_two_nodes(tmp_path: Path) -> None:
    """A library whose ranks the named launcher cannot connect is refused, and no job submitted for it."""
    variables = imitated(tmp_path)
    site = {"reframe_config": "site.py", "system": "pbs:compute", "nodes": 4}
    (tmp_path / "virtual.yaml").write_text(yaml.safe_dump({**CAMPAIGN, "site": site}))
    found = doctor(tmp_path, variables)
    assert {check: found[check]["level"] for check in ("launch", "overlapping", "library", "clocks")} == dict.fromkeys(
        ["launch", "overlapping", "library", "clocks"], "ok"
    )
    assert found["launch"]["finding"] == "4 ranks by its own launcher: 0-1 on n1, 2-3 on n2"
    (tmp_path / "virtual.yaml").write_text(yaml.safe_dump({**CAMPAIGN, "site": {**site, "launcher": "pals"}}))
    refused = doctor(tmp_path, variables)
    assert set(refused) == {"plan"}
    assert refused["plan"]["write"] == "campaign file: site.launcher: stack"
    assert len(list((tmp_path / "pbs").glob("*.directives"))) == 1


def doctor(folder: Path, variables: dict[str, str]) -> dict[str, dict[str, str]]:
    """What `isochron doctor --site` prints about the only stack, by check."""
    done = subprocess.run(
        [sys.executable, "-m", "isochron", "doctor", "--site", "virtual.yaml", "--format", "json"],
        cwd=folder, env={**os.environ, **at_home(), **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    rows = json.loads(done.stdout or "[]")
    assert done.returncode == int(any(row["level"] == "error" for row in rows)), done.stdout + done.stderr
    return {row["check"]: row for row in rows}
