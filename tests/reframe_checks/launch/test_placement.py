# SPDX-License-Identifier: BSD-3-Clause
"""Which launcher starts a launch, on which hosts, and how a launch on other hosts is found out."""

from __future__ import annotations

import random

import pytest

from isochron.common.files import FileError
from isochron.reframe_checks.launch.hosts import wrong_hosts
from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.schemas.input.placement import chosen_hosts, rank_hosts
from isochron.schemas.run.block_spec import LaunchSpec
from isochron.schemas.run.manifest import Launcher
from isochron.schemas.run.plan import Point
from isochron.schemas.run.records import RECORD, Header
from tests.reframe_checks import fakes

POINT = Point(processes=4, processes_per_node=2, placement="packed")


def header(hosts: dict[str, str]) -> Header:
    row, _ = fakes.records(launch={}, processes=4, hosts=1, cases=[])
    row["hosts"] = [{"name": name, "ranks": ranks} for name, ranks in hosts.items()]
    found = RECORD.validate_python(row)
    assert isinstance(found, Header)
    return found


def launch(placement: str, hosts: list[str]) -> LaunchSpec:
    return LaunchSpec(
        name="x", stack="s", processes=4, processes_per_node=2, nodes=2, placement=placement, cases=[],
        rank_hosts=rank_hosts(hosts, placement, 4, 2) if hosts else [], launchers={}, program=[],
    )  # fmt: skip


def test_a_stack_with_an_interface_has_the_launchers_of_a_site() -> None:
    commands = launcher_commands(Launcher(argv=["run", "{nodes}"], pmi="pmi2"), POINT, "s")
    assert commands["stack"] == ["run", "2"]
    assert commands["srun"][:4] == ["srun", "--job-name={launch}", "--mpi={pmi}", "--nodes=2"]
    assert "--relative=0" in commands["srun"], "all launches of a block on the same nodes of a larger allocation"
    assert commands["alps"][:5] == ["aprun", "-n", "4", "-N", "2"]


def test_named_hosts_need_a_launcher_that_takes_them() -> None:
    dealt = POINT.model_copy(update={"placement": "round-robin"})
    placed = Launcher(argv=["run"], placed=["run", "{chunk}", "{hosts}"], pmi="pmix")
    commands = launcher_commands(placed, dealt, "s", named_hosts=True)
    assert commands["stack"] == ["run", "1", "{hosts}"]
    assert "--nodelist={host_file}" in commands["srun"] and "--relative=0" not in commands["srun"]
    assert "lrun" not in commands
    with pytest.raises(FileError, match=r"add launcher\.placed or launcher\.pmi"):
        launcher_commands(Launcher(argv=["run"]), dealt, "s", named_hosts=True)


def test_hosts_of_each_placement() -> None:
    draw = random.Random(1)
    assert chosen_hosts("packed", 2, 4, [], draw) == []
    assert chosen_hosts("round-robin", 2, 4, [], draw) == ["@0", "@1"]
    assert chosen_hosts("reversed", 2, 4, [], draw) == ["@3", "@2"]
    assert chosen_hosts("near", 2, 4, ["b", "a", "c"], draw) == ["b", "a"]
    drawn = {tuple(chosen_hosts("random", 2, 4, [], draw)) for _ in range(200)}
    assert len(drawn) == 12, "every ordered pair of four nodes"
    assert rank_hosts(["a", "b"], "round-robin", 4, 2) == ["a", "b", "a", "b"]
    assert rank_hosts(["a", "b"], "reversed", 3, 2) == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("placement", "hosts", "ran", "reason"),
    [
        ("packed", [], {"a": "0-1", "b": "2-3"}, ""),
        ("packed", [], {"a": "0,2", "b": "1,3"}, "do not fill node after node"),
        ("packed", [], {"a": "0-2", "b": "3"}, "3 ranks on a, but 2 per node were planned"),
        ("round-robin", ["@0", "@1"], {"a": "0,2", "b": "1,3"}, ""),
        ("round-robin", ["@0", "@1"], {"a": "0-1", "b": "2-3"}, "rank 1 ran on a, but b was requested"),
        ("reversed", ["@1", "@0"], {"a": "0-1", "b": "2-3"}, ""),
        ("reversed", ["@1", "@0"], {"b": "0-1", "a": "2-3"}, "rank 0 ran on b, but a was requested"),
    ],
)
def test_the_raw_file_proves_where_each_rank_ran(
    placement: str, hosts: list[str], ran: dict[str, str], reason: str
) -> None:
    found = "; ".join(wrong_hosts(header(ran).hosts, "a,b", launch(placement, hosts)))
    assert reason in found
    assert bool(found) == bool(reason)
