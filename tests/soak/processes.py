# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a life: found by the mark that every process of a run carries, and by their command line."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from tests.soak.failure import expect

MARK = b"ISOCHRON_RUN_FOLDER="

#: Whom a fault may strike, by words of the command line.
VICTIMS: dict[str, Callable[[list[str]], bool]] = {
    "snakemake": lambda words: "isochron.compat.patched_snakemake" in words and "--snakefile" in words,
    "call": lambda words: "isochron.reframe_checks" in words and "block" in words,
    "reframe": lambda words: "isochron.compat.patched_reframe" in words,
    "job": lambda words: any(word.endswith("rfm_job.sh") for word in words),
    "guard": lambda words: any(word.endswith("orphans.py") for word in words),
    "mpiexec": lambda words: Path(words[0]).name in ("mpiexec", "mpirun", "prterun") and "--check-timer" not in words,
    "timers": lambda words: "--check-timer" in words,
    "engine": lambda words: words[0].endswith("isochron-engine") and "--check-timer" not in words,
    "ingest": lambda words: "isochron.postprocess" in words,
}


def of(folder: Path) -> Iterator[tuple[int, list[str]]]:
    """Process and command line of everything that runs for a run below `folder`."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environment = (entry / "environ").read_bytes().split(b"\0")
            if any(each.startswith(MARK + os.fsencode(folder) + b"/") for each in environment):
                words = (entry / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
                if int(entry.name) != os.getpid() and is_running(int(entry.name)):
                    yield int(entry.name), words


def is_running(pid: int) -> bool:
    """Whether the process still runs (a zombie does not)."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_for(folder: Path, victim: str, over: Callable[[], bool]) -> int | None:
    """The first such process as soon as it is there; None where what would start it is over."""
    while not over():
        for pid, words in of(folder):
            if VICTIMS[victim](words):
                return pid
        time.sleep(0.02)
    return None


def send(pid: int, number: signal.Signals) -> None:
    """A signal to a process that may be gone already."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def kill_all(folder: Path, *leaders: int) -> None:
    """kill -9 of these and of everything that runs for the place, again until nothing is left."""
    for _ in range(500):
        alive = {pid for pid, _ in of(folder)} | {pid for pid in leaders if is_running(pid)}
        if not alive:
            return
        for pid in alive:
            send(pid, signal.SIGKILL)
        time.sleep(0.02)
    expect(False, f"processes of {folder} cannot be killed")
