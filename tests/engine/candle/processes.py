# SPDX-License-Identifier: BSD-3-Clause
"""Processes of a candle, started with the variables that a launcher sets."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.engine.support import ENGINE, Finished


def build_candle(folder: Path) -> None:
    """Build isochron-candle in a folder with the machine's compiler, warnings being errors."""
    command = ["make", "-C", str(ENGINE), "-j2", "candle", f"BUILD={folder}", "STRICT=1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@dataclass
class Processes:
    """Starts ranks of a candle by hand, so that one can be left out or killed."""

    program: Path
    folder: Path
    started: dict[int, subprocess.Popen[str]] = field(default_factory=dict)

    def start(self, rank: int, size: int, *words: str | Path) -> subprocess.Popen[str]:
        environment = {**os.environ, "PMI_RANK": str(rank), "PMI_SIZE": str(size)}
        self.started[rank] = subprocess.Popen(
            [self.program, *words], cwd=self.folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        return self.started[rank]

    def end(self) -> list[Finished]:
        """Wait for all, in the order of their ranks: who waits for ever fails the test here."""
        ended = []
        for rank in sorted(self.started):
            out, err = self.started[rank].communicate(timeout=200)
            ended.append(Finished(self.started[rank].returncode, out, err))
        self.started.clear()
        return ended

    def run(self, size: int, *words: str | Path) -> list[Finished]:
        for rank in range(size):
            self.start(rank, size, *words)
        return self.end()

    def kill(self) -> None:
        for process in self.started.values():
            process.send_signal(signal.SIGKILL)
            process.communicate()
        self.started.clear()
