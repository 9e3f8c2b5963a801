# SPDX-License-Identifier: BSD-3-Clause
"""Files of a run that were damaged or lost are put back, or what they stood for is made again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.common.sealed import copy_of, heal, write_sealed
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState, LaunchOutcome, RunState
from isochron.workflows.driving.outputs import outputs_intact, seal_outputs
from isochron.workflows.driving.repair import heal_files, repair
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run, read_state, refresh_words, run_to_continue
from tests.workflows.conftest import CampaignFile, campaign

#: What a crash or a bad disk leaves of a file.
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "half": lambda content: content[: len(content) // 2],
    "flipped": lambda content: bytes([*content[:40], content[40] ^ 1, *content[41:]]),
    "foreign": lambda _: b"\xff\xfe not even text",
}


def planned(results: Path) -> RunLayout:
    return create_run(results, campaign(), make_plan(campaign()))


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
    assert not refresh_words(run, campaign())
    assert run.summary.exists()
    assert refresh_words(run, campaign(title="Another"))
    assert not run.summary.exists()
    assert outputs_intact(run), "the store is what it was"
    run.table("repetitions").write_text("damaged")
    assert not outputs_intact(run)
