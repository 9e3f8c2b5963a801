# SPDX-License-Identifier: BSD-3-Clause
"""What a trial of a stack at a site left is judged, and each thing that does not work says what to write where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isochron.reframe_checks.launch.connection import why_apart
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.launch_file import LaunchFile
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.provenance import Provenance, TimerVerdict
from isochron.schemas.run.records import RECORD
from isochron.workflows.doctor.machine import SiteFinding
from isochron.workflows.doctor.site import judge_trial
from isochron.workflows.doctor.trial import Trial, trial_of
from isochron.workflows.planning.plan import make_plan
from tests.reframe_checks.fakes import records

CAMPAIGN: dict[str, Any] = {
    "schema": 1, "name": "c", "stacks": ["mpich-5.0", "openmpi-5.0"], "operations": ["bcast"], "sizes": [8],
    "processes": [2, 8], "processes_per_node": [1, 2], "site": {"nodes": 8, "cores_per_node": 2},
    "replication": {"design": "turns"},
}  # fmt: skip


def campaign(**changes: Any) -> Campaign:
    return Campaign.model_validate({**CAMPAIGN, **changes})


def manifest(**changes: Any) -> Manifest:
    document = {
        "stack": "mpich-5.0", "mpi_library": "MPICH", "mpi_version": "5.0.2", "mpi_library_version": "MPICH 5.0.2",
        "stack_source": "wheels", "cc": "/w/bin/mpicc", "compiler": "gcc", "launcher": {"argv": ["m"], "pmi": "pmi2"},
        "environment": {}, "engine": "/r/e", "engine_version": "0.1.0", "engine_sha256": "0" * 64,
        "linked_libraries": ["/w/lib/libmpi.so.12"], "provenance": {}, "built_at": "2026-05-04T08:00:00Z",
    }  # fmt: skip
    return Manifest.model_validate({**document, **changes})


def launch_file(*, oversubscribed: bool = False, **changes: Any) -> LaunchFile:
    """A launch of four ranks on two hosts; `changes` of its header."""
    launch = {"launcher": "stack", "oversubscribed": str(oversubscribed).lower()}
    header, *rows, overhead = records(launch=launch, processes=4, hosts=2, cases=[("barrier", 0)])
    bindings = [{"host": f"node{n % 2}", "cpus": str(n // 2), "ranks": str(n)} for n in range(4)]
    parsed = [RECORD.validate_python(record) for record in ({**header, "bindings": bindings, **changes}, *rows)]
    return LaunchFile(Path("f"), parsed[0], [], [], parsed[1:], None, overhead)  # type: ignore[arg-type]


def good(of: Campaign, **changes: Any) -> Trial:
    """A trial in which everything works."""
    trial = trial_of(of, "mpich-5.0")
    plan = make_plan(trial)
    names = [launch.name for launch in plan.launches]
    nodes = {f"node{number}": {"cpus_online": "0-1"} for number in range(2)}
    timers = [TimerVerdict(host, "tsc", "clock-gettime", 1.0, 20.0, 0.0, "good", "") for host in nodes]
    whole = Trial("mpich-5.0", trial, plan, [], manifest(), dict.fromkeys(names, ""),
                  dict.fromkeys(names, launch_file()), Provenance({}, nodes), timers)  # fmt: skip
    return replace(whole, **changes)


def told(trial: Trial, of: Campaign) -> dict[str, SiteFinding]:
    return {finding.check: finding for finding in judge_trial(trial, of)}


def test_a_trial_is_one_small_job_of_two_full_nodes_in_which_the_stack_is_started_alone_and_with_a_twin() -> None:
    plan = make_plan(trial_of(campaign(), "mpich-5.0"))
    (block,) = plan.blocks
    assert block.nodes == 2
    assert {(launch.point.processes, launch.point.processes_per_node) for launch in plan.launches} == {(4, 2)}
    assert sorted(bool(launch.session) for launch in plan.launches) == [False, False, True, True]
    assert {launch.stack for launch in plan.launches} == {"mpich-5.0", "mpich-5.0-twin"}


def test_a_trial_of_a_variant_and_of_a_campaign_with_other_hosts() -> None:
    of = campaign(
        stacks=["fast", {"old": "mpich@4.0.3"}],
        variants={"fast": {"stack": "mpich-5.0", "environment": {"UCX_TLS": "sm"}}},
        placements=["packed", "near"], node_lists={"near": ["a", "b", "c", "d"]}, engine={"probes": "gate"},
        replication={"design": "random"}, processes=[8],
    )  # fmt: skip
    trial = trial_of(of, "fast")
    assert trial.variants["fast-twin"] == of.variants["fast"]
    assert trial.placements == ["packed"]
    assert trial_of(of, "old").variants["old-twin"].stack == "mpich@4.0.3"
    assert trial_of(campaign(site={"nodes": 1, "cores_per_node": 2}, processes=[1, 2]), "mpich-5.0").processes == [2]


def test_everything_works() -> None:
    found = told(good(campaign()), campaign())
    assert {check: finding.level for check, finding in found.items()} == dict.fromkeys(
        ["launch", "overlapping", "library", "timer", "clocks", "binding"], "ok"
    )
    assert found["launch"].words == "4 ranks by its own launcher: 0,2 on node0, 1,3 on node1"
    assert not any(finding.write for finding in found.values())


@pytest.mark.parametrize(("transport", "level"), [("provider tcp", "ok"), ("not known", "unknown"), ("", None)])
def test_the_transport_is_as_the_library_printed_it(transport: str, level: str | None) -> None:
    finding = told(good(campaign(), transport=transport), campaign()).get("transport")
    assert (finding and (finding.level, finding.words)) == (level and (level, transport))


def test_a_build_or_a_job_that_fails_says_why() -> None:
    build = good(campaign(), manifest=None, problems=["stack mpich-5.0: no compiler; see log"])
    assert [(each.check, each.words) for each in judge_trial(build, campaign())] == [("build", build.problems[0])]
    job = good(campaign(), reasons={}, problems=["block b001: sbatch: error: Invalid account or account/partition"])
    (finding,) = judge_trial(job, campaign())
    assert (finding.check, finding.level) == ("job", "error")
    assert finding.write.startswith("ReFrame configuration: partition, access:")


@pytest.mark.parametrize(
    ("reason", "write"),
    [
        ("exit code 3: isochron-engine: 3 processes, but --expect-ranks 4; check the launcher", ""),
        ("exit code 3: isochron-engine: processes on 1 hosts, but --expect-hosts 2; x", "campaign file: site.nodes: 1"),
        ("header.mpi_library_version: 'A' was loaded, but the stack was built with B", "ReFrame configuration: "),
        ("exit code 127 (the launcher or a command of the job script was not found; check PATH)", "ReFrame"),
        ("exit code 1: connect: Connection refused", "ReFrame configuration: partition, env_vars: the network"),
        ("use another; write `site.launcher: stack`, or remove the stack", "campaign file: site.launcher: stack"),
        ("something that nobody has seen", ""),
    ],
)
def test_a_launch_that_fails_alone(reason: str, write: str) -> None:
    trial = good(campaign())
    found = told(replace(trial, reasons=dict.fromkeys(trial.reasons, reason), files={}), campaign())
    assert set(found) == {"launch", "timer"}
    assert found["launch"].level == "error"
    assert found["launch"].words == f"{reason} (2 of 2 launches)"
    assert found["launch"].write.startswith(write)
    assert bool(found["launch"].write) == bool(write)


@pytest.mark.parametrize(
    ("site_launcher", "write"), [("srun", "site.launcher: stack"), ("mpiexec", "site.launcher: alps or ibrun or srun")]
)
def test_ranks_that_did_not_find_each_other(site_launcher: str, write: str) -> None:
    """What the launch itself says to write."""
    facts = {"site_launcher": site_launcher, "scheduler": "slurm"}
    reason = why_apart("1 processes, but --expect-ranks 4", ["stack", "srun"], "pmi2", facts)
    trial = good(campaign())
    found = told(replace(trial, reasons=dict.fromkeys(trial.reasons, reason)), campaign())
    assert found["launch"].write == f"campaign file: {write}"


@pytest.mark.parametrize(("design", "level"), [("turns", "error"), ("random", "warning")])
def test_launches_that_do_not_start_together(design: str, level: str) -> None:
    of = campaign(replication={"design": design})
    trial = good(of)
    reasons = {launch.name: "exit code 1: srun: x" if launch.session else "" for launch in trial.plan.launches}
    finding = told(replace(trial, reasons=reasons), of)["overlapping"]
    assert (finding.level, finding.write) == (level, "campaign file: replication.design: random")


def test_a_timer_that_is_refused_on_one_node() -> None:
    trial = good(campaign())
    refused = replace(trial.timers[1], verdict="refused", reason="went backwards")
    tsc = replace(trial.timers[0], timer="tsc")
    finding = told(replace(trial, timers=[trial.timers[0], refused, tsc]), campaign())["timer"]
    assert (finding.level, finding.words) == ("error", "clock-gettime is refused on node1: went backwards")


def test_processes_that_share_a_core_because_the_job_has_a_part_of_the_node() -> None:
    nodes = {f"node{number}": {"cpus_online": "0-7", "job_cpus": "0"} for number in range(2)}
    bindings = [{"host": "node0", "cpus": "0", "ranks": "0,2"}, {"host": "node1", "cpus": "0", "ranks": "1,3"}]
    trial = good(campaign(), provenance=Provenance({}, nodes))
    shared = replace(trial, files=dict.fromkeys(trial.files, launch_file(bindings=bindings)))
    found = told(shared, campaign())
    assert found["binding"].level == "error"
    assert "(cgroup)" in found["binding"].words
    assert found["binding"].write == "ReFrame configuration: partition, access: what asks for whole nodes"
    assert found["whole nodes"].level == "warning"
    assert found["cores"].write == "campaign file: site.cores_per_node: 1"
    planned = launch_file(oversubscribed=True, bindings=bindings)
    assert "binding" not in told(replace(trial, files=dict.fromkeys(trial.files, planned)), campaign())


def test_binding_that_a_variable_of_the_site_switches_off() -> None:
    bindings = [{"host": f"node{n}", "cpus": "0-1", "ranks": f"{n},{n + 2}"} for n in range(2)]
    trial = good(campaign())
    trial = replace(trial, files=dict.fromkeys(trial.files, launch_file(bindings=bindings)),
                    provenance=Provenance({"environment.I_MPI_PIN": "0"}, trial.provenance.nodes))  # fmt: skip
    finding = told(trial, campaign())["binding"]
    assert (finding.level, finding.write) == (
        "warning",
        "ReFrame configuration: partition, env_vars: without I_MPI_PIN",
    )
    other = replace(trial, provenance=Provenance({}, trial.provenance.nodes))
    assert told(other, campaign())["binding"].write.startswith("campaign file: site.launcher")


@pytest.mark.parametrize(
    ("spec", "installed", "trap"),
    [
        ("openmpi@5.0.8~cuda fabrics=none schedulers=none", "spack", True),
        ("openmpi@5.0.8~cuda", "spack", True),
        ("openmpi@5.0.8 fabrics=ofi,ucx", "spack", False),
        ("openmpi@5.0.8 fabrics=none", "external", False),
        ("mpich@4.3.0", "spack", False),
    ],
)
def test_an_open_mpi_that_spack_built_without_a_fabric(spec: str, installed: str, trap: bool) -> None:
    built = manifest(stack_source="spack", provenance={"spec": spec, "installed": installed})
    found = told(good(campaign(), manifest=built), campaign())
    assert ("fabric" in found) == trap
    if trap:
        assert "3485" in found["fabric"].words


def test_a_wheel_on_nodes_with_a_fast_network() -> None:
    def fabric(state: str) -> dict[str, SiteFinding]:
        facts = {"fabric.mlx5_0.rate": "200 Gb/sec", "fabric.mlx5_0.state": state, "cpus_online": "0-1"}
        return told(good(campaign(), provenance=Provenance({}, {"node0": facts})), campaign())

    assert fabric("4: ACTIVE")["fabric"].words.startswith("the nodes have mlx5_0, and a library from a wheel uses TCP")
    assert "fabric" not in fabric("1: DOWN")


def test_wrong_data_is_an_error() -> None:
    trial = good(campaign())
    wrong = launch_file()
    row = wrong.measurements[0].model_copy(update={"verdict": "failed-check", "reason": "element 3"})
    found = told(replace(trial, files=dict.fromkeys(trial.files, replace(wrong, measurements=[row]))), campaign())
    assert (found["data"].level, found["data"].words) == ("error", "barrier of 0 bytes gave wrong data: element 3")


def test_nodes_that_a_scheduler_did_not_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isochron.workflows.doctor.remedies.partition_schedulers", lambda _site: ["slurm"])
    trial = good(campaign())
    hosts = dict.fromkeys(trial.reasons, "processes on 1 hosts, but --expect-hosts 2")
    assert "use_nodes_option" in told(replace(trial, reasons=hosts), campaign())["launch"].write


def test_nodes_that_are_asked_for_as_only_lsf_with_csm_knows() -> None:
    trial = good(campaign())
    found = told(replace(trial, reasons=dict.fromkeys(trial.reasons, "bsub: -nnodes: Illegal option")), campaign())
    assert found["launch"].write.startswith("campaign file: site.launcher: stack")
