# SPDX-License-Identifier: BSD-3-Clause
"""SimGrid's files of a described machine."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from isochron.schemas.input.machine import Machine
from isochron.spack_envs.simulated import host_lines, platform_xml, settings
from isochron.workflows.machine_file import known_machines, load_machine


def machine(name: str, **changes: Any) -> Machine:
    return Machine.model_validate({**load_machine(name, Path()).model_dump(by_alias=True), **changes})


def tree(described: Machine) -> ElementTree.Element:
    return ElementTree.fromstring(platform_xml(described))


def test_trunks_that_cannot_matter_are_left_out() -> None:
    bxj = machine("bxj")
    clusters = list(tree(bxj).iter("cluster"))
    assert [cluster.get("radical") for cluster in clusters] == ["0-1023"]
    assert not list(tree(bxj).iter("link"))
    assert settings(bxj) == [f"network/TCP-gamma:{2 * 2.37 * 3337.6:.12g}"]


@pytest.mark.parametrize(
    "part",
    [
        {"topology": {"trunk_mb_per_s": 178000}},
        {"topology": {"trunk_latency_us": 0.1}},
        {"topology": {"kind": "direct"}},
        {"memory": {"latency_us": 2.0}},
    ],
)
def test_trunks_that_matter_are_written(part: dict[str, dict[str, Any]]) -> None:
    whole = load_machine("bxj", Path()).model_dump(by_alias=True)
    changed = machine("bxj", **{key: {**whole[key], **value} for key, value in part.items()})
    assert not changed.flat
    assert settings(changed) == []
    clusters = list(tree(changed).iter("cluster"))
    assert len(clusters) == 32
    assert {cluster.get("bb_bw") for cluster in clusters} == {"3337.6MBps"}
    assert list(tree(changed).iter("zoneRoute"))


def test_a_limit_of_both_directions_is_a_link_that_either_takes() -> None:
    (cluster,) = tree(machine("bxj")).iter("cluster")
    assert (cluster.get("bw"), cluster.get("limiter_link")) == ("5589MBps", "5589MBps")
    for unlimited in (None, 2 * 5589):
        (cluster,) = tree(machine("bxj", node_two_way_mb_per_s=unlimited)).iter("cluster")
        assert cluster.get("limiter_link") is None


@pytest.mark.parametrize("rate", [5000, 12000])
def test_both_directions_have_between_once_and_twice_the_rate_of_one(rate: float) -> None:
    with pytest.raises(ValueError, match=r"node_two_way_mb_per_s: both directions together .*node_mb_per_s: 5589"):
        machine("bxj", node_two_way_mb_per_s=rate)


def links_of(described: Machine, source: str, target: str) -> list[str]:
    """The trunks between the clusters of two nodes, with their direction."""
    cluster = {
        f"n{number}": each.get("id")
        for each in tree(described).iter("cluster")
        for number in (each.get("radical") or "").split(",")
    }
    wanted = (cluster[source], cluster[target])
    (route,) = [each for each in tree(described).iter("zoneRoute") if (each.get("src"), each.get("dst")) == wanted]
    return [f"{each.get('id')} {each.get('direction')}" for each in route]


def test_the_numbers_of_two_nodes_choose_the_link_of_a_trunk() -> None:
    """Address of the source XOR that of the target; those of the second site begin at 1: like numbers differ by 1."""
    sites = machine("two-sites-aggregated")
    used = {number: links_of(sites, f"n{number}", f"n{16 + number}") for number in range(16)}
    assert used[0] == used[2] == used[14] == ["trunk0-1.1 UP"]
    assert {link for links in used.values() for link in links} == {"trunk0-1.1 UP", "trunk0-1.3 UP"}
    assert links_of(sites, "n17", "n0") == ["trunk0-1.2 DOWN"]
    assert links_of(sites, "n3", "n22") == ["trunk0-1.0 UP"]
    assert links_of(sites, "n0", "n1") == ["switch0 None"]
    rates = {each.get("id"): each.get("bandwidth") for each in tree(sites).iter("link")}
    assert {rates[f"trunk0-1.{number}"] for number in range(4)} == {"116.25MBps"}


def test_a_tree_has_links_up_and_down() -> None:
    whole = machine("bxj", nodes=64).model_dump(by_alias=True)
    tree_of_links = machine("bxj", nodes=64, topology={**whole["topology"], "trunk_links": 2})
    assert links_of(tree_of_links, "n1", "n32") == ["trunk0.1 UP", "trunk1.1 DOWN"]
    assert links_of(tree_of_links, "n1", "n33") == ["trunk0.0 UP", "trunk1.0 DOWN"]


@pytest.mark.parametrize(
    ("first", "step", "links"),
    [([0, 0], 1, {0}), ([0, 1], 1, {1, 3}), ([0, 2], 1, {2}), ([0, 3], 1, {1, 3}), ([0, 1], 2, {1}), ([1, 0], 2, {1})],
)
def test_addresses_choose_by_exclusive_or(first: list[int], step: int, links: set[int]) -> None:
    """(a + s·i) XOR (b + s·i) of pairs with like numbers, modulo 4, for IP (s = 1) and MAC addresses (s = 2)."""
    whole = machine("two-sites-aggregated").model_dump(by_alias=True)
    topology = {**whole["topology"], "first_addresses": first, "address_step": step}
    sites = machine("two-sites-aggregated", topology=topology)
    used = {links_of(sites, f"n{number}", f"n{16 + number}")[0] for number in range(16)}
    assert used == {f"trunk0-1.{link} UP" for link in links}
    assert links == {(first[0] + step * i ^ first[1] + step * i) % 4 for i in range(16)}


@pytest.mark.parametrize("count", [3, 5])
def test_links_need_not_be_a_power_of_two(count: int) -> None:
    """Source XOR target, modulo the links, as in switches: then all bits count, not the low ones alone."""
    topology = {**machine("two-sites-aggregated").model_dump(by_alias=True)["topology"], "trunk_links": count}
    sites = machine("two-sites-aggregated", topology=topology)
    document = tree(sites)
    cluster = {each.get("radical"): each.get("id") for each in document.iter("cluster")}
    route = {(each.get("src"), each.get("dst")): each[0] for each in document.iter("zoneRoute")}
    for here, there in product(range(16), range(16)):
        expected = f"trunk0-1.{(here ^ (1 + there)) % count}"
        ends = cluster[f"{here}"], cluster[f"{16 + there}"]
        for way, direction in ((ends, "UP"), (ends[::-1], "DOWN")):
            assert (route[way].get("id"), route[way].get("direction")) == (expected, direction)
    rates = {each.get("bandwidth") for each in document.iter("link") if "trunk" in (each.get("id") or "")}
    assert rates == {f"{465 / count:g}MBps"}


def test_nodes_that_no_link_needs_have_no_cluster() -> None:
    """The last group may be partly filled."""
    few = machine("two-sites-aggregated", nodes=18)
    assert [each.get("radical") for each in tree(few).iter("cluster")][4:] == ["16", "17"]


def test_more_links_than_nodes_are_refused() -> None:
    whole = machine("two-sites").model_dump(by_alias=True)
    for topology, message in (
        ({"trunk_links": 32}, "trunk_links: 32 links are more than the 16 nodes of a group"),
        ({"first_addresses": [0, 1]}, "a single link is not selected"),
    ):
        with pytest.raises(ValueError, match=message):
            machine("two-sites", topology={**whole["topology"], **topology})


@pytest.mark.parametrize("name", known_machines())
def test_routes_come_after_all_links(name: str) -> None:
    """The simulator refuses a file in another order."""
    kinds = [each.tag for each in next(iter(tree(machine(name))))]
    assert kinds == sorted(kinds, key=["cluster", "link", "zoneRoute"].index)


def test_nodes_are_filled_one_after_another() -> None:
    assert host_lines(machine("bxj", nodes=2), 3).split() == ["n0"] * 3 + ["n1"] * 3
