# SPDX-License-Identifier: BSD-3-Clause
"""A simulated machine: nodes and network as described in `workflows/machines/<name>.yaml`.

Every node has one link. Nodes form groups (the leaf switches of a fat tree, the groups of a dragonfly, the sites
of a distributed machine); trunks connect the groups. The network model is one of flows: a message has the latency
of its route and shares the bandwidth of each link on it.
"""

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
    mb_per_s: Positive = Field(description="of each message; they do not share it")


class Topology(MachineSection):
    """The connection of the groups.

    `fat-tree`: each group has one trunk to the core of the tree. `direct`: each pair of groups has a separate link (a
    dragonfly with minimal routes; two sites). A trunk represents all its cables, evenly loaded, unless it has
    `trunk_links`: then the addresses of a message determine its link, as in switches that aggregate links (xmit hash
    policies `layer2`, of MAC addresses, and `layer3`, of IP addresses): source XOR target, modulo the number of links:
    of 2, 4 or 8 links the low bits count. Node i of a group has the address first + step · i; which links pairs of
    nodes use depends on these two numbers.
    """

    kind: Literal["fat-tree", "direct"]
    nodes_per_group: Count
    trunk_mb_per_s: Positive = Field(description="each direction of a trunk")
    trunk_latency_us: NotNegative = Field(0, description="latency that a trunk adds to a route")
    trunk_links: Count = Field(
        1,
        description="links of a trunk, each with its share of the rate. Addresses determine the link of a message",
    )
    first_addresses: list[Annotated[int, Field(ge=0, strict=True)]] = Field(
        default=[], description="address of the first node of each group, in its low bits; default: 0"
    )
    address_step: Count = Field(
        1, description="from the address of a node to that of the next one: 2 for MAC addresses of nodes with two ports"
    )

    @model_validator(mode="after")
    def _links_are_selected(self) -> "Topology":
        if self.trunk_links == 1 and (self.first_addresses or self.address_step > 1):
            raise ValueError("first_addresses, address_step: a single link is not selected; add trunk_links")
        if self.trunk_links > self.nodes_per_group:
            raise ValueError(
                f"trunk_links: {self.trunk_links} links are more than the {self.nodes_per_group} nodes of a group; "
                "lower it, or raise nodes_per_group"
            )
        return self

    def address(self, group: int, index: int) -> int:
        """Return the address of a node by its index within its group."""
        first = self.first_addresses[group] if group < len(self.first_addresses) else 0
        return first + self.address_step * index

    def link(self, source: int, target: int) -> int:
        """Return the link of a trunk, from 0, of messages between two addresses: their XOR, modulo the links."""
        return (source ^ target) % self.trunk_links

    def selecting(self, address: int) -> int:
        """Return what of an address determines the link: the low bits if links are a power of two, otherwise all."""
        low_bits = self.trunk_links & (self.trunk_links - 1) == 0
        return address % self.trunk_links if low_bits else address


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
    node_mb_per_s: Positive = Field(description="one way: all messages that a node sends, or all that it receives")
    node_two_way_mb_per_s: Positive | None = Field(
        None, description="all messages that a node sends and receives, together; default: twice `node_mb_per_s`"
    )
    memory: Memory
    topology: Topology
    clocks: Clocks = Clocks()
    options: list[str] = Field(default=[], description="further settings of the simulator, as `smpi/name:value`")

    @model_validator(mode="after")
    def _stream_fits(self) -> "Machine":
        if self.stream_mb_per_s > self.node_mb_per_s:
            raise ValueError(
                f"stream_mb_per_s: one stream ({self.stream_mb_per_s:g}) cannot have more than its node "
                f"({self.node_mb_per_s:g}); lower it, or raise node_mb_per_s"
            )
        return self

    @model_validator(mode="after")
    def _addresses_have_groups(self) -> "Machine":
        if len(self.topology.first_addresses) > self.groups:
            raise ValueError(
                f"topology.first_addresses: {len(self.topology.first_addresses)} addresses for {self.groups} groups; "
                "remove some"
            )
        return self

    @model_validator(mode="after")
    def _two_ways_fit(self) -> "Machine":
        both = self.node_two_way_mb_per_s
        if both is not None and not self.node_mb_per_s <= both <= 2 * self.node_mb_per_s:
            raise ValueError(
                f"node_two_way_mb_per_s: both directions together ({both:g}) have between once and twice the rate of "
                f"one (node_mb_per_s: {self.node_mb_per_s:g}); change it, or leave it out for twice that rate"
            )
        return self

    @property
    def groups(self) -> int:
        """Groups that the nodes fill (the last one may be partly filled)."""
        return -(-self.nodes // self.topology.nodes_per_group)

    @property
    def flat(self) -> bool:
        """True if all pairs of nodes are equal: trunks add no latency, and the nodes of a group cannot fill one.

        A simulator may then cap streams by their latency, which must leave messages within a node their rate.
        """
        topology, memory = self.topology, self.memory
        return (
            topology.kind == "fat-tree"
            and topology.trunk_latency_us == 0
            and topology.trunk_links == 1
            and topology.trunk_mb_per_s >= topology.nodes_per_group * self.node_mb_per_s
            and memory.latency_us * memory.mb_per_s <= self.latency_us * self.stream_mb_per_s
        )

    def node_name(self, index: int) -> str:
        """Return name of a node, from 0."""
        return f"n{index}"

    def node_index(self, name: str) -> int | None:
        """Return the index of a node by its name; None if the machine has no such node."""
        digits = name.removeprefix("n")
        known = digits.isdecimal() and int(digits) < self.nodes and name == self.node_name(int(digits))
        return int(digits) if known else None
