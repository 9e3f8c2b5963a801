# SPDX-License-Identifier: BSD-3-Clause
"""The section `site`: where a campaign runs, and the site's Spack."""

import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from isochron.common.files import suggest
from isochron.schemas.base import Key, Section
from isochron.schemas.input.machine import Machine
from isochron.schemas.input.replication import Count
from isochron.schemas.input.size import SIZE_PATTERN, parse_size
from isochron.schemas.launcher_kind import site_launchers

#: Name, version and the rest of a spec such as `openmpi@5.0.8 ~cuda fabrics=ofi`.
SPEC = re.compile(r"([a-z0-9][a-z0-9-]*)@=?(\d[\w.-]*)(.*)")


def split_spec(spec: str) -> tuple[str, str]:
    """Return package and version of a spec. Raises ValueError."""
    match = SPEC.fullmatch(spec.strip())
    if match is None:
        raise ValueError(f"'{spec}' is not a Spack spec with a version; write it as in openmpi@5.0.8")
    return match[1], match[2]


def _spec(value: str) -> str:
    split_spec(value)
    return value.strip()


Spec = Annotated[str, AfterValidator(_spec)]

Memory = Annotated[
    int,
    BeforeValidator(parse_size),
    Field(ge=1, strict=True),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": SIZE_PATTERN}]}),
]


class SpackSite(Section):
    """Spack at this site (docs/spack.md)."""

    command: Annotated[str | None, Key(measures=False)] = Field(
        None, description="path of the command `spack`; default: `$SPACK_ROOT/bin/spack`, then the one on the `PATH`"
    )
    externals: dict[Spec, str] = Field(
        default={},
        description="folders of software that is installed already, by Spack spec: `openmpi@5.0.8: /opt/openmpi`",
    )
    config: list[str] = Field(
        default=[], description="folders with Spack configuration that every stack's environment includes"
    )


def _launcher(value: str) -> str:
    names = ["partition", "stack", *site_launchers()]
    if value not in names:
        raise ValueError(f"unknown launcher '{value}'{suggest(value, names)}; choose from {', '.join(names)}")
    return value


HostPattern = Annotated[str, Field(pattern=r"^[A-Za-z0-9*?\[\]!._-]+$")]


class Site(Section):
    """Where the campaign runs. Without a ReFrame configuration it is this machine."""

    reframe_config: str | None = Field(None, description="path of the site's ReFrame configuration")
    system: str | None = Field(
        None, pattern=r"^[^:\s]+(:[^:\s]+)?$", description="`system` or `system:partition` in that configuration"
    )
    environment: str | None = Field(None, description="programming environment in it, for stacks of the site")
    launcher: Annotated[str, AfterValidator(_launcher)] = Field(
        "partition",
        description="`partition`: the launcher in the ReFrame configuration; `stack`: each stack's own mpiexec; or the "
        "name of a file in `reframe_checks/sites/launchers/`",
    )
    machine: Annotated[Machine | None, WithJsonSchema({"type": ["string", "object", "null"]})] = Field(
        None,
        description="simulated machine, for simulated stacks: one of `workflows/machines/` or the path of such a file",
    )
    nodes: Count = Field(1, description="largest number of nodes per allocation")
    cores_per_node: Count | None = Field(None, description="number of cores per node; default: that of this machine")
    memory_per_node: Annotated[Memory | None, Key(measures=False)] = Field(
        None,
        description="memory of a node, as in 256GiB, which all stacks of a session share; default: that of this "
        "machine, and not checked with a `reframe_config`",
    )
    locations: Annotated[dict[str, list[HostPattern]], Key(measures=False, judges=True)] = Field(
        default={},
        description="of a machine at several sites: the hosts of each, as patterns such as `a*` or `node[0-3]?`; only "
        "for placements in `node_lists`, every host of which belongs to exactly one location",
    )
    distance_ms: Annotated[float | None, Key(measures=False, judges=True)] = Field(
        None, gt=0, description="least time of a message from one of `locations` to another: that of light, one way"
    )
    trunk_mb_per_s: Annotated[float | None, Key(measures=False, judges=True)] = Field(
        None,
        gt=0,
        description="rate of all links between two of `locations` together, each way; MB are 10⁶ bytes",
    )
    parallel_blocks: Annotated[Count, Key(measures=False)] = Field(
        1, description="number of blocks that may run or wait at the same time"
    )
    spack: SpackSite = SpackSite()

    def groups_of(self, host: str) -> list[str]:
        """Return the groups of a host: of the simulated machine, or those of `locations` whose patterns it matches."""
        if self.machine is None:
            return [name for name, hosts in self.locations.items() if any(fnmatchcase(host, each) for each in hosts)]
        index = self.machine.node_index(host)
        return [] if index is None else [str(index // self.machine.topology.nodes_per_group)]

    @property
    def trunk_rate(self) -> float | None:
        """MB/s of all links between two groups together, each way; None if it is not known."""
        return self.trunk_mb_per_s if self.machine is None else self.machine.topology.trunk_mb_per_s


def check_sites(site: Site, node_lists: Mapping[str, Sequence[str]], used: Collection[str]) -> None:
    """Raise ValueError unless every host in `node_lists` belongs to one of the locations, if there are any.

    `used`: the placements of the campaign, and the list that a scan has.
    """
    described = [f"site.{name}" for name in ("locations", "distance_ms", "trunk_mb_per_s") if getattr(site, name)]
    if not described:
        return
    if site.machine is not None:
        raise ValueError(f"{described[0]}: `site.machine` describes its own groups and trunks; remove the key")
    if len(site.locations) < 2:
        raise ValueError(f"{described[0]}: needs the hosts of at least two locations in site.locations")
    if not {*used} & node_lists.keys():
        raise ValueError(
            "site.locations: no placement names its hosts, so the location of a rank is not known; list the hosts in "
            "order, as in `node_lists: {half-and-half: [a1, b1]}`, and add the name of the list to placements"
        )
    for name, hosts in node_lists.items():
        for host in hosts:
            locations = site.groups_of(host)
            if len(locations) != 1:
                where = f"at several locations ({', '.join(locations)})" if locations else "at no location"
                raise ValueError(f"site.locations: host {host} of node_lists.{name} is {where}; it must be at one")
