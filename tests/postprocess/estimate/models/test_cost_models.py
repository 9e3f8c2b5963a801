# SPDX-License-Identifier: BSD-3-Clause
"""The models against values worked out by hand, and against published numbers."""

from __future__ import annotations

import pandas as pd
import pytest
import yaml

from isochron.common.resources import shipped
from isochron.postprocess.estimate.models.cost_models import MODELS, Costs, chosen, of, rounds, table_bytes
from isochron.postprocess.estimate.models.parameters import bxj, parameters
from isochron.postprocess.formatting.numbers import MIB, MIB_IN_MB
from isochron.schemas.input.analysis import ModelOptions
from tests.postprocess.estimate.models.scaled import ALPHA, GIVEN, IMB, PUBLISHED, REDUCTION, STREAM, modelled

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
    ("alltoall", "irecv-isend"): 70 + 70,
    ("alltoall", "pairwise"): 70 + 70,
    ("barrier", "dissemination"): 30,
}


def test_every_model_by_hand() -> None:
    found = {(m.operation, m.algorithm): m.time(8, 800.0, Costs(10.0, 0.1, 0.01)) for m in MODELS}
    assert found == pytest.approx(BY_HAND)


def test_rounds() -> None:
    assert [rounds(p) for p in (1, 2, 3, 4, 5, 8, 9, 8192)] == [0, 1, 2, 2, 3, 3, 4, 13]


def test_the_algorithm_of_alltoall_is_chosen_by_size() -> None:
    """Bruck up to 256 B, irecv-isend up to 32 KiB, then pairwise, as in the BXJ study; of others nothing is stated."""
    sizes = (1, 256, 257, 32768, 32769, 2**20)
    assert [chosen("alltoall", size) for size in sizes] == [
        "Bruck", "Bruck", "irecv-isend", "irecv-isend", "pairwise", "pairwise",
    ]  # fmt: skip
    assert chosen("allgather", 128) == ""


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
    ("alltoall", "irecv-isend"): "α + nβ/2",
    ("alltoall", "pairwise"): "α + nβ/2",
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


#: µs at 8192 processes, ℓ = 13, f = 8191/8192, worked out apart from the code with the published parameters: α = 2.37,
#: one way 3183 MiB/s = 3337.617408 B/µs, so that 16 KiB take nβ = 4.9089; imb 569 or 450 MiB/s = 596.639744 or 471.8592
#: B/µs, so that they take 27.4605 or 34.7222; nγ = 16384/70400 = 0.2327. Of gather, allgather and alltoall n is 8192
#: times as much. By operation and algorithm: 128 B, then 16 KiB; of the last three 8 and 12 processes per node.
PUBLISHED_BY_HAND = {
    ("bcast", "binomial tree"): (31.31, 94.63),  # 13·(2.37 + nβ)
    ("bcast", "scatter + ring allgather"): (19443.56, 19453.30),  # 8204·2.37 + 2f·nβ
    ("bcast", "scatter + recursive doubling"): (61.70, 71.44),  # 26·2.37 + 2f·nβ
    ("bcast", "pipelined chain"): (19464.91, 20032.57),  # (√(8190·2.37) + √nβ)²
    ("reduce", "binomial tree"): (31.33, 97.65),  # 13·(2.37 + nβ + nγ)
    ("reduce", "Rabenseifner"): (61.70, 71.67),  # 26·2.37 + 2f·nβ + f·nγ
    ("gather", "binomial tree"): (344.94, 40239.54),  # 13·2.37 + 8191·nβ/8192
    ("gather", "linear"): (19726.80, 59621.40),  # 8191·(2.37 + nβ/8192)
    ("allgather", "ring"): (21169.92, 21634.62, 244341.27, 303822.39),  # 8191·(2.37 + nβ/8192)
    ("allgather", "recursive doubling or Bruck"): (1788.06, 2252.76, 224959.41, 284440.53),
    ("allreduce", "recursive doubling"): (33.62, 34.36, 390.82, 485.22),  # 13·(2.37 + nβ + nγ)
    ("allreduce", "Rabenseifner"): (62.05, 62.16, 116.77, 131.29),  # 26·2.37 + 2f·nβ + f·nγ
    ("allreduce", "ring"): (38825.77, 38825.88, 38880.49, 38895.01),  # 16382·2.37 + 2f·nβ + f·nγ
    ("alltoall", "Bruck"): (11454.36, 14475.25, 1462245.22, 1848919.70),  # 13·(2.37 + nβ/2)
    ("alltoall", "irecv-isend"): (21169.92, 21634.62, 244341.27, 303822.39),  # 8191·(2.37 + nβ/8192)
    ("alltoall", "pairwise"): (21169.92, 21634.62, 244341.27, 303822.39),
}


