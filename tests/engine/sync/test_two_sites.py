# SPDX-License-Identifier: BSD-3-Clause
"""16 hosts in two cities, as in the campaigns that come with Isochron: paradox, remote root, links of a trunk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.simulated import SETTINGS, platform_xml, settings
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.machine_file import known_machines, load_machine
from tests.engine.simulator import Machine, records_on, simulate_on
from tests.engine.support import rows_of

CAMPAIGNS = Path(__file__).parents[3] / "workflows" / "campaigns"
FEW = ("--clock-sync", "none", "--stop", "reps", "--warmup-reps", "2", "--min-valid", "2", "--max-valid", "2")
LONG = (*FEW, "--max-reps", "4", "--max-slot-us", "10000000")


def simulated(machine: str, stack: str, hosts: list[str]) -> Machine:
    """A machine that comes with Isochron, as a simulated stack sees it."""
    described, simulator = load_machine(machine, Path()), load_declaration(stack).simulator
    assert simulator is not None
    told = (*SETTINGS, *settings(described), *described.options, *simulator.options)
    return Machine(platform_xml(described), tuple(hosts), told)


def hosts_of(campaign: str, placement: str, processes: int) -> list[str]:
    """The first hosts of a list of a shipped campaign."""
    return load_campaign(CAMPAIGNS / f"{campaign}.yaml").node_lists[placement][:processes]


def rows(engine: Path, folder: Path, machine: Machine, *words: str) -> list[dict[str, Any]]:
    """The rows of a launch."""
    folder.mkdir(exist_ok=True)
    return rows_of(records_on(machine, engine, folder, *LONG, *words))


def rotating(engine: Path, folder: Path, stack: str, placement: str) -> dict[str, Any]:
    """A broadcast of 1 KiB in a loop with a rotating root, 16 hosts."""
    machine = simulated("two-sites", stack, hosts_of("two-sites", placement, 16))
    words = ["--operations", "bcast", "--sizes", "1KiB", "--scheme", "rotating-root", "--batch", "32", "--per-rank"]
    (row,) = rows(engine, folder, machine, *words)
    print(f"| {stack} | {placement} | {row['rank_mean']['avg_ns'] / 1e6:.3f} | {row['median_ns'] / 1e6:.3f} |")
    return row


@pytest.mark.parametrize(
    ("stack", "half_ms"),
    [("smpi-openmpi", 0.400), ("smpi-default", 0.391), pytest.param("smpi-intel", 0.391, marks=pytest.mark.slow)],
)
def test_the_mean_over_ranks_is_as_published(
    simulated_engine: Path, tmp_path: Path, stack: str, half_ms: float
) -> None:
    """0.400 ms at a few KiB, half and half, where light needs 2.28 ms one way; not so in alternating order."""
    half = rotating(simulated_engine, tmp_path / "half", stack, "half-and-half")["rank_mean"]
    assert half["avg_ns"] / 1e6 == pytest.approx(half_ms, abs=0.002)
    alternating = rotating(simulated_engine, tmp_path / "alternating", stack, "alternating")["rank_mean"]
    assert alternating["min_ns"] >= 2.5e6


@pytest.mark.slow
def test_the_selector_of_mpich_sends_every_broadcast_through_rank_0(simulated_engine: Path, tmp_path: Path) -> None:
    """From a root at the other site the data cross the fibre twice; in the stack's tree from the root, once."""
    found = {}
    for algorithm in ("", "smpi/bcast:mpich", "smpi/bcast:SMP_binomial"):
        machine = simulated("two-sites", "smpi-mpich", hosts_of("two-sites", "half-and-half", 16))
        machine = replace(machine, settings=(*machine.settings, *filter(None, [algorithm])))
        words = ["--operations", "bcast", "--sizes", "1KiB", "--scheme", "rotating-root", "--batch", "32"]
        (row,) = rows(simulated_engine, tmp_path / f"algorithm-{len(found)}", machine, *words)
        found[algorithm] = row["rank_mean"]["avg_ns"] / 1e6
    assert found[""] == pytest.approx(0.391, abs=0.002)
    assert found["smpi/bcast:mpich"] == found["smpi/bcast:SMP_binomial"] == pytest.approx(2.755, abs=0.01)


