# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns of an upgrade: a wide one of few blocks that screens, and one of more blocks of what it chose."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isochron.schemas.engine.contract import BLOCKING, MESSAGES, NONBLOCKING, OPERATIONS, PACKING, WITHOUT_DATA
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.replication import Replication
from isochron.workflows.campaign_mistakes import valid_campaign

#: Persistent and neighbourhood collectives; not all libraries have them.
_FURTHER = tuple(name for name in OPERATIONS if name.endswith("_init") or "neighbor_" in name)
#: What most programs call, one message and many at once first; the rest follows.
_USUAL = ("ping-pong", "burst", "allreduce", "bcast", "barrier", "alltoall", "allgather", "reduce", "gather", "scatter")
_CONTIGUOUS = dict.fromkeys((*_USUAL, *BLOCKING, *MESSAGES, "burst-both-ways", *NONBLOCKING, *_FURTHER))
#: Operations in which a derived datatype is packed and unpacked on different paths.
_MOVED = ("ping-pong", "bcast", "gather", "scatter", "allgather", "alltoall", *PACKING)

#: Error rate over all parts together.
ERROR = 0.05
#: Blocks of the first stage, least and most, and of the second.
SCREENED, FOLLOWED = (3, 8), 24
#: Share of the minutes for the first stage; the second has the rest.
FIRST = 0.4
#: Keys of a campaign that describe where and how it runs, not what it measures.
OF_THE_SITE = (
    "site", "limits", "processes", "processes_per_node", "placements", "node_lists", "stack_source",
    "allow_oversubscription", "seed",
)  # fmt: skip
#: Few repetitions in two rounds, and no pause between: the blocks count, not the repetitions. Then thrice as many.
BRIEF = {"passes": 4, "pass_span": 0, "min_valid": 4, "max_valid": 24, "max_reps": 48, "max_volume": 12 * 2**20}
MORE = 3
#: How many times as long a case then takes: measured, of 25 operations on two cores (1.9).
LONGER = 2
THOROUGH = {name: value * (1 if name == "min_valid" else MORE) for name, value in BRIEF.items()}


@dataclass(frozen=True)
class Part:
    """Operations and sizes with one datatype: a launch has one only."""

    name: str
    words: str
    datatype: str
    operations: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def cases(self) -> int:
        """The number of operations with their sizes."""
        without = sum(operation in WITHOUT_DATA for operation in self.operations)
        return without + (len(self.operations) - without) * len(self.sizes)


_SIZES = (8, 64, 256, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 262144, 1048576)
_OF_DERIVED = (512, 4096, 32768, 262144)

#: All that is screened: contiguous data, what programs call most first, and three derived datatypes.
PARTS = (
    Part("contiguous", "contiguous data", "auto", tuple(_CONTIGUOUS), _SIZES),
    Part("vector-8", "blocks of 8 bytes at a stride", "vector:8:8:16", _MOVED, _OF_DERIVED),
    Part("vector-32", "blocks of 32 bytes at a stride", "vector:16:32:64", _MOVED, _OF_DERIVED),
    Part("indexed", "blocks of several lengths", "indexed:4@0,12@8,8@32,40@48", _MOVED, _OF_DERIVED),
)


@dataclass(frozen=True)
class Versions:
    """Two stacks as they are written in a campaign, and the keys of the site at which they are compared.

    `beside`: stacks that the second stage measures, too.
    """

    stacks: Sequence[str | dict[str, str]]
    site: Mapping[str, Any]
    beside: Sequence[str] = ()

    def screening(self, part: Part, blocks: int) -> Campaign:
        """Return the campaign that screens a part."""
        keys = {"operations": list(part.operations), "sizes": list(part.sizes)}
        return self._campaign(part, "screen", keys, blocks, BRIEF)

    def following(self, part: Part, operations: Iterable[str]) -> Campaign:
        """Return the campaign that measures some operations of a part again, to claim something of them."""
        keys = {
            "operations": list(operations),
            "sizes": list(part.sizes),
            "analysis": {"confidence": round(1 - ERROR / len(PARTS), 6)},
            "stacks": [*self.stacks, *self.beside],
        }
        return self._campaign(part, "upgrade", keys, FOLLOWED, THOROUGH)

    def _campaign(
        self, part: Part, verb: str, keys: Mapping[str, Any], blocks: int, engine: Mapping[str, Any]
    ) -> Campaign:
        """Return a campaign in turns. Raises FileError for stacks or keys of the site that are not valid."""
        stacks = keys.get("stacks", list(self.stacks))
        variants = {name: variant for name, variant in self.site.get("variants", {}).items() if name in stacks}
        site = {**self.site, "variants": variants, "stacks": stacks}
        old, new = valid_campaign({**_LEAST, **site}, "upgrade").stacks[:2]
        return valid_campaign(
            {
                **site,
                **keys,
                "schema": 1,
                "name": name_of(verb, old, new, part),
                "title": f"From {old} to {new}" + (f": {part.words}" if _ending(part) else ""),
                "replication": Replication.in_turns(blocks),
                "engine": {**engine, "datatype": part.datatype},
                "question": {"baseline": old, "candidate": new},
            },
            "upgrade",
        )


def name_of(verb: str, old: str, new: str, part: Part) -> str:
    """Return the name of the campaign of a part: `verb` is that of its stage."""
    ending = _ending(part)
    return f"{verb}-{old}-{new}"[: 64 - len(ending)].rstrip("-._") + ending


def _ending(part: Part) -> str:
    return "" if part is PARTS[0] else f"-{part.name}"


def site_of(campaign: Campaign, stacks: Collection[str]) -> dict[str, Any]:
    """Return the keys of a campaign that describe where and how it runs, with those of its variants."""
    document = campaign.model_dump(mode="json", by_alias=True, exclude_unset=True)
    site = {key: document[key] for key in OF_THE_SITE if key in document}
    variants = {name: variant for name, variant in document.get("variants", {}).items() if name in stacks}
    return {**site, "variants": variants}


#: What a campaign must have to be valid: to learn the names of its stacks.
_LEAST = {"schema": 1, "name": "upgrade", "operations": ["barrier"], "sizes": [8]}
