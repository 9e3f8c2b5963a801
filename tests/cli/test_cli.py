# SPDX-License-Identifier: BSD-3-Clause
"""What a person meets first: help, usage errors, runs that are not there."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from isochron.cli.campaign import at_this_site
from isochron.cli.main import main
from isochron.cli.plan import left_out
from isochron.cli.verbs import VERBS
from isochron.common.files import FileError
from isochron.common.resources import shipped
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.spack_envs import stack_source
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.doctor.machine import Machine
from isochron.workflows.doctor.software import before_a_run
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run, run_to_continue
from tests.workflows.conftest import CampaignFile, campaign

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([verb, "--help"])
    text = capsys.readouterr().out
    assert end.value.code == 0
    assert f"example:\n  isochron {verb}" in text


def test_the_help_names_every_verb_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    listed = {line.split()[0] for line in text.splitlines() if line.startswith("    ") and not line[4:5].isspace()}
    assert {*VERBS} <= listed
    assert "exit codes" in text
    assert f"documentation: {ROOT / 'docs' / 'README.md'}" in text


@pytest.mark.parametrize("word", ["--resume", "--continue"])
def test_resuming_needs_no_option(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["run", "demo", word])
    assert "`isochron run` continues where it stopped by itself: remove the option" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["measure"], ["run"], ["plan", "x", "--fromat", "csv"], ["status", "--", "-n"]])
def test_bad_usage_is_exit_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert "isochron" in capsys.readouterr().err


def test_alone_it_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "examples:" in capsys.readouterr().out


def test_a_misspelt_verb_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["rnu", "demo.yaml"])
    assert end.value.code == 2
    assert "unknown command 'rnu', did you mean 'run'?" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["status", "report"])
def test_a_run_that_is_not_there(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other").mkdir()
    assert main([verb, "none", "--results", str(tmp_path)]) == 2
    assert "campaign 'none' has no run; the campaigns are other" in capsys.readouterr().err


def test_status_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--results", str(tmp_path / "none")]) == 0
    assert "no runs under" in capsys.readouterr().out


def test_a_run_that_nobody_drives_is_not_running(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = create_run(tmp_path, campaign(), make_plan(campaign()))
    RunState.load(run.state).model_copy(update={"state": "running"}).save(run.state)
    assert main(["status", "--results", str(tmp_path), "--format", "csv"]) == 0
    assert "interrupted (its driver was killed)" in capsys.readouterr().out


def test_a_report_of_nothing_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = create_run(tmp_path, campaign(), make_plan(campaign()))
    assert main(["report", str(run.root)]) == 2
    assert "no launch has been measured yet" in capsys.readouterr().err


def test_a_dry_run_makes_nothing(
    campaign_file: CampaignFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(campaign_file()), "-n", "--results", str(tmp_path / "results")]) == 0
    assert "launches" in capsys.readouterr().out
    assert not (tmp_path / "results").exists()


def test_the_run_to_go_on_with_is_the_newest_with_the_same_plan(tmp_path: Path) -> None:
    plan, other = make_plan(campaign()), make_plan(campaign(sizes=[8]))
    first = create_run(tmp_path, campaign(), plan)
    create_run(tmp_path, campaign(sizes=[8]), other)
    assert run_to_continue(tmp_path, plan) == first
    assert run_to_continue(tmp_path, make_plan(campaign(sizes=[16]))) is None


def test_going_on_with_a_run_of_another_plan_is_refused(
    campaign_file: CampaignFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = create_run(tmp_path, campaign(sizes=[8]), make_plan(campaign(sizes=[8])))
    path = campaign_file()
    assert main(["run", str(path), "--run", str(run.root), "--results", str(tmp_path)]) == 2
    assert "its plan is not that of" in capsys.readouterr().err


@pytest.mark.process
def test_the_snakefile_is_lint_clean(tmp_path: Path) -> None:
    run = RunLayout(create_run(tmp_path, campaign(), make_plan(campaign())).root)
    command = [sys.executable, "-m", "snakemake", "--lint", "-s", str(ROOT / "workflows" / "Snakefile")]
    linted = subprocess.run(command, cwd=run.root, capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    assert "congratulations" in (linted.stdout + linted.stderr).lower()


@pytest.mark.process
def test_the_dry_run_of_snakemake_has_one_job_a_stack_and_block(tmp_path: Path) -> None:
    run = create_run(tmp_path, campaign(), make_plan(campaign()))
    command = [sys.executable, "-m", "snakemake", "-n", "-s", str(ROOT / "workflows" / "Snakefile"), "--cores", "1"]
    dry = subprocess.run(command, cwd=run.root, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert dry.returncode == 0, dry.stdout + dry.stderr
    counts = dict(line.split()[:2] for line in dry.stdout.splitlines() if len(line.split()) == 2)
    assert counts["build"] == "2"
    assert counts["measure"] == "6"
    assert set(counts) >= {"all", "build", "measure"} and "ingest" not in counts


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--external", "openmpi=/usr"], "--external openmpi=/usr: 'openmpi' is not a Spack spec"),
        (["--external", "openmpi@5.0.8=opt"], "write SPEC=PREFIX with an absolute path"),
        (["--external", "openmpi@5.0.8=/no/where"], "/no/where is not a folder; give the one with its bin/ and lib/"),
        (["--stack-source", "spack"], "stack_source: spack: Spack was not found"),
    ],
)
def test_where_stacks_come_from_is_checked_first(
    words: list[str],
    message: str,
    campaign_file: CampaignFile,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stack_source, "find_spack", lambda *_: None)
    assert main(["run", str(campaign_file()), "--dry-run", *words]) == 2
    assert message in capsys.readouterr().err


def test_route_and_externals_of_the_command_line_replace_those_of_the_file(campaign_file: CampaignFile) -> None:
    given = load_campaign(campaign_file(stack_source="auto", site={"spack": {"externals": {"mpich@5.0.2": "/usr"}}}))
    words = argparse.Namespace(stack_source="wheels", external=["hwloc@2.9.0 libs=shared=/usr", "mpich@5.0.2=/etc"])
    chosen = at_this_site(given, words)
    assert chosen.stack_source == "wheels"
    assert chosen.site.spack.externals == {"mpich@5.0.2": "/etc", "hwloc@2.9.0 libs=shared": "/usr"}


def test_what_spoils_a_measurement_stops_it_where_asked(
    campaign_file: CampaignFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("I_MPI_ROOT", "/opt/impi")
    assert main(["run", str(campaign_file()), "--strict", "--results", str(tmp_path / "results")]) == 1
    said = capsys.readouterr().err
    assert "(--strict)" in said
    assert "I_MPI_ROOT set" in said
    assert not (tmp_path / "results").exists()


def test_nothing_is_said_of_this_machine_where_launches_run_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("I_MPI_ROOT", "/opt/impi")
    assert any("I_MPI_ROOT" in finding.words for finding in before_a_run(campaign(), Machine()))
    elsewhere = campaign().site.model_copy(update={"reframe_config": "/etc/site.py"})
    assert not before_a_run(campaign().model_copy(update={"site": elsewhere}), Machine())


def test_a_stack_that_nothing_provides_is_refused_before_anything_is_built(
    campaign_file: CampaignFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stack_source, "find_spack", lambda *_: None)
    path = campaign_file(stacks=["mvapich", "openmpi-5.0"])
    assert main(["run", str(path), "--results", str(tmp_path / "results")]) == 2
    assert f"{path}: stacks: mvapich: only available from Spack" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
    assert main(["plan", str(path)]) == 1  # the plan is printed: it may be made for another machine
    printed = capsys.readouterr()
    assert "cannot be measured here: stacks: mvapich" in printed.err and " launches" in printed.out


def test_a_process_count_that_nothing_measures_is_said_first(
    campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str]
) -> None:
    path = campaign_file(processes=[2, 4], processes_per_node=[4], site={"cores_per_node": 4})
    assert main(["plan", str(path)]) == 0
    reason = "processes: 2 is not measured: 4 processes per node are more than the 2 processes"
    assert capsys.readouterr().out.splitlines()[0] == reason
    assert main(["plan", str(path), "--strict"]) == 1
    assert f"--strict: {path}: {reason}" in capsys.readouterr().err
    path = campaign_file(processes=[2, 4], processes_per_node=[2, 4], site={"cores_per_node": 4})
    assert main(["plan", str(path), "--strict"]) == 0
    assert "is not measured" not in "".join(capsys.readouterr())


def test_the_production_template_measures_every_process_count() -> None:
    template = load_campaign(shipped("workflows", "campaigns", "production.yaml"))
    plan = make_plan(template)
    assert left_out(template, plan) == []
    assert 1 in {point.nodes for point in plan.points if point.processes == 16}, "16 processes are on one node, too"


def test_a_closer_look_at_some_stacks(campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str]) -> None:
    """What a report offers to settle a question: fewer stacks, more blocks; what does not fit is refused by name."""
    path = campaign_file(stacks=["openmpi-5.0", "mpich-5.0", "mpich-4.3"], question={"baseline": "openmpi-5.0"})
    assert main(["plan", str(path), "--stacks", "mpich-4.3,mpich-5.0", "--blocks", "7"]) == 0
    said = capsys.readouterr().out
    assert "14 blocks" in said and "openmpi" not in said and "question: mpich-4.3 → mpich-5.0" in said
    assert main(["plan", str(path), "--stacks", "mpich-5"]) == 2
    assert "--stacks mpich-5: 'mpich-5' is not a stack of the campaign, did you mean" in capsys.readouterr().err
    assert main(["plan", str(path), "--blocks", "0"]) == 2
    assert "replication.blocks" in capsys.readouterr().err


def test_versions_of_a_library_in_place_of_the_stacks(
    campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def locks_of(chosen: Campaign) -> dict[str, str]:
        assert [chosen.declared(stack) for stack in chosen.stacks] == ["mpich@4.0.3", "mpich@9.*"]
        raise FileError("stack mpich@9.*: there are 4.0.3, 4.1.3")

    monkeypatch.setattr("isochron.cli.campaign.locks_of", locks_of)
    path = campaign_file(stacks=["openmpi-5.0", "mpich-5.0"], question={"baseline": "openmpi-5.0"})
    assert main(["plan", str(path), "--stacks", "old=mpich@4.0.3,mpich@9.*"]) == 1
    said = capsys.readouterr()
    assert "question: old → mpich-9.x" in said.out and "openmpi" not in said.out
    assert "cannot be measured here: stack mpich@9.*: there are 4.0.3, 4.1.3" in said.err
    assert main(["plan", str(path), "--stacks", "old=mpich@4.0.3,mpich@9.*", "--format", "csv"]) == 1
    assert "cannot be measured here" in capsys.readouterr().err
    assert main(["plan", str(path), "--stacks", "old=mpich@x"]) == 2
    assert "--stacks, --blocks, --tools: variants.old.stack: must be the name of a stack, or" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["https://a.example/b?c=d", "https://a.example/#b", "ftp://a.example", "a b"])
def test_an_address_that_no_page_can_follow_is_refused(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["publish", "site", "--url", address])
    assert "is not the address of a folder" in capsys.readouterr().err
