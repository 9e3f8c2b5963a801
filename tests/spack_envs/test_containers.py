# SPDX-License-Identifier: BSD-3-Clause
"""Stacks in images, with imitated runtimes: the library says what it is; what cannot be measured is one sentence."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.reframe_checks.launch.script import job_lines
from isochron.reframe_checks.stack.inspection import inspect_candle
from isochron.schemas.container_runtime import load_runtime, runtimes
from isochron.schemas.input.spec import InImage, image_of
from isochron.schemas.run.block_spec import BlockSpec, LaunchSpec, StackSpec
from isochron.schemas.run.manifest import Environment
from isochron.spack_envs import containers, installed
from isochron.spack_envs.declarations import load_declaration
from tests.sites.launching import command, launch
from tests.spack_envs.images import digest_of, make_image, with_runtime
from tests.spack_envs.test_prefixes import OPEN_MPI

pytestmark = pytest.mark.process


def problem(stack: str) -> str:
    """Return why a stack cannot be measured, of which nothing is known from before."""
    containers.look.cache_clear()
    text = installed.problem(stack)
    assert "\n" not in text
    return text


def test_an_image_is_declared_by_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_runtime(tmp_path, "ch-run", monkeypatch)
    image = make_image(tmp_path / "image")
    stack = f"container:charliecloud --set-env {image}"
    declared = load_declaration(stack)
    assert (declared.family, declared.version) == ("mpich", "4.3.2")
    assert declared.description == f"MPICH 4.3.2 in {image}"
    run = image / "run"
    run.mkdir()
    containers.look.cache_clear()
    toolchain = containers.resolve(declared, tmp_path / "run")
    assert toolchain.container is not None and (toolchain.prefix, toolchain.cc) == (str(image), f"{image}/bin/mpicc")
    assert toolchain.inside == [
        "ch-run",
        "--bind=/tmp:/tmp",
        f"--bind={tmp_path}/run:{tmp_path}/run",
        "--set-env",
        str(image),
        "--",
    ]
    assert toolchain.launcher.argv[0] == f"{image}/bin/mpiexec"
    assert toolchain.provenance == {
        "runtime": "charliecloud --set-env",
        "image": str(image),
        "image_digest": digest_of(image),
        "library": f"{image}/lib/libmpi.so.12",
    }
    installed.check_launchers([declared])
    (image / "bin" / "mpiexec").unlink()
    containers.look.cache_clear()
    with pytest.raises(FileError, match=r"image/bin has no mpiexec, with which MPICH 4\.3\.2 starts processes; name"):
        installed.check_launchers([declared])


def test_the_runtime_says_the_digest_of_an_image_that_it_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its launches are started inside, since podman closes the files by which a launcher outside reaches its ranks."""
    images = with_runtime(tmp_path, "podman", monkeypatch) / "images"
    (make_image(images / "openmpi_5", OPEN_MPI) / "digest").write_text("sha256:0123\n")
    assert problem("container:podman openmpi:5") == ""
    declared = load_declaration("container:podman openmpi:5")
    toolchain = containers.resolve(declared, tmp_path)
    assert toolchain.container is not None and toolchain.container.digest == "sha256:0123"
    assert declared.launcher.pmi is None
    assert "--env=OMPI_*" in toolchain.inside and f"--volume={tmp_path}:{tmp_path}" in toolchain.inside
    assert toolchain.inside[-1] == "PRTE_MCA_hwloc_default_binding_policy=core"
    assert problem("container:podman openmpi:4") == (
        "container:podman openmpi:4: there is no image openmpi:4 here (Error: inspecting object: openmpi:4: image not "
        "known); `podman pull IMAGE` gets one"
    )


def test_an_image_that_cannot_be_measured_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = make_image(tmp_path / "image")
    stack = f"container:charliecloud {image}"
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert "unknown container runtime 'podmann', did you mean 'podman'" in problem("container:podmann mpich:4.2")
    monkeypatch.setattr(containers.shutil, "which", lambda _: None)
    assert "Charliecloud was not found: `ch-run` is not on PATH; load its module or install it" in problem(stack)
    monkeypatch.undo()
    programs = with_runtime(tmp_path, "ch-run", monkeypatch)
    assert "/no/such does not exist; name the file or folder of an image" in problem("container:charliecloud /no/such")
    assert "mpich is not an absolute path; name the file or folder" in problem("container:charliecloud mpich")
    monkeypatch.delenv("USER")
    assert "ch-run cannot enter the image: ch-run[" in problem(stack)
    monkeypatch.setenv("USER", "somebody")
    (programs / "forbidden").touch()
    (tmp_path / "limit").write_text("0\n")
    monkeypatch.setattr(containers, "NAMESPACES", (tmp_path / "limit",))
    monkeypatch.setattr(containers.os, "geteuid", lambda: 1000)
    assert (
        f"Charliecloud needs user namespaces, which this machine does not allow ({tmp_path}/limit is 0): "
        in problem(stack)
    )
    (programs / "forbidden").unlink()
    (image / "mpi.c").write_text("int other;\n")
    (image / "include" / "mpi.h").write_text("#error no compiler\n")
    assert "mpicc of the image compiles nothing: " in problem(stack)
    (image / "bin" / "mpicc").unlink()
    assert "the image has no mpicc on its PATH; name one with an MPI library and a compiler" in problem(stack)
    make_image(tmp_path / "other", "Some MPI 1.2")
    assert "its library is an unknown MPI library, 'Some MPI 1.2'; add" in problem(
        f"container:charliecloud {tmp_path}/other"
    )


