# SPDX-License-Identifier: BSD-3-Clause
"""The simulator's platform file says what the machine file says."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from isochron.schemas.input.machine import Machine
from isochron.spack_envs.platform import flat, host_lines, platform_xml, settings
from isochron.workflows.machine_file import load_machine


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
        {"topology": {"trunk_mb_per_s": 177000}},
        {"topology": {"trunk_latency_us": 0.1}},
        {"topology": {"kind": "direct"}},
        {"memory": {"latency_us": 2.0}},
    ],
)
def test_trunks_that_matter_are_written(part: dict[str, dict[str, Any]]) -> None:
    whole = load_machine("bxj", Path()).model_dump(by_alias=True)
    changed = machine("bxj", **{key: {**whole[key], **value} for key, value in part.items()})
    assert not flat(changed)
    assert settings(changed) == []
    clusters = list(tree(changed).iter("cluster"))
    assert len(clusters) == 32
    assert {cluster.get("bb_bw") for cluster in clusters} == {"3337.6MBps"}
    assert list(tree(changed).iter("zoneRoute"))


def test_nodes_are_filled_one_after_another() -> None:
    assert host_lines(machine("bxj", nodes=2), 3).split() == ["n0"] * 3 + ["n1"] * 3
