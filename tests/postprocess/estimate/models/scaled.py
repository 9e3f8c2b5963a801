# SPDX-License-Identifier: BSD-3-Clause
"""Made-up scaling on a machine with published parameters (BXJ: Luo Hongbing, Zhang Xiaoxia, 2017).

`python -m tests.postprocess.estimate.models.scaled DIR` writes a run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from isochron.common.resources import shipped
from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.cost_models import Costs
from isochron.postprocess.formatting.numbers import MIB_IN_MB
from isochron.schemas.run.plan import Point
from tests.postprocess.synthetic import Spec, write_run

#: What was published; its bandwidths are in MiB/s.
PUBLISHED = yaml.safe_load(shipped("postprocess", "published", "bxj.yaml").read_text())
#: µs, and MB/s: 10⁶ bytes a second are a byte a µs. By processes per node: 2m/t of each while all send and receive.
ALPHA, STREAM = PUBLISHED["alpha_us"], PUBLISHED["one_way"] * MIB_IN_MB
REDUCTION = PUBLISHED["reduction"]["clock_hz"] * PUBLISHED["reduction"]["bytes_per_cycle"] / 1e6
_IMB = {each: rate * MIB_IN_MB for each, rate in PUBLISHED["imb"].items()}
IMB = {1: STREAM, **_IMB}
GIVEN = {
    "alpha_us": ALPHA,
    "one_way_mb_per_s": STREAM,
    "imb_mb_per_s": _IMB,
    "reduction_mb_per_s": REDUCTION,
}
#: What the made-up library uses.
ALGORITHMS = {
    "bcast": "binomial tree",
    "reduce": "binomial tree",
    "gather": "binomial tree",
    "allgather": "ring",
    "allreduce": "recursive doubling",
    "alltoall": "irecv-isend",
}
#: Where bcast of 16 KiB leaves its model, and by what factor at each step.
LEAVES, FACTOR = 4096, 2.1


def modelled(operation: str, algorithm: str, size: int, processes: int, per_node: int) -> float:
    """µs with the published parameters."""
    model = next(each for each in registry.of(operation) if each.algorithm == algorithm)
    bandwidth = STREAM if model.bandwidth == "one_way" else IMB[per_node]
    costs = Costs(ALPHA, 1 / bandwidth, 1 / REDUCTION)
    return model.time(processes, registry.table_bytes(operation, size, processes), costs)


def truth(operation: str, size: int, point: Point) -> float:
    """The models' times, but bcast of 16 KiB leaves its own; and scan, for which there is no model."""
    if operation == "ping-pong":
        return 2 * (ALPHA + size / STREAM)
    if operation == "sendrecv":
        return 3.2 + 2 * size / IMB[point.processes_per_node]
    if operation == "scan":
        return 4.0 + 0.5 * point.processes
    time = modelled(operation, ALGORITHMS[operation], size, point.processes, point.processes_per_node)
    if operation == "bcast" and size == 16384 and point.processes >= LEAVES:
        time *= FACTOR * point.processes / LEAVES
    return time


BXJ = Spec(
    stacks=["mpich-5.0"],
    operations=[*ALGORITHMS, "scan"],
    sizes=[128, 16384],
    processes=[2**k for k in range(4, 14)],
    processes_per_node=[8, 12],
    launches=6,
    runs=8,
    launch_spread=0.01,
    run_spread=0.01,
    truth=truth,
    analysis={"model": GIVEN},
)


if __name__ == "__main__":
    print(write_run(Path(sys.argv[1]), BXJ))
