# SPDX-License-Identifier: BSD-3-Clause
"""The readers know every field that the engine writes; the means over ranks are those of the ranks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.engine.support import Mpi, read_records
from tests.engine.test_operations import run
from tests.postprocess.subjects.details.test_every_field import RECORDS, models_of

EVERYTHING = ["--per-rank", "--memory", "--overlap", "--arrival", "ascending", "--check", "--test-clock", "seed=1"]


def unknown(value: Any, model: type[BaseModel], path: str) -> Iterator[str]:
    """Keys of a record that its model has no field for."""
    known = {field.alias or name: field for name, field in model.model_fields.items()}
    for key, inner in value.items():
        if key not in known:
            yield f"{path}.{key}"
            continue
        for part in models_of(known[key].annotation):
            parts = inner if isinstance(inner, list) else [inner]
            if isinstance(inner, dict) and not set(inner) & set(part.model_fields):
                parts = list(inner.values())  # by name, as figures of the memory are
            for each in parts:
                yield from unknown(each, part, f"{path}.{key}") if isinstance(each, dict) else ()


@pytest.mark.mpi
def test_every_field_of_the_engine_is_known(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    words = ["--operations", "ping-pong,ibcast,basic", "--sizes", "8,64KiB", "--stop", "reps", "--max-reps", "12"]
    code, _, err = run(mpi, engine, tmp_path / "out", 2, *words, *EVERYTHING)
    assert code == 0, err
    code, _, err = run(mpi, engine, tmp_path / "out", 2, *words[:4], "--buffers", "cold", *words[4:])
    assert code == 0, err
    for path in (tmp_path / "out").iterdir():
        records = read_records(path)
        assert {record["record"] for record in records} >= {"header", "clock", "measurement", "footer"}
        found = [name for each in records for name in unknown(each, RECORDS[each["record"]], each["record"])]
        assert not found


@pytest.mark.slow
@pytest.mark.mpi
def test_means_over_ranks_are_those_of_the_ranks(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """From the starts and ends of every rank, of runs that started in time; a third rank of ping-pong is idle."""
    words = ["--operations", "ping-pong,allreduce", "--sizes", "1KiB", "--stop", "reps", "--max-reps", "20"]
    words += ["--scheme", "barrier", "--per-rank"]  # without slots nobody is late, however busy the machine
    code, rows, err = run(mpi, engine, tmp_path / "out", 3, *words)
    assert code == 0, err
    for row in rows:
        active = range(2 if row["operation"] == "ping-pong" else 3)
        in_time = [i for i in range(row["reps_made"]) if row["valid"][i] or row["overran"][i]]
        starts, ends = row["per_rank"]["start_ns"], row["per_rank"]["end_ns"]
        assert set(row["per_rank"]["slot_ns"]) == set(row["per_rank"]["into_slot_ns"]) == {0}
        means = [sum(ends[rank][i] - starts[rank][i] for i in in_time) / len(in_time) for rank in active]
        found = row["rank_mean"]
        assert found["min_ns"] == pytest.approx(min(means), abs=1)
        assert found["max_ns"] == pytest.approx(max(means), abs=1)
        assert found["avg_ns"] == pytest.approx(sum(means) / len(means), abs=1)
