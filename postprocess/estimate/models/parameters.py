# SPDX-License-Identifier: BSD-3-Clause
"""α, β and γ: set in the campaign file, fitted from its messages, or published for the machine BXJ."""

from dataclasses import asdict, dataclass
from functools import cache
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from isochron.common.documents import read_yaml
from isochron.common.resources import shipped
from isochron.postprocess.estimate.models.cost_models import Costs, Model
from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.numbers import MIB_IN_MB
from isochron.postprocess.ingest.inputs import KEYS
from isochron.schemas.input.analysis import ModelOptions
from isochron.schemas.input.placement import PLACEMENTS, is_dealt

PING_PONG, SENDRECV = "ping-pong", "sendrecv"
#: What α and β may differ in.
SITUATION = ["stack", "processes_per_node", "placement"]
GIVEN = "given in the campaign file"

#: Columns of `model-parameters.csv`.
PARAMETER_COLUMNS = {
    **{name: KEYS[name] for name in SITUATION},
    "alpha_us": "latency α of a message",
    "alpha_source": "where it comes from",
    "one_way_mb_per_s": "1/β of a single stream, m/t, 10⁶ bytes per second; for bcast, reduce, gather, scatter",
    "one_way_source": "where it comes from",
    "imb_mb_per_s": "1/β of a process while all send and receive: bytes sent and received, 2m/t of `sendrecv`, as IMB "
    "prints it; for allgather, allreduce, reduce_scatter, alltoall",
    "imb_source": "where it comes from",
    "node_imb_mb_per_s": "the same for a whole node: multiplied by the processes per node",
    "reduction_mb_per_s": "1/γ, bytes reduced; infinite where it is not given: reductions then cost nothing",
    "worst_residual": "largest relative distance of a ping-pong from the straight line α + mβ; empty where α is given",
    "worst_residual_bytes": "the message size of that ping-pong",
    "within_node": "whether the ping-pong stayed within a node",
}


@dataclass(frozen=True)
class Line:
    """A straight line α + mβ (µs, µs per byte) through times of messages, and how far the worst one is from it."""

    alpha: float
    beta: float
    worst: float
    worst_bytes: int


@dataclass(frozen=True)
class Parameters:
    """What the models of a stack at a number of processes per node go by; the fields are `PARAMETER_COLUMNS`."""

    alpha_us: float
    alpha_source: str
    one_way_mb_per_s: float
    one_way_source: str
    imb_mb_per_s: float
    imb_source: str
    reduction_mb_per_s: float
    worst_residual: float
    worst_residual_bytes: float
    within_node: bool

    def costs(self, model: Model) -> Costs:
        """α, β and γ of a model, in µs and µs per byte; 10⁶ bytes per second are a byte a µs."""
        bandwidth = self.one_way_mb_per_s if model.bandwidth == "one_way" else self.imb_mb_per_s
        return Costs(self.alpha_us, 1 / bandwidth, 1 / self.reduction_mb_per_s)


#: By (stack, processes per node, placement).
Known = dict[tuple[str, int, str], Parameters]


def fit_line(sizes: np.ndarray, times: np.ndarray) -> Line | None:
    """Least squares of *relative* distances, so that short messages count as much as long ones. Shapes (M,), in µs.

    None with fewer than two sizes, or where the line would have a negative latency or slope.
    """
    if len(np.unique(sizes)) < 2:
        return None
    design = np.stack([1 / times, sizes / times], axis=1)
    scale = np.array([1.0, sizes.max()])
    (alpha, beta), *_ = np.linalg.lstsq(design / scale, np.ones(len(times)), rcond=None)
    alpha, beta = float(alpha), float(beta) / float(sizes.max())
    if alpha <= 0 or beta <= 0:
        return None
    distance = np.abs(times / (alpha + beta * sizes) - 1)
    worst = int(np.argmax(distance))
    return Line(alpha, beta, float(distance[worst]), int(sizes[worst]))


def parameters(summary: pd.DataFrame, options: ModelOptions) -> Known:
    """Every situation of the summary with known α and β. `summary`: reliable rows, with RESULT_KEY and median_us."""
    rows = summary[summary["reliable"] & (summary["median_us"] > 0)]
    fitted: Known = {}
    for situation, situation_rows in summary.groupby(SITUATION, sort=False):
        stack, per_node, placement = _situation(situation)
        one_node = bool((situation_rows["processes"] <= per_node).all())
        ours = _of_placement(rows[rows["stack"] == stack], placement, one_node)
        of_stack = _parameters(ours, per_node, one_node, options)
        if of_stack:
            fitted[stack, per_node, placement] = of_stack
    return fitted


def _of_placement(rows: pd.DataFrame, placement: str, one_node: bool) -> pd.DataFrame:
    """The rows of a stack that the parameters on a placement are fitted to: its own, or those of `round-robin`.

    α and β are of the network. Where the messages of one of `PLACEMENTS` stay within a node, they are those of ranks
    that are dealt to the same nodes in turn, if these were measured; other nodes, `node_lists`, may be another network.
    """
    own = rows[rows["placement"] == placement]
    dealt = rows[rows["placement"].map(is_dealt).astype(bool)]
    if one_node or placement not in PLACEMENTS or len(_across(own)) or not len(_across(dealt)):
        return own
    return dealt


