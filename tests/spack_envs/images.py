# SPDX-License-Identifier: BSD-3-Clause
"""Imitations of container runtimes, and of images: folders whose programs they put before those of the machine."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from isochron.spack_envs import containers
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.wheels import resolve
from tests.spack_envs.test_prefixes import MPICH

RUNTIMES = Path(__file__).parent / "runtimes"

#: The compiler of an image whose library reports a text.
MPICC = """#!/bin/sh
exec gcc -I"$IMAGE/include" "$@" -L"$IMAGE/lib" -Wl,-rpath,"$IMAGE/lib" -lmpi
"""
HEADER = """
enum { MPI_SUCCESS, MPI_MAX_LIBRARY_VERSION_STRING = 8192 };
int MPI_Get_library_version(char *text, int *length);
"""


def with_runtime(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an imitated runtime into a folder that is first on PATH, and return the folder."""
    programs = folder / "runtimes"
    programs.mkdir(exist_ok=True)
    program = programs / name
    program.write_bytes((RUNTIMES / name).read_bytes())
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("USER", "somebody")
    containers.look.cache_clear()
    return programs


def make_image(folder: Path, text: str = MPICH) -> Path:
    """An image with a compiler whose library reports a text, and a launcher."""
    for name in ("bin", "lib", "include"):
        (folder / name).mkdir(parents=True)
    for name, script in (("mpicc", MPICC), ("mpiexec", "#!/bin/sh\n")):
        (folder / "bin" / name).write_text(script)
        (folder / "bin" / name).chmod(0o755)
    (folder / "include" / "mpi.h").write_text(HEADER)
    literal = text.replace("\n", "\\n")
    (folder / "mpi.c").write_text(f"""int MPI_Get_library_version(char *text, int *length)
    {{ *length = __builtin_sprintf(text, "{literal}"); return 0; }}""")
    words = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "-o", "lib/libmpi.so.12", "mpi.c"]
    subprocess.run(words, cwd=folder, check=True)
    (folder / "lib" / "libmpi.so").symlink_to("libmpi.so.12")
    return folder


#: What an image needs of the machine so that engines are compiled and run in it.
PROGRAMS = ["as", "awk", "bash", "basename", "cat", "cc", "dirname", "env", "expr", "grep", "ld", "ldd", "readlink"]
PROGRAMS += ["sed", "sha256sum", "sh", "tr", "uname"]
HEADERS = ["arpa", "asm", "asm-generic", "bits", "gnu", "linux", "net", "netinet", "sys"]
CRT = [
    "crt1.o",
    "Scrt1.o",
    "crti.o",
    "crtn.o",
    "libc.so",
    "libc_nonshared.a",
    "libgcc_s.so.1",
    "libm.so",
    "libpthread.a",
    "librt.a",
]
COMPILER = ["cc1", "collect2", "crt*.o", "libgcc*", "include", "liblto_plugin.so"]


def real_image(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An image for `ch-run --set-env`, with an `mpicc`; skips the test where there is no `ch-run` that may enter it.

    It is made of this machine's compiler and of the wheel of mpich-5.0, or is a copy of the folder ISOCHRON_TEST_IMAGE,
    such as a Debian of debootstrap with gcc and that library.
    """
    if shutil.which("ch-run") is None:
        pytest.skip("ch-run is not here (Debian: charliecloud)")
    monkeypatch.setenv("USER", getpass.getuser())
    if "ISOCHRON_TEST_IMAGE" in os.environ:
        shutil.copytree(os.environ["ISOCHRON_TEST_IMAGE"], folder, symlinks=True)
    else:
        make_real_image(folder, Path(resolve(load_declaration("mpich-5.0")).prefix))
    done = subprocess.run(["ch-run", folder, "--", "sh", "-c", ":"], capture_output=True, text=True, check=False)
    if "namespace" in done.stderr:
        pytest.skip(f"ch-run may not enter images here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return folder


def make_real_image(folder: Path, prefix: Path) -> Path:
    """An image for a real runtime: a C compiler of this machine, the programs around it, and a library in /opt/mpi.

    /ch/environment, which `ch-run --set-env` reads, has the library first on PATH.
    """
    folder.mkdir()
    for path in Path("/").iterdir():
        if path.is_symlink() and path.name.startswith(("bin", "lib", "sbin")):
            (folder / path.name).symlink_to(path.readlink())
    for name in ("ch", "dev", "etc", "home", "opt", "proc", "sys", "tmp", "usr"):
        (folder / name).mkdir()
    for name in ("passwd", "group", "hosts", "resolv.conf"):
        (folder / "etc" / name).touch()
    (folder / "ch" / "environment").write_text("PATH=/opt/mpi/bin:/usr/bin:/bin\n")
    shutil.copytree(prefix, folder / "opt" / "mpi", symlinks=True)
    programs = [Path(shutil.which(name) or pytest.skip(f"{name} is not here")) for name in PROGRAMS]
    inner = Path(_asked("-print-prog-name=cc1")).parent
    objects = [Path(_asked(f"-print-file-name={name}")) for name in CRT]
    include = [Path("/usr/include"), Path("/usr/include", _asked("-print-multiarch"))]
    wanted = [
        *programs,
        *(path for path in objects if path.is_absolute()),
        *(path for pattern in COMPILER for path in inner.glob(pattern)),
        *(parent / name for parent in include for name in HEADERS),
        *include[0].glob("*.h"),
    ]
    for path in wanted:
        _put(folder, path)
    binaries = [
        *programs,
        inner / "cc1",
        inner / "collect2",
        *folder.glob("opt/mpi/lib/*.so*"),
        *folder.glob("opt/mpi/bin/*"),
    ]
    scripts = [path.read_text().split() for path in objects if path.suffix == ".so" and path.stat().st_size < 1000]
    named = {Path(word) for words in scripts for word in words if word.startswith("/") and Path(word).is_file()}
    for path in _loaded(binaries, folder) | named:
        _put(folder, path)
    return folder


def _asked(option: str) -> str:
    return subprocess.run(["gcc", option], capture_output=True, text=True, check=True).stdout.strip()


def _put(image: Path, path: Path) -> None:
    """Copy a file or folder to its own path, through the links in the image that stand for folders."""
    target = Path(f"{image}{path.parent.resolve() / path.name}")
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, target, dirs_exist_ok=True)
    elif path.exists():
        shutil.copy2(path, target)


def _loaded(programs: list[Path], image: Path) -> set[Path]:
    """Return the libraries of the machine that programs load, and the loader."""
    lines = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout.split()
    return {
        Path(word)
        for word in lines
        if word.startswith("/") and not word.endswith(":") and image not in Path(word).parents
    }


def digest_of(image: Path) -> str:
    """Return the digest of an image that is a file or a folder."""
    done = subprocess.run(["bash", str(containers.DIGEST), str(image)], capture_output=True, text=True, check=True)
    return done.stdout.strip()
