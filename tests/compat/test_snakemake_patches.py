# SPDX-License-Identifier: BSD-3-Clause
"""The change of Snakemake, and the options that make others unnecessary."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from snakemake.common import LockFreeWritableFile
from snakemake.persistence.file import FilePersistence

from isochron.common.resources import shipped
from isochron.compat.patched_snakemake import UNUSED, WRITING_MODULES, write_records_without_chmod
from tests.compat.faults import is_refused, refuse_chmod

DELETE = (
    "Snakemake writes {what} without chmod now: remove {module} from isochron.compat.patched_snakemake.WRITING_MODULES "
    "and from docs/upstream/snakemake-record-modes.patch; if it is the last one, delete write_records_without_chmod too"
)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that refuses chmod; the modules of Snakemake are restored afterwards."""
    for name in WRITING_MODULES:
        monkeypatch.setattr(import_module(name), "os", os)
    refuse_chmod(monkeypatch)


@pytest.mark.usefixtures("refused")
def test_records_are_written_if_chmod_is_refused(tmp_path: Path) -> None:
    records = FilePersistence(path=tmp_path / ".snakemake")

    def write() -> None:
        records._mark_incomplete("blocks/b001.json", None)

    assert is_refused(write), DELETE.format(what="records", module="snakemake.persistence.file")
    write_records_without_chmod()
    write()
    assert records._filter_incomplete_keys(["blocks/b001.json"]) == {"blocks/b001.json"}


@pytest.mark.usefixtures("refused")
def test_copies_of_rules_are_written_if_chmod_is_refused(tmp_path: Path) -> None:
    def write() -> None:
        with LockFreeWritableFile(tmp_path / "Snakefile") as copy:
            copy.chmod(0o660)
            copy.write("rule all:\n")

    assert is_refused(write), DELETE.format(what="copies of rules", module="snakemake.common")
    write_records_without_chmod()
    write()
    assert (tmp_path / "Snakefile").read_text() == "rule all:\n"


#: What a disk leaves of a file: bytes that are no text.
DAMAGED = b"\xff\xfe\x00"


def snakemake(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    profile = shipped("workflows") / "profiles" / "default"
    command = ["-m", "isochron.compat.patched_snakemake", "--workflow-profile", str(profile), "--cores", "1"]
    return subprocess.run(
        [sys.executable, *command, *options], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.process
def test_damaged_records_stop_no_call(tmp_path: Path) -> None:
    """By the options of our profile: no record of a made file is written, and those of unmade ones are not read."""
    (tmp_path / "Snakefile").write_text('rule made:\n    output: "made.json"\n    shell: "echo 1 > {output}"\n')
    first = snakemake(tmp_path)
    assert first.returncode == 0, first.stderr
    records = tmp_path / ".snakemake"
    assert not [path for path in (records / "metadata").rglob("*") if path.is_file()]
    (marked,) = (path for path in [records / "incomplete" / name for name in ("bWFkZS5qc29u",)])
    marked.write_bytes(DAMAGED)
    (tmp_path / "made.json").write_text("half")
    second = snakemake(tmp_path)
    assert second.returncode == 0, second.stderr
    assert (tmp_path / "made.json").read_text() == "1\n", "a file that was being made is made again"
    assert not marked.exists()


#: Prints which modules a dry run of Snakemake has imported.
IMPORTS = """
import sys
from isochron.compat.patched_snakemake import UNUSED, import_what_is_used
if "changed" in sys.argv:
    import_what_is_used(sys.argv[2:])
from snakemake.cli import main
try:
    main(sys.argv[2:])
finally:
    print("imported:", *(name for name in UNUSED if sys.modules.get(name)))
"""


@pytest.mark.process
def test_modules_that_a_call_does_not_use_are_not_imported(tmp_path: Path) -> None:
    (tmp_path / "Snakefile").write_text("rule all:\n    shell: 'true'\n")

    def imported(kind: str, *words: str) -> set[str]:
        profile = ["--workflow-profile", str(shipped("workflows", "profiles", "default"))]
        command = [sys.executable, "-c", IMPORTS, kind, "--dry-run", *profile, *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return set(done.stdout.rpartition("imported:")[2].split())

    useless = set(UNUSED) - imported("as it is")
    assert not useless, f"Snakemake does not import {useless} now: remove it from isochron.compat.patched_snakemake"
    assert imported("changed") == set()
    assert imported("changed", "--scheduler", "ilp") == {"pulp"}
