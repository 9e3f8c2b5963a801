# SPDX-License-Identifier: BSD-3-Clause
"""Reports of all kinds that a first screen can be: each answer, and what may stand beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from isochron.postprocess.__main__ import main
from isochron.schemas.run.layout import RunLayout
from tests.postprocess import reported
from tests.postprocess.synthetic import Spec, write_run
from tests.shared import Shared

TWO = Spec(
    stacks=["mpich-4.3", "mpich-5.0"],
    operations=["bcast", "alltoall"],
    sizes=[8, 65536],
    processes=[4],
    launches=12,
    launch_spread=0.01,
    speed={"mpich-4.3": 1.0, "mpich-5.0": 1.3},
)
FIVE = ["openmpi-4.1", "openmpi-5.0", "mpich-4.3", "mpich-5.0", "intel-mpi-2021"]
FOUR = ["mpich-4.3", "mpich-5.0", "openmpi-4.1", "openmpi-5.0"]
CHOICE = {"mpich-5.0": 1.3, "openmpi-5.0": 1.0, "intel-mpi-2021": 1.4}

#: By what a reader sees. A planted loss of one comparison alone gives singulars.
STATES = {
    "do not": TWO,
    "upgrade": replace(TWO, speed={}, launch_spread=0.005, run_spread=0.01),
    "inconclusive": replace(TWO, speed={"mpich-5.0": 1.12}, launch_spread=0.2, launches=6),
    "adopt": replace(TWO, stacks=list(CHOICE), speed=CHOICE),
    "one loss": replace(TWO, speed={"mpich-4.3": 1.0, "mpich-5.0": 1.0}, planted={("mpich-5.0", "alltoall", 8): 1.4}),
    "one comparison": replace(TWO, operations=["bcast"], sizes=[8]),
    "one stack": replace(TWO, stacks=["mpich-5.0"]),
    "incomplete": replace(TWO, missing=frozenset({"b003.mpich-5.0.p4.n4.packed.1", "b004.mpich-5.0.p4.n4.packed.1"})),
    "simulated": replace(TWO, simulated=True),
    "weights": replace(
        TWO,
        question={
            "baseline": "mpich-4.3",
            "candidate": "mpich-5.0",
            "weights": {"alltoall": 2},
            "max_loss": 0.1,
            "max_loss_by_case": {"alltoall 8": 0.02},
        },
    ),
    "five stacks": replace(TWO, stacks=FIVE, speed={"openmpi-5.0": 123.0}),  # and numbers of many digits
    "two questions": replace(TWO, stacks=FOUR, processes=[4, 8], speed={"openmpi-4.1": 1.0, "mpich-5.0": 2.0}),
}


def report(shared: Shared, name: str) -> Path:
    """The page of that state; it is made once."""

    def make(folder: Path) -> None:
        run = write_run(folder / "run", STATES[name])
        for step in ("ingest", "analyse", "render"):
            assert main([step, str(run)]) == 0

    return RunLayout(shared(f"state {name}".replace(" ", "-"), make) / "run").report


def without_figures(shared: Shared, name: str) -> Path:
    """The same page without figures, which take most of its time."""

    def make(folder: Path) -> None:
        reported.report(write_run(folder / "run", STATES[name]), "none")

    return RunLayout(shared(f"tables {name}".replace(" ", "-"), make) / "run").report
