# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame's command line, its environment, and its report: PASSED is not reliable."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.reframe_checks.call import read_report, reframe_command, reframe_environment
from isochron.schemas.input.site import Site
from tests.reframe_checks.conftest import FakeRun, run_block

CASE: dict[str, Any] = {"system": "s", "partition": "p", "environ": "e", "result": "pass", "fail_phase": None}


def report(folder: Path, *cases: dict[str, Any]) -> tuple[Path, Path]:
    path, log = folder / "report.json", folder / "reframe.out"
    path.write_text(json.dumps({"runs": [{"testcases": list(cases)}]}))
    log.write_text("[  PASSED  ] Ran 0/1 test case(s)\n")
    return path, log


def test_one_case_that_passed(tmp_path: Path) -> None:
    assert read_report(*report(tmp_path, CASE)).passed


def test_a_failure_has_reason_phase_and_log(tmp_path: Path) -> None:
    result = read_report(*report(tmp_path, CASE | {"result": "fail", "fail_phase": "sanity", "fail_reason": "a\nb"}))
    assert not result.passed
    assert result.reason == f"a b (phase sanity; full output: {tmp_path / 'reframe.out'})"


def test_nothing_selected_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="ran 0 test cases instead of one"):
        read_report(*report(tmp_path))


def test_several_cases_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="ran 2 test cases instead of one"):
        read_report(*report(tmp_path, CASE, CASE | {"environ": "f"}))


def test_a_skipped_case_has_not_passed(tmp_path: Path) -> None:
    assert not read_report(*report(tmp_path, CASE | {"result": "skip"})).passed


def test_no_report_gives_reframes_own_complaint(tmp_path: Path) -> None:
    (tmp_path / "reframe.out").write_text("fine\n/x/bin: error: no such option\nmore\n")
    with pytest.raises(FileError, match=r"ReFrame ran nothing: /x/bin: error: no such option \(full output"):
        read_report(tmp_path / "none.json", tmp_path / "reframe.out")


def test_local_settings_ignore_a_persons_own(tmp_path: Path) -> None:
    base = {"RFM_SYSTEM": "other", "PATH": "/bin", "PYTHONPATH": "/mine"}
    environment = reframe_environment(base, Site(), tmp_path)
    assert "RFM_SYSTEM" not in environment
    assert environment["PYTHONPATH"] == "/mine"
    assert environment["RFM_ENABLE_RESULTS_STORAGE"] == "0"
    command = reframe_command("block", {}, Site(system="ignored"), tmp_path)
    assert command[command.index("-C") + 1].endswith("settings/local.py")
    assert "--system" not in command


def test_a_sites_own_configuration_is_passed_on(tmp_path: Path) -> None:
    site = Site(reframe_config="/site/config.py", system="big:fast", environment="gnu")
    command = reframe_command("block", {"Block.spec": "/a/b"}, site, tmp_path)
    assert command[command.index("-C") + 1] == "/site/config.py"
    assert command[command.index("--system") + 1] == "big:fast"
    assert command[-4:] == ["-S", "environment=gnu", "-S", "Block.spec=/a/b"]
    environment = reframe_environment({"RFM_SYSTEM": "other"}, site, tmp_path)
    assert environment["RFM_SYSTEM"] == "other"


SITE = """
site_configuration = {
    "systems": [{"name": "lab", "hostnames": ["nowhere"], "partitions": [
        {"name": name, "scheduler": "local", "launcher": "local", "environs": ["one", "two"],
         "processor": {"num_cpus": 1}}
        for name in ("small", "large")]}],
    "environments": [{"name": "one"}, {"name": "two"}],
    "logging": [{"handlers": [], "handlers_perflog": []}],
}
"""


def with_site(run: FakeRun, **site: str) -> None:
    config = run.layout.root / "site.py"
    config.write_text(SITE)
    changed = run.campaign.model_dump(mode="json", by_alias=True)
    run.layout.campaign.write_text(json.dumps(changed | {"site": {"reframe_config": str(config), **site}}))


@pytest.mark.process
def test_a_block_runs_with_a_sites_configuration(fake_run: FakeRun) -> None:
    with_site(fake_run, system="lab:large", environment="two")
    assert run_block(fake_run.layout.root, "b001") == []
    header = json.loads(fake_run.layout.launch(fake_run.names[0]).read_text().splitlines()[0])["launch"]
    assert (header["system"], header["partition"]) == ("lab", "large")


@pytest.mark.parametrize(
    ("site", "message"),
    [
        (
            {"system": "lab:large"},
            r"nothing: the site.* 2 partitions with an environment on system lab \(lab:large\+one, lab:large\+two\)",
        ),
        ({"system": "lab", "environment": "two"}, r"2 partitions .* for site.environment 'two' \(lab:small\+two"),
        ({"system": "lab:large", "environment": "three"}, r"0 partitions .* \(none\); name one by site.system"),
        ({"system": "elsewhere"}, "ReFrame ran nothing: .*elsewhere"),
    ],
)
@pytest.mark.process
def test_a_site_that_does_not_fit_is_one_clear_line(fake_run: FakeRun, site: dict[str, str], message: str) -> None:
    with_site(fake_run, **site)
    (line,) = run_block(fake_run.layout.root, "b001")
    assert re.search(message, line)
    assert fake_run.started() == []
