# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of runs in `results/.cache` changes no answer, and is made again where it is not what it should be."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.estimate.compare.history import history, reported_changes
from isochron.postprocess.estimate.history_cache import cache as cache_module
from isochron.postprocess.estimate.history_cache import series as series_module
from isochron.postprocess.estimate.history_cache.cache import VALUE_COLUMNS, Archive, digest
from isochron.postprocess.ingest.store import seal
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.process

SPEC = Spec(stacks=["openmpi-5.0", "mpich-5.0"], operations=["bcast"], sizes=[8], processes=[4], launches=3, runs=3)
NIGHTS = 9


def night(folder: Path, number: int, spec: Spec = SPEC) -> RunLayout:
    speed = {"mpich-5.0": 3.0 if number >= 8 else 1.3}
    run = RunLayout(write_run(folder / f"2026050{number}T013000Z-0001", replace(spec, speed=speed, seed=number)))
    assert postprocess(["ingest", str(run.root)]) == 0
    return run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    for number in range(1, NIGHTS + 1):
        night(folder, number)
    return folder


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> list[RunLayout]:
    folder = shutil.copytree(made, tmp_path / "results" / "synthetic")
    return [RunLayout(path) for path in sorted(folder.iterdir())]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "results" / ".cache", "synthetic")


def answers(runs: list[RunLayout], *where: Archive) -> tuple[pd.DataFrame, pd.DataFrame]:
    return history(runs, *where), reported_changes(runs, *where)


@pytest.fixture(scope="module")
def right(made: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The answers without an archive."""
    return answers([RunLayout(path) for path in sorted(made.iterdir())])


def assert_same(found: tuple[pd.DataFrame, ...], right: tuple[pd.DataFrame, ...]) -> None:
    for own, other in zip(found, right, strict=True):
        pd.testing.assert_frame_equal(own, other, check_exact=True, check_dtype=False)


def never(*_: object) -> None:
    pytest.fail("this is known already")


def test_the_answer_is_that_without_an_archive(
    runs: list[RunLayout],
    archive: Archive,
    right: tuple[pd.DataFrame, pd.DataFrame],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert set(right[1]["verdict"]) == {"slower", "unchanged"}
    assert_same(answers(runs[:-1], archive), answers(runs[:-1]))
    assert_same(answers(runs, archive), right)
    monkeypatch.setattr(cache_module, "run_values", never)
    monkeypatch.setattr(series_module, "_write", never)
    assert_same(answers(runs, archive), right)


def test_a_further_run_and_a_row_that_is_new_are_looked_at_alone(
    runs: list[RunLayout], archive: Archive, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reported_changes(runs, archive)
    with_more = [*runs, night(runs[0].root.parent, NIGHTS + 1, replace(SPEC, sizes=[8, 64]))]
    right = answers(with_more)
    made: list[str] = []
    of_store = cache_module.run_values
    monkeypatch.setattr(
        cache_module, "run_values", lambda inputs: made.append(inputs.layout.run_id) or of_store(inputs)
    )
    assert_same(answers(with_more, archive), right)
    assert made == [with_more[-1].run_id]


def test_runs_that_are_taken_away_are_not_in_the_answer(runs: list[RunLayout], archive: Archive) -> None:
    reported_changes(runs, archive)
    assert_same(answers(runs[2:], archive), answers(runs[2:]))


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


def test_damaged_files_are_made_again(
    runs: list[RunLayout], archive: Archive, right: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    """The file of all runs in each way, those of single runs in turn."""
    harms: list[Callable[[Path], object]] = [
        flip, lambda path: path.write_bytes(b""), lambda path: path.write_bytes(b"PK\3\4x")
    ]  # fmt: skip
    assert_same(answers(runs, archive), right)
    files = [path for path in (*[archive.course] * len(harms), *map(archive.file, runs)) if path is not None]
    assert len(files) == len(harms) + NIGHTS
    for number, path in enumerate(files):
        harms[number % len(harms)](path)
        assert_same(answers(runs, archive), right)


def rewrite(run: RunLayout, change: Callable[[dict[str, Any]], None]) -> None:
    document = yaml.safe_load(run.campaign.read_text())
    change(document)
    run.campaign.write_text(yaml.safe_dump(document, sort_keys=False))


def test_values_follow_from_the_keys_that_measure_or_judge(runs: list[RunLayout]) -> None:
    known = digest(runs[0])
    rewrite(runs[0], lambda document: document.update(title="another", limits={"retries": 7}))
    assert digest(runs[0]) == known
    rewrite(runs[0], lambda document: document.update(analysis={"confidence": 0.9}))
    changed = digest(runs[0])
    rewrite(runs[0], lambda document: document.update(analysis={"confidence": 0.9}, seed=7))
    assert len({known, changed, digest(runs[0])}) == 3
    runs[0].campaign.write_text("schema: 1\n")
    assert digest(runs[0]) not in ("", known)


def test_another_store_gives_other_values(runs: list[RunLayout], archive: Archive) -> None:
    reported_changes(runs, archive)
    for name in ("launches", "measurements"):
        pq.write_table(pq.read_table(runs[2].table(name)), runs[0].table(name))
    seal(runs[0], growing=False)
    assert_same(answers(runs, archive), answers(runs))


def test_no_archive_where_none_can_be_written(
    runs: list[RunLayout], archive: Archive, right: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    assert archive.folder is not None
    archive.folder.write_text("a file")
    assert_same(answers(runs, archive), right)


def test_a_file_tells_its_columns(runs: list[RunLayout], archive: Archive) -> None:
    reported_changes(runs, archive)
    path = archive.file(runs[0])
    assert path is not None
    schema = pq.read_schema(path)
    assert {field.name: field.metadata[b"meaning"].decode() for field in schema} == VALUE_COLUMNS
