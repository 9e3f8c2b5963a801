# SPDX-License-Identifier: BSD-3-Clause
"""Published configurations of sites: a campaign is planned and rehearsed with each, and each lists a site's checks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.cli.main import main
from isochron.reframe_checks.call import reframe_environment
from isochron.schemas.input.site import Site
from tests.reframe_checks.test_site_checks import reframe
from tests.sites.libraries import Modules

CONFIGURATIONS = Path(__file__).parent / "published"
CRAY = "module:craype-x86-milan craype-network-ofi PrgEnv-gnu/8.5.0 cray-mpich/"

#: What a user of each site writes into a campaign file.
SITES: dict[str, dict[str, Any]] = {
    "vega": {"system": "vega:cpu", "cores_per_node": 128},
    "kathleen": {"system": "kathleen:compute-node", "cores_per_node": 40},
    "lumi": {"system": "lumi:cpu", "environment": "PrgEnv-gnu", "cores_per_node": 128},
}
STACKS: dict[str, list[Any]] = {"lumi": [{"current": f"{CRAY}8.1.30"}, {"next": f"{CRAY}8.1.32"}]}

pytestmark = pytest.mark.process


def campaign_at(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Path:
    """Write a campaign for a site, at which modules are what say what they are."""
    modules = Modules(folder / "site")
    modules.described()
    modules.of_lumi()
    for variable, value in modules.variables.items():
        monkeypatch.setenv(variable, value)
    site = {"reframe_config": str(CONFIGURATIONS / f"{name}.py"), "nodes": 2, **SITES[name]}
    cores = site["cores_per_node"]
    document = {
        "schema": 1,
        "name": name,
        "site": site,
        "stacks": STACKS.get(name, ["mpich-5.0", "openmpi-5.0"]),
        "operations": ["barrier"],
        "sizes": [8],
        "processes": [2 * cores],
        "processes_per_node": [cores],
        **changes,
    }
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


@pytest.mark.parametrize("name", SITES)
def test_a_campaign_is_planned_and_rehearsed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = campaign_at(name, tmp_path, monkeypatch)
    results = ["--results", str(tmp_path / "results")]
    assert main(["plan", str(path), *results]) == 0, capsys.readouterr().err
    assert main(["rehearse", str(path), "--dry-run", *results]) == 0, capsys.readouterr().err


def test_a_partition_whose_jobs_would_get_one_slot_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (CONFIGURATIONS / "kathleen.py").read_text()
    config = tmp_path / "without.py"
    config.write_text(text.replace('{"name": "mpi", "options": ["-pe mpi {num_slots}"]},', ""))
    site = {"reframe_config": str(config), "nodes": 2, **SITES["kathleen"]}
    assert main(["plan", str(campaign_at("kathleen", tmp_path, monkeypatch, site=site))]) == 1
    message = (
        "the partition compute-node asks sge for slots, so a job would get one; write `'access': ['-pe NAME {cores}']`"
    )
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("name", SITES)
def test_the_checks_of_a_site_are_listed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign_at(name, tmp_path, monkeypatch)
    config = tmp_path / "site.py"
    config.write_text((CONFIGURATIONS / f"{name}.py").read_text())
    done = reframe(config, f"--system={SITES[name]['system']}", "-l")
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"Found (\d+) check", done.stdout)
    assert found and int(found[1]) > 10, done.stdout


def test_no_job_that_installs_reframe_is_submitted_to_detect_processors(tmp_path: Path) -> None:
    """As the configuration of Vega asks for: Isochron would wait for it in each call."""
    site = Site(reframe_config=str(CONFIGURATIONS / "vega.py"), system="vega:cpu")
    assert reframe_environment({"RFM_REMOTE_DETECT": "1"}, site, tmp_path)["RFM_REMOTE_DETECT"] == "0"
