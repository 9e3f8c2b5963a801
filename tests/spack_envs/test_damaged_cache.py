# SPDX-License-Identifier: BSD-3-Clause
"""A cache of which a purge has taken a part: found when a stack is used, installed again, and said."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from isochron.common.cache import SHARED
from isochron.common.files import FileError
from isochron.reframe_checks.run_folder import load_manifests
from isochron.schemas.run.manifest import Toolchain
from isochron.spack_envs import wheels
from isochron.spack_envs.tell import Tell
from isochron.spack_envs.wheels import MARKER, resolve
from isochron.workflows.doctor import software
from isochron.workflows.doctor.machine import CheckResult, Machine
from isochron.workflows.driving.repair import repair
from tests.reframe_checks.conftest import FakeRun
from tests.spack_envs.test_wheels import STACK, make_wheel, write_lock

pytestmark = pytest.mark.process


@dataclass(frozen=True)
class Cache:
    """A user's cache with the one stack in it."""

    folder: Path
    lock: Path

    @property
    def stacks(self) -> Path:
        return self.folder / "isochron" / "stacks"

    @property
    def prefix(self) -> Path:
        (found,) = (path for path in self.stacks.iterdir() if path.is_dir())
        return found

    def use(self) -> Toolchain:
        return resolve(STACK, self.stacks, lock=self.lock)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """Installed once, under the most careless umask. Not to be changed."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / "shelf").mkdir()
    cache = Cache(folder / "cache", write_lock(folder / "wheels.lock", make_wheel(folder / "shelf")))
    before = os.umask(0)
    try:
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setenv("PIP_NO_INDEX", "1")
            monkeypatch.setenv("PIP_FIND_LINKS", str(folder / "shelf"))
            cache.use()
    finally:
        os.umask(before)
    return cache


@pytest.fixture
def cache(installed: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """A copy of it, the user's own; the package index is the folder of the wheel."""
    copy = Cache(tmp_path / "cache", installed.lock)
    shutil.copytree(installed.folder, copy.folder, symlinks=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(copy.folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(installed.lock.parent / "shelf"))
    for module in (wheels, software):
        monkeypatch.setattr(module, "wheels_lock", lambda _stack: installed.lock)
    return copy


def test_what_a_purge_has_taken_is_installed_again(cache: Cache, capsys: pytest.CaptureFixture[str]) -> None:
    toolchain = cache.use()
    assert capsys.readouterr().out == "", "a copied cache is whole"
    content = Path(toolchain.cc).read_text()
    Path(toolchain.cc).unlink()
    assert cache.use() == toolchain
    assert Path(toolchain.cc).read_text() == content
    assert capsys.readouterr().out == f"stack tiny: {cache.prefix}: bin/mpicc is missing; reinstalled\n"


def test_a_cache_of_an_older_version_is_verified_once_and_kept(cache: Cache) -> None:
    marker = cache.prefix / MARKER
    old = {key: json.loads(marker.read_text())[key] for key in ("stack", "lock_sha256", "wheels")}
    marker.write_text(json.dumps(old))
    before = (cache.prefix / "bin" / "mpicc").stat().st_ino
    cache.use()
    assert (cache.prefix / "bin" / "mpicc").stat().st_ino == before
    assert len(json.loads(marker.read_text())["stamp"]) == 64


def test_a_cache_that_can_only_be_read_is_used_while_it_is_whole(cache: Cache) -> None:
    lock = cache.prefix.with_name(f"{cache.prefix.name}.lock")
    lock.unlink()
    lock.mkdir()  # what even root cannot open for writing
    toolchain = cache.use()
    shutil.rmtree(toolchain.prefix)
    with pytest.raises(FileError, match=r"the stack cache is not writable.*set XDG_CACHE_HOME"):
        cache.use()


def test_a_cache_that_others_can_write_is_refused_unless_asked_for(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.stacks.chmod(0o777)
    with pytest.raises(FileError, match=f"{cache.stacks}: can be written by everybody"):
        cache.use()
    finding = software.cache(Machine())
    assert finding.level == "error" and f"{SHARED}=yes" in finding.words
    monkeypatch.setenv(SHARED, "yes")
    cache.use()
    assert software.cache(Machine()) == CheckResult("cache", "ok", str(cache.stacks))


def of_tiny() -> CheckResult:
    """What the doctor says of the stack."""
    return software.examined(STACK)


def test_the_doctor_tells_the_truth(cache: Cache) -> None:
    assert of_tiny() == CheckResult("stack tiny", "ok", "Intel MPI 2021: ready")
    (cache.prefix / "bin" / "mpicc").write_text("#!/bin/sh\necho huge\n")
    found = of_tiny()
    assert found.level == "warning"
    assert found.words.endswith("damaged: bin/mpicc differs from its wheel; the next run installs it again")
    shutil.rmtree(cache.prefix)
    assert of_tiny().words.endswith("known; the first run installs it")


def test_a_run_that_is_continued_has_its_stack_made_whole(
    installed: Cache, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A purge between two calls of `isochron run`, and one between two blocks."""

    def install(_stack: str, _lock: Path, prefix: Path, _tell: Tell) -> None:
        shutil.copytree(installed.prefix, prefix, symlinks=True)

    monkeypatch.setattr(wheels, "_install", install)
    fake_run = FakeRun(tmp_path)
    prefix = cache.prefix.rename(cache.prefix.with_name(cache.prefix.name.replace("tiny", "fake-1")))
    made_with = {"wheels_lock_sha256": hashlib.sha256(cache.lock.read_bytes()).hexdigest()}
    manifest = fake_run.manifest.model_copy(update={"cc": str(prefix / "bin" / "mpicc"), "provenance": made_with})
    manifest.save(fake_run.layout.manifest("fake-1"))
    (prefix / "bin" / "mpicc").unlink()
    (said,) = repair(fake_run.layout)
    assert said == f"stack fake-1: {prefix}: bin/mpicc is missing; reinstalled"
    (prefix / "bin" / "mpicc").unlink()
    load_manifests(fake_run.layout, fake_run.block)
    assert (prefix / "bin" / "mpicc").is_file()


def test_a_folder_that_is_not_in_the_users_cache_is_left_alone(cache: Cache, tmp_path: Path) -> None:
    """A run may come from somebody else: its manifest decides about no folder that is removed."""
    fake_run = FakeRun(tmp_path)
    toolchain = cache.use()
    theirs = tmp_path / "theirs" / "bin" / "mpicc"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("precious")
    manifest = fake_run.manifest.model_copy(update={"cc": str(theirs), "provenance": toolchain.provenance})
    assert wheels.reinstall_lost_files(manifest, tmp_path / "wheels.lock") == ""
    assert theirs.read_text() == "precious"