def test_curves_by_the_published_parameters_are_those_worked_out_by_hand() -> None:
    found = {}
    for operation, algorithm in PUBLISHED_BY_HAND:
        (model,) = [each for each in of(operation) if each.algorithm == algorithm]
        per_node = (8, 12) if model.bandwidth == "imb" else (8,)
        found[operation, algorithm] = tuple(
            round(model.time(8192, table_bytes(operation, size, 8192), bxj().parameters(count).costs(model)), 2)
            for size in (128, 16384)
            for count in per_node
        )
    assert found == PUBLISHED_BY_HAND


@pytest.mark.parametrize("per_node", [8, 12])
def test_the_sendrecv_of_the_study_gives_the_bandwidth_that_it_prints(per_node: int) -> None:
    """Its own times, 3.20 µs + 2m/(656.54 or 450.74 MiB/s), fitted as those of a campaign are: 2m/t, not m/t."""
    printed = PUBLISHED["sendrecv_imb"][per_node]
    sizes = [0, 1024, 65536, 4194304]
    key = {"stack": "s", "processes": 8192, "processes_per_node": per_node, "placement": "packed", "reliable": True}
    times = [3.20 + 2 * size * 1e6 / (printed * MIB) for size in sizes]
    rows = [
        {**key, "operation": "sendrecv", "bytes": size, "median_us": time}
        for size, time in zip(sizes, times, strict=True)
    ]
    fitted = parameters(pd.DataFrame(rows), ModelOptions(alpha_us=ALPHA, one_way_mb_per_s=STREAM))
    assert fitted["s", per_node, "packed"].imb_mb_per_s / MIB_IN_MB == pytest.approx(printed, rel=1e-9)


@pytest.mark.parametrize("per_node", [8, 12])
def test_published_sendrecv_of_64_kib(per_node: int) -> None:
    """The study's estimates, α + mβ with overlap of both ways and α + 2mβ without, as printed: only with β in MiB/s."""
    (message,) = [model.time for model in of("bcast") if model.algorithm == "binomial tree"]
    costs = Costs(PUBLISHED["sendrecv_latency_us"], 1 / (PUBLISHED["sendrecv_imb"][per_node] * MIB_IN_MB))
    assert PUBLISHED["unit_bytes"] == MIB
    found = [message(2, ways * 65536, costs) for ways in (1, 2)]
    assert found == pytest.approx(PUBLISHED["sendrecv_64KiB_model_us"][per_node], abs=0.01)


def test_the_simulated_machine_is_the_published_one() -> None:
    """The machine file has MB of 10⁶ bytes; both ways of a node have what its processes print together, 8 or 12."""
    machine = yaml.safe_load(shipped("workflows", "machines", "bxj.yaml").read_text())
    assert machine["latency_us"] == ALPHA
    assert machine["stream_mb_per_s"] == pytest.approx(STREAM, abs=0.05)
    assert machine["node_mb_per_s"] == machine["node_two_way_mb_per_s"]
    of_node = [count * rate for count, rate in PUBLISHED["sendrecv_imb"].items()]
    assert machine["node_two_way_mb_per_s"] / MIB_IN_MB == pytest.approx((of_node[0] * of_node[1]) ** 0.5, abs=0.5)


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
    assert IMB[12] < IMB[8]


def test_the_campaign_file_takes_the_parameters() -> None:
    options = ModelOptions.model_validate(GIVEN)
    assert options.imb_mb_per_s == pytest.approx({8: 596.64, 12: 471.86}, abs=0.01)
    with pytest.raises(ValueError, match="greater than 0"):
        ModelOptions.model_validate({"alpha_us": 0})
