# SPDX-License-Identifier: BSD-3-Clause
"""The coarse simulation against times worked out by hand; against the simulator: tests/engine/test_coarse.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isochron.postprocess.estimate.models.coarse import (
    AT_ONCE,
    BRUCK,
    ENVELOPE,
    HALVING,
    PAIRWISE,
    UPWARDS,
    Algorithm,
    Place,
    algorithm_of,
    coarse_us,
    loads,
)
from isochron.schemas.input.machine import Machine
from isochron.schemas.input.placement import PACKED, ROUND_ROBIN
from isochron.spack_envs.declarations import load_declaration
from isochron.workflows.machine_file import load_machine

#: Bytes per µs of both directions of a node and of a stream, latencies in µs: machine bxj.
BOTH, STREAM, LATENCY = 5589, 3337.6, 2.37
MEMORY_LATENCY, MEMORY = 0.5, 6000


def machine(**changes: Any) -> Machine:
    return Machine.model_validate({**load_machine("bxj", Path()).model_dump(by_alias=True), **changes})


#: Of 8 processes on 2 nodes with 4 each, ranks alternating: how many messages the busier node sends and receives.
BY_HAND: list[tuple[Algorithm, list[tuple[int, int, bool]]]] = [
    # XOR with an odd number leads to the other node: 4 messages there and 4 back. With an even one, nothing leaves.
    (PAIRWISE, [(1, 8, False), (1, 0, True)] * 3 + [(1, 8, False)]),
    # Halves of 8 blocks: to rank XOR 4 and XOR 2 within a node, then to XOR 1 on the other.
    (HALVING, [(4, 0, True), (2, 0, True), (1, 8, False)]),
    (BRUCK, [(1, 8, False), (2, 0, True), (4, 0, True)]),
    # Each of 4 processes to the 4 on the other node, and back; all others stay.
    (AT_ONCE, [(1, 32, True)]),
    # Of 28 messages upwards 6 stay on each node; all of the other 16 concern both nodes.
    (UPWARDS, [(1, 16, True)]),
]


@pytest.mark.parametrize(("algorithm", "steps"), BY_HAND, ids=lambda value: getattr(value, "name", ""))
def test_a_time_is_the_sum_of_its_steps(algorithm: Algorithm, steps: list[tuple[int, int, bool]]) -> None:
    size, expected = 1024, 0.0
    for blocks, messages, within in steps:
        message = blocks * size + ENVELOPE
        expected += max(
            LATENCY + message * max(1 / STREAM, messages / BOTH) if messages else 0.0,
            MEMORY_LATENCY + message / MEMORY if within else 0.0,
        )
    assert coarse_us(algorithm, machine(), Place(8, 4, ROUND_ROBIN), size) == pytest.approx(expected, rel=1e-12)


def test_one_way_and_stream_are_limits_too() -> None:
    """Two processes on two nodes exchange: the stream; four on two nodes, packed, one way to each other."""
    pair = coarse_us(PAIRWISE, machine(node_two_way_mb_per_s=None), Place(2, 1, PACKED), 984)
    assert pair == pytest.approx(LATENCY + 1000 / STREAM, rel=1e-12)
    narrow = machine(node_mb_per_s=3400, node_two_way_mb_per_s=6800)
    assert coarse_us(AT_ONCE, narrow, Place(4, 2, PACKED), 984) == pytest.approx(LATENCY + 1000 * 4 / 3400, rel=1e-12)


def test_steps_that_are_alike_are_computed_once() -> None:
    """8192 processes, 8 on each of 1024 nodes: 7 steps within nodes, all others alike."""
    steps = loads(PAIRWISE, Place(8192, 8, ROUND_ROBIN))
    assert sorted(steps.values()) == [7, 8184]


def test_what_cannot_be_simulated_has_no_time() -> None:
    """Steps of powers of two, machines with trunks that can be full, operations without an algorithm."""
    assert coarse_us(PAIRWISE, machine(), Place(12, 4, PACKED), 8) is None
    assert coarse_us(BRUCK, machine(), Place(12, 4, PACKED), 8) is not None
    assert coarse_us(AT_ONCE, load_machine("dragonfly", Path()), Place(8, 4, PACKED), 8) is None
    assert coarse_us(AT_ONCE, machine(), Place(1, 1, PACKED), 8) is None


def test_the_algorithm_is_that_of_the_stack() -> None:
    simulator = load_declaration("smpi-default").simulator
    assert simulator is not None
    launcher = ["smpirun", *(f"--cfg={option}" for option in simulator.options), "-np", "8"]
    chosen = {name: algorithm_of(name, launcher) for name in ("alltoall", "allgatherv", "reduce_scatter_block", "scan")}
    assert chosen == {"alltoall": PAIRWISE, "allgatherv": BRUCK, "reduce_scatter_block": HALVING, "scan": UPWARDS}
    assert algorithm_of("alltoall", ["smpirun", "--cfg=smpi/alltoall:bruck"]) is None
    assert algorithm_of("bcast", launcher) is None
