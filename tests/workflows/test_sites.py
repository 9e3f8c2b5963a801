# SPDX-License-Identifier: BSD-3-Clause
"""`site.locations`, `site.distance_ms` and `site.trunk_mb_per_s`: real hosts at several sites."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.workflows.machine_file import load_machine
from tests.workflows.conftest import campaign

HOSTS = {"placements": ["mixed"], "node_lists": {"mixed": ["a1", "b1"]}}
LOCATIONS = {"here": ["a*"], "there": ["b*"]}


def test_a_host_belongs_to_one_location() -> None:
    made = campaign(**HOSTS, site={"locations": LOCATIONS, "distance_ms": 2.28, "trunk_mb_per_s": 1250})
    assert [made.site.groups_of(host) for host in ("a1", "b1", "c1")] == [["here"], ["there"], []]
    without = campaign(**HOSTS, site={})
    assert made.measuring == without.measuring and made.deciding != without.deciding


@pytest.mark.parametrize(
    ("site", "keys", "message"),
    [
        ({"locations": {"here": ["a*"], "there": ["c*"]}}, HOSTS, "host b1 of node_lists.mixed is at no location"),
        (
            {"locations": {**LOCATIONS, "all": ["?1"]}},
            HOSTS,
            "host a1 of node_lists.mixed is at several locations (here, all)",
        ),
        ({"locations": {"here": ["*"]}}, HOSTS, "site.locations: needs the hosts of at least two locations"),
        ({"trunk_mb_per_s": 1250}, HOSTS, "site.trunk_mb_per_s: needs the hosts of at least two locations"),
        ({"locations": LOCATIONS}, {}, "add the name of the list to placements"),
        ({"locations": LOCATIONS}, {"node_lists": HOSTS["node_lists"]}, "site.locations: no placement names its hosts"),
        ({"locations": {"here": ["a *"], "there": ["b*"]}}, HOSTS, "site.locations.here.0"),
        ({"locations": LOCATIONS, "distance_ms": 0}, HOSTS, "site.distance_ms"),
        (
            {"locations": LOCATIONS, "machine": load_machine("two-sites", Path())},
            {},
            "`site.machine` describes its own",
        ),
    ],
    ids=[
        "no-group",
        "two-groups",
        "one-group",
        "trunk-alone",
        "no-hosts",
        "no-placement",
        "pattern",
        "distance",
        "simulated",
    ],
)
def test_what_cannot_be_is_refused(site: dict[str, Any], keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        campaign(**keys, site=site)
    assert any(message in f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in refused.value.errors())
