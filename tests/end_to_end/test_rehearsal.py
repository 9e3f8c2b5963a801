# SPDX-License-Identifier: BSD-3-Clause
"""A rehearsal of two points through the whole workflow, ReFrame included; and the figures of the machine BXJ."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.formatting.numbers import MIB_IN_MB
from isochron.schemas.run.layout import RunLayout
from isochron.spack_envs.simulated import SETTINGS, host_lines, platform_xml, programs, settings
from isochron.workflows.machine_file import load_machine
from tests.end_to_end.conftest import Place
from tests.engine.support import needs_simgrid

pytestmark = needs_simgrid

REAL = {
    "stacks": ["openmpi-5.0"],
    "operations": ["barrier", "bcast", "alltoall"],
    "sizes": [128],
    "processes": [4, 16],
    "processes_per_node": [4],
    "site": {"nodes": 4, "cores_per_node": 4},
    "limits": {"node_hours": 1.0},
}


def rehearse(place: Place, *words: str) -> tuple[RunLayout, str]:
    place.write(**REAL)
    done = place.isochron("rehearse", "mini.yaml", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return newest(place), done.stdout


def newest(place: Place) -> RunLayout:
    return RunLayout((place.folder / "results" / "mini-rehearsal" / "latest").resolve())


def raw_times(run: RunLayout) -> dict[str, list[str]]:
    """The text of all raw times, launch by launch."""
    return {
        path.name: re.findall(r'"(?:time|local)_ns":\[[^]]*\]', path.read_text()) for path in run.launches.iterdir()
    }


def test_a_rehearsal_runs_every_point(place: Place) -> None:
    run, said = rehearse(place)
    assert "openmpi-5.0 is simulated by smpi-openmpi" in said
    assert "every point of the plan ran, 2 launches" in said
    assert "limits.node_hours is 1" in said
    launches = pd.read_parquet(run.table("launches"))
    assert sorted(launches["processes"]) == [4, 16]
    assert launches["simulated"].all()
    assert launches["simulation"].str.contains("network-model=SMPI,selector=ompi").all()
    assert set(launches["system"]) == {"simulated"}
    summary = pd.read_csv(run.tables / "summary.csv")
    assert summary["reliable"].all()
    assert summary["simulated"].str.contains("network model SMPI, selector ompi").all()
    assert summary["se_us"].isna().all()
    figures = json.loads((run.figures / "figures.json").read_text())["figures"]
    assert figures
    assert all("simulated" in figure["title"] for figure in figures)
    captions = re.findall(r"<caption>.*?</caption>", run.report.read_text(), re.S)
    assert captions
    assert all("simulated (simulator SimGrid" in caption for caption in captions)


@pytest.mark.slow
def test_a_rehearsal_gives_the_same_times_twice(place: Place) -> None:
    """The second time as the simulated campaign that it is, to the store."""
    run, _ = rehearse(place)
    done = place.isochron("run", str(run.campaign), "--new", "--until", "store")
    assert done.returncode == 0, done.stdout + done.stderr
    again = newest(place)
    assert again.root != run.root
    assert raw_times(again) == raw_times(run)
    assert any(raw_times(run).values())


PING_PONG = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static double round_trip(int rank, int last, char *data, int bytes)
{
    double begin = 0;
    for (int i = 0; i < 2; i++) { /* the first trip aligns the two */
        begin = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD);
            MPI_Recv(data, bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == last) {
            MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return MPI_Wtime() - begin;
}
int main(int argc, char **argv)
{
    int rank, size, bytes = 1 << 24;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *data = calloc(1, bytes), *other = calloc(1, bytes);
    double empty = round_trip(rank, size - 1, data, 0), full = round_trip(rank, size - 1, data, bytes);
    int partner = (rank + size / 2) % size;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Sendrecv(data, bytes, MPI_BYTE, partner, 1, other, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    double exchange = MPI_Wtime() - begin;
    if (rank == 0)
        printf("%.9g %.9g %.9g\n", empty / 2 * 1e6, bytes / ((full - empty) / 2) / 1e6,
               size * (double)bytes / exchange / 1e6);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.simgrid
@pytest.mark.parametrize("per_node", [8, 12])
def test_the_simulated_machine_has_the_published_figures(tmp_path: Path, per_node: int) -> None:
    """Latency 2.37 µs and 3183 MiB/s of one stream within 1 %, 5252 to 5409 MiB/s of a node, both ways."""
    compiler, launcher = programs() or pytest.skip("SimGrid is not here")
    machine = load_machine("bxj", tmp_path)
    (tmp_path / "platform.xml").write_text(platform_xml(machine))
    (tmp_path / "hosts").write_text(host_lines(machine, per_node))
    (tmp_path / "ping_pong.c").write_text(PING_PONG)
    subprocess.run([compiler, "-O1", "-o", "ping_pong", "ping_pong.c"], cwd=tmp_path, check=True, capture_output=True)
    command = [str(launcher), "-np", str(2 * per_node), "-platform", "platform.xml", "-hostfile", "hosts"]
    command += ["-no-privatize", "--log=root.thresh:error"]
    command += [f"--cfg={setting}" for setting in (*SETTINGS, *settings(machine))]
    done = subprocess.run(
        [*command, "./ping_pong"], cwd=tmp_path, capture_output=True, text=True, timeout=900, check=True
    )
    latency_us, stream, node = map(float, done.stdout.split())
    assert latency_us == pytest.approx(2.37, rel=0.01)
    assert stream / MIB_IN_MB == pytest.approx(3183, rel=0.01)
    assert 8 * 656.54 <= node / MIB_IN_MB <= 12 * 450.74
