# SPDX-License-Identifier: BSD-3-Clause
"""A simulated machine: nodes and network as described in `workflows/machines/<name>.yaml`.

Every node has one link. Nodes form groups (the leaf switches of a fat tree, the groups of a dragonfly, the sites
of a distributed machine); trunks connect the groups. The network model is one of flows: a message has the latency
of its route and shares the bandwidth of each link on it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from isochron.schemas.base import Record

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1, strict=True)]


class MachineSection(Record):
    """A mapping of a machine file."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Memory(MachineSection):
    """Messages between processes of one node."""

    latency_us: NotNegative = Field(description="one way")
    mb_per_s: Positive = Field(description="of all messages of a node together")


class Topology(MachineSection):
    """The connection of the groups.

    `fat-tree`: each group has one trunk to the core of the tree. `direct`: each pair of groups has a separate link (a
    dragonfly with minimal routes; two sites). A trunk represents all its cables, evenly loaded, unless it has
    `trunk_links`: then the addresses of a message determine its link, as in switches that aggregate links: (index of
    the source + index of the target, within their groups) modulo the number of links. Between nodes with equal indices
    only the even links, half of them, are used.
    """

    kind: Literal["fat-tree", "direct"]
    nodes_per_group: Count
    trunk_mb_per_s: Positive = Field(description="each direction of a trunk")
    trunk_latency_us: NotNegative = Field(0, description="latency that a trunk adds to a route")
    trunk_links: Count = Field(
        1, description="links of a trunk, each with its share of the rate; addresses determine the link of a message"
    )

    @model_validator(mode="after")
    def _links_have_nodes(self) -> Topology:
        if self.trunk_links > self.nodes_per_group:
            raise ValueError(
                f"trunk_links: {self.trunk_links} links are more than the {self.nodes_per_group} nodes of a group; "
                "lower it, or raise nodes_per_group"
            )
        return self

    def link(self, source: int, target: int) -> int:
        """Return the link of a trunk, from 0, that a message takes between nodes with these indices in their groups."""
        return (source + target) % self.trunk_links


class Clocks(MachineSection):
    """The nodes' clocks and the noise of the system; all zero: one perfect clock."""

    offset_s: NotNegative = Field(0, description="offsets are uniform within ± this")
    drift_ppm: NotNegative = Field(0, description="rates are uniform within ± this")
    noise_us: NotNegative = Field(0, description="every reading of a clock is followed by a delay, exponential")
    seed: int = Field(1, ge=0, strict=True)

    @property
    def perfect(self) -> bool:
        """True if all nodes read one clock without noise."""
        return not (self.offset_s or self.drift_ppm or self.noise_us)


class Machine(MachineSection):
    """A machine to simulate. MB are 10⁶ bytes."""

    schema_version: Literal[1] = Field(1, alias="schema")
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    description: str = ""
    source: str = Field("", description="source of the figures")
    nodes: Count
    cores: Count = Field(description="of a node")
    latency_us: Positive = Field(description="one way between two nodes of a group")
    stream_mb_per_s: Positive = Field(description="rate of a single message")
    node_mb_per_s: Positive = Field(description="rate of all messages of a node together, in each direction")
    memory: Memory
    topology: Topology
    clocks: Clocks = Clocks()
    options: list[str] = Field(default=[], description="further settings of the simulator, as `smpi/name:value`")

    @model_validator(mode="after")
    def _stream_fits(self) -> Machine:
        if self.stream_mb_per_s > self.node_mb_per_s:
            raise ValueError(
                f"stream_mb_per_s: one stream ({self.stream_mb_per_s:g}) cannot have more than its node "
                f"({self.node_mb_per_s:g}); lower it, or raise node_mb_per_s"
            )
        return self

    @property
    def groups(self) -> int:
        """Groups that the nodes fill (the last one may be partly filled)."""
        return -(-self.nodes // self.topology.nodes_per_group)

    def node_name(self, index: int) -> str:
        """Return name of a node, from 0."""
        return f"n{index}"
