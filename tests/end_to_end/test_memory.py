# SPDX-License-Identifier: BSD-3-Clause
"""Memory that a library takes is found in the report of a campaign: at its step, at its number of processes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.subjects.details.table import MEMORY
from tests.end_to_end.built import STACK, build, replace_launcher
from tests.end_to_end.conftest import MINI, Place
from tests.engine.support import wheels_stack

pytestmark = [pytest.mark.campaign, pytest.mark.slow]

#: Takes 40 MiB in the first MPI_Comm_dup of a communicator of two processes.
GREEDY = """
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    static char *taken = NULL;
    int size = 0;
    MPI_Comm_size(comm, &size);
    if (size == 2 && taken == NULL) {
        taken = mmap(NULL, 40 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(taken, 1, 40 << 20);
    }
    return PMPI_Comm_dup(comm, copy);
}
"""
PRELOADED = """#!/bin/bash
words=()
for word in "$@"; do
    case $word in */isochron-engine) words+=(env LD_PRELOAD=<folder>/greedy.so) ;; esac
    words+=("$word")
done
exec <real> "${words[@]}"
"""


def test_forty_mebibytes_of_a_preloaded_library_are_in_the_report(place: Place) -> None:
    stack = wheels_stack(STACK)
    source: Path = place.folder / "greedy.c"
    source.write_text(GREEDY)
    build(place, {
        **MINI, "stacks": [STACK], "operations": ["allreduce"], "sizes": [8], "processes": [1, 2],
        "processes_per_node": [1, 2], "replication": {"blocks": 1, "launches_per_block": 2},
        "site": {"nodes": 1}, "engine": {"memory": True},
    })  # fmt: skip
    shim = place.folder / "greedy.so"
    subprocess.run([stack.cc, "-shared", "-fPIC", "-o", shim, source], env=stack.env, check=True)
    replace_launcher(place, PRELOADED)
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr

    table = pd.read_csv(place.run.tables / MEMORY.file)
    own = table[table["figure"] == "private"].set_index(["processes", "step"])["step_mib"]
    assert own[2, "comm-dup"] == pytest.approx(40, abs=0.5)
    others = own.drop((2, "comm-dup")).dropna()
    assert not others.between(39, 41).any()
    page = place.run.report.read_text()
    lines = [re.findall(r"<t[dh][^>]*>([^<]*)", line) for line in page.splitlines() if "<td>comm-dup</td>" in line]
    found = {line[1]: float(line[-1]) for line in lines if len(line) == len(MEMORY.columns) and line[5] == "private"}
    assert found["2"] == pytest.approx(40, abs=0.5) and found["1"] < 1
