# SPDX-License-Identifier: BSD-3-Clause
"""Parameters are recovered; the nearest algorithm and the point where a curve leaves it are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.cost_models import Costs
from isochron.postprocess.estimate.models.parameters import GIVEN, fit_line, parameters
from isochron.postprocess.estimate.models.results import ModelResults, models
from isochron.postprocess.estimate.values.verdicts import result_verdict
from isochron.schemas.input.analysis import ModelOptions
from tests.postprocess.estimate.models import scaled

ALPHA, STREAM, IMB = scaled.ALPHA, scaled.STREAM, scaled.IMB[8]
COUNTS = [2**k for k in range(4, 14)]
SIZES = (128, 1024, 16384, 65536)


def row(operation: str, size: int, processes: int, per_node: int, time: float, **changes: Any) -> dict[str, Any]:
    base = {
        "stack": "s", "operation": operation, "bytes": size, "processes": processes, "processes_per_node": per_node,
        "placement": "packed", "median_us": time, "median_low_us": 0.97 * time, "median_high_us": 1.03 * time,
        "reliable": True, "verdict": "ok",
    }  # fmt: skip
    return base | changes


def basic(rng: np.random.Generator, noise: float = 0.005, across: bool = True) -> list[dict[str, Any]]:
    """Ping-pong, between nodes or within one, and sendrecv at two process counts, as the engine's rows have them."""
    spread = lambda: float(np.exp(rng.normal(0, noise)))  # noqa: E731
    found = []
    for size in SIZES:
        place = (2, 1) if across else (16, 8)
        found.append(row("ping-pong", size, *place, (ALPHA + size / STREAM) * spread()))
        found.append(row("sendrecv", size, 8192, 8, (3.2 + 2 * size / IMB) * spread()))
        found.append(row("sendrecv", size, 16, 8, 1.0 + 2 * size / 4000))
    return found


def curve(
    operation: str, algorithm: str, size: int, change: Callable[[int], float] = lambda _: 1.0, counts: Any = COUNTS
) -> list[dict[str, Any]]:
    (model,) = [each for each in registry.of(operation) if each.algorithm == algorithm]
    costs = Costs(ALPHA, 1 / (STREAM if model.bandwidth == "one_way" else IMB))
    return [
        row(operation, size, p, 8, model.time(p, registry.table_bytes(operation, size, p), costs) * change(p))
        for p in counts
    ]


def results(rows: list[dict[str, Any]], **options: Any) -> ModelResults:
    return models(pd.DataFrame(rows), ModelOptions(**options))


def one(found: ModelResults, operation: str) -> dict[str, Any]:
    (chosen,) = found.curves[found.curves["operation"] == operation].to_dict("records")
    return {str(name): value for name, value in chosen.items()}


@pytest.mark.parametrize("seed", range(10))
def test_parameters_are_recovered_within_two_percent(seed: int) -> None:
    known = parameters(pd.DataFrame(basic(np.random.default_rng(seed))), ModelOptions())
    found = known["s", 8, "packed"]
    assert found.alpha_us == pytest.approx(ALPHA, rel=0.02)
    assert found.one_way_mb_per_s == pytest.approx(STREAM, rel=0.02)
    assert found.imb_mb_per_s == pytest.approx(IMB, rel=0.02)
    assert found.alpha_source == "ping-pong between two nodes"
    assert found.imb_source.startswith("sendrecv of 8")
    assert found.worst_residual < 0.02
    assert not found.within_node


def test_given_parameters_go_first_and_each_has_its_source() -> None:
    options = ModelOptions(alpha_us=5.0, imb_mb_per_s={8: 100.0})
    found = parameters(pd.DataFrame(basic(np.random.default_rng(1))), options)["s", 8, "packed"]
    assert (found.alpha_us, found.alpha_source) == (5.0, GIVEN)
    assert (found.imb_mb_per_s, found.imb_source) == (100.0, GIVEN)
    assert found.one_way_source == "ping-pong between two nodes"


