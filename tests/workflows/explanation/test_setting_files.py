# SPDX-License-Identifier: BSD-3-Clause
"""Files that set a library: a shell and Tcl load back what was written."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from isochron.spack_envs.families import load_family
from isochron.workflows.explanation.setting_files import loaded_by_a_shell, setting_of, write_files

VARIABLES = {"X_PLAIN": "16384", "X_LIST": "sm,self;^tcp", "X_ODD": "a \"b\" $HOME [exit] \\ 'c'"}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return write_files(tmp_path / "settings", VARIABLES, load_family("mpich"))


@pytest.mark.process
def test_a_shell_loads_what_was_written(files: dict[str, Path]) -> None:
    assert loaded_by_a_shell(files["shell"]) == VARIABLES


@pytest.mark.process
@pytest.mark.parametrize(
    ("kind", "program", "defined"),
    [
        ("tcl", "tclsh", 'proc setenv {name value} {puts -nonewline "$name=$value\\0"}\n'),
        ("lua", "lua", 'function setenv(name, value) io.write(name, "=", value, "\\0") end\n'),
    ],
)
def test_a_module_sets_what_was_written(kind: str, program: str, defined: str, files: dict[str, Path]) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    script = files[kind].with_suffix(".script")
    script.write_text(defined + files[kind].read_text())
    done = subprocess.run([program, str(script)], capture_output=True, text=True, check=True)
    assert dict(entry.split("=", 1) for entry in done.stdout.split("\0") if entry) == VARIABLES


def test_open_mpi_has_a_file_of_parameters(tmp_path: Path) -> None:
    family = load_family("openmpi")
    files = write_files(tmp_path, {"OMPI_MCA_coll_tuned_priority": "17"}, family)
    assert files["parameters"].name == "openmpi-mca-params.conf"
    assert files["parameters"].read_text() == "coll_tuned_priority = 17\n"
    assert setting_of("OMPI_MCA_btl_vader_eager_limit", family) == "btl_vader_eager_limit"
    assert setting_of("MPIR_CVAR_X", load_family("mpich")) == "MPIR_CVAR_X"