def test_an_image_that_cannot_show_the_folder_of_the_run_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_runtime(tmp_path, "ch-run", monkeypatch)
    image = make_image(tmp_path / "image")
    declared = load_declaration(f"container:charliecloud {image}")
    with pytest.raises(
        FileError, match=rf"the image has no folder /usr/share, .* `mkdir -p {image}/usr/share`, or call"
    ):
        containers.resolve(declared, Path("/usr/share"))
    (image / "usr" / "share").mkdir(parents=True)
    containers.look.cache_clear()
    assert "--bind=/usr/share:/usr/share" in containers.resolve(declared, Path("/usr/share")).inside


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "image").mkdir()
    file = tmp_path / "image" / "file"
    file.write_text("content")
    first = digest_of(tmp_path / "image")
    os.utime(file, (1, 1))
    assert digest_of(tmp_path / "image") == first
    file.chmod(0o711)
    assert digest_of(tmp_path / "image") != first
    file.chmod(0o644)
    file.write_text("Content")
    assert digest_of(tmp_path / "image") != first
    assert digest_of(file) == f"sha256:{sha256(file)}"


def test_every_runtime_enters_the_image_and_shows_the_folder_of_the_run() -> None:
    for name, runtime in runtimes().items():
        words = runtime.words("an-image", ["--option"], ["/run"], ["PMI_*"])
        assert words.index("--option") < words.index("an-image") and "{" not in "".join(words), name
        assert (runtime.bind == []) != any("/run" in word for word in words), name
        assert runtime.digest == [] or "{image}" in runtime.digest, name


def test_a_launcher_outside_starts_each_rank_in_the_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a node in the same namespaces: else they may not read each other's memory."""
    with_runtime(tmp_path, "ch-run", monkeypatch)
    image = make_image(tmp_path / "image")
    declared = load_declaration(f"container:charliecloud {image}")
    container = containers.resolve(declared, tmp_path).container
    assert container is not None
    stack = StackSpec(
        environment=Environment(), engine="e", engine_sha256="0", mpi_version="4",
        inside_rank=container.words(Environment(), rank=True),
    )  # fmt: skip
    planned = LaunchSpec(
        name="l", stack="s", processes=5, processes_per_node=2, nodes=3, placement="packed", cases=[], rank_hosts=[],
        launchers={"srun": command("srun", "pmi2")}, program=["sh", "-c", "echo $IMAGE $SLURM_PROCID $*", "rank"],
    )  # fmt: skip
    spec = BlockSpec(
        block="b", attempt=str(tmp_path), nodes=3, processes_per_node=2, launch_seconds=9, stacks={"s": stack},
        launches=[planned], launcher="srun", hosts=[], queue_hours=1,
    )  # fmt: skip
    (line,) = [line for line in job_lines(spec, {}, launcher="srun") if line.startswith("launch l ")]
    words = shlex.split(line)[3:]
    assert "--join-ct=2" in words and "--join-tag={launch}" in words
    at = words.index("sh")
    done = launch(words[:at], words[at + 2])
    assert sorted(done.stdout.splitlines()) == [f"{image} {rank}" for rank in range(5)], done.stderr
    assert "--join-ct=2" not in container.words(Environment())


@pytest.mark.parametrize("newer", [False, True])
def test_a_candle_that_needs_a_newer_c_library_than_the_image_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newer: bool
) -> None:
    with_runtime(tmp_path, "ch-run", monkeypatch)
    image = make_image(tmp_path / "image")
    toolchain = containers.resolve(load_declaration(f"container:charliecloud {image}"), tmp_path)
    candle = tmp_path / "candle"
    message = "candle: /lib/libc.so.6: version `GLIBC_2.99' not found (required by candle)"
    candle.write_text(f'#!/bin/sh\n[ "$IMAGE" = {image} ] || exit 2\n' + f'echo "{message}" >&2; exit 1\n' * newer)
    candle.write_text(candle.read_text().replace("`", "\\`"))
    candle.chmod(0o755)
    if not newer:
        inspect_candle(candle, toolchain)
        return
    with pytest.raises(FileError, match=r"GLIBC_2\.99' not found .*; it was compiled on this machine: make the"):
        inspect_candle(candle, toolchain)


def test_options_of_the_runtime_are_between_it_and_the_image() -> None:
    assert image_of("container:podman-hpc --mpi nersc/mpich:4.2") == InImage("podman-hpc", ["--mpi"], "nersc/mpich:4.2")
    assert image_of("container:podman") is None
    assert load_runtime("sarus").words("a:1", ["--mpi"], [], [])[-2:] == ["--mpi", "a:1"]
