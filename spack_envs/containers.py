# SPDX-License-Identifier: BSD-3-Clause
"""MPI libraries in images as stacks, `container:apptainer /images/mpich.sif`: the library says what it is.

The compiler of the image compiles a program that prints MPI_Get_library_version, and the image runs it; that needs all
that an engine needs. The digest of the image is the version of the stack.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from isochron.common.children import captured
from isochron.common.files import FileError, copy_file, read_bytes, read_lines
from isochron.common.resources import shipped
from isochron.schemas.container_runtime import ContainerRuntime, load_runtime
from isochron.schemas.input.spec import InImage, image_of
from isochron.schemas.run.manifest import Container, Environment, StackDeclaration, Toolchain
from isochron.spack_envs.families import load_family
from isochron.spack_envs.prefixes import Recognised, recognise
from isochron.spack_envs.toolchain import all_stray_variables, applied, filled, sanitised

#: Prints the digest of an image that is a file or a folder; the nodes must be able to read it, like the engine.
DIGEST = shipped("spack_envs", "image_digest.sh")
PROBE = shipped("spack_envs", "image_probe.sh")
PROGRAM = shipped("spack_envs", "image_probe.c")

#: Exit codes of the probe, and what they mean.
LACKING_COMPILER, NOT_COMPILED, NOT_RUN = 71, 72, 73

#: Maximum seconds of a call: images may lie on slow file systems, and runtimes unpack some of them.
PATIENCE_S = 600

#: Where the kernel says whether users may make user namespaces: 0, not at all. The second is Debian's.
NAMESPACES = (Path("/proc/sys/user/max_user_namespaces"), Path("/proc/sys/kernel/unprivileged_userns_clone"))

#: Folder that every image shares with the machine, of itself or by the file of its runtime.
SHARED = "/tmp/"

#: Variables of the project that commands in images need: by these a launch is found when it is to be ended.
OWN_VARIABLES = ("ISOCHRON_*",)


class Inside(NamedTuple):
    """The library of an image: its compiler, its launcher if it has one, its file, what it is, the image's digest."""

    cc: Path
    launcher: str
    library: Path
    recognised: Recognised
    digest: str

    @property
    def prefix(self) -> Path:
        """The folder of the library, inside."""
        return self.cc.parents[1]


@cache
def look(stack: str) -> Inside:
    """Return the library of the image that a stack names. Raises FileError."""
    named = _named(stack)
    runtime = load_runtime(named.runtime)
    if shutil.which(runtime.program) is None:
        raise FileError(
            f"{stack}: {runtime.description} was not found: `{runtime.program}` is not on PATH; load its module or "
            "install it, or use another runtime"
        )
    digest = _digest(stack, named, runtime)
    with tempfile.TemporaryDirectory(prefix="isochron-image-", dir=SHARED) as name:
        folder = Path(name)
        copy_file(PROGRAM, folder / "probe.c")
        copy_file(PROBE, folder / "probe.sh")
        words = [*_enter(named, runtime, [name]), "sh", f"{name}/probe.sh", name]
        done = _call(stack, words)
        return _found(stack, runtime, folder, done, digest)


def declaration(stack: str) -> StackDeclaration:
    """Return the declaration of the library in an image: of its family, in its version. Raises FileError."""
    named, inside = _named(stack), look(stack)
    family, version = inside.recognised
    described = load_family(family)
    declared = described.declaration(stack, family, version, f"{described.mpi_library} {version} in {named.image}")
    if load_runtime(named.runtime).starts_ranks:
        return declared
    return declared.model_copy(update={"launcher": declared.launcher.model_copy(update={"pmi": None})})


def check_launcher(stack: str) -> None:
    """Raise FileError if the library of an image lacks the launcher of its family."""
    inside = look(stack)
    if not inside.launcher:
        raise FileError(
            f"stacks: {stack}: {inside.cc.parent} has no mpiexec, with which {_library(inside)} starts processes; name "
            "the image of a complete MPI library, or use a launcher of the site"
        )


def resolve(declared: StackDeclaration, run: Path) -> Toolchain:
    """Return the toolchain of the library in an image, which sees the folder of the run. Raises FileError."""
    stack = declared.stack
    named, inside = _named(stack), look(stack)
    runtime = load_runtime(named.runtime)
    folder = str(run.resolve())
    _check_folder(stack, named, runtime, folder)
    container = Container(
        runtime=named.runtime,
        image=named.image,
        digest=inside.digest,
        enter=_enter(named, runtime, [folder]),
        enter_rank=_enter(named, runtime, [folder], peers=True),
        check=_check_words(named, runtime),
    )
    provenance = {
        "runtime": " ".join([named.runtime, *named.options]),
        "image": named.image,
        "image_digest": inside.digest,
        "library": str(inside.library),
    }
    toolchain = filled(declared, inside.prefix, "container", provenance, inside.cc)
    return toolchain.model_copy(update={"container": container})