@pytest.mark.parametrize(("placement", "network"), [("packed", True), ("reversed", True), ("one-site", False)])
def test_a_placement_with_messages_within_nodes_has_the_parameters_of_round_robin(
    placement: str, network: bool
) -> None:
    """Of the same nodes; those of a list may be another network, so it has its own ping-pong, within a node."""
    within = [row("ping-pong", size, 16, 8, 0.3 + size / 9000) for size in SIZES]
    own = [each | {"placement": placement} for each in within]
    dealt = [
        each | {"placement": "round-robin", "processes_per_node": 8, "processes": max(16, each["processes"])}
        for each in basic(np.random.default_rng(1))
    ]
    known = parameters(pd.DataFrame([*own, *dealt]), ModelOptions())
    alike = known["s", 8, placement] == known["s", 8, "round-robin"]
    assert alike == network and known["s", 8, placement].within_node == (not network)
    assert known["s", 8, "round-robin"].alpha_us == pytest.approx(ALPHA, rel=0.02)


def test_a_ping_pong_within_a_node_and_a_missing_sendrecv_are_told() -> None:
    rows = [each for each in basic(np.random.default_rng(1), across=False) if each["operation"] == "ping-pong"]
    found = results([*rows, *curve("allgather", "ring", 16384, lambda _: 3.0)])
    table = found.parameters.iloc[0]
    assert table["within_node"]
    assert table["imb_source"] == "ping-pong within a node, for want of a sendrecv"
    told = one(found, "allgather")["broken"]
    assert "ping-pong within a node" in told
    assert "for want of a sendrecv" in told


def test_nothing_is_made_up_where_no_parameters_are_known() -> None:
    found = results(curve("bcast", "binomial tree", 128))
    assert not len(found.points)
    assert not len(found.parameters)
    assert pd.isna(one(found, "bcast")["algorithm"])
    assert "log2 p" in one(found, "bcast")["normal_form"]


def test_a_line_needs_two_sizes_and_cannot_fall() -> None:
    assert fit_line(np.array([8.0, 8.0]), np.array([1.0, 2.0])) is None
    assert fit_line(np.array([8.0, 800.0]), np.array([2.0, 1.0])) is None
    line = fit_line(np.array([0.0, 100.0, 1000.0, 10000.0]), 2 + 0.01 * np.array([0.0, 100.0, 1000.0, 10000.0]))
    assert line is not None
    assert (line.alpha, line.beta) == pytest.approx((2, 0.01))


@pytest.mark.parametrize(
    ("operation", "algorithm", "size"),
    [(m.operation, m.algorithm, size) for m in registry.MODELS for size in (128, 16384) if m.operation != "barrier"],
)
def test_the_algorithm_is_recognised(operation: str, algorithm: str, size: int) -> None:
    found = one(results([*basic(np.random.default_rng(3)), *curve(operation, algorithm, size)]), operation)
    assert algorithm in [found["algorithm"], *found["also_fit"].split("; ")]
    assert found["fits"]
    assert np.isnan(found["leaves_at"])
    if not found["also_fit"]:
        assert found["algorithm"] == algorithm


@pytest.mark.parametrize(("size", "algorithm"), [(32768, "irecv-isend"), (65536, "pairwise")])
def test_of_equal_models_the_one_that_is_chosen_at_the_size_is_nearest(size: int, algorithm: str) -> None:
    found = one(results([*basic(np.random.default_rng(3)), *curve("alltoall", "pairwise", size)]), "alltoall")
    assert (found["algorithm"], found["chosen_by_size"]) == (algorithm, algorithm)


def test_a_short_alltoall_that_follows_another_algorithm_than_the_chosen_one_is_named() -> None:
    found = one(results([*basic(np.random.default_rng(3)), *curve("alltoall", "pairwise", 128)]), "alltoall")
    assert (found["algorithm"], found["chosen_by_size"]) == ("irecv-isend", "Bruck")


