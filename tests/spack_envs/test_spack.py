# SPDX-License-Identifier: BSD-3-Clause
"""The Spack route without Spack: environments as they are written, locks as they are read, kept and used again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from isochron.common.files import FileError
from isochron.reframe_checks.make_stack import SOURCES
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.site import SpackSite
from isochron.spack_envs import spack_environment
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.spack_environment import COMMON, Lock, document, engine_sources, write_environment
from isochron.spack_envs.spack_stack import Spack, call, environment, find_spack, resolve
from isochron.spack_envs.stack_source import spack_for, spack_of, without_source
from tests.spack_envs.fake_spack import ENGINE, MPI, lock_content, write_fake

SITE = SpackSite(
    externals={
        "openmpi@5.0.8 ~cuda": "/opt/ompi5",
        "openmpi@4.1.6": "/opt/ompi4",
        "mpich@5.0.2": "/opt/mpich",
        "hwloc@2.9.0": "/usr",
    },
    config=["/etc/site-spack"],
)


def write_lock(folder: Path, prefix: str | None = None, mpi: str = "openmpi", version: str = "5.0.8") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "spack.lock"
    path.write_text(json.dumps(lock_content(Path("/cache/engine-1"), mpi, version, prefix)))
    return path


def test_an_environment_gets_the_externals_of_its_version_and_of_what_lies_below() -> None:
    spack = document(load_declaration("openmpi-5.0"), SITE, Path("/cache/engine-1"))["spack"]
    assert spack["include"] == ["/etc/site-spack", str(COMMON)]
    assert spack["specs"] == ["mpi", "isochron-engine"]
    assert spack["packages"] == {
        "mpi": {"require": ["openmpi@5.0"]},
        "openmpi": {"buildable": False, "externals": [{"spec": "openmpi@5.0.8 ~cuda", "prefix": "/opt/ompi5"}]},
        "hwloc": {"buildable": False, "externals": [{"spec": "hwloc@2.9.0", "prefix": "/usr"}]},
    }
    assert spack["develop"]["isochron-engine"] == {"spec": "isochron-engine@main", "path": "/cache/engine-1"}


def test_an_external_of_another_version_does_not_keep_spack_from_building() -> None:
    site = SITE.model_copy(update={"externals": {"openmpi@5.0.8": "/opt/ompi5", "openmpi@4.10.1": "/opt/odd"}})
    assert "openmpi" not in document(load_declaration("openmpi-4.1"), site, Path("/e"))["spack"]["packages"]
    assert document(load_declaration("cray-mpich"), site, Path("/e"))["spack"]["packages"]["cray-mpich"] == {
        "buildable": False
    }


def test_a_stack_by_spec_requires_its_version() -> None:
    spack = document(load_declaration("mpich@4.0.3"), SITE, Path("/e"))["spack"]
    assert spack["packages"]["mpi"] == {"require": ["mpich@4.0.3"]}


def test_a_stack_of_spack_requires_its_variants_of_the_package() -> None:
    declaration = load_declaration("spack:openmpi@4.1.6 ~cuda fabrics=ofi")
    assert (declaration.family, declaration.version) == ("openmpi", "4.1.6")
    assert declaration.description == "Open MPI 4.1.6 ~cuda fabrics=ofi from Spack"
    packages = document(declaration, SITE, Path("/e"))["spack"]["packages"]
    assert packages["mpi"] == {"require": ["openmpi@4.1.6 ~cuda fabrics=ofi"]}
    assert packages["openmpi"]["externals"] == [{"spec": "openmpi@4.1.6", "prefix": "/opt/ompi4"}]
    assert load_declaration("spack:intel-oneapi-mpi@2021.15").family == "intel-mpi"
    with pytest.raises(FileError, match="unknown MPI library 'opnmpi' of Spack, did you mean 'openmpi'"):
        load_declaration("spack:opnmpi@5.0.8")


def test_a_stack_without_environment_is_named() -> None:
    with pytest.raises(FileError, match="stack smpi-mpich: is simulated, so Spack cannot provide it"):
        document(load_declaration("smpi-mpich"), SITE, Path("/e"))


def test_sources_are_copied_once_and_named_after_their_content(tmp_path: Path) -> None:
    sources, cache = tmp_path / "engine", tmp_path / "cache"
    for name in ("Makefile", "src/a.c", "include/a.h", "build/old.o", "tests/t.c"):
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_text(name)
    cache.mkdir()
    first = engine_sources(sources, cache)
    (sources / "build" / "old.o").write_text("newer")
    assert engine_sources(sources, cache) == first
    copied = {str(path.relative_to(first)) for path in first.rglob("*") if path.is_file()}
    assert copied == {"Makefile", "src/a.c", "include/a.h"}
    launcher = sources.parent / "sites" / "launchers" / "a.yaml"
    launcher.parent.mkdir(parents=True)
    launcher.write_text("a launcher")
    first = engine_sources(sources, cache)
    assert (first.parent / "sites" / "launchers" / "a.yaml").read_text() == "a launcher"
    (first / "src" / "a.c").unlink()
    assert (engine_sources(sources, cache) / "src" / "a.c").read_text() == "src/a.c", "a purge had taken it"
    (sources / "src" / "a.c").write_text("changed")
    assert engine_sources(sources, cache) != first
    assert len(list(cache.iterdir())) == 3


@pytest.mark.process
def test_the_copy_has_all_that_the_engine_is_built_of(tmp_path: Path) -> None:
    """Its compiler is a program that only notes what it is called for."""
    (tmp_path / "cache").mkdir()
    copied = engine_sources(SOURCES, tmp_path / "cache")
    compiler = tmp_path / "cc"
    compiler.write_text(
        '#!/bin/sh\necho "$@" >>"$0.calls"\nwhile [ $# -gt 1 ]; do [ "$1" = -o ] && : >"$2"; shift; done\n'
    )
    compiler.chmod(0o755)
    words = ["make", "--silent", "-C", str(copied), f"CC={compiler}", f"BUILD={tmp_path}/build"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "OMPI_COMM_WORLD_RANK" in (tmp_path / "build" / "rank_variables.def").read_text()


def test_a_lock_is_read_without_spack(tmp_path: Path) -> None:
    lock = Lock.load(write_lock(tmp_path, "/opt/ompi5"))
    assert (lock.library(), lock.engine(), lock.external(MPI), lock.external(ENGINE)) == (
        MPI,
        ENGINE,
        "/opt/ompi5",
        None,
    )
    assert lock.spec(MPI) == (
        "openmpi@5.0.8~fortran+romio device=ch4 fabrics=ofi,ucx arch=linux-debian12-x86_64_v3 ^hwloc@2.9.0"
    )
    assert lock.spec(ENGINE).endswith("^openmpi@5.0.8")
    assert len(lock.sha256) == 64


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "is not a spack.lock"), ("{}", "is not a spack.lock"), (None, "cannot be read: No such file")],
)
def test_a_broken_lock_is_one_message(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "spack.lock"
    if text is not None:
        path.write_text(text)
    with pytest.raises(FileError, match=rf"spack\.lock: {message}"):
        Lock.load(path)


def test_a_lock_of_something_else_is_refused(tmp_path: Path) -> None:
    path = write_lock(tmp_path)
    content = json.loads(path.read_text())
    content["concrete_specs"][ENGINE]["dependencies"] = []
    path.write_text(json.dumps(content))
    with pytest.raises(FileError, match="does not depend on an MPI library"):
        Lock.load(path).library()
    path.write_text(json.dumps(spack_environment.without_engine(content)))
    with pytest.raises(FileError, match="roots: has no isochron-engine"):
        Lock.load(path).engine()


def test_a_kept_lock_serves_the_same_environment_and_no_other(tmp_path: Path) -> None:
    declaration = load_declaration("openmpi-5.0")
    first, kept = tmp_path / "first", tmp_path / "kept"
    write_environment(first, "openmpi-5.0", document(declaration, SITE, Path("/cache/engine-1")))
    assert not spack_environment.reuse_lock(first, kept)
    write_lock(first)
    spack_environment.keep(first, kept)

    def again(name: str, site: SpackSite, engine: str) -> dict[str, str] | None:
        folder = tmp_path / name
        write_environment(folder, "openmpi-5.0", document(declaration, site, Path(engine)))
        return Lock.load(folder / "spack.lock").roots if spack_environment.reuse_lock(folder, kept) else None

    assert again("same", SITE, "/cache/engine-1") == {"isochron-engine": ENGINE, "mpi": MPI}
    assert again("new-engine", SITE, "/cache/engine-2") == {"mpi": MPI}
    assert again("elsewhere", SITE.model_copy(update={"config": []}), "/cache/engine-1") is None
    assert not spack_environment.reuse_lock(tmp_path / "same", kept), "a run's own lock stays"
    write_environment(tmp_path / "same", "openmpi-5.0", document(declaration, SITE, Path("/cache/engine-2")))
    assert not (tmp_path / "same" / "spack.lock").exists(), "it was of another environment"


def test_the_toolchain_of_a_lock(tmp_path: Path) -> None:
    home = tmp_path / "mpi" / "2021.15" / "bin"
    home.mkdir(parents=True)
    (home / "mpicc").touch()
    write_lock(tmp_path, str(tmp_path), "intel-oneapi-mpi", "2021.15.0")
    tools = resolve(load_declaration("intel-mpi-2021"), Spack(Path("spack"), "1.1.0"), tmp_path)
    assert (tools.stack_source, tools.prefix, tools.cc) == ("spack", str(home.parent), str(home / "mpicc"))
    assert tools.launcher.argv[0] == str(home / "mpiexec")
    found = tools.provenance
    assert (found["spack"], found["dag_hash"], found["engine_dag_hash"]) == ("1.1.0", MPI, ENGINE)
    assert found["spec"].startswith("intel-oneapi-mpi@2021.15.0~fortran")
    assert (found["installed"], len(found["lock_sha256"])) == ("external", 64)
    (home / "mpicc").unlink()
    with pytest.raises(FileError, match=r"stack intel-mpi-2021: .* has no bin/mpicc"):
        resolve(load_declaration("intel-mpi-2021"), Spack(Path("spack"), "1.1.0"), tmp_path)


@pytest.mark.process
def test_spack_is_found_where_it_should_be(tmp_path: Path) -> None:
    on_path, rooted = write_fake(tmp_path / "path"), write_fake(tmp_path / "root" / "bin", "1.0.2")
    base = {**os.environ, "PATH": f"{on_path.parent}:/usr/bin:/bin"}
    assert find_spack(None, base) == Spack(on_path, "1.1.0")
    assert find_spack(None, {**base, "SPACK_ROOT": str(tmp_path / "root")}) == Spack(rooted, "1.0.2")
    assert find_spack(str(rooted), base) == Spack(rooted, "1.0.2")
    assert find_spack(None, {"PATH": "/nowhere"}) is None
    with pytest.raises(FileError, match=r"/no/spack --version: .*; give the path of `spack` in site.spack.command"):
        find_spack("/no/spack", base)
    with pytest.raises(FileError, match=r"sing ended with code 1: ==> Error: \['sing'\]"):
        call(on_path, ["sing"], base)


def test_spack_does_not_see_our_python_nor_a_loaded_mpi() -> None:
    own = str(Path(sys.executable).parent)
    base = {"PATH": f"{own}:/usr/bin", "PYTHONPATH": "/ours", "OMPI_CC": "icc", "HOME": "/home", "SPACK_PYTHON": "/p"}
    found = environment(Path("/opt/spack/bin/spack"), base)
    assert found["PATH"] == (
        "/opt/spack/bin:/usr/bin" if sys.prefix != sys.base_prefix else f"/opt/spack/bin:{own}:/usr/bin"
    )
    assert set(found) == {"PATH", "HOME", "SPACK_PYTHON", "COLUMNS"}


@pytest.mark.parametrize(
    ("stack_source", "version", "found"),
    [("auto", "1.0.0", True), ("auto", "0.23.1", False), ("wheels", "1.1.0", False), ("spack", "2.0.0", True)],
)
@pytest.mark.process
def test_the_stack_source_decides_whether_spack_is_asked(
    tmp_path: Path, stack_source: str, version: str, found: bool
) -> None:
    command = write_fake(tmp_path, version)
    assert (spack_of(campaign(stack_source, command)) is not None) == found


@pytest.mark.process
def test_a_wanted_spack_must_be_there_and_new(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"stack_source: spack: .* is Spack 0\.23\.1, and 1\.0 or newer is needed"):
        spack_of(campaign("spack", write_fake(tmp_path, "0.23.1 (abc)")))
    with pytest.raises(FileError, match="stack_source: spack: Spack was not found; put `spack` on the PATH"):
        spack_of(campaign("spack", None), {"PATH": "/nowhere"})
    assert spack_of(campaign("auto", None), {"PATH": "/nowhere"}) is None


@pytest.mark.process
def test_a_stack_of_spack_needs_it_whatever_the_others_come_from(tmp_path: Path) -> None:
    spec = "spack:openmpi@5.0.8 ~cuda"
    command = write_fake(tmp_path)
    mixed = campaign("wheels", command, spec)
    assert spack_for(mixed, load_declaration(spec)) == Spack(command, "1.1.0")
    assert spack_for(mixed, load_declaration("mpich-5.0")) is None
    assert without_source(mixed) == ""
    with pytest.raises(
        FileError, match=rf"^stacks: {spec}: Spack was not found; put `spack` on .* or remove the stack"
    ):
        without_source(campaign("auto", None, spec), {"PATH": "/nowhere"})


def campaign(stack_source: str, command: Path | None, *stacks: str) -> Campaign:
    text = f"""
    {{name: c, stacks: {json.dumps(["mpich-5.0", *stacks])}, operations: [barrier], sizes: [0], processes: [2],
      processes_per_node: [2], schema: 1, stack_source: {stack_source},
      site: {{spack: {{command: {command or "null"}}}}}}}
    """
    return Campaign.model_validate(yaml.safe_load(text))
