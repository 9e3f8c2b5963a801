# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns of an upgrade: a wide one of few blocks that screens, and one of more blocks of what it chose."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isochron.schemas.engine.contract import (
    BLOCKING,
    MESSAGES,
    NONBLOCKING,
    OPERATIONS,
    PACKING,
    cases,
    with_datatype,
)
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.replication import Replication
from isochron.workflows.campaign_mistakes import valid_campaign

#: Persistent and neighbourhood collectives; not all libraries have them.
_FURTHER = tuple(name for name in OPERATIONS if name.endswith("_init") or "neighbor_" in name)
#: What most programs call, one message and many at once first; the rest follows.
_USUAL = ("ping-pong", "burst", "allreduce", "bcast", "barrier", "alltoall", "allgather", "reduce", "gather", "scatter")
#: Operations in which a derived datatype is packed and unpacked on different paths, and such datatypes.
_PACKED = ("ping-pong", "bcast", "gather", "scatter", "allgather", "alltoall", *PACKING)
_DATATYPES = ("vector-8", "vector-32", "indexed")
_TYPED = tuple(with_datatype(operation, datatype) for operation in _PACKED for datatype in _DATATYPES)
#: All that is screened: what programs call most first, then data that is not contiguous.
SCREENED = tuple(dict.fromkeys((*_USUAL, *_TYPED, *BLOCKING, *MESSAGES, "burst-both-ways", *NONBLOCKING, *_FURTHER)))
SIZES = (8, 64, 256, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 262144, 1048576)
CASES = len(cases(list(SCREENED), list(SIZES)))

#: Error rate of the claims.
ERROR = 0.05
#: Blocks of the first stage, least and most, and of the second.
SCREENING, FOLLOWED = (3, 8), 24
#: Share of the minutes for the first stage; the second has the rest.
FIRST = 0.4
#: Keys of a campaign that describe where and how it runs, not what it measures.
OF_THE_SITE = (
    "site", "limits", "processes", "processes_per_node", "placements", "node_lists", "stack_source",
    "allow_oversubscription", "seed",
)  # fmt: skip
#: Few repetitions in two rounds, and no pause between: the blocks count, not the repetitions. Then thrice as many,
#: in thrice the time.
BRIEF = {"passes": 4, "pass_span": 0, "min_valid": 4, "max_valid": 24, "max_reps": 48, "max_volume": 12 * 2**20}
MORE = 3
THOROUGH = {name: value * (1 if name == "min_valid" else MORE) for name, value in BRIEF.items()}


@dataclass(frozen=True)
class Versions:
    """Two stacks as they are written in a campaign, and the keys of the site at which they are compared.

    `beside`: stacks that the second stage measures, too; `without`: operations that cannot be screened.
    """

    stacks: Sequence[str | dict[str, str]]
    site: Mapping[str, Any]
    beside: Sequence[str] = ()
    without: frozenset[str] = frozenset()

    def screening(self, blocks: int) -> Campaign:
        """Return the campaign that screens everything, and verifies the data: what is wrong has no time."""
        operations = [operation for operation in SCREENED if operation not in self.without]
        return self._campaign("screen", {"operations": operations}, blocks, {**BRIEF, "check": True})

    def following(self, operations: Iterable[str]) -> Campaign:
        """Return the campaign that measures some operations again, to claim something of them."""
        keys = {
            "operations": list(operations),
            "analysis": {"confidence": 1 - ERROR},
            "stacks": [*self.stacks, *self.beside],
        }
        return self._campaign("upgrade", keys, FOLLOWED, THOROUGH)

    def _campaign(self, verb: str, keys: Mapping[str, Any], blocks: int, engine: Mapping[str, Any]) -> Campaign:
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
                "name": f"{verb}-{old}-{new}"[:64].rstrip("-._"),
                "title": f"From {old} to {new}",
                "sizes": list(SIZES),
                "replication": Replication.in_turns(blocks),
                "engine": dict(engine),
                "question": {"baseline": old, "candidate": new},
            },
            "upgrade",
        )


def site_of(campaign: Campaign, stacks: Collection[str]) -> dict[str, Any]:
    """Return the keys of a campaign that describe where and how it runs, with those of its variants."""
    document = campaign.model_dump(mode="json", by_alias=True, exclude_unset=True)
    site = {key: document[key] for key in OF_THE_SITE if key in document}
    variants = {name: variant for name, variant in document.get("variants", {}).items() if name in stacks}
    return {**site, "variants": variants}


#: What a campaign must have to be valid: to learn the names of its stacks.
_LEAST = {"schema": 1, "name": "upgrade", "operations": ["barrier"], "sizes": [8]}
