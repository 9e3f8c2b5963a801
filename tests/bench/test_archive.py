# SPDX-License-Identifier: BSD-3-Clause
"""What `history` takes over an archive of many runs: at first, again, and with a run more."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bench.archived import LARGE, whole_run, write_archive

pytestmark = pytest.mark.bench

RUNS = int(os.environ.get("ISOCHRON_BENCH_RUNS", "1000"))


def step(what: str, *words: str) -> str:
    """Call `isochron`, print what it took, and return what it printed."""
    before = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "isochron", *words], stdout=subprocess.PIPE, encoding="utf-8")
    said = child.stdout.read() if child.stdout else ""
    _, status, usage = os.wait4(child.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 3)
    seconds, processor = time.perf_counter() - before, usage.ru_utime + usage.ru_stime
    print(f"{what} | {seconds:.1f} | {processor:.1f} | {usage.ru_maxrss / 1024:.0f}")
    return said


def test_archive(tmp_path: Path) -> None:
    words = ("history", "synthetic", "--results", str(tmp_path))
    write_archive(tmp_path, LARGE, RUNS)
    print(f"\n{RUNS} runs | s | processor s | MiB")
    assert f"{RUNS} runs" in step("history, no course kept", *words)
    assert f"{RUNS} runs" in step("history again", *words)
    added = whole_run(tmp_path, RUNS, LARGE)
    assert f"{RUNS + 1} runs" in step("history with a run more", *words)
    before = tmp_path / "synthetic" / "20240101T000000Z-0000"
    step("compare with the first run", "compare", str(before), str(added.root), "--quiet")
