# SPDX-License-Identifier: BSD-3-Clause
"""Residents: launches that are started together and take turns; one of them may be given a fault."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from isochron.schemas.run.launch_file import LaunchFile, read_launch
from isochron.schemas.run.turns import Turns
from tests.engine.support import Finished, Mpi

#: Seconds that no turn takes on any machine; all residents of a session have the same limit.
TURN_LIMIT = "60"
#: Cases and rounds of the tests.
WORDS = ("--passes", "4", "--warmup-time", "0.0005", "--stop", "reps")
CASES, ROUNDS = 3, 4

#: A library before the real one: on rank 0, before one call, the process does something to itself. MISDEED is the
#: number of a signal, 0 to hang, or -1 to start a thread that works now and then; WHERE one of MPI_Init, MPI_Allreduce
#: and MPI_Finalize; WHEN counts the calls from 0.
FAULTY = """
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *spin(void *nothing)
{
    for (volatile unsigned count = 0;; count++)
        if (count % 1000000 == 0)
            usleep(2000);
    return nothing;
}
static void fault(const char *where)
{
    pthread_t thread;
    static int calls = 0;
    int rank = 0;
    if (strcmp(getenv("WHERE"), where) != 0)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0 || calls++ != atoi(getenv("WHEN")))
        return;
    const int misdeed = atoi(getenv("MISDEED"));
    for (; misdeed >= 0;)
        if (misdeed != 0)
            raise(misdeed);
    pthread_create(&thread, NULL, spin, NULL);
}
int MPI_Init(int *c, char ***v) { const int result = PMPI_Init(c, v); fault("MPI_Init"); return result; }
int MPI_Finalize(void) { fault("MPI_Finalize"); return PMPI_Finalize(); }
int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    fault("MPI_Allreduce");
    return PMPI_Allreduce(s, r, n, t, o, c);
}
"""


@dataclass(frozen=True)
class Outcome:
    """How the residents ended, in their order."""

    finished: list[Finished]
    files: list[Path]
    segment: Path

    def launch(self, index: int) -> LaunchFile:
        """The file of a resident that completed, checked as every file is."""
        assert self.finished[index].code == 0, self.finished[index].err
        return read_launch(self.files[index])

    def turns(self, index: int) -> Turns:
        found = self.launch(index).turns
        assert found is not None
        return found

    def lost(self, index: int) -> dict[int, str]:
        """The residents that were lost, as this one saw it."""
        return {each.resident: each.reason for each in self.turns(index).lost}


@dataclass
class Residents:
    """Starts residents of one engine in a folder."""

    mpi: Mpi
    engine: Path
    folder: Path
    processes: int = 2
    operations: str = "allreduce,barrier,bcast"
    size: str = "8"
    repetitions: int = 32
    name: str = field(default_factory=lambda: f"test-{uuid.uuid4().hex[:12]}")
    started: dict[int, subprocess.Popen[str]] = field(default_factory=dict)

    @property
    def segment(self) -> Path:
        return Path(f"/dev/shm/isochron-turns-{self.name}")

    def start(self, index: int, count: int, *words: str, faulty: Mapping[str, str] | None = None) -> None:
        """Start one resident; `faulty` is the environment of the faulty library."""
        preload = ["env", f"LD_PRELOAD={self._shim()}"] if faulty else []
        turns = ["--turns", self.name, "--turn", f"{index}/{count}", "--output", self.file(index)]
        turns += [] if "--turn-limit" in words else ["--turn-limit", TURN_LIMIT]
        limits = ["--max-valid", str(self.repetitions), "--max-reps", str(2 * self.repetitions)]
        options = [*WORDS, "--operations", self.operations, "--sizes", self.size, *limits, *words, *turns]
        command = self.mpi.launch(self.processes, [*preload, self.engine, *options])
        self.started[index] = subprocess.Popen(
            command, cwd=self.folder, env={**self.mpi.env, **(faulty or {})}, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def file(self, index: int) -> Path:
        return self.folder / f"{index}.jsonl"

    def _shim(self) -> Path:
        source, shim = self.folder / "faulty.c", self.folder / "faulty.so"
        source.write_text(FAULTY)
        subprocess.run([self.mpi.cc, "-shared", "-fPIC", "-pthread", "-o", shim, source], env=self.mpi.env, check=True)
        return shim

    def end(self, count: int) -> Outcome:
        """Wait for all: who waits for ever fails the test here."""
        finished = []
        try:
            for index in range(count):
                if index not in self.started:
                    finished.append(Finished(-1, "", "not started"))
                    continue
                process = self.started[index]
                out, err = process.communicate(timeout=300)
                finished.append(Finished(process.returncode, out, err))
        finally:
            for process in self.started.values():
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        return Outcome(finished, [self.file(index) for index in range(count)], self.segment)

    def run(self, count: int, *words: str, own: Mapping[int, Sequence[str]] | None = None,
            faulty: Mapping[int, Mapping[str, str]] | None = None, absent: int = -1) -> Outcome:  # fmt: skip
        """Start all but an absent one, with words for all and for each, and wait for their end."""
        for index in range(count):
            if index != absent:
                self.start(index, count, *words, *(own or {}).get(index, ()), faulty=(faulty or {}).get(index))
        return self.end(count)


def wait_for(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Wait until a condition holds, which takes as long as the machine needs."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
