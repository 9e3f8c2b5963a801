# SPDX-License-Identifier: BSD-3-Clause
"""The section `analysis`: thresholds, parameters of the cost models, views."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from isochron.schemas.base import Key, Section

Bandwidth = Annotated[float, Field(gt=0)]


class ModelOptions(Section):
    """Parameters of the cost models; those that are not set are fitted. 1 MB is 10⁶ bytes."""

    alpha_us: float | None = Field(None, gt=0, description="latency α of a message; otherwise fitted from `ping-pong`")
    one_way_mb_per_s: Bandwidth | None = Field(
        None, description="1/β of a single stream, m/t; otherwise fitted from `ping-pong`"
    )
    imb_mb_per_s: dict[int, Bandwidth] = Field(
        default={},
        description="1/β of a process while all send and receive, 2m/t as IMB's Sendrecv prints it, by processes per "
        "node; otherwise fitted from `sendrecv`",
    )
    reduction_mb_per_s: Bandwidth | None = Field(
        None, description="rate 1/γ of a reduction in MB/s; without it, reductions cost nothing in the models"
    )
    overhead_us: float = Field(
        0.0, ge=0, description="overhead o of LogP and LogGP: processor time of a message at each end"
    )
    packet_bytes: int = Field(64, gt=0, strict=True, description="bytes w of a packet, of LogP and LogGP")
    tolerance: float = Field(0.25, gt=0, lt=10, description="distance beyond which a point departs from its model")


class Beside(Section):
    """Another machine: a run or a reference file (published numbers), and which of its stacks are compared."""

    run: str | None = Field(None, description="folder of a run; relative to the campaign file")
    reference: str | None = Field(
        None, description="a reference that comes with Isochron, or the path of a reference file"
    )
    stacks: dict[str, str] = Field(
        default={}, description="stacks of this campaign → stacks of the run, or systems of the reference"
    )
    systems: dict[str, str] = Field(
        default={},
        description="systems of the reference → other systems of it: published values compared with each other",
    )

    @model_validator(mode="after")
    def _names_one_source(self) -> "Beside":
        if (self.run is None) == (self.reference is None):
            raise ValueError("give either run (the folder of a run) or reference (published numbers)")
        if not self.stacks and not self.systems:
            raise ValueError(
                "stacks: is missing; map stacks of this campaign to those of the other, as in "
                "{openmpi-5.0: openmpi-4.1}"
            )
        if self.systems and self.reference is None:
            raise ValueError("systems: only valid with reference; remove the key")
        return self


class Analysis(Section):
    """How the numbers are compared."""

    threshold: Annotated[float, Key(measures=False, judges=True)] = Field(
        0.05,
        gt=0,
        lt=1,
        description="practical threshold: smaller relative differences are not reported as differences",
    )
    confidence: Annotated[float, Key(measures=False, judges=True)] = Field(
        0.95, gt=0.5, lt=1, description="confidence level of the intervals and tests over launches"
    )
    model: ModelOptions = ModelOptions()
    views: list[Literal["msu", "pmb", "mpiperf", "mpiperf-local", "bxj", "two-sites"]] = Field(
        default=[],
        description="tables and figures in the form, formulae and units of other benchmarks and studies: `msu`, "
        "`pmb`, `mpiperf`, `mpiperf-local`: the longest local duration is the time of a run, `bxj`; `two-sites`: of "
        "orders of hosts, pairs and the rotating root. The published findings of a study are checked with its view",
    )
    compare_with: list[Beside] = Field(
        default=[], description="other machines to compare with: another run, or published results"
    )
    profiles: list[str] = Field(
        default=[],
        description="profiles of programs (`isochron profile`): predicts their time in MPI under each stack; paths "
        "are relative to the campaign file",
    )
