# SPDX-License-Identifier: BSD-3-Clause
"""The machine BXJ with the parameters that were published for it (`postprocess/published/bxj.yaml`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import nan
from typing import Any

from isochron.common.documents import read_yaml
from isochron.common.resources import shipped
from isochron.postprocess.formatting.units import MIB_IN_MB
from isochron.postprocess.models.parameters import Parameters

SOURCE = "published for BXJ"


@dataclass(frozen=True)
class PublishedMachine:
    """Facts of the study in its own units: bandwidths in MiB/s, by processes per node where they differ."""

    facts: dict[str, Any]

    @property
    def reduction_mb_per_s(self) -> float:
        """1/γ in 10⁶ bytes per second: cycles per second times bytes in a cycle."""
        rate = self.facts["reduction"]
        return float(rate["clock_hz"] * rate["bytes_per_cycle"]) / 1e6

    def nearest(self, per_node: int) -> int:
        """The published number of processes per node that is nearest."""
        known: list[int] = list(self.facts["sendrecv"])
        return min(known, key=lambda each: (abs(each - per_node), each))

    def parameters(self, per_node: int) -> Parameters:
        """What the models go by, at the nearest number of processes per node, in MB/s of 10⁶ bytes."""
        together = self.facts["bandwidth_all_to_all"][self.nearest(per_node)]
        return Parameters(
            alpha_us=self.facts["alpha_us"],
            alpha_source=SOURCE,
            bandwidth_mb_per_s=self.facts["bandwidth"] * MIB_IN_MB,
            bandwidth_source=SOURCE,
            all_to_all_mb_per_s=together * MIB_IN_MB,
            all_to_all_source=SOURCE,
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
