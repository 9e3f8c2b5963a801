# SPDX-License-Identifier: BSD-3-Clause
"""Building through Spack, with a stand-in for it: from the environment to the manifest, and what is refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.common.sealed import remove_sealed
from isochron.reframe_checks import make_stack
from isochron.reframe_checks.make_stack import build_stack
from isochron.spack_envs.spack_environment import Lock
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.test_make_stack import ENGINE, MAKEFILE, write_wrapper
from tests.spack_envs.fake_spack import ENGINE as ENGINE_HASH
from tests.spack_envs.fake_spack import MPI, write_fake

pytestmark = pytest.mark.process


def make_mpich(prefix: Path, version: str) -> Path:
    for folder in ("lib", "bin"):
        (prefix / folder).mkdir(parents=True)
    source, found = prefix / "mpi.c", prefix / "lib" / "libmpi.so.12"
    source.write_text(f'const char *library(void) {{ return "MPICH Version:      {version}"; }}\n')
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "-o", found, source], check=True)
    (prefix / "lib" / "libmpi.so").symlink_to(found)
    write_wrapper(prefix / "bin" / "mpicc", prefix / "lib")
    return prefix


class Site:
    """A machine with the stand-in and one MPICH that says it is `version`."""

    def __init__(self, root: Path, run: FakeRun, version: str = "5.0.2", declared: str = "5.0.2") -> None:
        self.home = root / "spack"
        self.prefix = make_mpich(root / f"mpich-{version}", version)
        self.run = run
        spack = {"command": str(write_fake(self.home)), "externals": {f"mpich@{declared}": str(self.prefix)}}
        document = yaml.safe_load(run.layout.campaign.read_text())
        document |= {"stack_source": "spack", "site": {**document["site"], "spack": spack}}
        run.layout.campaign.write_text(yaml.safe_dump(document))

    def calls(self) -> list[str]:
        return (self.home / "calls").read_text().splitlines()


@pytest.fixture(autouse=True)
def small_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "engine"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "main.c").write_text(ENGINE)
    (folder / "Makefile").write_text(MAKEFILE.replace("main.c", "src/main.c"))
    monkeypatch.setattr(make_stack, "SOURCES", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_manifest_says_what_spack_made(tmp_path: Path, fake_run: FakeRun) -> None:
    site, layout = Site(tmp_path, fake_run), fake_run.layout
    manifest = build_stack(layout.root, "mpich-5.0")
    assert (manifest.stack_source, manifest.mpi_version, manifest.cc) == ("spack", "5.0.2", f"{site.prefix}/bin/mpicc")
    assert manifest.linked_libraries == [f"{site.prefix}/lib/libmpi.so.12"]
    assert manifest.launcher.argv[0] == f"{site.prefix}/bin/mpiexec"
    lock = layout.spack_environment("mpich-5.0") / "spack.lock"
    assert manifest.provenance["lock_sha256"] == sha256(lock)
    assert (manifest.provenance["dag_hash"], manifest.provenance["engine_dag_hash"]) == (MPI, ENGINE_HASH)
    assert manifest.provenance["spec"].startswith("mpich@5.0.2~fortran+romio")
    assert (manifest.provenance["spack"], manifest.provenance["installed"]) == ("1.1.0", "external")
    assert manifest.engine_sha256 == sha256(layout.engine("mpich-5.0"))


def test_a_variant_comes_from_the_environment_of_its_stack(tmp_path: Path, fake_run: FakeRun) -> None:
    Site(tmp_path, fake_run)
    layout = fake_run.layout
    document = yaml.safe_load(layout.campaign.read_text())
    variants = {"tuned": {"stack": "mpich-5.0", "environment": {"TUNED": "1"}}}
    layout.campaign.write_text(yaml.safe_dump({**document, "stacks": ["mpich-5.0", "tuned"], "variants": variants}))
    manifest = build_stack(layout.root, "tuned")
    assert (manifest.stack, manifest.variant_of, manifest.stack_source) == ("tuned", "mpich-5.0", "spack")
    assert manifest.environment.set["TUNED"] == "1"
    assert manifest.engine == str(layout.engine("tuned"))
    assert (layout.kept_locks(None) / "mpich-5.0" / "spack.lock").is_file()


def test_variants_of_spack_are_in_the_environment_and_in_the_manifest(tmp_path: Path, fake_run: FakeRun) -> None:
    Site(tmp_path, fake_run)
    layout, spec = fake_run.layout, "spack:mpich@5.0.2 ~cuda device=ch3"
    document = yaml.safe_load(layout.campaign.read_text())
    stacks = ["mpich-5.0", {"built": spec}]
    layout.campaign.write_text(yaml.safe_dump({**document, "stack_source": "wheels", "stacks": stacks}))
    manifest = build_stack(layout.root, "built")
    assert (manifest.stack, manifest.variant_of, manifest.stack_source) == ("built", spec, "spack")
    assert manifest.provenance["spec"].startswith("mpich@5.0.2~fortran+romio~cuda device=ch3 ")
    written = yaml.safe_load((layout.spack_environment("built") / "spack.yaml").read_text())["spack"]
    assert written["packages"]["mpi"] == {"require": ["mpich@5.0.2 ~cuda device=ch3"]}
    assert (layout.kept_locks(None) / "spack-mpich-5.0.2-no-cuda-device-ch3" / "spack.lock").is_file()


def test_the_next_run_of_the_site_takes_the_lock(tmp_path: Path, fake_run: FakeRun) -> None:
    site, layout = Site(tmp_path, fake_run), fake_run.layout
    first = build_stack(layout.root, "mpich-5.0").provenance
    kept = layout.kept_locks(None) / "mpich-5.0"
    assert Lock.load(kept / "spack.lock").sha256 == first["lock_sha256"]
    remove_sealed(layout.manifest("mpich-5.0"))
    for name in ("spack.yaml", "spack.lock"):
        (layout.spack_environment("mpich-5.0") / name).unlink()
    assert build_stack(layout.root, "mpich-5.0").provenance["dag_hash"] == first["dag_hash"]
    assert site.calls() == ["install without lock", "install with lock"]


@pytest.mark.parametrize(
    ("version", "declared", "message"),
    [
        ("4.3.2", "5.0.2", r"declares MPICH 5\.0, but the engine loads .*4\.3\.2'; give Spack the folder of that"),
        ("5.0.2", "5.0.9", r"Spack's lock has mpich@5\.0\.9\S*, but the engine loads .* 5\.0\.2"),
    ],
)
def test_another_library_than_declared_is_a_hard_error(
    tmp_path: Path, fake_run: FakeRun, version: str, declared: str, message: str
) -> None:
    Site(tmp_path, fake_run, version, declared)
    with pytest.raises(FileError, match=rf"^stack mpich-5\.0: (?!.*stack mpich).*{message}"):
        build_stack(fake_run.layout.root, "mpich-5.0")
    assert not fake_run.layout.manifest("mpich-5.0").exists()
    assert not fake_run.layout.kept_locks(None).exists()


def test_what_spack_says_of_a_failed_build_is_quoted(tmp_path: Path, fake_run: FakeRun) -> None:
    site = Site(tmp_path, fake_run)
    (site.prefix / "bin" / "mpicc").write_text("#!/bin/sh\necho 'mpicc: error: out of order' >&2\nexit 1\n")
    with pytest.raises(FileError, match=r"stack mpich-5\.0: mpicc: error: out of order: .*reframe\.out"):
        build_stack(fake_run.layout.root, "mpich-5.0")
