# SPDX-License-Identifier: BSD-3-Clause
"""A campaign by the name that it was measured under: what a report offers, `isochron run NAME --new …`, can be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.cli.main import main
from isochron.common.exit_codes import Exit
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.campaign_file import load_campaign, shipped_campaigns
from isochron.workflows.named_campaign import find_campaign, measured_campaigns
from isochron.workflows.planning.design import with_decided_design
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run, run_to_continue
from tests.workflows.conftest import SMALL, campaign

RESULTS = Path("results")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the commands are called."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def measured(**changes: Any) -> RunLayout:
    """A run of the small campaign, called `mine`."""
    decided = with_decided_design(campaign(name="mine", **changes))
    return create_run(RESULTS, decided, make_plan(decided))


def written(name: str, **changes: Any) -> Path:
    """The small campaign, called `mine`, as a file."""
    path = Path(name)
    path.write_text(yaml.safe_dump({**SMALL, "name": "mine", **changes}))
    return path


def test_what_a_report_offers_is_understood(capsys: pytest.CaptureFixture[str]) -> None:
    run = measured(stacks=["openmpi-5.0", "mpich-5.0", "mpich-4.3"], replication={"blocks": 8})
    words = ["mine", "--stacks", "mpich-4.3,mpich-5.0", "--blocks", "38"]
    assert main(["run", *words, "--new", "--dry-run"]) == Exit.DONE
    said = capsys.readouterr()
    assert "76 blocks" in said.out and "openmpi" not in said.out
    assert f"mine is the campaign of results/mine/{run.run_id}/campaign.yaml, which has no hooks" in said.err
    assert main(["plan", *words, "--quiet"]) == Exit.DONE
    assert capsys.readouterr().err == ""
    assert main(["rehearse", "mine", "--dry-run"]) == Exit.DONE


def test_its_newest_run_is_found_by_its_plan() -> None:
    measured(sizes=[8])
    run = measured(replication={"blocks": 8})
    path, _ = find_campaign("mine", RESULTS)
    assert path.resolve() == run.campaign
    assert run_to_continue(RESULTS, make_plan(with_decided_design(load_campaign(path)))) == run


def test_a_lost_campaign_file_is_restored_and_an_edited_one_refused(capsys: pytest.CaptureFixture[str]) -> None:
    run = measured()
    run.campaign.unlink()
    assert load_campaign(find_campaign("mine", RESULTS).path).name == "mine"
    run.campaign.write_text(run.campaign.read_text().replace("0.95", "0.85"))
    assert main(["plan", "mine"]) == Exit.USAGE
    assert f"results/mine/{run.run_id}/campaign.yaml: " in capsys.readouterr().err


def test_files_and_shipped_campaigns_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    run = measured()
    same = written("mine.yaml", stacks=["mpich-5.0", "mpich-4.3"], replication={"blocks": 9})
    assert find_campaign("mine", RESULTS) == (same, "")  # only what a run's options change
    other = written("mine.yaml", sizes=[64], operations=["bcast"])
    stored = f"results/mine/{run.run_id}/campaign.yaml"
    note = f"{other} is used; to use another file, give its path: {stored} differs in operations, sizes"
    assert find_campaign("mine", RESULTS) == (other, note)
    assert find_campaign(stored, RESULTS) == (Path(stored), "")
    assert main(["plan", "mine"]) == Exit.DONE
    assert note in capsys.readouterr().err
    assert find_campaign("mine", RESULTS).path == other
    without_suffix = written("mine")
    assert find_campaign("mine", RESULTS).path == without_suffix


def test_a_run_of_another_campaign_with_a_shipped_name() -> None:
    decided = with_decided_design(campaign(name="demo"))
    create_run(RESULTS, decided, make_plan(decided))
    path, note = find_campaign("demo", RESULTS)
    assert path.parent.name == "campaigns" and "campaign.yaml differs in " in note and "sizes" in note
    assert "demo" in shipped_campaigns()


def test_a_name_that_nothing_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "mine"]) == Exit.USAGE
    assert "campaigns with runs" not in capsys.readouterr().err
    measured()
    (RESULTS / "old-cluster").mkdir()
    assert measured_campaigns(RESULTS) == ["mine"]
    assert main(["plan", "mime"]) == Exit.USAGE
    said = capsys.readouterr().err
    assert "unknown campaign 'mime', did you mean 'mine'?" in said and "campaigns with runs in results: mine" in said
    assert main(["plan", ".."]) == Exit.USAGE
    assert "unknown campaign '..'" in capsys.readouterr().err


@pytest.mark.parametrize("name", shipped_campaigns())
def test_each_shipped_campaign_is_the_same_when_read_from_its_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isochron.workflows.planning.design.partition_launchers", lambda _: ["srun"])
    decided = with_decided_design(load_campaign(find_campaign(name, RESULTS).path))
    run = create_run(RESULTS, decided, make_plan(decided))
    assert with_decided_design(load_campaign(run.campaign)) == decided
    assert find_campaign(name, RESULTS).note == ""