def test_each_operation_of_the_loop_is_seen(simulated_engine: Path, tmp_path: Path) -> None:
    """They fill the loop; a rank waits for the other site, there and back, once in 16 operations, and else briefly."""
    row = rotating(simulated_engine, tmp_path, "smpi-default", "half-and-half")
    times = row["per_rank"]["operations_ns"]
    assert [len(times), len(times[0])] == [16, 32]
    for rank, own in enumerate(times):
        loop = row["per_rank"]["end_ns"][rank][-1] - row["per_rank"]["start_ns"][rank][-1]
        assert sum(own) == pytest.approx(loop, abs=20)  # one more reading of the clock
        waits = [position for position, time in enumerate(own) if time > 5.1e6]
        assert waits == sorted(((rank + 1) % 16, (rank + 1) % 16 + 16)), rank
        assert max(time for position, time in enumerate(own) if position not in waits) < 0.3e6
    assert mean(map(mean, times)) == pytest.approx(row["rank_mean"]["avg_ns"], rel=0.01)


def test_operations_are_kept_of_loops_alone(simulated_engine: Path, tmp_path: Path) -> None:
    machine = simulated("two-sites", "smpi-default", ["n0", "n16"])
    for scheme, words in (("barrier", ["--per-rank"]), ("loop", [])):
        (row,) = rows(
            simulated_engine, tmp_path / scheme, machine, "--operations", "barrier", "--scheme", scheme, *words
        )
        assert (row["per_rank"] or {}).get("operations_ns") is None


def test_with_one_remote_host_first_the_root_is_remote(simulated_engine: Path, tmp_path: Path) -> None:
    """Everything that a root at the other site gathers has to cross the fibre; of one remote host it is one message."""
    found = {}
    for placement in ("one-remote", "one-remote-last"):
        hosts = hosts_of("two-sites", placement, 16)
        hosts = hosts[:8] if placement == "one-remote" else hosts[-8:]
        machine = simulated("two-sites", "smpi-openmpi", hosts)
        words = ["--operations", "gather", "--sizes", "16KiB"]
        (row,) = rows(simulated_engine, tmp_path / placement, machine, *words)
        found[placement] = row["median_ns"] / 1e6
    assert found["one-remote"] == pytest.approx(6.24, abs=0.01)
    assert found["one-remote-last"] == pytest.approx(3.69, abs=0.01)


def streams(engine: Path, folder: Path, placement: str, pairs: int) -> float:
    """What so many pairs get together in each direction, MB/s: both of each send 4 MiB."""
    hosts = hosts_of("two-sites-streams", placement, 2 * pairs)
    machine = simulated("two-sites-aggregated", "smpi-openmpi", hosts)
    size = 2**22
    (row,) = rows(engine, folder, machine, "--operations", "multi-ping-ping", "--sizes", str(size))
    return float(pairs * size / row["median_ns"] * 1e3)


def test_addresses_of_like_numbers_use_half_of_the_links(simulated_engine: Path, tmp_path: Path) -> None:
    """930 Mbit/s of one pair, and of 4 or 8 pairs half of four such links: 225 MB/s are published for 8."""
    found = {
        (placement, pairs): streams(simulated_engine, tmp_path / f"{placement}-{pairs}", placement, pairs)
        for placement in ("like-numbers", "all-links")
        for pairs in (1, 4, 8)
    }
    print(found)
    one, trunk = 116.25, 465.0
    assert found["like-numbers", 1] == pytest.approx(one, rel=0.1)
    for pairs in (4, 8):
        assert found["like-numbers", pairs] == pytest.approx(trunk / 2, rel=0.08)
        assert found["all-links", pairs] == pytest.approx(trunk, rel=0.08)
    assert found["like-numbers", 8] == pytest.approx(225, rel=0.03)


@pytest.mark.parametrize("name", known_machines())
def test_every_machine_that_comes_with_isochron_can_be_simulated(
    simulated_engine: Path, tmp_path: Path, name: str
) -> None:
    """Its platform file is one that the simulator takes, with a route between the first node and the last."""
    hosts = ["n0", f"n{load_machine(name, Path()).nodes - 1}"]
    words = (*LONG, "--operations", "ping-pong", "--sizes", "8", "--output", "out.jsonl")
    done = simulate_on(simulated(name, "smpi-default", hosts), simulated_engine, tmp_path, *words)
    assert done.returncode == 0, done.stderr
