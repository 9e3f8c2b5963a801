# SPDX-License-Identifier: BSD-3-Clause
"""Environment modules as stacks: the environment that they make, and the proof that the right one was loaded.

With Lmod and Environment Modules themselves where they are installed (Debian's packages).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.reframe_checks.stack.inspection import linked
from isochron.spack_envs import installed, modules
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.prefixes import Recognised
from isochron.spack_envs.toolchain import all_stray_variables, applied
from tests.spack_envs.test_prefixes import MPICH, make_prefix

CRAY = "MPI VERSION    : CRAY MPICH version 8.1.30.17 (ANL base 3.4a2)\nMPI BUILD INFO : Sun\n"

pytestmark = pytest.mark.process

FAKE = Path(__file__).with_name("fake_modules.py")
#: Where `scripts/install-system-packages.sh` unpacks the one whose package excludes Lmod's.
UNPACKED = [str(path) for path in Path("/usr/local/lib/environment-modules").glob("usr/lib/*/modulecmd.tcl")]
REAL = {
    "lmod": os.environ.get("LMOD_CMD", "/usr/share/lmod/lmod/libexec/lmod"),
    "modules": os.environ.get("MODULES_CMD", next(iter(UNPACKED), "/usr/lib/x86_64-linux-gnu/modulecmd.tcl")),
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
        ("tools/1.0 mpich/4.9", "module mpich/4.9 does not exist, did you mean 'mpich/4."),
        ("tools mpich/4.3", " loaded tools/1.0 instead; name that, or correct the module"),
        ("openmpi/*", "module openmpi/*: there is none; `module avail` lists"),
        ("mpich/6.*", "module mpich/6.*: there is none; there are mpich/4.3, mpich/4.4, "),
    ],
)
def test_another_module_than_asked_for_is_one_sentence(site: Path, module: str, message: str) -> None:
    problem = installed.problem(f"module:{module}")
    assert message in problem and "\n" not in problem
    with pytest.raises(FileError):
        load_declaration(f"module:{module}")


def test_several_modules_are_loaded_in_order(site: Path) -> None:
    """The one that is loaded last has its folders first; what the others bring belongs to the stack too."""
    (site / "none" / "lib64").mkdir(parents=True)
    toolchain = installed.resolve(load_declaration("module:tools/1.0 mpich/4.3"))
    assert toolchain.provenance["modules"] == "tools/1.0:mpich/4.3"
    folders = applied(toolchain.environment, {"PATH": "/job/bin"})["PATH"]
    assert folders == f"{site}/4.3/bin:{site}/none/bin:/job/bin"


def test_a_star_is_the_newest_version(site: Path) -> None:
    assert load_declaration("module:mpich/5.*").version == "5.0.2"
    write(site / "modules" / "mpich" / "5.0-GCC-13", site / "5.0")
    write(site / "modules" / "mpich" / "default", site / "5.0")
    assert modules.load("mpich/*").loaded == ["mpich/5.0-GCC-13"]
    assert modules.load("tools/* mpich/5.*").loaded == ["tools/1.0", "mpich/5.0-GCC-13"]


def test_versions_are_in_the_order_of_their_release() -> None:
    names = ["4.9", "4.10a1", "4.10", "5.0.0rc12", "5.0.0", "5.0.8-GCC-12.3.0", "5.0.8-GCC-13.2.0"]
    modules_of_them = [f"OpenMPI/{name}" for name in names]
    assert sorted(sorted(modules_of_them), key=modules._order) == modules_of_them


def test_on_a_cray_the_wrapper_of_the_machine_compiles(site: Path) -> None:
    """As PrgEnv-gnu, craype and cray-mpich do: `cc` of one module, the folder and no `mpicc` of another."""
    home, wrapper = make_prefix(site / "ofi/gnu/12.3", CRAY), site / "craype" / "bin" / "cc"
    (home / "lib64").rename(home / "lib")
    (home / "lib" / "libmpi.so").unlink()
    (home / "lib" / "libmpi.so.12").rename(home / "lib" / "libmpi_gnu_123.so.12")
    (home / "lib" / "libmpi_gnu_123.so").symlink_to("libmpi_gnu_123.so.12")
    for name in ("mpicc", "mpiexec"):
        (home / "bin" / name).unlink()
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text('#!/bin/sh\nexec gcc "$@" -L"${CRAY_MPICH_DIR:?}/lib" -lmpi_gnu_123\n')
    wrapper.chmod(0o755)
    for name, line in (
        ("PrgEnv-gnu/8.5.0", f"prepend-path PATH {wrapper.parent}"),
        ("cray-mpich/8.1.30", f"setenv CRAY_MPICH_DIR {home}"),
        ("cray-mpich/8.1.28", f"setenv CRAY_MPICH_DIR {home}"),
    ):
        (site / "modules" / name).parent.mkdir(exist_ok=True)
        (site / "modules" / name).write_text(f"#%Module1.0\n{line}\n")
    toolchain = installed.resolve(load_declaration("module:PrgEnv-gnu/8.5.0 cray-mpich/8.1.30"))
    declared = toolchain.declaration
    assert (declared.family, declared.version, declared.library_file) == (
        "cray-mpich", "8.1.30.17", "libmpi_gnu_123.so")  # fmt: skip
    assert (toolchain.cc, toolchain.prefix, toolchain.launcher.argv[0]) == (str(wrapper), str(home), "srun")
    there = applied(toolchain.environment, os.environ)
    assert there["LD_LIBRARY_PATH"].split(":")[0] == f"{home}/lib"
    (site / "main.c").write_text("int MPI_Get_library_version(char *, int *);\n"
        "int main(void) { char text[99]; int length; return MPI_Get_library_version(text, &length); }\n")  # fmt: skip
    subprocess.run([toolchain.cc, "-o", "engine", "main.c"], cwd=site, env=there, check=True)
    assert linked(site / "engine", toolchain) == [f"{home}/lib/libmpi_gnu_123.so.12"]
    alone = installed.problem("module:cray-mpich/8.1.30")
    assert (
        "brings no mpicc; name a module of an MPI library, and before it those that it needs, as in module:Prg" in alone
    )
    other = installed.problem("module:PrgEnv-gnu/8.5.0 cray-mpich/8.1.28")
    assert "cray-mpich/8.1.28 brings Cray MPICH 8.1.30.17" in other


@pytest.mark.skipif(not os.access(REAL["lmod"], os.X_OK), reason="Lmod is not installed (Debian: lmod)")
def test_a_module_of_a_hierarchy_is_named_with_those_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of a compiler open folders with modules of libraries, and of two libraries only one stays loaded."""
    core, below = tmp_path / "core", tmp_path / "gcc-12.2"
    for version in ("4.3", "5.0"):
        make_prefix(tmp_path / version, MPICH.replace("4.3.2", f"{version}.2"))
    for path, lines in {
        core / "gcc/12.2.lua": [f'prepend_path("MODULEPATH", "{below}")'],
        core / "mpich/4.3.lua": ['family("mpi")', f'prepend_path("PATH", "{tmp_path}/4.3/bin")'],
        below / "mpich/5.0.lua": ['family("mpi")', f'prepend_path("PATH", "{tmp_path}/5.0/bin")'],
        core / "impi/5.0.lua": ['family("mpi")', f'prepend_path("PATH", "{tmp_path}/5.0/bin")'],
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*lines, ""]))
    for name in [*os.environ]:
        if "LMOD" in name or name in ("LOADEDMODULES", "_LMFILES_", "MODULES_CMD") or "ModuleTable" in name:
            monkeypatch.delenv(name)
    monkeypatch.setenv("LMOD_CMD", REAL["lmod"])
    monkeypatch.setenv("MODULEPATH", str(core))
    installed.look.cache_clear()
    toolchain = installed.resolve(load_declaration("module:gcc/12.2 mpich/5.0"))
    assert (toolchain.prefix, toolchain.provenance["modules"]) == (f"{tmp_path}/5.0", "gcc/12.2:mpich/5.0")
    assert modules.load("gcc/* mpich/*").loaded == ["gcc/12.2", "mpich/5.0"]
    assert modules.hidden() == ["gcc/12.2 mpich/5.0"]
    assert installed.problem("module:mpich/5.0") == (
        "module mpich/5.0 can be loaded after others only: name them, as in module:gcc/12.2 mpich/5.0")  # fmt: skip
    assert installed.problem("module:impi/5.0 mpich/4.3") == (
        "module impi/5.0 is unloaded by mpich/4.3; name only one of them")  # fmt: skip


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
