# SPDX-License-Identifier: BSD-3-Clause
"""The files of each kind of site run on two nodes of an imitated one, from the campaign file to the store.

Launchers of sites connect the ranks of real libraries, in the words and with the variables of the real ones.
"""

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
from tests.end_to_end.conftest import assert_every_launch_is_stored_once
from tests.home import at_home
from tests.sites.guides import copy_for_here
from tests.sites.launching import PROGRAMS
from tests.sites.libraries import Modules, connecting, reported

pytestmark = [pytest.mark.slow, pytest.mark.mpi, pytest.mark.campaign]


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    """The variables of a shell at the site: its commands, its modules, and folders of its scheduler."""
    if subprocess.run(["unshare", "--uts", "--mount", "hostname", "n1"], check=False).returncode:
        pytest.skip("no host names of one's own here (unshare --uts --mount)")
    modules = Modules(tmp_path / "site")
    modules.real()
    folder = tmp_path / "scheduler"
    folder.mkdir()
    (folder / "environment").write_text(json.dumps(connecting()))
    scheduler = dict.fromkeys(["FAKE_PBS", "FAKE_LSF", "FAKE_FLUX"], str(folder))
    return {**modules.variables, **connecting(), **scheduler, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}


def run(campaign: Path, site: dict[str, str], *before: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, "-m", "isochron", "run", campaign.name, "--until", "store"],
        cwd=campaign.parent, env={**os.environ, **at_home(), **site}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def measured(campaign: Path, site: dict[str, str], *before: str) -> RunLayout:
    """The run of a campaign of a guide, each launch of which was on two nodes, two ranks on each."""
    done = run(campaign, site, *before)
    assert done.returncode == 0, done.stdout + done.stderr
    name = yaml.safe_load(campaign.read_text())["name"]
    layout = RunLayout((campaign.parent / "results" / name / "latest").resolve())
    assert_every_launch_is_stored_once(layout)
    for path in layout.launches.glob("*.jsonl"):
        assert [(host.name, host.ranks) for host in read_launch(path).header.hosts] == [("n1", "0-1"), ("n2", "2-3")]
    return layout


def test_pbs_and_pals(tmp_path: Path, site: dict[str, str]) -> None:
    layout = measured(copy_for_here("pbs", tmp_path), site)
    assert reported(layout) == {
        "current": ("pals", "MPI VERSION    : CRAY MPICH version 8.1.30.17 (ANL base 3.4a2)"),
        "next": ("pals", "MPI VERSION    : CRAY MPICH version 8.1.32.110 (ANL base 3.4a2)"),
        "openmpi-5.x": ("pals", "Open MPI v5.0.11"),
    }
    directives = (tmp_path / "scheduler" / "1.directives").read_text().splitlines()
    wanted = {"-l select=2:mpiprocs=2:ncpus=2", "-l place=scatter:excl", "-r n", "-q workq", "-A my-project"}
    assert wanted <= set(directives)


def test_flux(tmp_path: Path, site: dict[str, str]) -> None:
    layout = measured(copy_for_here("flux", tmp_path), site, "flux", "alloc", "-N", "2", "-x")
    assert reported(layout) == {
        "mpich-x": ("flux", "MPICH Version:      5.0.2"),
        "openmpi-5.x": ("flux", "Open MPI v5.0.11"),
    }


def test_a_flux_that_does_not_have_the_interface_of_a_library(tmp_path: Path, site: dict[str, str]) -> None:
    """Without flux-pmix each rank of an Open MPI 5 is a world of its own; the run says so, and what to write."""
    campaign = copy_for_here("flux", tmp_path)
    document = yaml.safe_load(campaign.read_text())
    campaign.write_text(yaml.safe_dump({**document, "stacks": ["module:openmpi/5.*"], "replication": {"blocks": 1}}))
    without = {name: value for name, value in site.items() if name != "FAKE_PMIX"}
    done = run(campaign, without, "flux", "alloc", "-N", "2", "-x")
    assert done.returncode == 1
    assert (
        "1 processes, but --expect-ranks 4; check the launcher; each process was a world of its own: flux did not "
        "connect them by pmix, which flux lacks here (it comes with flux-pmix) or the library was built without; write "
        "`site.launcher: stack`, or load a module with it"
    ) in " ".join((done.stdout + done.stderr).split())


def test_lsf_and_jsrun(tmp_path: Path, site: dict[str, str]) -> None:
    layout = measured(copy_for_here("lsf", tmp_path), site)
    assert reported(layout) == {
        "openmpi-4.x": ("jsrun", "Open MPI v4.1.8"),
        "openmpi-5.x": ("jsrun", "Open MPI v5.0.11"),
    }
    directives = (tmp_path / "scheduler" / "1.directives").read_text().splitlines()
    assert {"-nnodes 2", "-x", "-rn", "-q normal", "-P my-project"} <= set(directives)
