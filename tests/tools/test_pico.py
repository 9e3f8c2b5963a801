# SPDX-License-Identifier: BSD-3-Clause
"""Files of PICO in their folders: what a launch was is known from names and metadata, or said to be unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.tools.registry import read_printout
from isochron.tools.rows import Row

FOLDER = Path(__file__).parent / "printouts"
JOB = "2025_04_07___16_14_21"
HEAD = "timestamp,test_id,nnodes,tasks_per_node,collective_type,mpi_lib\n"
TESTS = f"{JOB},0,8,1,ALLREDUCE,CRAY_MPICH\n{JOB},1,8,4,ALLTOALL,CRAY_MPICH\n{JOB},2,8,1,REDUCE_SCATTER,CRAY_MPICH\n"


def placed_file(
    root: Path, test: str, name: str, text: str = "highest\n9000\n8000\n", metadata: str = HEAD + TESTS
) -> Path:
    """A file where PICO leaves it."""
    path = root / "lumi" / JOB / test / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    if metadata:
        (root / "lumi_metadata.csv").write_text(metadata)
    return path


def first_row(path: Path) -> Row:
    return read_printout("pico", path).rows[0]


def test_names_and_metadata_say_what_was_launched(tmp_path: Path) -> None:
    first, second = read_printout("pico", placed_file(tmp_path, "0", "4096_default_mpich_int32.csv")).rows
    assert (first.operation, first.benchmark, first.scheme) == ("allreduce", "allreduce default_mpich", "barrier")
    assert (first.bytes, first.processes, first.processes_per_node, first.job) == (16384, 8, 1, JOB)
    assert first.statistic == "one repetition: longest local duration of a process"
    assert [(row.line, row.value_us, row.note) for row in (first, second)] == [
        (2, 9.0, "first repetition, without warm-up"), (3, 8.0, ""),
    ]  # fmt: skip


def test_sizes_are_those_of_the_engine(tmp_path: Path) -> None:
    """Of an alltoall the block; where the buffer is no whole number of blocks the size is not known."""
    block = first_row(placed_file(tmp_path / "a", "1", "64_pairwise_over_4096_int64.csv"))
    assert (block.operation, block.benchmark, block.processes, block.bytes) == (
        "alltoall", "alltoall pairwise_over_4096", 32, 16,
    )  # fmt: skip
    assert first_row(placed_file(tmp_path / "b", "1", "3_pairwise_over_int32.csv")).bytes is None
    other = first_row(placed_file(tmp_path / "c", "2", "8_bine_over_int32.csv"))
    assert (other.operation, other.scheme, other.bytes) == ("", "", 32)


def test_without_metadata_numbers_are_kept_and_not_compared(tmp_path: Path) -> None:
    alone = first_row(placed_file(tmp_path / "a", "0", "4096_default_mpich_int32.csv", metadata=""))
    assert (alone.operation, alone.processes, alone.job, alone.bytes) == ("", None, JOB, 16384)
    other = first_row(placed_file(tmp_path / "b", "9", "4096_default_mpich_int32.csv"))
    assert (other.operation, other.processes) == ("", None)
    renamed = first_row(FOLDER / "pico-leonardo-allreduce.txt")
    assert (renamed.benchmark, renamed.job, renamed.value_us) == ("pico-leonardo-allreduce", "", 481993.153)


def test_nccl_states_its_collective_and_begins_with_a_placeholder(tmp_path: Path) -> None:
    text = (FOLDER / "pico-marenostrum-nccl.txt").read_text()
    path = placed_file(tmp_path, "0", "1048576_allreduce_nccl_ring.csv", text, metadata="")
    rows = read_printout("pico", path).rows
    assert (rows[0].value_us, rows[0].note) == (None, "placeholder")
    assert (rows[1].operation, rows[1].benchmark, rows[1].bytes, rows[1].value_us) == (
        "allreduce", "allreduce nccl_ring", 1048576, 136.993,
    )  # fmt: skip
    assert rows[-1].note.startswith("-> Buffer: 1048576 byte")
    assert (rows[-1].operation, rows[-1].value_us) == ("", None)


@pytest.mark.parametrize("text", ["", "highest\n", "1\n2\n", "highest,rank0\n1,2\n"])
def test_files_without_values_or_of_another_form_are_refused(text: str, tmp_path: Path) -> None:
    path = placed_file(tmp_path, "0", "4096_default_mpich_int32.csv", text)
    with pytest.raises(
        FileError, match=r"_int32\.csv:1: no table of PICO in this file; a PICO file has a line `highest`"
    ):
        read_printout("pico", path)


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        (HEAD + f"{JOB},0,8,1\n", ":2: no collective_type; the columns are timestamp"),
        ("job,test\n1,2\n", ":2: no timestamp, test_id"),
        (HEAD + f"{JOB},0,eight,1,ALLREDUCE,X\n", ":2: eight and 1 are not numbers of nodes, processes"),
    ],
)
def test_metadata_that_is_not_understood_is_refused(metadata: str, said: str, tmp_path: Path) -> None:
    path = placed_file(tmp_path, "0", "4096_default_mpich_int32.csv", metadata=metadata)
    with pytest.raises(FileError) as caught:
        read_printout("pico", path)
    assert f"lumi_metadata.csv{said}" in str(caught.value)