def test_a_departure_is_found_with_its_factor() -> None:
    rows = curve("bcast", "binomial tree", 16384, lambda p: 2.1 * p / 4096 if p >= 4096 else 1.0)
    found = one(results([*basic(np.random.default_rng(5)), *rows]), "bcast")
    assert found["algorithm"] == "binomial tree"
    assert found["leaves_at"] == 4096
    assert found["leaves_factor"] == pytest.approx(2.1, rel=0.02)
    assert found["leaves_outside"]
    assert found["largest_factor"] == pytest.approx(4.2, rel=0.02)
    assert "as if bandwidth were" in found["broken"]


def test_a_wide_interval_is_told() -> None:
    rows = curve("bcast", "binomial tree", 16384, lambda p: 2.0 if p >= 2048 else 1.0)
    rows[-1] |= {"median_low_us": 0.3 * rows[-1]["median_us"]}
    found = one(results([*basic(np.random.default_rng(5)), *rows]), "bcast")
    assert found["leaves_at"] == 2048
    assert not found["leaves_outside"]


def test_what_comes_back_is_an_excursion() -> None:
    rows = curve("gather", "binomial tree", 128, lambda p: 1.6 if p == 512 else 1.0)
    found = one(results([*basic(np.random.default_rng(5)), *rows]), "gather")
    assert np.isnan(found["leaves_at"])
    assert found["excursions"] == "512"


def test_shared_bandwidth_is_recognised() -> None:
    slow = [row("bcast", 16384, p, 8, registry.rounds(p) * (ALPHA + 16384 / IMB)) for p in COUNTS]
    fast = curve("bcast", "binomial tree", 16384)
    rows = [a if a["processes"] < 1024 else b for a, b in zip(fast, slow, strict=True)]
    found = one(results([*basic(np.random.default_rng(5)), *rows]), "bcast")
    assert found["leaves_at"] == 1024
    assert found["broken"].startswith("bandwidth is shared within the nodes")


def test_a_ping_pong_that_is_no_line_is_told() -> None:
    rows = basic(np.random.default_rng(5))
    for each in rows:
        if each["operation"] == "ping-pong" and each["bytes"] == 1024:
            each["median_us"] *= 1.8
    found = results([*rows, *curve("gather", "linear", 128, lambda p: 3.0 if p > 256 else 1.0)])
    assert "ping-pong is no straight line" in one(found, "gather")["broken"]


def test_points_within_one_node_do_not_decide() -> None:
    rows = curve("bcast", "binomial tree", 128, lambda p: 0.2 if p <= 8 else 1.0, counts=[2, 4, 8, 16, 32, 64])
    found = results([*basic(np.random.default_rng(5)), *rows])
    assert found.points.loc[found.points["processes"] <= 8, "broken"].eq("one node").all()
    assert one(found, "bcast")["algorithm"] == "binomial tree"
    assert one(found, "bcast")["excursions"] == ""


def test_process_counts_that_are_no_powers_of_two_are_told() -> None:
    rows = curve("allreduce", "recursive doubling", 128, lambda p: 3.0 if p > 20 else 1.0, counts=[12, 18, 24, 48])
    found = one(results([*basic(np.random.default_rng(5)), *rows]), "allreduce")
    assert "powers of two only" in found["broken"] or found["algorithm"] == "ring"


def test_few_launches_count_in_a_simulation_only() -> None:
    def judged(simulated: bool) -> list[dict[str, Any]]:
        verdict = result_verdict(["ok"], simulated=simulated)
        few = {"reliable": verdict.reliable, "verdict": verdict.verdict}
        return [each | few for each in [*basic(np.random.default_rng(5)), *curve("bcast", "binomial tree", 128)]]

    assert not len(results(judged(simulated=False)).curves)
    assert one(results(judged(simulated=True)), "bcast")["algorithm"] == "binomial tree"
