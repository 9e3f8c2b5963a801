# SPDX-License-Identifier: BSD-3-Clause
"""LogP and LogGP: the messages of each algorithm add up to Hockney's formula, and numbers worked out by hand."""

from __future__ import annotations

import pytest

from isochron.postprocess.estimate.models.cost_models import MODELS, Costs, Model, others
from isochron.postprocess.estimate.models.loggp import HOCKNEY, LOGGP, LOGP, Wire, path, time
from isochron.postprocess.estimate.models.parameters import bxj

ALL = pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.operation} {model.algorithm}")


def model_of(operation: str, algorithm: str) -> Model:
    return next(each for each in MODELS if (each.operation, each.algorithm) == (operation, algorithm))


@ALL
def test_the_messages_of_an_algorithm_take_what_the_registry_says(model: Model) -> None:
    """Each takes α + mβ under Hockney's model; at powers of two and at others."""
    costs = Costs(10.0, 0.1)
    for processes in (2, 3, 5, 8, 13, 64, 1000):
        for size in (8.0, 800.0, 1e5):
            messages = path(model, processes, size, costs)
            found = sum((each.count + each.further) * (10.0 + 0.1 * each.bytes) for each in messages)
            assert found == pytest.approx(model.time(processes, size, costs))


def test_by_hand() -> None:
    """p = 8, n = 800 B, α = 10 µs, G = 0.1 µs/B, packets of 64 B (g = 6.4 µs), o = 2 µs, γ = 0.01 µs/B."""
    costs, wire = Costs(10.0, 0.1, 0.01), Wire(2.0, 64)
    tree = model_of("bcast", "binomial tree")
    assert time(LOGGP, tree, 8, 800.0, costs, wire) == pytest.approx(3 * (10 + 79.9))
    assert time(LOGP, tree, 8, 800.0, costs, wire) == pytest.approx(3 * (10 + 12 * 6.4))  # 800 B are 13 packets
    linear = model_of("scatter", "linear")  # 100 B each, 2 packets; six further ones after the first
    assert time(LOGGP, linear, 8, 800.0, costs, wire) == pytest.approx(10 + 9.9 + 6 * (9.9 + 6.4))
    assert time(LOGP, linear, 8, 800.0, costs, wire) == pytest.approx(10 + 6.4 + 6 * 2 * 6.4)
    ring = model_of("allgather", "ring")  # who waits for the block before it sends it on has no further ones
    assert time(LOGGP, ring, 8, 800.0, costs, wire) == pytest.approx(7 * (10 + 9.9))
    at_once = model_of(
        "alltoall", "irecv-isend"
    )  # all messages follow each other; pairwise waits for each of the seven
    assert time(LOGGP, at_once, 8, 800.0, costs, wire) == pytest.approx(10 + 9.9 + 6 * (9.9 + 6.4))
    assert time(LOGGP, model_of("alltoall", "pairwise"), 8, 800.0, costs, wire) == pytest.approx(7 * (10 + 9.9))
    reduction = model_of("reduce", "binomial tree")
    assert time(LOGGP, reduction, 8, 800.0, costs, wire) == pytest.approx(3 * (10 + 79.9 + 8))
    slow = Wire(9.0, 64)  # an overhead above the gap decides how soon the next message follows
    assert time(LOGGP, linear, 8, 800.0, costs, slow) == pytest.approx(10 + 9.9 + 6 * (9.9 + 9.0))


@ALL
def test_one_byte_is_one_packet(model: Model) -> None:
    """Where every message is at most a byte, both take α for each that is waited for, and no longer than Hockney."""
    costs, wire = Costs(10.0, 0.1), Wire(0.0, 64)
    for variant in (LOGP, LOGGP):
        found = time(variant, model, 16, 1.0, costs, wire)
        waited = sum(each.count for each in path(model, 16, 1.0, costs))
        further = sum(each.further for each in path(model, 16, 1.0, costs))
        assert found == pytest.approx(10.0 * waited + 6.4 * further)
        assert found <= time(HOCKNEY, model, 16, 1.0, costs, wire) + 0.1 * others(16)


def test_the_published_machine() -> None:
    """In MB/s of 10⁶ bytes; γ is set, and another number of processes per node takes the nearest."""
    own = bxj().parameters(8)
    assert (own.alpha_us, round(own.one_way_mb_per_s, 1), own.reduction_mb_per_s) == (2.37, 3337.6, 70400)
    assert [bxj().nearest(count) for count in (1, 3, 8, 10, 11, 12, 64)] == [8, 8, 8, 8, 12, 12, 12]
    assert bxj().parameters(16).imb_mb_per_s == pytest.approx(471.86, abs=0.01)
