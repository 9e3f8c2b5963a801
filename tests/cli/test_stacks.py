# SPDX-License-Identifier: BSD-3-Clause
"""`isochron stacks`: what a campaign can name here."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.spack_envs import installed, modules, wheel_index
from isochron.spack_envs.spack_stack import Spack
from tests.spack_envs.fake_spack import write_fake
from tests.spack_envs.test_prefixes import make_prefix


@pytest.fixture(autouse=True)
def index(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index with two versions of each library, of which one was looked up before."""
    monkeypatch.setattr("isochron.cli.stacks.find_spack", lambda _: None)
    monkeypatch.setattr(wheel_index, "versions", lambda _: ["4.1.3", "4.0.3"])
    monkeypatch.setattr(wheel_index, "known", lambda _: ["4.0.3"])
    monkeypatch.setattr(modules, "available", lambda: [])
    monkeypatch.setattr(modules, "hidden", lambda: [])
    monkeypatch.setattr(installed, "USUAL", ())


def listed(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, str]:
    assert main(["stacks", *words, "--format", "csv"]) == code
    return {row["stack"]: row["source"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}


def test_a_library_has_names_and_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(["mpich"], capsys) == {
        "mpich-4.3": "pinned wheels",
        "mpich-5.0": "pinned wheels",
        "mpich@4.1.3": "wheels of the package index",
        "mpich@4.0.3": "wheels of the package index, looked up before",
    }


def test_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    stacks = listed([], capsys)
    assert {"openmpi-5.0", "intel-mpi@4.1.3"} <= stacks.keys() and "mvapich@4.1.3" not in stacks
    assert (stacks["mvapich"], stacks["smpi-default"]) == ("Spack", "SimGrid")


@pytest.mark.process
def test_what_is_installed_has_a_line_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Folders without an MPI library, and modules of other software, have none."""
    make_prefix(tmp_path / "mine")
    (make_prefix(tmp_path / "broken") / "lib64" / "libmpi.so.12").unlink()
    monkeypatch.setattr(installed, "USUAL", (f"{tmp_path}/*", "/no/such"))
    available = ["GCC/13.2.0", "OpenMPI/4.1.6-GCC-13.2.0", "mpi/2021.14", "mpich/4.2"]
    monkeypatch.setattr(modules, "available", lambda: available)
    monkeypatch.setattr(modules, "hidden", lambda: ["GCC/13.2.0 OpenMPI/5.0.8"])
    stacks = listed([], capsys)
    there = {name: source for name, source in stacks.items() if ":" in name}
    assert there == {f"module:{name}": "module" for name in [*available[1:], "GCC/13.2.0 OpenMPI/5.0.8"]} | {
        f"prefix:{tmp_path}/mine": "installed library"
    }
    assert "module:mpich/4.2" not in listed(["openmpi"], capsys)


@pytest.mark.process
def test_what_spack_has_and_builds_has_a_line_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command = write_fake(tmp_path)
    monkeypatch.setattr("isochron.cli.stacks.find_spack", lambda _: Spack(command, "1.1.0"))
    stacks = listed(["mpich"], capsys)
    assert {name: source for name, source in stacks.items() if ":" in name} == {
        "spack:mpich@4.2.3": "Spack 1.1.0, installed", "spack:mpich@4.3.2": "Spack 1.1.0, builds it",
    }  # fmt: skip
    command.write_text("#!/bin/sh\necho '==> Error: no clingo' >&2; exit 1\n")
    assert main(["stacks", "mpich"]) == 1
    output = capsys.readouterr()
    assert "mpich-5.0" in output.out and "spack:" not in output.out
    assert output.err.count("==> Error: no clingo") == 1


def test_without_an_index_the_names_are_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def versions(family: str) -> list[str]:
        raise FileError(f"{family}: the package index cannot be reached")

    monkeypatch.setattr(wheel_index, "versions", versions)
    assert main(["stacks", "mpich"]) == 1
    output = capsys.readouterr()
    assert "mpich-5.0" in output.out and "mpich@4.0.3" in output.out and "mpich@4.1.3" not in output.out
    assert "mpich: the package index cannot be reached" in output.err


def test_an_unknown_library_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", "mpik"]) == 2
    assert "unknown MPI library 'mpik', did you mean 'mpich'?" in capsys.readouterr().err
