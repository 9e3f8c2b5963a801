# SPDX-License-Identifier: BSD-3-Clause
"""The wheel, as a user has it: built from the tracked files, installed into an empty environment, run elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.install.support import FOLDERS, ROOT, build_wheel, commands_environment, copy_tracked, install, tracked

pytestmark = [pytest.mark.install, pytest.mark.slow]

CAMPAIGN = """\
schema: 1
name: two-launches
stacks: [openmpi-5.0]
operations: [allreduce]
sizes: [8]
processes: [2]
processes_per_node: [2]
replication: {blocks: 2, launches_per_block: 1}
engine: {max_reps: 100}
limits: {node_hours: 0.1}
stack_source: wheels
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the tracked files, with the litter of an interpreter lying beside the data."""
    source = copy_tracked(tmp_path_factory.mktemp("source"))
    for folder in (source / "isochron" / "cli", source / "spack_envs" / "repo" / "spack_repo" / "isochron"):
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "stale.cpython-311.pyc").write_bytes(b"")
    return build_wheel(source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the pinned dependencies and the wheel, and nothing else."""
    return install(wheel, tmp_path_factory.mktemp("environment"))


def test_the_wheel_contains_every_file_of_the_packages_and_no_litter(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.startswith("isochron-")}
    wanted = {name for name in tracked() if name.startswith("isochron/")}
    wanted |= {f"isochron/{name}" for name in tracked() if name.split("/")[0] in FOLDERS - {"isochron"}}
    hidden = {name for name in wanted if any(part.startswith(".") for part in name.split("/"))}
    assert names == wanted - hidden


def test_scripts_in_the_wheel_can_be_executed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        modes = {item.filename.removeprefix("isochron/"): item.external_attr >> 16 for item in archive.infolist()}
    for name in tracked():
        if name in modes and os.access(ROOT / name, os.X_OK):
            assert modes[name] & 0o111 == 0o111, name


def test_exactly_one_import_name_is_installed(environment: Path) -> None:
    shown = subprocess.run(
        [environment / "bin" / "pip", "show", "--files", "isochron"],
        env=commands_environment(),
        cwd=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    files = shown.partition("Files:\n")[2].split()
    names = {file.split("/")[0] for file in files if not file.startswith("..")}
    assert {name for name in names if not name.endswith(".dist-info")} == {"isochron"}
    assert [file for file in files if file.startswith("..")] == ["../../../bin/isochron"]


def test_help_doctor_and_plan_in_an_empty_folder(environment: Path, tmp_path: Path) -> None:
    for words in (["--help"], ["plan", "demo"], ["doctor"], ["schema", "campaign"]):
        done = _isochron(environment, tmp_path, *words)
        # `doctor` exits with 1 where this machine cannot measure, which is no fault of the wheel
        assert done.returncode == 0 or words == ["doctor"], done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.mpi
def test_a_campaign_runs_to_its_report_in_an_empty_folder(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "two-launches.yaml").write_text(CAMPAIGN)
    done = _isochron(environment, tmp_path, "run", "two-launches.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    run = tmp_path / "results" / "two-launches" / "latest"
    assert json.loads((run / "campaign.json").read_text())["state"] == "complete"
    assert len(list((run / "launches").glob("*.jsonl"))) == 2
    assert "</html>" in (run / "report" / "index.html").read_text()
    checkout = str(ROOT)
    assert checkout not in (run / "stacks" / "openmpi-5.0.json").read_text(), "the wheel used the checkout"


def _isochron(environment: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [environment / "bin" / "isochron", *words],
        cwd=folder,
        env=commands_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
