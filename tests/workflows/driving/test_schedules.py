# SPDX-License-Identifier: BSD-3-Clause
"""The templates of schedules: they call the one script that there is, and it does what the how-to says."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
SCHEDULES = ROOT / "workflows" / "schedules"
SCRIPT = SCHEDULES / "isochron-campaign"

#: Stands for `isochron`: says what it was called with, and makes a complete run.
FAKE = """#!/bin/bash
echo "$@" >> <folder>/calls
[ "$1" = compare ] && exit <compared>
run=<folder>/results/nightly/run-$(wc -l < <folder>/calls)
mkdir -p "$run"
echo '{"state": "complete"}' > "$run/campaign.json"
ln -sfn "$run" <folder>/results/nightly/latest
exit <code>
"""


def call(folder: Path, code: int = 0, compared: int = 0, name: str = "name: nightly") -> tuple[int, list[str]]:
    """Exit code of the script, and how it has called `isochron`."""
    (folder / "nightly.yaml").write_text(f"schema: 1\n{name}\n")
    fake = folder / "isochron"
    script = FAKE
    for word, value in {"folder": folder, "code": code, "compared": compared}.items():
        script = script.replace(f"<{word}>", str(value))
    fake.write_text(script)
    fake.chmod(0o755)
    (folder / "calls").unlink(missing_ok=True)
    done = subprocess.run(
        [SCRIPT, folder / "nightly.yaml"], env={"PATH": "/usr/bin:/bin", "ISOCHRON": str(fake)}, check=False
    )
    calls = folder / "calls"
    return done.returncode, calls.read_text().splitlines() if calls.exists() else []


@pytest.mark.process
def test_first_go_on_then_anew_then_compare(tmp_path: Path) -> None:
    results = f"--results {tmp_path}/results"
    assert call(tmp_path) == (0, [f"run {tmp_path}/nightly.yaml {results} --quiet"])
    (tmp_path / "results/nightly/run-1").rename(tmp_path / "results/nightly/run-0")
    (tmp_path / "results/nightly/latest").unlink()
    (tmp_path / "results/nightly/latest").symlink_to("run-0")
    code, calls = call(tmp_path, compared=3)
    assert code == 3
    assert calls == [f"run {tmp_path}/nightly.yaml {results} --quiet --new", f"compare nightly {results}"]


@pytest.mark.process
@pytest.mark.parametrize("name", ["name: nightly  # text", "name: 'nightly' # 'x'", 'name : "nightly"'])
def test_the_name_is_found_however_it_is_written(tmp_path: Path, name: str) -> None:
    call(tmp_path, name=name)
    _, calls = call(tmp_path, name=name)
    assert calls[0].endswith("--quiet --new")


@pytest.mark.process
def test_a_name_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert call(tmp_path, name="title: nightly") == (2, [])
    assert call(tmp_path, name="name: night/ly") == (2, [])


@pytest.mark.process
def test_an_unfinished_run_is_gone_on_with(tmp_path: Path) -> None:
    run = tmp_path / "results" / "nightly" / "run-0"
    run.mkdir(parents=True)
    (run / "campaign.json").write_text(json.dumps({"state": "interrupted"}))
    (run.parent / "latest").symlink_to("run-0")
    _, calls = call(tmp_path)
    assert "--new" not in calls[0]


@pytest.mark.process
def test_the_exit_code_of_the_run_is_that_of_the_script(tmp_path: Path) -> None:
    assert call(tmp_path, code=4)[0] == 4


@pytest.mark.parametrize("name", ["crontab", "scrontab"])
def test_the_lines_of_a_crontab(name: str) -> None:
    lines = [line for line in (SCHEDULES / name).read_text().splitlines() if line and not line.startswith("#")]
    entries = [line for line in lines if not re.match(r"[A-Z]+=", line)]
    assert len(entries) == 1
    assert re.match(r"(\S+ ){4}\S+ .*workflows/schedules/isochron-campaign \$HOME/\S+\.yaml$", entries[0])


@pytest.mark.parametrize("name", ["isochron@.service", "isochron@.timer"])
@pytest.mark.process
def test_the_units_of_systemd(name: str, tmp_path: Path) -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string((SCHEDULES / name).read_text())
    assert "Unit" in unit
    if name.endswith(".service"):
        assert unit["Service"]["ExecStart"].startswith("%h/isochron/workflows/schedules/isochron-campaign ")
        assert unit["Service"]["SuccessExitStatus"] == "3"
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze, which would verify the unit, is not installed")
    for file in SCHEDULES.glob("isochron@.*"):
        text = file.read_text().replace("%h/isochron", str(ROOT)).replace("%h", str(tmp_path))
        (tmp_path / file.name.replace("@", "@nightly")).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(tmp_path / name.replace("@", "@nightly"))],
        env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "Failed to initialize manager" in done.stderr:
        pytest.skip(f"systemd-analyze cannot verify here: {done.stderr}")
    assert done.returncode == 0, done.stderr


def test_the_job_of_gitlab() -> None:
    document = yaml.safe_load((SCHEDULES / "gitlab-ci.yml").read_text())
    job = document["campaign"]
    assert job["stage"] in document["stages"]
    assert job["allow_failure"] == {"exit_codes": [3]}
    assert any("isochron-campaign workflows/campaigns/demo.yaml" in line for line in job["script"])
    assert (ROOT / "workflows" / "campaigns" / "demo.yaml").exists()
