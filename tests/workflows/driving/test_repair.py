# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a run's files: foreign, damaged, lost, outdated, or dated in the future."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from isochron.cli.main import main
from isochron.common.children import PYTHON_ENVIRONMENT, python
from isochron.common.copies import copy_of
from isochron.common.files import FileError
from isochron.common.sealed import heal, write_sealed
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState, LaunchOutcome, RunState
from isochron.workflows import runs
from isochron.workflows.driving import snakemake
from isochron.workflows.driving.postprocess import make_report
from isochron.workflows.driving.repair import heal_files, outputs_intact, refuse_links, repair, seal_outputs
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run, read_state, run_to_continue, update_campaign
from tests.workflows.conftest import CampaignFile, campaign


def planned(results: Path, **changes: object) -> RunLayout:
    mine = campaign(**changes)
    return create_run(results, mine, make_plan(mine))


def test_a_link_in_a_run_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    run = planned(tmp_path / "results")
    precious = tmp_path / "precious"
    precious.write_text("mine")
    run.logs.mkdir()
    (run.logs / "ingest.log").symlink_to(precious)
    with pytest.raises(FileError, match=r"ingest\.log: is a symbolic link, to '.*precious'"):
        list(make_report(run))
    assert main(["report", str(run.root)]) == 2
    assert precious.read_text() == "mine"


def test_a_folder_that_is_a_link_is_refused_too(tmp_path: Path) -> None:
    run = planned(tmp_path / "results")
    (tmp_path / "elsewhere").mkdir()
    run.tables.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileError, match="tables: is a symbolic link"):
        refuse_links(run)


def test_a_run_that_is_reached_by_a_link_is_no_link(tmp_path: Path) -> None:
    run = planned(tmp_path / "results")
    (tmp_path / "short").symlink_to(run.root)
    refuse_links(RunLayout(tmp_path / "short"))
    (run.logs / "reframe").mkdir(parents=True)
    (run.logs / "reframe" / "latest").symlink_to("somewhere")
    refuse_links(run)


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "a/b", "..", ".x", "", "x\n", "$(id)", "-rf"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    run = planned(tmp_path / "results")
    copy_of(run.plan).unlink()
    good = json.loads(run.plan.read_text())
    for place in ("name", "stack"):
        document = json.loads(json.dumps(good))
        document["blocks"][0]["launches"][0][place] = name
        run.plan.write_text(json.dumps(document))
        with pytest.raises(FileError, match=rf"plan\.json: blocks\[0\]\.launches\[0\]\.{place}"):
            Plan.load(run.plan)
    good["blocks"][0]["name"] = name
    run.plan.write_text(json.dumps(good))
    with pytest.raises(FileError, match=r"plan\.json: blocks\[0\]\.name"):
        Plan.load(run.plan)


