# SPDX-License-Identifier: BSD-3-Clause
"""The models against values worked out by hand, and against published numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from isochron.common.resources import shipped
from isochron.postprocess.estimate.models.cost_models import MODELS, Costs, of, rounds, table_bytes
from isochron.postprocess.formatting.numbers import MIB, MIB_IN_MB
from isochron.schemas.input.analysis import ModelOptions
from tests.postprocess.estimate.models.scaled import ALPHA, GIVEN, PUBLISHED, REDUCTION, STREAM, TOGETHER, modelled

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


#: Every model between two processes: ℓ = 1, f = 1/2; a block is half of n.
BETWEEN_TWO = {
    ("bcast", "binomial tree"): "α + nβ",
    ("bcast", "scatter + ring allgather"): "2α + nβ",
    ("bcast", "scatter + recursive doubling"): "2α + nβ",
    ("bcast", "pipelined chain"): "α + nβ",
    ("reduce", "binomial tree"): "α + nβ + nγ",
    ("reduce", "Rabenseifner"): "2α + nβ + nγ/2",
    ("scatter", "binomial tree"): "α + nβ/2",
    ("scatter", "linear"): "α + nβ/2",
    ("gather", "binomial tree"): "α + nβ/2",
    ("gather", "linear"): "α + nβ/2",
    ("allgather", "ring"): "α + nβ/2",
    ("allgather", "recursive doubling or Bruck"): "α + nβ/2",
    ("allreduce", "recursive doubling"): "α + nβ + nγ",
    ("allreduce", "Rabenseifner"): "2α + nβ + nγ/2",
    ("allreduce", "ring"): "2α + nβ + nγ/2",
    ("reduce_scatter", "recursive halving"): "α + nβ/2 + nγ/2",
    ("reduce_scatter", "pairwise"): "α + nβ/2 + nγ/2",
    ("reduce_scatter_block", "recursive halving"): "α + nβ/2 + nγ/2",
    ("reduce_scatter_block", "pairwise"): "α + nβ/2 + nγ/2",
    ("alltoall", "Bruck"): "α + nβ/2",
    ("alltoall", "pairwise or linear"): "α + nβ/2",
    ("barrier", "dissemination"): "α",
}


@pytest.mark.parametrize("n", [8.0, 128.0, 16384.0, 2.0**24])
def test_every_model_between_two_processes(n: float) -> None:
    costs = Costs(ALPHA, 1 / STREAM, 1 / REDUCTION)
    terms = {
        "α": costs.alpha, "2α": 2 * costs.alpha, "nβ": n * costs.beta, "nβ/2": n * costs.beta / 2,
        "nγ": n * costs.gamma, "nγ/2": n * costs.gamma / 2,
    }  # fmt: skip
    found = {(m.operation, m.algorithm): m.time(2, n, costs) for m in MODELS}
    assert found == pytest.approx(
        {name: sum(terms[each] for each in text.split(" + ")) for name, text in BETWEEN_TWO.items()}
    )


def test_a_chain_has_at_least_one_segment() -> None:
    """128 B between two take 2.41 µs, not 0.04; and the two forms meet where the best number of segments is one."""
    (chain,) = [model.time for model in MODELS if model.algorithm == "pipelined chain"]
    costs = Costs(ALPHA, 1 / STREAM)
    assert chain(2, 128.0, costs) == pytest.approx(2.41, abs=0.005)
    for processes in (3, 8, 1000):
        meet = costs.alpha / costs.beta / (processes - 2)
        assert chain(processes, meet * (1 - 1e-9), costs) == pytest.approx(chain(processes, meet * (1 + 1e-9), costs))
        whole = [(processes - 2 + s) * (costs.alpha + 8.0 * meet * costs.beta / s) for s in range(1, 50)]
        assert chain(processes, 8.0 * meet, costs) <= min(whole) <= 1.01 * chain(processes, 8.0 * meet, costs)


@pytest.mark.parametrize("per_node", [8, 12])
def test_published_sendrecv_of_64_kib(per_node: int) -> None:
    """From α + mβ, both ways at once, to α + 2mβ, one after the other, as printed: only with β in MiB/s."""
    (message,) = [model.time for model in of("bcast") if model.algorithm == "binomial tree"]
    costs = Costs(PUBLISHED["sendrecv_latency_us"], 1 / (PUBLISHED["sendrecv"][per_node] * MIB_IN_MB))
    assert PUBLISHED["unit_bytes"] == MIB
    found = [message(2, ways * 65536, costs) for ways in (1, 2)]
    assert found == pytest.approx(PUBLISHED["sendrecv_64KiB_us"][per_node], abs=0.01)


def test_the_simulated_machine_is_the_published_one() -> None:
    """The machine file has MB of 10⁶ bytes; a node has what its processes have together, 8 or 12 of them."""
    machine = yaml.safe_load(shipped("workflows", "machines", "bxj.yaml").read_text())
    assert machine["latency_us"] == ALPHA
    assert machine["stream_mb_per_s"] == pytest.approx(STREAM, abs=0.05)
    assert 8 * PUBLISHED["sendrecv"][8] <= machine["node_mb_per_s"] / MIB_IN_MB <= 12 * PUBLISHED["sendrecv"][12]


def test_published_parameters_order_the_operations_as_published() -> None:
    """BXJ as published, 16 KiB and 8192 processes: reduce is the fastest with a root, allreduce without."""
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
    assert modelled("bcast", "binomial tree", 16384, 8192, 8) == pytest.approx(94.63, abs=0.01)
    assert TOGETHER[12] < TOGETHER[8]


def test_the_table_in_the_documentation_is_that_of_the_code() -> None:
    text = (Path(__file__).parents[4] / "docs" / "explanation" / "models.md").read_text()
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
    assert options.bandwidth_all_to_all_mb_per_s == pytest.approx({8: 596.64, 12: 471.86}, abs=0.01)
    with pytest.raises(ValueError, match="greater than 0"):
        ModelOptions.model_validate({"alpha_us": 0})
