# SPDX-License-Identifier: BSD-3-Clause
"""A run folder or a path that comes from somebody else makes nothing happen elsewhere."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from isochron.cli.main import main
from isochron.common.children import PYTHON_ENVIRONMENT, python
from isochron.common.files import FileError
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from isochron.workflows.driving import snakemake
from isochron.workflows.driving.foreign import refuse_links
from isochron.workflows.driving.report import make_report
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
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
    good = json.loads(run.plan.read_text())
    for place in ("name", "stack"):
        document = json.loads(json.dumps(good))
        document["blocks"][0]["launches"][0][place] = name
        run.plan.write_text(json.dumps(document))
        with pytest.raises(FileError, match=rf"plan\.json: blocks\.0\.launches\.0\.{place}"):
            Plan.load(run.plan)
    good["blocks"][0]["name"] = name
    run.plan.write_text(json.dumps(good))
    with pytest.raises(FileError, match=r"plan\.json: blocks\.0\.name"):
        Plan.load(run.plan)


@pytest.mark.parametrize("name", ["a`id`", "a;b", "a&&b", "a'b", 'a"b', "a$b", "a\nb", "a*b", "a|b", "a(b", "a b"])
def test_a_path_that_no_shell_should_see_is_refused_before_anything_is_made(
    campaign_file: CampaignFile, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = campaign_file()
    assert main(["run", str(path), "--results", str(tmp_path / name)]) == 2
    assert "in the path cannot be handed to every scheduler, shell and compiler" in capsys.readouterr().err
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
