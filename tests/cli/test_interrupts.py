# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C before there is anything to put in order, and after all is done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

INTERRUPT = "os.kill(os.getpid(), signal.SIGINT)"


def isochron(*words: str, modules: Path) -> subprocess.CompletedProcess[str]:
    """Call it with modules that are found before all others."""
    return subprocess.run(
        [sys.executable, "-m", "isochron", *words],
        env={**os.environ, "PYTHONPATH": str(modules)}, cwd=modules, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_interrupted_while_modules_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "rich.py").write_text(f"import os, signal\n{INTERRUPT}\nraise ImportError\n")
    done = isochron("status", modules=tmp_path)
    assert (done.returncode, done.stderr) == (130, "")


def test_interrupted_while_the_interpreter_ends(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import atexit, os, signal\natexit.register(lambda: {INTERRUPT})\n")
    done = isochron("schema", "--list", modules=tmp_path)
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout.startswith("campaign ")


def test_an_interrupt_that_a_shell_lets_be_ignored_stays_so(tmp_path: Path) -> None:
    ignored = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    (tmp_path / "sitecustomize.py").write_text(
        f"import atexit, os, signal\n{ignored}\natexit.register(lambda: {INTERRUPT})\n"
    )
    assert isochron("schema", "--list", modules=tmp_path).returncode == 0
