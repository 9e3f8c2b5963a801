# SPDX-License-Identifier: BSD-3-Clause
"""Groups 5 and 6: processes that were started with different words, and lists of ranks that are none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.attacks.support import Attacked
from tests.engine.support import Mpi, read_records

pytestmark = pytest.mark.mpi

#: Number: what the ranks 0 and 1 are told beside the common words.
WORDS: dict[str, tuple[list[str], list[str]]] = {
    "5.1": (["--trim", "0.25"], ["--trim", "0.1"]),
    "5.2": (["--memory", "--check"], ["--check"]),
    "5.3": (["--max-reps", "16"], ["--max-reps", "400"]),
    "5.4": (["--append-header", "a=1"], ["--append-header", "a=2"]),
    "5.5": (["--test-clock", "seed=1"], []),
    "5.6": (["--corrupt-rank", "1"], ["--corrupt-rank", "0"]),
    "5.7": (["--clock-sync", "hca3", "--sync-points", "10"], ["--clock-sync", "hca3", "--sync-points", "11"]),
    "5.8": (["--buffers", "cold"], ["--buffers", "warm"]),
    "5.9": (["--datatype", "float"], ["--datatype", "int"]),
    "5.10": (["--arrival", "ascending"], ["--arrival", "descending"]),
    "5.11": (["--in-place"], []),
    "5.12": (["--large-counts"], []),
}


@pytest.mark.slow
@pytest.mark.parametrize("number", WORDS)
def test_different_words(engine: Path, mpi: Mpi, tmp_path: Path, number: str) -> None:
    """One line, exit 2, and nothing is written."""
    common = [str(engine), "--operations", "allreduce", "--sizes", "8", "--output", "out.jsonl"]
    first, second = WORDS[number]
    line = [*mpi.launch(1, [*common, *first]), ":", *mpi.launch(1, [*common, *second])[1:]]
    done = subprocess.run(line, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    said = [each for each in done.stderr.splitlines() if each.startswith("isochron-engine:")]
    assert done.returncode == 2 and len(said) == 1, done.stderr
    assert "rank 1 has other options than rank 0" in said[0]
    assert list(tmp_path.iterdir()) == []


#: Number: a list of two processes, and whether it is one.
LISTS: dict[str, tuple[bytes, bool]] = {
    "6.1": (b"1 0\n", True),
    "6.2": (b"1\r\n0\r\n", True),
    "6.3": (b"0 0\n", False),
    "6.4": (b"0 2\n", False),
    "6.5": (b"0\n", False),
    "6.6": (b"0 1 1\n", False),
    "6.7": (b"-1 0\n", False),
    "6.8": (b"0x0 1\n", False),
    "6.9": (b"1e0 0\n", False),
    "6.10": (b"0,1\n", False),
    "6.11": (b"", False),
    "6.12": (b"000000000000000000000001", False),  # read in two pieces it would be 0 and 1
    "6.13": (b"18446744073709551616 1\n", False),
    "6.14": (b"0\x001\n", False),
    "6.15": ("\ufeff0 1\n".encode(), False),
    "6.16": ("٠ ١\n".encode(), False),
}
FAST = ("6.12",)
SHORT = ["--operations", "bcast", "--sizes", "8", "--max-reps", "16", "--rank-order", "list:order"]


@pytest.mark.parametrize(
    "number", [pytest.param(each, marks=() if each in FAST else pytest.mark.slow) for each in LISTS]
)
def test_list_of_ranks(attacked: Attacked, tmp_path: Path, number: str) -> None:
    """A list of every process once is taken, and the record has the order; any other is refused in one line."""
    content, right = LISTS[number]
    (tmp_path / "order").write_bytes(content)
    done = attacked.run(tmp_path, SHORT, {})
    if right:
        assert done.code == 0, done.err
        header = read_records(tmp_path / "out.jsonl")[0]
        assert header["rank_order"] == [1, 0]
        return
    assert done.code == 2 and len(done.complaints) == 1
    assert "does not list 0 to 1 once each" in done.complaints[0]
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", ["6.17 a pipe", "6.18 a folder", "6.19 a device", "6.20 nothing"])
def test_no_file(attacked: Attacked, tmp_path: Path, number: str) -> None:
    """What is no file is not waited for."""
    target = tmp_path / "order"
    if "pipe" in number:
        os.mkfifo(target)
    elif "folder" in number:
        target.mkdir()
    elif "device" in number:
        target.symlink_to("/dev/zero")
    done = attacked.run(tmp_path, SHORT, {})
    assert done.code == 2 and len(done.complaints) == 1
    assert "--rank-order: cannot read" in done.complaints[0]
