# SPDX-License-Identifier: BSD-3-Clause
"""The ABI of MPI 5 as a variant of a stack: which stacks can have it, and what changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.common.files import FileError
from isochron.schemas.run.manifest import Environment, Launcher, Toolchain
from isochron.spack_envs.abi import with_abi
from isochron.spack_envs.declarations import load_declaration
from tests.workflows.conftest import campaign


def stack_in(prefix: Path, source: str = "wheels", *, files: tuple[str, ...] = ()) -> Toolchain:
    """A stack in a folder with these files."""
    for name in files:
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).touch()
    return Toolchain(
        declaration=load_declaration("mpich-5.0"), stack_source=source, prefix=str(prefix),  # type: ignore[arg-type]
        cc=str(prefix / "bin" / "mpicc"), launcher=Launcher(argv=["mpiexec"]),
        environment=Environment(prepend={"LD_LIBRARY_PATH": ["/a"], "PATH": ["/b"]}), provenance={},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("header", "library"),
    [("include", "lib"), ("include", "lib64"), ("include/standard_abi", "lib/standard_abi")],
)
def test_abi_is_compiled_without_the_wrapper_and_loaded_from_the_folder(
    header: str, library: str, tmp_path: Path
) -> None:
    files = (f"{header}/mpi_abi.h", f"{library}/libmpi_abi.so.1")
    stack = with_abi(stack_in(tmp_path, files=files))
    assert (stack.compiler, stack.cc) == ("cc", str(tmp_path / "bin" / "mpicc"))
    assert stack.make_variables == {"ABI_INCLUDE": str(tmp_path / header), "ABI_LIBRARY": str(tmp_path / files[1])}
    assert stack.declaration.library_file == "libmpi_abi.so"
    assert stack.environment.prepend == {"LD_LIBRARY_PATH": [str(tmp_path / library), "/a"], "PATH": ["/b"]}


def test_abi_changes_nothing_of_a_stack_without_it(tmp_path: Path) -> None:
    stack = stack_in(tmp_path)
    assert (stack.compiler, stack.make_variables) == (stack.cc, {})


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        (("lib/libmpi.so.12",), "mpi_abi.h and libmpi_abi.so.1"),
        (("include/mpi_abi.h",), "libmpi_abi.so.1"),
        (("lib/libmpi_abi.so.1",), "mpi_abi.h"),
    ],
)
def test_abi_of_a_library_without_it_is_refused(files: tuple[str, ...], missing: str, tmp_path: Path) -> None:
    message = f"stack mpich-5.0: abi: MPICH in .* has no {missing}; name a library with the ABI of MPI 5"
    with pytest.raises(FileError, match=message):
        with_abi(stack_in(tmp_path, files=files))


@pytest.mark.parametrize("source", ["spack", "simulated"])
def test_abi_of_other_sources_is_refused(source: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="only wheels, installed libraries and modules of this machine can have it"):
        with_abi(stack_in(tmp_path, source, files=("include/mpi_abi.h", "lib/libmpi_abi.so.1")))


def test_abi_beside_third_party_benchmarks_is_refused() -> None:
    keys: dict[str, Any] = {"stacks": ["mpich-5.0", "abi"], "variants": {"abi": {"stack": "mpich-5.0", "abi": True}}}
    assert campaign(**keys).variants["abi"].abi
    with pytest.raises(ValidationError, match=r"variants\.abi\.abi: the engine alone is built for the ABI of MPI 5"):
        campaign(**keys, tools=["imb"])
