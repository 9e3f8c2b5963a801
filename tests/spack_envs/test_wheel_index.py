# SPDX-License-Identifier: BSD-3-Clause
"""Stacks by spec from a package index, here a folder of empty wheels that pip searches."""

from __future__ import annotations

import hashlib
import platform
import zipfile
from pathlib import Path

import pytest

from isochron.common.cache import user_cache
from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.manifest import StackDeclaration
from isochron.spack_envs import wheel_index, wheels
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.stack_source import locks_of, without_source
from isochron.spack_envs.wheel_index import known, lock_file, pins
from tests.workflows.conftest import campaign

pytestmark = pytest.mark.process


def add_wheel(folder: Path, name: str, version: str) -> str:
    """A wheel without files; returns its SHA-256."""
    info, path = f"{name}-{version}.dist-info", folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all of the package index, and an empty cache."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    for version in ("0.0.0", "4.0.3", "4.10.1", "4.9.9"):
        add_wheel(folder, "mpich", version)
    return folder


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that refuses the connection."""
    monkeypatch.setenv("PIP_NO_INDEX", "0")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")


def test_the_newest_version_of_a_prefix_is_pinned_by_its_hash(index: Path) -> None:
    digest = add_wheel(index, "mpich", "4.10.1.post2")
    lock = lock_file(load_declaration("mpich@4.*"))
    assert pins(lock) == {"mpich": "4.10.1.post2"}
    assert f"--hash=sha256:{digest}\n" in lock.read_text()
    assert wheel_index.version_of(lock) == "4.10.1"


def test_all_packages_of_a_library_have_one_version(index: Path) -> None:
    for name, versions in {"impi_rt": ("2021.14.1", "2021.14.2"), "impi_devel": ("2021.14.1",)}.items():
        for version in versions:
            add_wheel(index, name, version)
    lock = lock_file(load_declaration("intel-mpi@2021.14"))
    assert pins(lock) == {"impi-rt": "2021.14.1", "impi-devel": "2021.14.1"}


def test_a_version_that_is_not_there_names_those_that_are(index: Path) -> None:
    """4.1 is the beginning of no version: that of 4.10.1 is 4.10."""
    with pytest.raises(
        FileError, match=r"no wheel of mpich 4\.1\.\* for this machine; there are 4.0.3, 4.9.9, 4.10.1$"
    ):
        lock_file(load_declaration("mpich@4.1.*"))


def write_lock(version: str, text: str) -> Path:
    """Put a lock of this machine into the cache."""
    path = user_cache("locks") / f"{version}-{platform.machine()}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_version_that_was_resolved_needs_no_index(index: Path, offline: None) -> None:
    lock = write_lock("mpich-4.0.3", "mpich==4.0.3 \\\n    --hash=sha256:0\n")
    assert lock_file(load_declaration("mpich@4.0.3")) == lock
    assert known("mpich") == ["4.0.3"]
    with pytest.raises(FileError) as raised:
        lock_file(load_declaration("mpich@4.*"))
    address = "/simple/mpich/ of the package index cannot be fetched (Connection refused)"
    assert str(raised.value).startswith(f"stack mpich@4.*: {address}: the package index cannot be reached")
    assert str(raised.value).endswith("resolved here before: 4.0.3") and "\n" not in str(raised.value)


def test_a_damaged_lock_is_resolved_again(index: Path) -> None:
    lock = write_lock("mpich-4.0.3", "")
    assert lock_file(load_declaration("mpich@4.0.3")) == lock
    assert pins(lock) == {"mpich": "4.0.3"}


def made(*stacks: str) -> Campaign:
    return campaign(stacks=list(stacks), stack_source="wheels")


def test_a_campaign_has_a_lock_for_each_spec(index: Path) -> None:
    write_lock("mpich-4.0.3", "mpich==4.0.3 \\\n    --hash=sha256:0\n")
    assert locks_of(made("mpich-5.0")) == {}
    locks = locks_of(made("mpich-5.0", "mpich@4.0.3", "mpich@4.*"))
    assert {spec: text.split("==")[1].split()[0] for spec, text in locks.items()} == {
        "mpich@4.0.3": "4.0.3",
        "mpich@4.*": "4.10.1",
    }


def test_a_library_without_wheels_is_named() -> None:
    assert "mvapich-4.1: only available from Spack" in without_source(made("mvapich@4.1"))
    assert without_source(made("mpich@4.1")) == ""
    with pytest.raises(FileError, match="MVAPICH has no wheels; use --stack-source spack"):
        lock_file(load_declaration("mvapich@4.1"))


@pytest.mark.parametrize(
    ("spec", "locked", "reports"),
    [("mpich@4.*", "4.3.2", "4.3.2"), ("intel-mpi@2021.*", "2021.14.2", "2021.14")],
)
def test_the_library_must_report_the_version_that_was_resolved(spec: str, locked: str, reports: str) -> None:
    declaration: StackDeclaration = wheels.proven(load_declaration(spec), locked)
    assert declaration.version == reports
    assert declaration.accepts(locked) and not declaration.accepts("4.3.1") and not declaration.accepts("2021.15")