@pytest.mark.parametrize("name", ["a`id`", "a;b", "a&&b", "a'b", 'a"b', "a$b", "a\nb", "a*b", "a|b", "a(b", "a b"])
def test_a_path_that_no_shell_should_see_is_refused_before_anything_is_made(
    campaign_file: CampaignFile, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = campaign_file()
    assert main(["run", str(path), "--results", str(tmp_path / name)]) == 2
    assert "in the path cannot be passed to every scheduler, shell and compiler" in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_a_run_that_was_moved_below_such_a_path_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    run = planned(tmp_path / "results")
    moved = run.root.rename(tmp_path / "a b")
    words = ["run", str(moved / "campaign.yaml"), "--run", str(moved)]
    assert main(words) == 2
    assert RunState.load(moved / "campaign.json").state == "planned"


@pytest.mark.parametrize("name", ["plain", "grün", "a+b=c@d%e:f,g~h"])
def test_other_paths_are_taken(tmp_path: Path, name: str) -> None:
    assert planned(tmp_path / name).plan.is_file()


def test_hooks_are_not_copied_into_a_file_that_others_read(tmp_path: Path) -> None:
    run = planned(tmp_path / "results", hooks={"on_complete": "curl -H 'Authorization: hush'"})
    assert "hush" not in run.campaign.read_text()
    assert "hooks" not in yaml.safe_load(run.campaign.read_text())


@pytest.mark.process
def test_a_module_in_the_working_folder_is_not_executed(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("raise SystemExit('executed')\n")
    done = subprocess.run(python("-c", "import pandas"), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert snakemake.environment(planned(tmp_path / "results")).items() >= PYTHON_ENVIRONMENT.items()


def test_every_rule_starts_python_on_a_safe_path() -> None:
    rules = "".join(path.read_text() for path in (snakemake.WORKFLOWS / "rules").glob("*.smk"))
    assert rules.count("python ") == rules.count("python -P -m isochron.") == 2


#: What a crash or a bad disk leaves of a file.
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "half": lambda content: content[: len(content) // 2],
    "flipped": lambda content: bytes([*content[:40], content[40] ^ 1, *content[41:]]),
    "foreign": lambda _: b"\xff\xfe not even text",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("name", ["campaign.json", "campaign.yaml", "plan.json"])
def test_a_damaged_file_is_restored_from_its_copy(tmp_path: Path, name: str, damage: Callable[[bytes], bytes]) -> None:
    run = planned(tmp_path)
    path = run.root / name
    content = path.read_bytes()
    path.write_bytes(damage(content))
    assert heal_files(run) == [f"{path}: damaged or lost; restored from its copy"]
    assert path.read_bytes() == content
    path.unlink()
    assert len(heal_files(run)) == 1
    assert path.read_bytes() == content
    assert heal_files(run) == []


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_copy_changes_nothing(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "file"
    write_sealed(path, "x" * 100 + "\n")
    sealed = copy_of(path).read_bytes()
    copy_of(path).write_bytes(damage(sealed))
    heal(path)
    assert path.read_text() == "x" * 100 + "\n"


def test_a_damaged_digest_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_sealed(path, "content\n")
    sealed = copy_of(path).read_bytes()
    copy_of(path).write_bytes(b"0" + sealed[1:])
    assert not heal(path)
    assert copy_of(path).read_bytes() == sealed
    assert path.read_text() == "content\n"


@pytest.mark.parametrize("left", [b"", b"\xff\xfe", None], ids=["empty", "foreign", "lost"])
def test_a_copy_that_says_nothing_is_made_again(tmp_path: Path, left: bytes | None) -> None:
    """Or the next damage could not be healed."""
    path = tmp_path / "file"
    write_sealed(path, "content\n")
    if left is None:
        copy_of(path).unlink()
    else:
        copy_of(path).write_bytes(left)
    assert not heal(path)
    path.write_text("")
    assert heal(path)
    assert path.read_text() == "content\n"


def test_a_copy_of_another_file_is_not_reliable(tmp_path: Path) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    write_sealed(path, "content\n")
    write_sealed(other, "something else\n")
    copy_of(path).write_bytes(copy_of(other).read_bytes())
    assert not heal(path)
    assert path.read_text() == "content\n"
    assert copy_of(path).read_bytes() != copy_of(other).read_bytes()


def test_copies_of_earlier_versions_are_reliable(tmp_path: Path) -> None:
    """They have no name in their first line."""
    path = tmp_path / "file"
    write_sealed(path, "content\n")
    copy_of(path).write_bytes(copy_of(path).read_bytes().replace(b" file\n", b"\n", 1))
    path.write_text("")
    assert heal(path)
    assert path.read_text() == "content\n"


def test_cut_off_between_copy_and_file_the_copy_counts(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_sealed(path, "old\n")
    old = path.read_text()
    write_sealed(path, "new\n")
    path.write_text(old)
    assert heal(path)
    assert path.read_text() == "new\n"


def test_a_run_with_a_damaged_state_is_found_and_gone_on_with(tmp_path: Path) -> None:
    run = planned(tmp_path)
    run.state.write_bytes(b"")
    found = run_to_continue(tmp_path, make_plan(campaign()))
    assert found is not None
    assert found.root == run.root
    assert RunState.load(run.state).state == "planned"


def test_one_unreadable_run_does_not_hide_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad, good = planned(tmp_path), planned(tmp_path)
    bad.state.write_text("{")
    copy_of(bad.state).unlink()
    assert read_state(bad) is None
    assert main(["status", "--results", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert f"{bad.run_id}  unreadable (campaign.json is damaged)" in " ".join(out.split(" "))
    assert good.run_id in out


def test_a_plan_of_which_nothing_is_left_is_said_in_one_line(tmp_path: Path) -> None:
    run = planned(tmp_path)
    run.plan.write_bytes(b"")
    copy_of(run.plan).write_bytes(b"")
    with pytest.raises(FileError, match=r"plan\.json"):
        repair(run)


def test_a_damaged_block_file_is_made_again(tmp_path: Path) -> None:
    run = planned(tmp_path)
    block = Plan.load(run.plan).blocks[0].name
    run.block(block).parent.mkdir()
    run.block(block).write_text("{")
    assert f"{run.block(block)}: damaged; checking the block again" in repair(run)
    assert not run.block(block).exists()


def test_the_file_of_another_block_is_not_reliable(tmp_path: Path) -> None:
    run = planned(tmp_path)
    first, second, *_ = Plan.load(run.plan).blocks
    for each in (first, second):
        accepted = [LaunchOutcome(name=launch.name, accepted=True) for launch in each.launches]
        BlockState(block=each.name, state="complete", attempt=1, started_at="", ended_at="", launches=accepted).save(
            run.block(each.name)
        )
    run.block(second.name).write_bytes(run.block(first.name).read_bytes())
    said = repair(run)
    assert f"{run.block(second.name)}: damaged; checking the block again" in said
    assert f"{run.block(first.name)}: damaged; checking the block again" not in said


def test_two_that_start_at_the_same_instant_have_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second waits until the first has created it: both look before either goes on, unless one waits."""
    mine = campaign()
    plan, looked = make_plan(mine), threading.Barrier(2)

    def look(results: Path, plan: Plan) -> RunLayout | None:
        found = run_to_continue(results, plan)
        with suppress(threading.BrokenBarrierError):
            looked.wait(0.5)
        return found

    monkeypatch.setattr(runs, "run_to_continue", look)

    def at_once(new: bool) -> set[Path]:
        with ThreadPoolExecutor(2) as both:
            calls = [both.submit(runs.continue_or_create, tmp_path / "results", mine, plan, new=new) for _ in range(2)]
        return {call.result().root for call in calls}

    assert len(at_once(new=False)) == len(run_folders(tmp_path / "results", mine.name)) == 1
    assert len(at_once(new=True)) == 2, "two that are asked for are two"
    assert len({path.name[:16] for path in run_folders(tmp_path / "results", mine.name)}) == 3, "in order of time"


def test_marks_of_incomplete_outputs_are_removed(tmp_path: Path) -> None:
    """Of a marked output Snakemake would delete what is there, and plan nothing else (test_kills.py)."""
    run = planned(tmp_path / "results")
    mark = run.root / ".snakemake" / "incomplete" / "c3RhY2tzL2EuanNvbg=="
    mark.parent.mkdir(parents=True)
    mark.touch()
    run.build_step("a").parent.mkdir(parents=True)
    run.build_step("a").write_text("compiling the engine for a\n")
    repair(run)
    assert not mark.exists()
    assert not run.build_step("a").exists(), "nor is it said of a build that was killed that it goes on"


def test_files_from_the_future_get_the_time_of_now(tmp_path: Path) -> None:
    """Snakemake refuses what it makes of them; a clock that was set back must not stop a run until it has caught up."""
    run = planned(tmp_path)
    ahead = time.time() + 86400
    os.utime(run.campaign, (ahead, ahead))
    (said,) = repair(run)
    assert said == f"{run.campaign}: has a time in the future (was a clock set back?); set to now"
    assert run.campaign.stat().st_mtime < time.time() + 60
    assert repair(run) == []


def test_a_store_that_was_never_sealed_is_made_again(tmp_path: Path) -> None:
    """Its driver was killed, or launches are missing in it; whether it is younger than them is no proof."""
    run = planned(tmp_path)
    for sealed in (False, True):
        for path in (run.table("repetitions"), run.summary):
            path.parent.mkdir(exist_ok=True)
            path.write_text("some")
        if sealed:
            seal_outputs(run)
        assert repair(run) == []
        assert not run.table("repetitions").exists()
        assert not run.summary.exists()


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize(
    "name", ["store/repetitions.parquet", "tables/summary.csv", "report/index.html", "log/outputs.sha256"]
)
def test_damaged_outputs_are_made_again(tmp_path: Path, name: str, damage: Callable[[bytes], bytes]) -> None:
    run = planned(tmp_path)
    for each in ("store/repetitions.parquet", "tables/summary.csv", "report/index.html", "figures/a.svg"):
        (run.root / each).parent.mkdir(parents=True, exist_ok=True)
        (run.root / each).write_text(each * 20)
    seal_outputs(run)
    assert outputs_intact(run)
    path = run.root / name
    path.write_bytes(damage(path.read_bytes()))
    assert not outputs_intact(run)
    assert "tables, figures or report damaged; regenerating them" in repair(run)
    assert not run.table("repetitions").exists()
    assert outputs_intact(run)


def test_names_of_runs_rise_though_the_clock_goes_back(tmp_path: Path) -> None:
    first = planned(tmp_path)
    ahead = first.root.with_name("20991231T235959Z-abcd")
    first.root.rename(ahead)
    second = planned(tmp_path)
    assert [folder.name for folder in run_folders(tmp_path, "small")] == [ahead.name, second.run_id]
    assert second.run_id.startswith("21000101T000000Z")


def test_a_run_that_was_moved_and_linked_is_gone_on_with(tmp_path: Path) -> None:
    run = planned(tmp_path / "results")
    away = tmp_path / "large disk" / run.run_id
    away.parent.mkdir()
    run.root.rename(away)
    run.root.symlink_to(away)
    (run.root.parent / "best").symlink_to(run.run_id)
    assert run_folders(tmp_path / "results", "small") == [run.root]
    found = run_to_continue(tmp_path / "results", make_plan(campaign()))
    assert found is not None
    assert found.root == run.root


def test_changed_words_make_the_analysis_anew_whatever_the_clock_says(
    campaign_file: CampaignFile, tmp_path: Path
) -> None:
    run = planned(tmp_path / "results")
    for path in (run.summary, run.table("repetitions")):
        path.parent.mkdir()
        path.write_text("old")
    seal_outputs(run)
    assert not update_campaign(run, campaign())
    assert run.summary.exists()
    assert update_campaign(run, campaign(title="Another"))
    assert not run.summary.exists()
    assert outputs_intact(run), "the store is what it was"
    run.table("repetitions").write_text("damaged")
    assert not outputs_intact(run)
