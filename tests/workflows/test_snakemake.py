# SPDX-License-Identifier: BSD-3-Clause
"""Snakemake can be asked to end, whatever the shell made its starter ignore."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from isochron.workflows.driving.snakemake import heeding_interrupts

ASK = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"


def heeded() -> str:
    return subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.process
def test_a_child_heeds_interrupts_that_its_parent_ignores() -> None:
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert heeded() == "False"
        with heeding_interrupts():
            assert heeded() == "True"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, previous)
