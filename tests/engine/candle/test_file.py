# SPDX-License-Identifier: BSD-3-Clause
"""Reading the candle's file: a whole one, and what is said of every damaged one."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.candle import read_candle

AGAIN = "the file is damaged or truncated; run the launch again"

HEADER: dict[str, Any] = {
    "record": "header", "kind": "candle", "schema": 1, "candle_version": 1, "engine_version": "0.1.0",
    "started_at": "2026-11-23T09:00:00Z", "command": ["isochron-candle"], "launch": {"name": "a"}, "compiler": "gcc",
    "processes": 2, "hosts": [{"name": "n1", "ranks": "0-1"}],
    "bindings": [{"host": "n1", "cpus": "0", "ranks": "0-1"}], "passes": 2, "batch": 40,
    "turns": {"index": 1, "residents": 2, "seed": 7, "rounds": 2, "cases": 2, "limit_ns": 10_000_000_000},
}  # fmt: skip
CASE: dict[str, Any] = {
    "record": "candle", "operation": "bcast", "bytes": 8, "kernel": "bcast", "reps": [40, 40], "t_ns": [1, 2],
    "median_ns": [500.5, 510], "warmup_reps": [20, 10], "slept_cpu_ns": [3, 4], "waited_ns": [5, 6],
}  # fmt: skip
RECORDS = [HEADER, CASE, {**CASE, "bytes": 64}]


def write(path: Path, records: list[dict[str, Any]], **footer: Any) -> Path:
    """A file with a footer that agrees, but for what is given."""
    body = "".join(json.dumps(record) + "\n" for record in records).encode()
    crc = f"{zlib.crc32(body):08x}"
    last = {"record": "footer", "records": len(records), "crc32": crc, "elapsed_ns": 1, **footer}
    path.write_bytes(body + json.dumps(last).encode() + b"\n")
    return path


def changed(number: int, **members: Any) -> list[dict[str, Any]]:
    """The records, one with other members."""
    return [{**record, **members} if i == number else record for i, record in enumerate(RECORDS)]


def test_a_whole_file(tmp_path: Path) -> None:
    file = read_candle(write(tmp_path / "a.jsonl", RECORDS))
    assert file.header.candle_version == 1 and file.header.turns is not None and file.header.turns.index == 1
    assert [(case.bytes, case.median_ns) for case in file.cases] == [(8, [500.5, 510]), (64, [500.5, 510])]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (changed(0, candle_version=0),
         "line 1: header.candle_version: Input should be greater than or equal to 1"),
        (changed(0, kind="lamp"), "line 1: header.kind: Input should be 'candle'"),
        (changed(0, started_at="noon"), "header.started_at: 'noon' is not an ISO 8601 time"),
        (changed(0, passes=3), f"header.turns: 2 rounds of 2 cases, but 3 of 2 are here; {AGAIN}"),
        (RECORDS[:2], f"header.turns: 2 rounds of 2 cases, but 2 of 1 are here; {AGAIN}"),
        (changed(2, bytes=8), f"bcast at 8 bytes: is listed 2 times; {AGAIN}"),
        (changed(1, t_ns=[1]), f"bcast at 8 bytes: t_ns has 1 entries, and 2 are expected; {AGAIN}"),
        (changed(2, waited_ns=[]), f"bcast at 64 bytes: waited_ns has 0 entries, and 2 are expected; {AGAIN}"),
        ([{**HEADER, "turns": None}, CASE],
         f"bcast at 8 bytes: slept_cpu_ns has 2 entries, and 0 are expected; {AGAIN}"),
        (changed(1, median_ns=[0, 1]), "line 2: candle.median_ns[0]: Input should be greater than 0"),
        (changed(1, waited_ns=[5, -6]), "line 2: candle.waited_ns[1]: Input should be greater than or equal to 0"),
        (RECORDS[1:], "line 1: the header must come first"),
        ([*RECORDS, HEADER], "more than one header or footer; one launch writes one file"),
    ],
)  # fmt: skip
def test_what_disagrees_is_named(tmp_path: Path, records: list[dict[str, Any]], message: str) -> None:
    path = write(tmp_path / "a.jsonl", records)
    with pytest.raises(FileError) as error:
        read_candle(path)
    assert str(error.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content[:-1], "truncated (no footer); run the launch again"),
        (lambda content: content.replace(b"500.5", b"501.5"), f"but the checksum is {{crc}}; {AGAIN}"),
        (lambda content: content.split(b"\n", 1)[1], f"footer.records: 3, but the file has 2 records; {AGAIN}"),
    ],
)  # fmt: skip
def test_a_damaged_file(tmp_path: Path, damage: Callable[[bytes], bytes], message: str) -> None:
    path = write(tmp_path / "a.jsonl", RECORDS)
    path.write_bytes(damage(path.read_bytes()))
    crc = f"{zlib.crc32(path.read_bytes().rpartition(b'{')[0]):08x}"
    with pytest.raises(FileError) as error:
        read_candle(path)
    assert str(error.value).startswith(f"{path}: ") and str(error.value).endswith(message.format(crc=crc))
