# SPDX-License-Identifier: BSD-3-Clause
"""Environment modules as stacks: the environment that they make, and the proof that the right one was loaded.

With Lmod and Environment Modules themselves where they are installed (Debian's packages).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.spack_envs import installed, modules
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.prefixes import Recognised
from isochron.spack_envs.toolchain import all_stray_variables, applied
from tests.spack_envs.test_prefixes import MPICH, make_prefix

pytestmark = pytest.mark.process

FAKE = Path(__file__).with_name("fake_modules.py")
REAL = {
    "lmod": os.environ.get("LMOD_CMD", "/usr/share/lmod/lmod/libexec/lmod"),
    "modules": os.environ.get("MODULES_CMD", "/usr/lib/x86_64-linux-gnu/modulecmd.tcl"),
}
#: The real ones where they are installed, else what acts as they do.
SYSTEMS = [name if os.access(path, os.X_OK) else f"fake {name}" for name, path in REAL.items()]


@pytest.fixture(params=SYSTEMS)
def site(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two versions of MPICH and a module of each, a false one, one without MPI, and an alias."""
    kind, root = request.param.split()[-1], tmp_path / "modules"
    for name in (
        "LMOD_CMD",
        "MODULES_CMD",
        "LOADEDMODULES",
        "_LMFILES_",
        "MPICH_DIR",
        "LD_LIBRARY_PATH",
        "FI_PROVIDER",
    ):
        monkeypatch.delenv(name, raising=False)
    program = REAL[kind]
    if request.param != kind:
        launcher = tmp_path / "modulecmd"
        launcher.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
        launcher.chmod(0o755)
        program = str(launcher)
        monkeypatch.setenv("FAKE_MODULES", kind)
    monkeypatch.setenv("LMOD_CMD" if kind == "lmod" else "MODULES_CMD", program)
    monkeypatch.setenv("MODULEPATH", str(root))
    for version in ("4.3", "5.0"):
        make_prefix(tmp_path / version, MPICH.replace("4.3.2", f"{version}.2"))
        write(root / "mpich" / version, tmp_path / version)
    write(root / "mpich" / "4.4", tmp_path / "4.3")
    write(root / "tools" / "1.0", tmp_path / "none")
    (root / "mpich" / ".modulerc").write_text("#%Module1.0\nmodule-alias mpich/4.5 mpich/5.0\n")
    installed.look.cache_clear()
    return tmp_path


def write(path: Path, prefix: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        f"setenv MPICH_DIR {prefix}",
        f"prepend-path PATH {prefix}/bin",
        f"prepend-path LD_LIBRARY_PATH {prefix}/lib64",
    ]
    path.write_text("\n".join(["#%Module1.0", *lines, "setenv FI_PROVIDER tcp", ""]))


def test_what_a_module_sets_is_the_environment_of_the_stack(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FI_PROVIDER", "stray")
    declared = load_declaration("module:mpich/4.3")
    toolchain = installed.resolve(declared)
    home = site / "4.3"
    assert (declared.family, declared.version) == ("mpich", "4.3.2")
    assert (toolchain.cc, toolchain.stack_source) == (f"{home}/bin/mpicc", "module")
    assert toolchain.provenance["modules"] == "mpich/4.3"
    assert set(all_stray_variables()) <= set(toolchain.environment.unset)
    launched = applied(toolchain.environment, {**os.environ, "LD_LIBRARY_PATH": "/another/mpi", "PATH": "/job/bin"})
    assert (launched["MPICH_DIR"], launched["FI_PROVIDER"]) == (str(home), "tcp")
    assert (
        launched["LD_LIBRARY_PATH"].split(":")[0] == f"{home}/lib64" and "/another" not in launched["LD_LIBRARY_PATH"]
    )
    assert launched["PATH"] == f"{home}/bin:/job/bin"
    assert not [name for name in toolchain.environment.set if modules.BOOKKEEPING.match(name)]


def test_a_module_that_is_loaded_in_the_shell_is_purged(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the stack would begin with the folders of another version."""
    loaded = modules._call(["bash", "-c", f'eval "$({modules.command()} bash load mpich/5.0)"; env -0'], os.environ)
    for name, value in modules._variables(loaded.stdout).items():
        monkeypatch.setenv(name, value)
    assert os.environ["MPICH_DIR"] == f"{site}/5.0"
    launched = applied(installed.resolve(load_declaration("module:mpich/4.3")).environment, os.environ)
    assert launched["MPICH_DIR"] == f"{site}/4.3"
    assert f"{site}/5.0" not in launched["PATH"] + launched["LD_LIBRARY_PATH"]
    assert launched["PATH"].startswith(f"{site}/4.3/bin:")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("mpich/4.9", "module mpich/4.9 does not exist, did you mean 'mpich/4."),
        ("mpich/4.9", "; there are mpich/4.3, mpich/4.4, "),
        ("solver/9", "module solver/9 does not exist; `module avail` lists"),
        ("tools/1.0", "module tools/1.0: brings no mpicc; name a module of an MPI library"),
        ("mpich/4.4", "module mpich/4.4: mpich/4.4 brings MPICH 4.3.2; name the module of the version that is meant"),
        ("mpich/4.5", " loaded mpich/5.0 instead; name that, or correct the module"),
    ],
)
def test_another_module_than_asked_for_is_one_sentence(site: Path, module: str, message: str) -> None:
    problem = installed.problem(f"module:{module}")
    assert message in problem and "\n" not in problem
    with pytest.raises(FileError):
        load_declaration(f"module:{module}")


def test_without_a_module_system(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LMOD_CMD", "MODULES_CMD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    installed.look.cache_clear()
    assert "neither Lmod nor Environment Modules was found" in installed.problem("module:mpich/4.3")
    assert modules.available() == []


@pytest.mark.parametrize(
    ("loaded", "library", "right"),
    [
        ("impi/2021.13.0-intel-compilers-2024.2.0", ("intel-mpi", "2021.13"), True),
        ("mpi/2021.14", ("intel-mpi", "2021.14"), True),
        ("OpenMPI/4.1.6-GCC-13.2.0", ("openmpi", "4.1.6"), True),
        ("OpenMPI/4.1.6-GCC-13.2.0", ("openmpi", "4.1.7a1"), False),
        ("openmpi/4.1.7", ("openmpi", "4.1.7a1"), False),
        ("openmpi/5.0.8", ("mpich", "5.0.8"), False),
        ("mpi/openmpi/5.0", ("openmpi", "5.0.8"), True),
        ("cray-mpich/8.1.30", ("cray-mpich", "8.1.30.17"), True),
        ("cray-mpich/8.1.30", ("cray-mpich", "8.1.28.29"), False),
        ("mvapich2/2.3.7", ("mvapich", "2.3.7"), True),
        ("foss/2023b", ("openmpi", "4.1.6"), True),  # says nothing about the library
        ("hpcx/2.20", ("openmpi", "4.1.7a1"), True),
        ("mpi/mpich-x86_64", ("mpich", "4.1.2"), True),
    ],
)
def test_the_library_is_of_the_version_that_its_module_promises(
    loaded: str, library: tuple[str, str], right: bool
) -> None:
    def check() -> None:
        modules.check_promise("asked/1", ["GCC/13.2.0", loaded], Recognised(*library))

    if right:
        return check()
    with pytest.raises(FileError, match=f"module asked/1: {loaded} brings "):
        check()
    return None
