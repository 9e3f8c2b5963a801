# SPDX-License-Identifier: BSD-3-Clause
"""A partition that ReFrame cannot use is named by `plan`, before a run fails with it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from isochron.cli.main import main
from isochron.common.exit_codes import Exit
from isochron.schemas.input.site import Site
from isochron.workflows.planning.partition import partition_problem
from tests.workflows.conftest import SMALL
from tests.workflows.planning.test_design import site_with

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("changes", "modules", "words"),
    [
        ({"system": "s:none"}, "nomod", "could not find a configuration entry for the requested system/partition"),
        (
            {"environment": "none"},
            "nomod",
            "has 0 partitions with an environment 'none' (p+e); name one by site.system",
        ),
        ({}, "lmod", "could not find a sane Lmod installation"),
    ],
)
def test_what_run_would_fail_with_is_printed_below_the_plan(
    changes: dict[str, str],
    modules: str,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LMOD_CMD", raising=False)
    site = site_with("srun", tmp_path) | changes
    config = Path(site["reframe_config"])
    config.write_text(config.read_text().replace('"hostnames"', f'"modules_system": "{modules}", "hostnames"'))
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump({**SMALL, "site": site}))
    for command in (["plan", str(path)], ["run", str(path), "--dry-run"]):
        assert main(command) == Exit.FAILED
        printed = capsys.readouterr()
        assert " launches" in printed.out and "cannot be measured here: site." in printed.err and words in printed.err
    assert main(["run", str(path), "--results", str(tmp_path / "results")]) == Exit.FAILED
    assert words in capsys.readouterr().err and not (tmp_path / "results").exists()


def test_a_partition_that_can_be_used_is_not_named(tmp_path: Path) -> None:
    for changes in ({}, {"system": "s"}, {"system": "s:p"}, {"environment": "e"}):
        assert partition_problem(Site.model_validate(site_with("srun", tmp_path) | changes)) == ""
