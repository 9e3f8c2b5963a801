# SPDX-License-Identifier: BSD-3-Clause
"""From plan and manifest to the lines of the job script."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.reframe_checks.launch.command import block_spec, engine_options
from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.reframe_checks.launch.script import job_lines, job_seconds
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.manifest import Launcher
from isochron.schemas.run.plan import Point
from tests.reframe_checks.conftest import FakeRun

POINT = Point(processes=4, processes_per_node=2, placement="packed")


def spec_of(run: FakeRun, *, cores: int = 2, without: tuple[str, ...] = ()) -> BlockSpec:
    plan = run.plan.model_copy(update={"cores_per_node": cores})
    manifests = {"fake-1": run.manifest}
    attempt = run.layout.attempt("b001", 1)
    return block_spec(run.block, plan, run.campaign, manifests, run_id="r", attempt=attempt, without=without)


def test_template_is_filled_where_it_says() -> None:
    launcher = Launcher(
        argv=["run", "-n", "{processes}", "ppr:{processes_per_node}:node"], oversubscribe=["--x{processes}"]
    )
    assert launcher_commands(launcher, POINT, "s") == {"stack": ["run", "-n", "4", "ppr:2:node"]}
    crowded = launcher_commands(launcher, POINT, "s", oversubscribed=True)
    assert crowded == {"stack": ["run", "-n", "4", "ppr:2:node", "--x4"]}


def test_template_errors_name_stack_and_placeholder() -> None:
    with pytest.raises(FileError, match=r"stack s: launcher: unknown placeholder '\{ranks\}'; choose from \{proc"):
        launcher_commands(Launcher(argv=["run", "{ranks}"]), POINT, "s")
    with pytest.raises(FileError, match=r"stack s: p4\.n2\.packed has more processes or threads on a node than cores"):
        launcher_commands(Launcher(argv=["run"]), POINT, "s", oversubscribed=True)


def test_engine_is_told_what_the_campaign_says(fake_run: FakeRun) -> None:
    words = engine_options(fake_run.campaign)
    pairs = dict(zip(words[::2], words[1::2], strict=True))
    assert pairs["--operations"] == "barrier,allreduce"
    assert pairs["--sizes"] == "8,64"
    assert pairs["--clock-sync"] == "ring"
    assert pairs["--relative-error"] == "0.05"
    assert "--time-budget" not in pairs
    assert pairs["--scheme"] == "window"
    campaign = fake_run.campaign.model_copy(update={"contrasts": {"loop": {"scheme": "loop"}}})
    launch = fake_run.plan.launches[0].model_copy(update={"contrast": "loop", "operations": ["bcast"]})
    words = engine_options(campaign, launch)
    pairs = dict(zip(words[::2], words[1::2], strict=True))
    assert (pairs["--scheme"], pairs["--operations"], pairs["--clock-sync"]) == ("loop", "bcast", "ring")
    words = engine_options(campaign, launch.model_copy(update={"clock_sync": "hca3"}))
    assert words[words.index("--clock-sync") + 1] == "hca3"


def test_a_spec_survives_its_file(fake_run: FakeRun, tmp_path: Path) -> None:
    spec = spec_of(fake_run)
    spec.save(tmp_path / "spec.json")
    assert BlockSpec.load(tmp_path / "spec.json") == spec


def test_command_expects_ranks_and_hosts_and_ends_with_the_header(fake_run: FakeRun) -> None:
    command = spec_of(fake_run).launches[0].program
    assert command[command.index("--expect-ranks") + 1] == "2"
    assert command[command.index("--expect-hosts") + 1] == "1"
    header = command[command.index("--append-header") + 1 :]
    assert all("=" in word for word in header)
    assert f"name={fake_run.names[0]}" in header


def test_measured_launches_are_left_out(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run, without=(fake_run.names[1],))
    assert [launch.name for launch in spec.launches] == [fake_run.names[0], fake_run.names[2]]


def test_oversubscription_is_launched_and_recorded(fake_run: FakeRun) -> None:
    crowded, normal = spec_of(fake_run, cores=1).launches[0], spec_of(fake_run).launches[0]
    assert "--more" in crowded.launchers["stack"]
    assert "oversubscribed=true" in crowded.program
    assert "--more" not in normal.launchers["stack"]
    assert "oversubscribed=false" in normal.program


def test_processes_with_threads_have_as_many_cores(fake_run: FakeRun) -> None:
    launcher = fake_run.manifest.launcher.model_copy(
        update={"threaded": {"-n": ["-n{threads}"]}, "threaded_variables": {"CORES": "{threads}"}}
    )
    own = launcher.argv.count("-n")
    with_threads = launcher_commands(launcher, POINT, "s", threads=2)["stack"]
    assert with_threads[:2] == ["env", "CORES=2"] and with_threads.count("-n2") == own == 1
    assert launcher_commands(launcher, POINT, "s") == launcher_commands(launcher, POINT, "s", threads=1)
    crowded = launcher_commands(launcher, POINT, "s", threads=2, oversubscribed=True)["stack"]
    assert crowded == [*launcher_commands(launcher, POINT, "s")["stack"], "--more"]


def test_a_job_asks_for_the_cores_of_threads(fake_run: FakeRun) -> None:
    engine = fake_run.campaign.engine.model_copy(update={"threads": 2})
    fake_run.campaign = fake_run.campaign.model_copy(update={"engine": engine})
    enough, few = spec_of(fake_run, cores=4), spec_of(fake_run)
    assert enough.cores_per_process == 2 and "oversubscribed=false" in enough.launches[0].program
    assert few.cores_per_process == 1 and "oversubscribed=true" in few.launches[0].program
    assert "--more" in few.launches[0].launchers["stack"]


@pytest.mark.process
def test_script_is_bash_and_quotes_every_word(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    lines = job_lines(spec, {"system": "a b; $HOME", "partition": "c'd"})
    subprocess.run(["bash", "-n"], input="\n".join(lines), text=True, check=True)
    launches = [shlex.split(line) for line in lines if line.startswith("launch ")]
    assert [words[1:3] for words in launches] == [[name, "fake-1"] for name in fake_run.names]
    for words, launch in zip(launches, spec.launches, strict=True):
        site = ["system=a b; $HOME", "partition=c'd", "launcher=stack", "launched_at={now}"]
        assert words[3:] == [*launch.launchers["stack"], *launch.program, *site]


def test_a_job_gets_time_for_every_launch_to_run_out(fake_run: FakeRun) -> None:
    assert job_seconds(spec_of(fake_run)) > 3 * (20 + 10)


def test_a_launcher_that_the_campaign_names_starts_the_launches(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    launches = [
        launch.model_copy(update={"launchers": {"stack": ["own"], "pals": ["mpiexec", "--pmi", "cray"]}})
        for launch in spec.launches
    ]
    named = spec.model_copy(update={"launches": launches, "launcher": "pals"})
    started = [line for line in job_lines(named, {}, launcher="mpiexec") if line.startswith("launch ")]
    assert started and all(" mpiexec --pmi cray " in line and "launcher=pals" in line for line in started)
    with pytest.raises(FileError, match=r"stack fake-1: site\.launcher: flux cannot start fake-1\..*; name another"):
        job_lines(named.model_copy(update={"launcher": "flux"}), {}, launcher="mpiexec")
