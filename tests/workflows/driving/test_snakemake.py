# SPDX-License-Identifier: BSD-3-Clause
"""Snakemake can be asked to end, whatever the shell made its starter ignore; and what its jobs are told."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import REBUILD
from isochron.workflows.driving.snakemake import environment, forward_interrupts

ASK = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"


def heeded() -> str:
    return subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.process
def test_a_child_heeds_interrupts_that_its_parent_ignores() -> None:
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert heeded() == "False"
        with forward_interrupts():
            assert heeded() == "True"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, previous)


def test_builds_are_told_that_the_cache_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REBUILD, raising=False)
    assert environment(RunLayout(tmp_path), rebuild=True)[REBUILD] == "1"
    assert REBUILD not in environment(RunLayout(tmp_path))
