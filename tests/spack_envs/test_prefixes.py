# SPDX-License-Identifier: BSD-3-Clause
"""Installed MPI libraries as stacks: every library is told apart from those that it was derived from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.reframe_checks.stack.inspection import inspect_engine
from isochron.spack_envs import installed, wheels
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.prefixes import Recognised, recognise

MPICH = "MPICH Version:      4.3.2\nMPICH Release date: Fri Apr 10\nMPICH ABI:          18:1:6\n"
OPEN_MPI = "Open MPI v5.0.10, package: Open MPI brew@host Distribution, ident: 5.0.10, repo rev: v5.0.10, Feb 23, 2026"

#: MPI_Get_library_version as printed at sites, and what it is.
REPORTED = {
    OPEN_MPI: ("openmpi", "5.0.10"),
    "Open MPI v5.0.0rc12, package: Open MPI u@h Distribution, ident: 5.0.0rc12, Unreleased developer copy\0": (
        "openmpi", "5.0.0rc12"),
    # HPC-X 2.20, which is not 4.1.7
    "Open MPI v4.1.7a1, package: Open MPI root@hnode001 Distribution, ident: 4.1.7a1, repo rev: v4.1.5-115-g41ba51": (
        "openmpi", "4.1.7a1"),
    MPICH: ("mpich", "4.3.2"),
    "MPICH Version:\t3.4.2\nMPICH Release date:\tWed May 26\nMPICH Device:\tch3:nemesis\n": ("mpich", "3.4.2"),
    "MPICH Version:      4.0\n": ("mpich", "4.0"),
    "MPICH Version:      5.0.0rc1\n": ("mpich", "5.0.0rc1"),
    "MVAPICH2 Version      :\t2.3.6\nMVAPICH2 Release date :\tMon March 29\n": ("mvapich", "2.3.6"),
    "MVAPICH Version:      3.0\nMVAPICH Release date: x\n": ("mvapich", "3.0"),
    "Intel(R) MPI Library 2021.6 for Linux* OS\n": ("intel-mpi", "2021.6"),
    "Intel(R) MPI Library 2021.18.1 for Linux* OS\n": ("intel-mpi", "2021.18.1"),
    "Intel(R) MPI Library 2019 Update 4 for Linux* OS\n": ("intel-mpi", "2019 Update 4"),
    "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\nMPI BUILD INFO : Sun\n": (
        "cray-mpich", "8.1.25.17"),
    "MPI VERSION    : CRAY MPICH version 9.0.1.498 (ANL base 4.1.2)\n": ("cray-mpich", "9.0.1.498"),
}  # fmt: skip

#: The same of libraries that no family describes.
UNDESCRIBED = {
    f"=== ParaStation MPI 5.14.0 ===\n5.14.0-1\n{MPICH}": "is ParaStation MPI, which no family",
    "Open MPI v3.1.0, package: IBM Spectrum MPI, ident: 10.03.01.00rtm0, repo rev: IBM_SPECTRUM_MPI_10.03.01.00": (
        "is IBM Spectrum MPI, which no family"),
    "FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)\0": "is Fujitsu MPI, which no family",
    "HPE MPT 2.23  08/26/20 02:54:49-root": "is HPE MPT, which no family",
    "HPE HMPT 2.23  08/26/20 02:59:48-root": "is HPE HMPT, which no family",
    f"mpi_abi_wrapper 1.2.0 (MPI 5.0 standard ABI)\nwrapping:\n{OPEN_MPI}": "is a wrapper of the MPI ABI, which no",
    f"MPIwrapper Version:\t2.2.2\n{MPICH}": "is a wrapper of the MPI ABI, which no family",
    "Some MPI 1.2\nbuilt today": "is an unknown MPI library, 'Some MPI 1.2'; add a family",
    "": "is an unknown MPI library",
}  # fmt: skip

MAIN = """
#include <mpi.h>
#include <stdio.h>
int main(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    printf("mpi-library: %s\\n", text);
    return 0;
}
"""


@pytest.mark.parametrize("text", REPORTED)
def test_a_library_is_what_it_reports(text: str) -> None:
    assert recognise(text) == Recognised(*REPORTED[text])


@pytest.mark.parametrize("text", UNDESCRIBED)
def test_a_derived_library_is_not_the_one_that_it_was_derived_from(text: str) -> None:
    with pytest.raises(FileError, match=f"^{UNDESCRIBED[text]}"):
        recognise(text)


def test_another_version_than_a_release_is_not_the_release() -> None:
    declared = load_declaration("openmpi@4.1.7")
    assert declared.accepts("4.1.7") and not declared.accepts("4.1.7a1")


def make_prefix(folder: Path, text: str = MPICH) -> Path:
    """A folder with a library that reports `text`, and programs by the names of a compiler and a launcher."""
    for name in ("bin", "lib64"):
        (folder / name).mkdir(parents=True)
    for name in ("mpicc", "mpiexec"):
        (folder / "bin" / name).write_text("#!/bin/sh\n")
        (folder / "bin" / name).chmod(0o755)
    write_library(folder / "lib64" / "libmpi.so.12", text)
    (folder / "lib64" / "libmpi.so").write_text("INPUT(libmpi.so.12)\n")
    return folder


def write_library(file: Path, text: str, *flags: str) -> None:
    """A library that reports `text`; the rest of MPI is in those that the flags name, if any."""
    literal = text.replace("\n", "\\n")
    code = f"""int MPI_Get_library_version(char *text, int *length)
    {{ *length = __builtin_sprintf(text, "{literal}"); return 0; }}"""
    words = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", str(file), *flags]
    subprocess.run(words, input=code, text=True, check=True)


@pytest.mark.process
def test_a_prefix_is_declared_by_its_library(tmp_path: Path) -> None:
    prefix = make_prefix(tmp_path / "mpich")
    declared = load_declaration(f"prefix:{prefix}")
    assert (declared.family, declared.version, declared.library_file) == ("mpich", "4.3.2", "libmpi.so")
    assert declared.description == f"MPICH 4.3.2 in {prefix}"
    toolchain = installed.resolve(declared)
    assert toolchain.cc == str(prefix / "bin" / "mpicc")
    assert toolchain.launcher.argv[0] == str(prefix / "bin" / "mpiexec")
    assert toolchain.provenance["library"] == str(prefix / "lib64" / "libmpi.so.12")
    installed.check_launchers([declared])
    (prefix / "bin" / "mpiexec").unlink()
    with pytest.raises(FileError, match=r"mpich has no bin/mpiexec, with which MPICH starts processes; give"):
        installed.check_launchers([declared])


@pytest.mark.process
def test_a_prefix_that_cannot_be_measured_is_one_sentence(tmp_path: Path) -> None:
    def refused(name: str, message: str) -> None:
        problem = installed.problem(f"prefix:{tmp_path / name}")
        assert problem.startswith(str(tmp_path / name)) and message in problem and "\n" not in problem

    refused("missing", "is not a folder; give the one with bin/ and lib/")
    (make_prefix(tmp_path / "wrapperless") / "bin" / "mpicc").unlink()
    refused("wrapperless", "has no bin/mpicc; give the folder of a complete MPI library")
    (make_prefix(tmp_path / "static") / "lib64" / "libmpi.so.12").unlink()
    refused("static", "has no lib/libmpi.so; give the folder of an MPI library with shared libraries")
    (make_prefix(tmp_path / "cut") / "lib64" / "libmpi.so.12").write_bytes(b"\x7fELF and no more")
    refused("cut", "lib64/libmpi.so.12 cannot be loaded: ")
    make_prefix(tmp_path / "para", next(iter(UNDESCRIBED)))
    refused("para", "lib64/libmpi.so.12 is ParaStation MPI, which no family")


@pytest.mark.mpi
def test_a_wrapper_of_another_library_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its `mpicc` is one of another MPICH, so the program would run, with that library."""
    own, other = (load_installed(name) for name in ("mpich-4.3", "mpich-5.0"))
    prefix = tmp_path / "mixed"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").symlink_to(own / "lib")
    (prefix / "bin" / "mpiexec").symlink_to(own / "bin" / "mpiexec")
    (tmp_path / "main.c").write_text(MAIN)
    for home, refused in ((own, False), (other, True)):
        (prefix / "bin" / "mpicc").unlink(missing_ok=True)
        (prefix / "bin" / "mpicc").symlink_to(home / "bin" / "mpicc")
        toolchain = installed.resolve(load_declaration(f"prefix:{prefix}"))
        assert toolchain.declaration.version.startswith("4.3.")
        subprocess.run([str(home / "bin" / "mpicc"), "-o", "engine", "main.c"], cwd=tmp_path, check=True)
        if refused:
            with pytest.raises(FileError, match=rf"below {prefix}, but the engine loads libmpi\.so\.12 from .*mpich-5"):
                inspect_engine(tmp_path / "engine", toolchain)
        else:
            assert inspect_engine(tmp_path / "engine", toolchain).mpi_version == toolchain.declaration.version


def load_installed(stack: str) -> Path:
    """The folder of a stack of wheels."""
    return Path(wheels.resolve(load_declaration(stack)).prefix)
