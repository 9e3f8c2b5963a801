# SPDX-License-Identifier: BSD-3-Clause
"""The coarse simulation (postprocess/estimate/models/coarse.py) beside the simulator, message by message."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.postprocess.estimate.models.coarse import Place, algorithm_of, coarse_us
from isochron.schemas.input.placement import ROUND_ROBIN
from isochron.spack_envs import simulated
from isochron.spack_envs.declarations import load_declaration
from isochron.workflows.machine_file import load_machine
from tests.engine.simulator import Machine, records_on
from tests.engine.support import needs_simgrid, rows_of

pytestmark = needs_simgrid

SIZES = (128, 16384)
PAIRWISE = ("alltoall", "alltoallv")
OPERATIONS = (*PAIRWISE, "alltoallw", "allgatherv", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
#: Readings of the clock, 10 ns each, that a time may contain; and rounding.
READINGS_US, ROUNDING = 0.05, 1e-4
#: Pairwise where nodes have unlike numbers of processes: processes that go on early meet fewer others on the links.
UNEVEN = 0.85


def compare(engine: Path, folder: Path, place: Place, operations: tuple[str, ...], sizes: tuple[int, ...]) -> None:
    """Compare each time of a launch on the machine bxj with that of the coarse simulation."""
    machine, simulator = load_machine("bxj", Path()), load_declaration("smpi-default").simulator
    assert simulator is not None
    hosts = tuple(f"n{node}" for node in place.nodes())
    options = (*simulated.SETTINGS, *simulated.settings(machine), *simulator.options)
    on = Machine(simulated.platform_xml(machine), hosts, options)
    words = ["--operations", ",".join(operations), "--sizes", ",".join(map(str, sizes)), "--clock-sync", "none"]
    words += ["--stop", "reps", "--max-reps", "4", "--max-valid", "1", "--min-valid", "1", "--warmup-reps", "1"]
    words += ["--batch", "1", "--max-slot-us", "1e6"]
    rows = rows_of(records_on(on, engine, folder, *words))
    assert len(rows) == len(operations) * len(sizes)
    for row in rows:
        algorithm = algorithm_of(row["operation"], [f"--cfg={option}" for option in options])
        assert algorithm is not None
        coarse = coarse_us(algorithm, machine, place, row["bytes"])
        assert coarse is not None
        time, case = row["median_ns"] / 1e3, (row["operation"], row["bytes"], place)
        if row["operation"] in PAIRWISE and place.processes % place.per_node:
            assert UNEVEN * coarse <= time <= coarse * (1 + ROUNDING), case
        else:
            assert time == pytest.approx(coarse, rel=ROUNDING, abs=READINGS_US), case


@pytest.mark.parametrize(("processes", "per_node"), [(16, 8), (32, 8), (32, 12)])
def test_it_has_the_times_of_the_simulator(
    simulated_engine: Path, tmp_path: Path, processes: int, per_node: int
) -> None:
    compare(simulated_engine, tmp_path, Place(processes, per_node, ROUND_ROBIN), OPERATIONS, SIZES)


@pytest.mark.slow  # smaller: above
@pytest.mark.parametrize("processes", [512, 1024])
@pytest.mark.parametrize("per_node", [8, 12])
def test_it_has_them_where_many_processes_send(
    simulated_engine: Path, tmp_path: Path, processes: int, per_node: int
) -> None:
    operations = ("alltoall", "allgatherv", "reduce_scatter")
    compare(simulated_engine, tmp_path, Place(processes, per_node, ROUND_ROBIN), operations, SIZES[:1])
