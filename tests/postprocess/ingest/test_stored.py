# SPDX-License-Identifier: BSD-3-Clause
"""A raw file that is in the store already is not read again; the store is the same as if it had been."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pandas as pd
import pytest

from isochron.common.files import FileError
from isochron.postprocess.ingest import ingest as module
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.store import read_table
from isochron.schemas.run.launch_file import LaunchFile, damage, read_header, read_launch
from isochron.schemas.run.store import TABLES
from isochron.workflows.driving.repair import seal_outputs

pytestmark = pytest.mark.heavy


@pytest.fixture
def read(small: RunInputs, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are read, one row group for each."""
    found: list[str] = []

    def reading(path: Path) -> LaunchFile:
        found.append(path.name)
        return read_launch(path)

    monkeypatch.setattr(module, "read_launch", reading)
    monkeypatch.setattr(module, "CHUNK", 1)
    return found


def names(run: RunInputs) -> list[str]:
    return sorted(path.name for path in run.layout.launches.glob("*.jsonl"))


def same_store(run: RunInputs) -> None:
    """As it is when everything is read."""
    before = {name: read_table(run.layout, name) for name in TABLES}
    shutil.rmtree(run.layout.table("repetitions").parent)
    ingest(run)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(frame, read_table(run.layout, name))


def test_only_what_is_new_is_read(small: RunInputs, read: list[str]) -> None:
    every = names(small)
    last = small.layout.launches / every[-1]
    content = last.read_bytes()
    last.unlink()
    ingest(small)
    assert read == every[:-1]
    last.write_bytes(content)
    ingest(small)
    assert read[len(every) - 1 :] == every[-1:]
    same_store(small)


def test_tables_that_were_removed_before_the_step_are_read_no_more_than_others(
    small: RunInputs, read: list[str], tmp_path: Path
) -> None:
    """Snakemake and the driver remove what a step has made before they have it done again."""
    every = names(small)
    last = (small.layout.launches / every[-1]).rename(tmp_path / every[-1])
    ingest(small)
    for name in ("launches", "measurements", "repetitions"):
        small.layout.table(name).unlink()
    shutil.copy(last, small.layout.launches)
    read.clear()
    ingest(small)
    assert read == every[-1:]
    seal_outputs(small.layout)
    assert not small.layout.so_far.exists(), "a run that is done is copied without them"
    same_store(small)


def test_tables_without_their_second_names_are_made_from_the_raw_files(small: RunInputs, read: list[str]) -> None:
    ingest(small)
    shutil.rmtree(small.layout.so_far)
    small.layout.table("repetitions").unlink()
    read.clear()
    ingest(small)
    assert read == names(small)


def test_compressed_raw_files_are_the_same_launches(small: RunInputs, read: list[str]) -> None:
    ingest(small)
    raw = sorted(small.layout.launches.glob("*.jsonl"))
    read.clear()
    for path in raw[::2]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    ingest(small)
    assert read == [], "what they hold is what it was"
    same_store(small)
    assert len(read) == len(raw)
    packed = small.layout.launch(raw[0].stem)
    assert packed.suffix == ".gz"
    assert not damage(packed)
    assert read_header(packed).launch["name"] == raw[0].stem
    whole = packed.read_bytes()
    for broken in (whole[:-9], whole[: len(whole) // 2], whole[:30] + b"xxxx" + whole[34:], b"no gzip"):
        packed.write_bytes(broken)
        assert damage(packed)
        with pytest.raises(FileError, match=packed.name):
            read_launch(packed)


def test_from_a_changed_file_on_everything_is_read(small: RunInputs, read: list[str]) -> None:
    ingest(small)
    every = names(small)
    changed = small.layout.launches / every[10]
    changed.chmod(0o644)
    changed.write_bytes(changed.read_bytes().replace(b"\n", b" \n", 1))
    read.clear()
    with pytest.raises(FileError, match=rf"{every[10]}: footer.crc32"):
        ingest(small)
    assert read == [every[10]]


def test_a_launch_that_was_taken_away_is_taken_from_the_store(small: RunInputs, read: list[str]) -> None:
    ingest(small)
    every = names(small)
    (small.layout.launches / every[14]).unlink()
    read.clear()
    assert ingest(small)["launches"] == 15
    assert read == every[15:]
    same_store(small)


def test_a_file_that_holds_a_stored_launch_again(small: RunInputs) -> None:
    ingest(small)
    first = small.layout.launches / names(small)[0]
    (small.layout.launches / "zzz.jsonl").write_bytes(first.read_bytes())
    with pytest.raises(FileError, match=rf"zzz.jsonl: launch '{first.stem}' is also in .*{first.name}; remove one"):
        ingest(small)


def test_a_damaged_store_is_made_again(small: RunInputs, read: list[str]) -> None:
    ingest(small)
    path = small.layout.table("repetitions")
    content = bytearray(path.read_bytes())
    content[300] ^= 0x55
    path.write_bytes(bytes(content))
    read.clear()
    ingest(small)
    assert read == names(small)
    same_store(small)