def _named(stack: str) -> InImage:
    named = image_of(stack)
    if named is None:
        raise FileError(f"{stack} names no image; write container:RUNTIME IMAGE")
    return named


def _enter(named: InImage, runtime: ContainerRuntime, folders: Sequence[str], *, peers: bool = False) -> list[str]:
    """Return the words before a command that runs inside and sees some folders."""
    return runtime.words(named.image, named.options, folders, [*all_stray_variables(), *OWN_VARIABLES], peers=peers)


def _check_words(named: InImage, runtime: ContainerRuntime) -> list[str]:
    """Return the command that prints the digest of an image."""
    if runtime.digest:
        return [word.replace("{image}", named.image) for word in runtime.digest]
    return ["bash", str(DIGEST), named.image]


def _digest(stack: str, named: InImage, runtime: ContainerRuntime) -> str:
    """Return the digest of an image. Raises FileError if there is no such image."""
    if not runtime.digest and not (named.image.startswith("/") and Path(named.image).exists()):
        problem = "does not exist" if named.image.startswith("/") else "is not an absolute path"
        raise FileError(f"{stack}: {named.image} {problem}; name the file or folder of an image (`{runtime.get}`)")
    done = _call(stack, _check_words(named, runtime))
    if done.returncode != 0 or not done.stdout.strip():
        raise FileError(
            f"{stack}: there is no image {named.image} here ({_last(done.stderr)}); `{runtime.get}` gets one"
        )
    return done.stdout.strip()


def _found(
    stack: str, runtime: ContainerRuntime, folder: Path, done: subprocess.CompletedProcess[str], digest: str
) -> Inside:
    """Return what the probe found inside. Raises FileError."""
    errors = folder / "errors"
    lines = read_lines(errors) if errors.is_file() else []
    message = next((line.strip() for line in lines if "error" in line), _last("\n".join(lines)))
    if done.returncode == LACKING_COMPILER:
        raise FileError(f"{stack}: the image has no mpicc on its PATH; name one with an MPI library and a compiler")
    if done.returncode == NOT_COMPILED:
        raise FileError(f"{stack}: mpicc of the image compiles nothing: {message}; add a C compiler to the image")
    if done.returncode == NOT_RUN:
        raise FileError(f"{stack}: programs of the image's mpicc do not run in it: {message}")
    if done.returncode != 0:
        raise FileError(f"{stack}: {_not_entered(runtime, done)}")
    facts = [line.split(" ") for line in read_lines(folder / "found")]
    cc, launcher = (next((words[1] for words in facts if words[0] == name), "") for name in ("cc", "mpiexec"))
    try:
        recognised = recognise(read_bytes(folder / "version").decode(errors="replace"))
    except FileError as error:
        raise FileError(f"{stack}: its library {error}") from None
    prefix = load_family(recognised.family).library_file
    library = next((words[2] for words in facts if words[0] == "library" and words[1].startswith(prefix)), "")
    if not library:
        raise FileError(
            f"{stack}: programs of the image's mpicc load no {prefix}; build the library with shared libraries"
        )
    return Inside(Path(cc), launcher, Path(library), recognised, digest)


def _not_entered(runtime: ContainerRuntime, done: subprocess.CompletedProcess[str]) -> str:
    """Return why an image cannot be entered."""
    limits = [path for path in NAMESPACES if path.is_file() and read_bytes(path).strip() == b"0"]
    message = _last(done.stderr)
    if runtime.namespaces and limits and os.geteuid() != 0:
        return (
            f"{runtime.description} needs user namespaces, which this machine does not allow ({limits[0]} is 0): "
            f"{message}; ask its administrators, or use another runtime"
        )
    return f"{runtime.program} cannot enter the image: {message}"


def _check_folder(stack: str, named: InImage, runtime: ContainerRuntime, folder: str) -> None:
    """Raise FileError if the folder of a run cannot be seen inside, since the image lacks the place for it."""
    image = Path(named.image)
    if runtime.makes_folders or not image.is_dir() or Path(f"{image}{folder}").is_dir() or folder.startswith(SHARED):
        return
    raise FileError(
        f"{stack}: the image has no folder {folder}, where {runtime.description} would show that of the run; make it "
        f"with `mkdir -p {image}{folder}`, or call isochron in a folder below {SHARED}"
    )


def _call(stack: str, words: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        environment = applied(sanitised(Environment()), os.environ)
        return captured(words, env=environment, timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{stack}: {error}") from error


def _library(inside: Inside) -> str:
    return f"{load_family(inside.recognised.family).mpi_library} {inside.recognised.version}"


def _last(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no message")
