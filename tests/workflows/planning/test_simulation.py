# SPDX-License-Identifier: BSD-3-Clause
"""Plans of simulated campaigns: what cannot be simulated is listed, and what remains is measured whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.common.files import FileError
from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.machine_file import known_machines, load_machine
from isochron.workflows.planning import simulation
from isochron.workflows.planning.parts import products
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.rehearsal import rehearsal_of, shaped, stand_in

SIMULATED: dict[str, Any] = {
    "schema": 1,
    "name": "sim",
    "stacks": ["smpi-default", "smpi-mpich"],
    "operations": ["barrier", "bcast", "alltoall"],
    "sizes": [128, 16384],
    "processes": [16, 2048, 4096],
    "processes_per_node": [8],
    "replication": {"blocks": 1, "launches_per_block": 1},
    "engine": {"wait": "sleep", "min_valid": 1, "max_valid": 1, "max_reps": 4, "stop": "reps"},
    "site": {"machine": "bxj", "parallel_blocks": 2},
}


def load(folder: Path, **changes: Any) -> Campaign:
    path = folder / "sim.yaml"
    path.write_text(yaml.safe_dump({**SIMULATED, **changes}))
    return load_campaign(path)


def test_several_operations_in_a_run_cost_several_times_as_much(tmp_path: Path) -> None:
    """All but what the engine itself sends around a batch."""
    one, ten = (
        make_plan(load(tmp_path, processes=[64], engine={**SIMULATED["engine"], "operations_per_rep": count}))
        for count in (1, 10)
    )
    assert one.launches[0].seconds < ten.launches[0].seconds < 10 * one.launches[0].seconds


def test_the_machine_gives_nodes_and_cores(tmp_path: Path) -> None:
    campaign = load(tmp_path)
    assert campaign.site.machine == load_machine("bxj", tmp_path)
    assert (campaign.site.nodes, campaign.site.cores_per_node) == (1024, 12)
    assert Campaign.model_validate(campaign.model_dump(mode="json", by_alias=True)) == campaign


def test_what_cannot_be_simulated_is_listed_and_nothing_else_is_missing(tmp_path: Path) -> None:
    campaign = load(tmp_path)
    plan = make_plan(campaign)
    asked = set(cases(campaign.operations, campaign.sizes))
    for point in plan.points:
        for stack in campaign.stacks:
            launches = [launch for launch in plan.launches if (launch.stack, launch.point) == (stack, point)]
            planned = [case for launch in launches for case in launch.cases(campaign.operations, campaign.sizes)]
            whole = [item for item in plan.skipped if (item.stack, item.point, item.operation) == (stack, point, "")]
            left = {(item.operation, item.bytes) for item in plan.skipped if (item.stack, item.point) == (stack, point)}
            assert len(planned) == len(set(planned))
            assert set(planned) == (set() if whole else asked - left)
    reasons = {(item.stack, item.label): item.reason for item in plan.skipped if item.point.processes == 4096}
    assert "the limit is 5 min" in reasons["smpi-default", "alltoall 16384 B"]
    assert "beyond 1024 processes" in reasons["smpi-mpich", "all"]


@pytest.mark.parametrize(
    ("major", "most"),
    [
        # With 3.32 alltoallw of 128 processes took 58 s, with 4.1 3 s, and 33 s of 256.
        (3, {"alltoall": 1024, "alltoallw": 128, "scan": 256}),
        (4, {"alltoall": 1024, "alltoallw": 512, "scan": 512}),
    ],
)
def test_how_many_processes_can_be_simulated_depends_on_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, major: int, most: dict[str, int]
) -> None:
    monkeypatch.setattr(simulation, "_speed", lambda: simulation.SPEEDS[major])
    counts = [2**power for power in range(4, 14)]
    engine = {**SIMULATED["engine"], "clock_sync": "none"}
    changes = {"operations": list(most), "sizes": [128], "processes": counts, "stacks": ["smpi-default"]}
    plan = make_plan(load(tmp_path, **changes, engine=engine))
    skipped = {(item.operation, item.point.processes) for item in plan.skipped}
    assert skipped == {(name, count) for name, largest in most.items() for count in counts if count > largest}


@pytest.mark.parametrize(
    ("operation", "size", "most"),
    [("allgather", 16384, 8192), ("allgatherv", 128, 4096), ("reduce_scatter", 16384, 256), ("scan", 16384, 256)],
)
def test_memory_of_an_algorithm_is_counted(operation: str, size: int, most: int) -> None:
    """Blocks of all processes in each: shared if they are buffers of the engine, not if an algorithm allocates them."""
    fit = [simulation.cost(operation, size, count, 1, 1).bytes <= simulation.MAX_BYTES for count in (most, 2 * most)]
    assert fit == [True, False]


def test_a_burst_is_of_those_who_send_it() -> None:
    """Every message has memory of its own at both ends, and costs as much as any."""
    for name, bursts in {"burst": 1, "burst-both-ways": 2, "burst-pairs": 8, "fan-in": 15, "fan-out": 15}.items():
        few, many = (simulation.cost(name, 16, 16, runs, 1000, burst=64) for runs in (100, 1000))
        assert few.bytes == bursts * 2 * 64 * 16, name
        assert many.seconds - few.seconds == pytest.approx(900 * bursts * 64 * simulation._message_s(16)), name


@pytest.mark.parametrize("left_out", [set(), {("alltoall", 16384)}, {("bcast", 128), ("alltoall", 128)}])
def test_products_cover_each_chosen_case_once(tmp_path: Path, left_out: set[tuple[str, int]]) -> None:
    campaign = load(tmp_path)
    chosen = [case for case in cases(campaign.operations, campaign.sizes) if case not in left_out]
    found = [
        case
        for operations, sizes in products(campaign, chosen)
        for case in cases(operations or campaign.operations, sizes or campaign.sizes)
    ]
    assert sorted(found) == sorted(chosen)


def test_wrong_pairs_of_stack_and_machine_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"'openmpi-5\.0' cannot run on the simulated machine bxj"):
        load(tmp_path, stacks=["openmpi-5.0"])
    with pytest.raises(FileError, match=r"'smpi-mpich' is simulated; name a machine in site\.machine"):
        load(tmp_path, stacks=["smpi-mpich"], site={})
    with pytest.raises(FileError, match=r"engine\.wait: 'spin' never ends"):
        load(tmp_path, engine={})
    with pytest.raises(FileError, match=r"site\.machine: unknown machine 'bxi', did you mean 'bxj'\?"):
        load(tmp_path, site={"machine": "bxi"})
    (tmp_path / "own.yaml").write_text("schema: 1\nname: own\n")
    with pytest.raises(FileError, match=r"own\.yaml: nodes: Field required"):
        load(tmp_path, site={"machine": "own.yaml"})


def test_a_rehearsal_has_the_points_and_cases_of_its_campaign(tmp_path: Path) -> None:
    real = {"stacks": ["openmpi-4.1", "openmpi-5.0", "intel-mpi-2021"], "engine": {}, "limits": {"node_hours": 1.0}}
    campaign = load(tmp_path, **real, site={"nodes": 300, "cores_per_node": 16})
    machine = shaped(load_machine("dragonfly", tmp_path), campaign.site)
    assert (machine.nodes, machine.cores) == (300, 16)
    rehearsal = rehearsal_of(campaign, machine, quick=False, parallel=2)
    assert rehearsal.stacks == ["smpi-openmpi", "smpi-intel", "smpi-default"]
    assert (rehearsal.processes, rehearsal.sizes) == (campaign.processes, campaign.sizes)
    assert rehearsal.limits.node_hours is None
    assert {launch.point.processes for launch in make_plan(rehearsal).launches} == {16, 2048}
    assert rehearsal_of(campaign, machine, quick=True, parallel=2).processes == [16]
    some = load(tmp_path, **real, site={"nodes": 300}, sizes_by_operation={"bcast": [128]})
    assert rehearsal_of(some, machine, quick=False, parallel=2).chosen == some.chosen != campaign.chosen


def test_every_stack_has_a_stand_in_and_a_simulated_one_is_its_own() -> None:
    assert stand_in("mpich-5.0") == "smpi-mpich"
    assert stand_in("smpi-intel") == "smpi-intel"


@pytest.mark.parametrize("name", known_machines())
def test_the_machines_that_come_with_isochron_are_whole(name: str, tmp_path: Path) -> None:
    machine = load_machine(name, tmp_path)
    assert machine.name == name
    assert machine.description and machine.source
    assert machine.nodes % machine.topology.nodes_per_group == 0


@pytest.mark.parametrize("name", ["bxj", "clock-sync", "two-sites", "two-sites-streams"])
def test_the_simulated_campaigns_can_be_planned(name: str) -> None:
    campaign = load_campaign(Path(__file__).parents[3] / "workflows" / "campaigns" / f"{name}.yaml")
    plan = make_plan(campaign)
    assert not [item for item in plan.skipped if not item.operation]
    assert max(point.processes for point in plan.points) == max(campaign.processes)


def test_what_a_synchronisation_costs_is_planned_and_limited(tmp_path: Path) -> None:
    """A synchroniser that takes too long is listed and not planned; the campaign's own one ends the whole point."""
    engine = {**SIMULATED["engine"], "sync_nodes": "flat", "offset": "min-rtt", "clock_sync": "ring"}
    words = {
        "stacks": ["smpi-default"],
        "operations": ["barrier"],
        "processes": [16, 8192],
        "compare_clock_syncs": ["jk"],
    }
    plan = make_plan(load(tmp_path, **words, engine=engine))
    planned = {(launch.point.processes, launch.clock_sync) for launch in plan.launches}
    assert planned == {(16, ""), (16, "jk"), (8192, "")}
    (left,) = plan.skipped
    assert (left.label, left.point.processes) == ("compare_clock_syncs: jk", 8192)
    assert "simulating clock_sync jk takes about" in left.reason
    own = make_plan(load(tmp_path, **words, engine={**engine, "clock_sync": "jk"}))
    assert {launch.point.processes for launch in own.launches} == {16}
    none = make_plan(load(tmp_path, **words, engine={**engine, "clock_sync": "none"}))
    seconds = [{launch.seconds for launch in each.launches if launch.of_results} for each in (none, plan)]
    assert max(seconds[0]) < max(seconds[1])


def test_a_machine_like_another_has_what_it_says_itself(tmp_path: Path) -> None:
    bxj, clocks = load_machine("bxj", tmp_path), load_machine("bxj-clocks", tmp_path)
    assert bxj.clocks.perfect and not clocks.clocks.perfect
    own = {"name": bxj.name, "description": bxj.description, "clocks": bxj.clocks}
    assert clocks.model_copy(update=own) == bxj
    path = tmp_path / "mine.yaml"
    for like, problem in [
        ("bxi", "unknown machine 'bxi'"),
        ("mine", "is not another machine"),
        (3, "is not another machine"),
    ]:
        path.write_text(yaml.safe_dump({"name": "mine", "like": like}))
        with pytest.raises(FileError, match=f"mine.yaml: like: .*{problem}"):
            load_machine("./mine.yaml", tmp_path)