def _across(rows: pd.DataFrame) -> pd.DataFrame:
    """The ping-pongs whose ranks, 0 and 1, are on two nodes: one process per node, or dealt to the nodes in turn."""
    apart = (rows["processes_per_node"] == 1) | rows["placement"].map(is_dealt).astype(bool)
    return rows[(rows["operation"] == PING_PONG) & apart & (rows["processes"] > rows["processes_per_node"])]


def _situation(key: Any) -> tuple[str, int, str]:
    stack, per_node, placement = key
    return str(stack), int(per_node), str(placement)


def _parameters(rows: pd.DataFrame, per_node: int, one_node: bool, options: ModelOptions) -> Parameters | None:
    line, source, within = _ping_pong(rows[rows["operation"] == PING_PONG], per_node, one_node)
    alpha = (options.alpha_us, GIVEN) if options.alpha_us else (line.alpha, source) if line else None
    one_way = (
        (options.one_way_mb_per_s, GIVEN) if options.one_way_mb_per_s else (1 / line.beta, source) if line else None
    )
    if not (alpha and one_way):
        return None
    imb = _imb(rows[rows["operation"] == SENDRECV], per_node, options)
    return Parameters(
        *alpha,
        *one_way,
        *(imb or (one_way[0], f"{one_way[1]}, for want of a sendrecv")),
        options.reduction_mb_per_s or float("inf"),
        line.worst if line and alpha[1] != GIVEN else nan,
        line.worst_bytes if line and alpha[1] != GIVEN else nan,
        within if GIVEN not in (alpha[1], one_way[1]) else False,
    )


def _ping_pong(rows: pd.DataFrame, per_node: int, one_node: bool) -> tuple[Line | None, str, bool]:
    """The line through the times of ping-pong (one way), what to call it, and whether it stays within a node.

    The engine's ping-pong is between ranks 0 and 1: they are on two nodes if a node has one process, or if ranks
    are dealt to the nodes in turn. Where the processes are on several nodes that is what α and β are about; a ping-pong
    within the node stands in for it.
    """
    across = _across(rows)
    within = rows[rows["processes_per_node"] == per_node]
    stays = one_node or not len(across)
    chosen = within if stays else across
    stays = stays and per_node > 1
    line = fit_line(chosen["bytes"].to_numpy(dtype=float), chosen["median_us"].to_numpy(dtype=float))
    place = "within a node" if stays else "between two nodes"
    return line, f"ping-pong {place}", stays


def _imb(rows: pd.DataFrame, per_node: int, options: ModelOptions) -> tuple[float, str] | None:
    """Bandwidth of a process while all send and receive, and where it comes from.

    The sendrecv of most processes takes α + 2mβ: each process sends m bytes and receives m bytes. This 1/β is what
    IMB's Sendrecv prints for long messages, 2m/t, and what Luo Hongbing and Zhang Xiaoxia (2017) take for it.
    """
    if per_node in options.imb_mb_per_s:
        return options.imb_mb_per_s[per_node], GIVEN
    node_rows = rows[rows["processes_per_node"] == per_node]
    full = node_rows[node_rows["processes"] == node_rows["processes"].max()]
    line = fit_line(full["bytes"].to_numpy(dtype=float), full["median_us"].to_numpy(dtype=float))
    if line is None:
        return None
    return 2 / line.beta, f"sendrecv of {numbers.count(int(full['processes'].max()), 'process', 'processes')}"


def parameter_table(fitted: Known) -> pd.DataFrame:
    """`PARAMETER_COLUMNS`."""
    rows: list[dict[str, Any]] = [
        {
            **dict(zip(SITUATION, key, strict=True)),
            **asdict(each),
            "node_imb_mb_per_s": each.imb_mb_per_s * key[1],
        }
        for key, each in fitted.items()
    ]
    return pd.DataFrame(rows, columns=list(PARAMETER_COLUMNS))


SOURCE = "published for BXJ"


@dataclass(frozen=True)
class PublishedMachine:
    """Facts of the study in its own units: bandwidths in MiB/s, by processes per node if they differ."""

    facts: dict[str, Any]

    @property
    def reduction_mb_per_s(self) -> float:
        """1/γ in 10⁶ bytes per second: cycles per second times bytes in a cycle."""
        rate = self.facts["reduction"]
        return float(rate["clock_hz"] * rate["bytes_per_cycle"]) / 1e6

    def nearest(self, per_node: int) -> int:
        """The published number of processes per node that is nearest."""
        counts: list[int] = list(self.facts["imb"])
        return min(counts, key=lambda each: (abs(each - per_node), each))

    def parameters(self, per_node: int) -> Parameters:
        """What the models go by, at the nearest number of processes per node, in MB/s of 10⁶ bytes."""
        return Parameters(
            alpha_us=self.facts["alpha_us"],
            alpha_source=SOURCE,
            one_way_mb_per_s=self.facts["one_way"] * MIB_IN_MB,
            one_way_source=SOURCE,
            imb_mb_per_s=self.facts["imb"][self.nearest(per_node)] * MIB_IN_MB,
            imb_source=SOURCE,
            reduction_mb_per_s=self.reduction_mb_per_s,
            worst_residual=nan,
            worst_residual_bytes=nan,
            within_node=False,
        )


@cache
def bxj() -> PublishedMachine:
    """The machine of Luo Hongbing and Zhang Xiaoxia, 2017."""
    facts: Any = read_yaml(shipped("postprocess", "published", "bxj.yaml"), "install Isochron again")
    return PublishedMachine(facts)
