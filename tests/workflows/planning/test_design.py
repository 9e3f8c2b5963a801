# SPDX-License-Identifier: BSD-3-Clause
"""The design of a campaign: turns where they are possible, and the reason where they are not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.session_memory import PROCESS_BYTES, session_bytes
from isochron.schemas.launcher_kind import site_launchers
from isochron.workflows.machine_file import load_machine
from isochron.workflows.planning import design, partition
from isochron.workflows.planning.design import format_design, with_decided_design
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import campaign

SITE = """\
site_configuration = {{
    "systems": [{{"name": "s", "hostnames": [".*"], "partitions": [
        {{"name": "p", "scheduler": "local", "launcher": "{launcher}", "environs": ["e"]}}]}}],
    "environments": [{{"name": "e"}}],
}}
"""


def site_with(launcher: str, folder: Path) -> dict[str, Any]:
    """The section `site` with a partition that has this launcher."""
    config = folder / "site.py"
    config.write_text(SITE.format(launcher=launcher))
    return {"reframe_config": str(config), "nodes": 2, "cores_per_node": 2}


def design_line(decided: Campaign) -> str:
    return format_design(decided, make_plan(decided))


def test_two_stacks_on_this_machine_measure_in_turns_without_being_asked() -> None:
    """A session per block and twelve rounds, unless the campaign states other numbers."""
    decided = with_decided_design(campaign(replication={"blocks": 8}))
    assert decided.replication.design == "turns"
    assert (decided.replication.blocks, decided.replication.launches_per_block, decided.engine.passes) == (8, 1, 12)
    assert all(launch.session for launch in make_plan(decided).launches)
    assert design_line(decided).startswith("in turns, 6 rounds in a session, about ")
    stated = with_decided_design(campaign(replication={"blocks": 8, "launches_per_block": 3}, engine={"passes": 5}))
    assert (stated.replication.launches_per_block, stated.engine.passes) == (3, 5)


def test_a_decided_campaign_is_that_which_states_its_design() -> None:
    """Its plan has the same digest, so a run of the one is continued by the other."""
    stated = {"blocks": 8, "launches_per_block": 1, "design": "turns"}
    decided = with_decided_design(campaign(replication={"blocks": 8}))
    assert decided == campaign(replication=stated, engine={"passes": 12})
    assert with_decided_design(decided) == decided
    assert make_plan(decided).digest != make_plan(campaign(replication={**stated, "design": "random"})).digest


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"stacks": ["openmpi-5.0"]}, "one stack has nobody to take turns with"),
        ({"engine": {"probes": "gate"}}, "`engine.probes: gate` would hold a turn while it waits"),
        ({"engine": {"buffers": "cold"}}, "`engine.buffers: cold` would use all buffers first in every turn"),
        (
            {"processes": [4], "processes_per_node": [4], "allow_oversubscription": True},
            "there is no point at which two stacks run",  # MPICH spins while it waits
        ),
        ({"replication": {"design": "random"}}, "replication.design: random"),
    ],
)
def test_where_turns_are_not_possible_the_order_is_random(changes: dict[str, Any], reason: str) -> None:
    """The numbers of launches and passes are then those of random order."""
    decided = with_decided_design(campaign(**{"replication": {}, **changes}))
    assert decided.replication.design == "random"
    assert (decided.replication.launches_per_block, decided.engine.passes) == (2, 8)
    assert not any(launch.session for launch in make_plan(decided).launches)
    assert design_line(decided) == f"in random order: {reason}"


def test_few_blocks_are_measured_in_random_order_if_only_that_can_establish_a_difference() -> None:
    """Five blocks of two launches can, five sessions cannot; one block can in neither way."""
    few = with_decided_design(campaign(replication={"blocks": 5}))
    assert design_line(few) == "in random order: 5 blocks are too few to establish a difference in turns"
    assert with_decided_design(campaign(replication={"blocks": 6})).replication.design == "turns"
    assert with_decided_design(campaign(replication={"blocks": 1})).replication.design == "turns"
    requested = with_decided_design(campaign(replication={"blocks": 5, "design": "turns"}))
    assert requested.replication.design == "turns"


def test_a_sequential_campaign_is_in_turns_only_if_it_can_stop_early_in_turns() -> None:
    """The campaign of a run is validated again, with its design."""
    few = with_decided_design(campaign(replication={"blocks": 12, "sequential": True}))
    assert design_line(few) == "in random order: 12 blocks are too few to stop early in turns"
    enough = with_decided_design(campaign(replication={"blocks": 13, "sequential": True}))
    assert enough.replication.design == "turns"
    for decided in (few, enough):
        assert decided == Campaign.model_validate(decided.model_dump(mode="json", by_alias=True))


def test_simulated_launches_have_no_order() -> None:
    machine = load_machine("dragonfly", Path()).model_dump(by_alias=True)
    decided = with_decided_design(
        campaign(
            stacks=["smpi-openmpi", "smpi-mpich"], replication={}, site={"machine": machine}, engine={"wait": "sleep"}
        )
    )
    assert decided.replication.design == "random"
    assert design_line(decided) == ""


def test_a_point_of_one_stack_is_named() -> None:
    decided = with_decided_design(
        campaign(
            replication={}, processes=[2, 4], processes_per_node=[2, 4], allow_oversubscription=True,
            site={"nodes": 1, "cores_per_node": 2},
        )
    )  # fmt: skip
    assert design_line(decided).endswith("; in random order at p4.n4.packed, where one stack runs")


def test_what_all_stacks_need_together_must_fit_into_a_node() -> None:
    """Two libraries and the candle with two processes each, and the buffers of two residents."""
    large: dict[str, Any] = {"operations": ["alltoall"], "sizes": ["64MiB"], "processes": [2], "replication": {}}
    needed = (3 * 2 * PROCESS_BYTES + 2 * (2 * 2 * 64 * 2**20 * 2 * 2)) / 2**30
    site = {"nodes": 2, "cores_per_node": 2}
    fitting = with_decided_design(campaign(**large, site={**site, "memory_per_node": "4GiB"}))
    assert f"about {needed:.1f} GiB of 4.0 GiB of memory per node" in design_line(fitting)
    short = campaign(**large, site={**site, "memory_per_node": "1GiB"})
    reason = (
        f"all stacks together need about {needed:.1f} GiB of memory per node at p2.n2.packed, and a node has 1.0 GiB"
    )
    assert design_line(with_decided_design(short)) == f"in random order: {reason}"
    with pytest.raises(
        FileError, match=rf"{re.escape(reason)}; plan fewer stacks, processes_per_node or smaller sizes"
    ):
        with_decided_design(campaign(**large | {"replication": {"design": "turns"}}, site=short.site.model_dump()))


@pytest.mark.parametrize(
    ("operation", "size", "buffers"),
    [
        ("barrier", 8, 0),
        ("bcast", 1024, 2 * 2 * 1024 * 4),
        ("alltoall", 1024, 2 * 2 * 1024 * 8 * 4),
        ("gather", 1024, 2 * 1024 * (8 + 4)),
    ],
)
def test_memory_of_the_buffers_of_a_node(operation: str, size: int, buffers: int) -> None:
    """8 processes, 4 on a node; `gather` has blocks for every process at its root alone."""
    one = campaign(operations=[operation], sizes=[size], processes=[8], processes_per_node=[4])
    assert session_bytes(one, 8, 4, 3) == 3 * 4 * PROCESS_BYTES + 2 * buffers


@pytest.mark.process
def test_srun_can_share_the_cores(tmp_path: Path) -> None:
    decided = with_decided_design(campaign(site=site_with("srun", tmp_path), replication={}))
    assert decided.replication.design == "turns"


def test_a_launcher_that_starts_no_stack_itself_leaves_it_to_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(design, "partition_launchers", lambda _: ["mpirun"])
    decided = with_decided_design(campaign(site=site_with("mpirun", tmp_path), replication={}))
    assert decided.replication.design == "turns"


@pytest.mark.process
def test_a_launcher_that_cannot_share_the_cores_is_named(tmp_path: Path) -> None:
    site = site_with("alps", tmp_path)
    decided = with_decided_design(campaign(site=site, replication={}))
    assert design_line(decided) == "in random order: the launcher alps cannot run several launches on the same cores"
    with pytest.raises(FileError, match=r"small: replication\.design: the launcher alps .*; write `site\.launcher: st"):
        with_decided_design(campaign(site=site, replication={"design": "turns"}))
    own = with_decided_design(campaign(site={**site, "launcher": "stack"}, replication={}))
    assert own.replication.design == "turns"


@pytest.mark.process
def test_a_configuration_that_reframe_cannot_read_is_named(tmp_path: Path) -> None:
    """The order is random then; `isochron run` fails with ReFrame's own message."""
    site = site_with("srun", tmp_path)
    Path(site["reframe_config"]).write_text("site_configuration = 1 /")
    decided = with_decided_design(campaign(site=site, replication={}))
    assert design_line(decided) == f"in random order: ReFrame does not report the launcher of {site['reframe_config']}"


def test_srun_alone_lets_launches_share_the_cores() -> None:
    assert {name: kind.concurrent for name, kind in site_launchers().items() if kind.concurrent is not None} == {
        "srun": ["--overlap"]
    }


@pytest.mark.process
def test_a_site_configuration_that_never_ends_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ReFrame executes it: here it waits for something that does not come."""
    config = tmp_path / "site.py"
    config.write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(partition, "READ_S", 0.2)
    with pytest.raises(FileError, match=rf"^site\.reframe_config: ReFrame has not read {config} within 0\.2 s; "):
        partition._read(str(config), None)
