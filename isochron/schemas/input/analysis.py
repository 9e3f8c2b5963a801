# SPDX-License-Identifier: BSD-3-Clause
"""What a campaign says of its analysis: thresholds, parameters of the cost models, views."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from isochron.schemas.section import Section

Bandwidth = Annotated[float, Field(gt=0)]


class ModelOptions(Section):
    """Parameters of the cost models that are known from elsewhere; the others are fitted. 1 MB is 10⁶ bytes."""

    alpha_us: float | None = Field(None, gt=0, description="latency α of a message; otherwise fitted from `ping-pong`")
    bandwidth_mb_per_s: Bandwidth | None = Field(
        None, description="1/β of a single stream; otherwise fitted from `ping-pong`"
    )
    bandwidth_all_to_all_mb_per_s: dict[int, Bandwidth] = Field(
        default={},
        description="1/β of each process while all send, by processes per node; otherwise fitted from `sendrecv`",
    )
    reduction_mb_per_s: Bandwidth | None = Field(
        None, description="rate 1/γ of a reduction in MB/s; without it, reductions cost nothing in the models"
    )
    overhead_us: float = Field(
        0.0, ge=0, description="overhead o of LogP and LogGP: what a message keeps a processor busy, on either side"
    )
    packet_bytes: int = Field(64, gt=0, strict=True, description="bytes w of a packet, of LogP and LogGP")
    tolerance: float = Field(0.25, gt=0, lt=10, description="distance beyond which a point departs from its model")


class Analysis(Section):
    """How the numbers are compared."""

    threshold: float = Field(
        0.05, gt=0, lt=1, description="practical threshold: a smaller relative difference is not reported as one"
    )
    confidence: float = Field(0.95, gt=0.5, lt=1)
    model: ModelOptions = ModelOptions()
    views: list[Literal["msu", "pmb", "mpiperf", "bxj"]] = Field(
        default=[],
        description="tables and figures as other benchmarks and studies print them, by their formulae and in their "
        "units: `msu`, `pmb`, `mpiperf`, `bxj`",
    )
