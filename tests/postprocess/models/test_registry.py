# SPDX-License-Identifier: BSD-3-Clause
"""The models against values worked out by hand, and against published numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.postprocess.models.registry import MODELS, Costs, of, rounds, table_bytes
from isochron.schemas.input.campaign import ModelOptions
from tests.postprocess.models.scaled import ALPHA, GIVEN, REDUCTION, STREAM, TOGETHER, modelled

#: p = 8 (ℓ = 3, f = 7/8), n = 800, α = 10 µs, β = 0.1 µs/B (nβ = 80), γ = 0.01 µs/B (nγ = 8).
BY_HAND = {
    ("bcast", "binomial tree"): 3 * (10 + 80),
    ("bcast", "scatter + ring allgather"): 10 * 10 + 2 * 70,
    ("bcast", "scatter + recursive doubling"): 60 + 140,
    ("bcast", "pipelined chain"): 60 + 80 + 2 * (60 * 80) ** 0.5,
    ("reduce", "binomial tree"): 3 * (10 + 80 + 8),
    ("reduce", "Rabenseifner"): 60 + 140 + 7,
    ("scatter", "binomial tree"): 30 + 70,
    ("scatter", "linear"): 7 * (10 + 10),
    ("gather", "binomial tree"): 30 + 70,
    ("gather", "linear"): 7 * (10 + 10),
    ("allgather", "ring"): 70 + 70,
    ("allgather", "recursive doubling or Bruck"): 30 + 70,
    ("allreduce", "recursive doubling"): 3 * (10 + 80 + 8),
    ("allreduce", "Rabenseifner"): 60 + 140 + 7,
    ("allreduce", "ring"): 140 + 140 + 7,
    ("reduce_scatter", "recursive halving"): 30 + 70 + 7,
    ("reduce_scatter", "pairwise"): 70 + 70 + 7,
    ("reduce_scatter_block", "recursive halving"): 30 + 70 + 7,
    ("reduce_scatter_block", "pairwise"): 70 + 70 + 7,
    ("alltoall", "Bruck"): 30 + 400 * 3 * 0.1,
    ("alltoall", "pairwise or linear"): 70 + 70,
    ("barrier", "dissemination"): 30,
}


def test_every_model_by_hand() -> None:
    found = {(m.operation, m.algorithm): m.time(8, 800.0, Costs(10.0, 0.1, 0.01)) for m in MODELS}
    assert found == pytest.approx(BY_HAND)


def test_rounds() -> None:
    assert [rounds(p) for p in (1, 2, 3, 4, 5, 8, 9, 8192)] == [0, 1, 2, 2, 3, 3, 4, 13]


def test_bytes_of_the_engine_become_those_of_the_table() -> None:
    assert table_bytes("bcast", 128, 16) == table_bytes("reduce", 128, 16) == table_bytes("allreduce", 128, 16) == 128
    for operation in ("gather", "scatter", "allgather", "reduce_scatter", "reduce_scatter_block", "alltoall"):
        assert table_bytes(operation, 128, 16) == 2048
    assert table_bytes("barrier", 0, 16) == 0
    # A linear gather is p - 1 messages of `bytes` each.
    (linear,) = [model for model in of("gather") if model.algorithm == "linear"]
    assert linear.time(16, table_bytes("gather", 128, 16), Costs(0.0, 1.0)) == 15 * 128


@pytest.mark.parametrize(("overlapped", "serialised"), [(98.40, 193.60), (141.86, 280.52)])
def test_published_sendrecv_of_64_kib_is_a_line(overlapped: float, serialised: float) -> None:
    """Luo and Zhang 2017: from α + mβ to α + 2mβ, at 8 and 12 processes a node. Their latency is 3.20 µs."""
    assert 2 * overlapped - serialised == pytest.approx(3.20, abs=0.005)


def test_published_parameters_order_the_operations_as_published() -> None:
    """Luo and Zhang 2017, 16 KiB and 8192 processes: reduce is the fastest with a root, allreduce without."""
    for per_node in (8, 12):
        fastest = {
            operation: min(
                (modelled(operation, model.algorithm, 16384, 8192, per_node), model.algorithm)
                for model in of(operation)
            )
            for operation in ("bcast", "reduce", "gather", "scatter", "allgather", "allreduce", "alltoall")
        }
        assert fastest["reduce"][0] == pytest.approx(13 * 2 * ALPHA + 2 * 16384 / STREAM + 16384 / REDUCTION, rel=1e-3)
        assert fastest["reduce"][0] < 1.01 * min(fastest[name][0] for name in ("bcast", "gather", "scatter"))
        assert fastest["allreduce"][0] < 0.01 * min(fastest[name][0] for name in ("allgather", "alltoall"))
    assert modelled("bcast", "binomial tree", 16384, 8192, 8) == pytest.approx(97.73, abs=0.01)
    assert TOGETHER[12] < TOGETHER[8]


def test_the_table_in_the_documentation_is_that_of_the_code() -> None:
    text = (Path(__file__).parents[3] / "docs" / "explanation" / "models.md").read_text()
    expected = [
        f"| {m.operation} | {m.algorithm} | "
        + " | ".join(f"{modelled(m.operation, m.algorithm, size, 8192, n):,.1f}" for n in (8, 12))
        for m in MODELS
        if not m.operation.startswith("reduce_scatter")
        for size in [0 if m.operation == "barrier" else 16384]
    ]
    for line in expected:
        assert f"{line} |\n" in text


def test_the_campaign_file_takes_the_parameters() -> None:
    options = ModelOptions.model_validate(GIVEN)
    assert options.bandwidth_all_to_all_mb_per_s == {8: 569.0, 12: 450.0}
    with pytest.raises(ValueError, match="greater than 0"):
        ModelOptions.model_validate({"alpha_us": 0})
