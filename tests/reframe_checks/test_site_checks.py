# SPDX-License-Identifier: BSD-3-Clause
"""The checks of a site's own regression suite: listed, run, and judged against references, without a campaign."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from isochron.cli.main import main
from isochron.common.resources import shipped
from isochron.postprocess.estimate.values.unplanned import measured
from isochron.schemas.engine.contract import contract
from tests.engine.support import wheels_stack
from tests.reframe_checks.fakes import measurement, records, write_raw

CHECKS = shipped("reframe_checks", "checks", "operations.py")
#: A site: `environments` replaces what a test needs.
SITE = """
site_configuration = {{
    "systems": [{{"name": "here", "hostnames": [".*"], "modules_system": "nomod", "prefix": "{folder}/reframe",
                 "partitions": [{{"name": "login", "scheduler": "local", "launcher": "{launcher}", "max_jobs": 1,
                                 "environs": {names}, "env_vars": {variables}}}]}}],
    "environments": [{{"name": name, "cc": "{cc}"}} for name in {names}],
    "general": [{{"poll_rate_max": 20, "poll_rate_min": 10, "resolve_module_conflicts": False}}],
    "logging": [{{
        "handlers": [{{"type": "file", "name": "{folder}/reframe.log", "level": "debug"}}],
        "handlers_perflog": [{{"type": "filelog", "prefix": "%(check_system)s", "append": True, "level": "info",
            "format": "%(check_environ)s|%(check_perfvalues)s",
            "format_perfvars": "%(check_perf_var)s=%(check_perf_value)s,%(check_perf_upper_thres)s|"}}],
    }}],
}}
"""


def write_site(folder: Path, *, cc: str, launcher: str, names: list[str], variables: list[list[str]]) -> Path:
    site = folder / "site.py"
    site.write_text(SITE.format(folder=folder, cc=cc, launcher=launcher, names=names, variables=variables))
    return site


def reframe_call(site: Path, *words: str) -> list[str]:
    """A site's ReFrame, unchanged, with the printed path as its user gives it: ISOCHRON_TEST_REFRAME, else ours."""
    program = os.environ.get("ISOCHRON_TEST_REFRAME") or str(Path(sys.executable).with_name("reframe"))
    return [program, "-C", str(site), "-c", str(CHECKS), *words]


def reframe(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Call a site's ReFrame on this machine."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RFM_")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # of a shell in which `isochron` was called
    environment |= {"OPTIMISE": "-O0", "RFM_COLORIZE": "0", "PATH": path}
    return subprocess.run(
        reframe_call(site, *words), cwd=site.parent, env=environment, capture_output=True, text=True, timeout=900,
        check=False,
    )  # fmt: skip


def test_the_command_prints_the_file_of_the_checks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checks"]) == 0
    assert capsys.readouterr().out == f"{CHECKS}\n"


#: In place of make: what it builds puts a prepared raw file where the engine would write one.
MAKE = """#!/bin/bash
mkdir build
cat >build/isochron-engine <<'END'
#!/bin/bash
while [ "$1" != --output ]; do shift; done
cp {folder}/raw/"$2" .
END
chmod +x build/isochron-engine
"""
#: Bytes of the broadcasts, and their µs in six launches.
SIZES = (8, 16, 32, 64)
TIMES_US = (10.0, 11.0, 12.0, 13.0, 14.0, 20.0)


def write_launches(folder: Path, *, verdict: str = "ok", hosts: int = 1) -> None:
    """The raw files of a check with four processes, and the programs that stand in for those of a site."""
    for number, time_us in enumerate(TIMES_US, 1):
        cases = [measurement("bcast", size, 4) for size in SIZES]
        for row in cases:
            figures = {key: time_us * 1000 for key in row if key.endswith("_ns") and isinstance(row[key], float)}
            figures |= {"start_skew_ns": 0.0, "se_ns": 0.0, "clock_error_ns": 0.0}
            row |= {**figures, "time_ns": [time_us * 1000] * 2, "local_ns": [time_us * 1000] * 2, "verdict": verdict}
        name = f"launch-{number}"
        launch = {
            "name": name, "run_id": "run", "campaign": "checks", "stack": "gnu", "system": "here",
            "partition": "login", "mpi_library": "gnu", "mpi_version": "1", "engine_sha256": "1",
            "processes_per_node": "4", "nodes": "1", "placement": "packed", "block": "1", "launch": str(number),
            "attempt": "1", "oversubscribed": "false",
        }  # fmt: skip
        rows = records(launch=launch, processes=4, hosts=hosts, cases=[])
        write_raw(folder / "raw" / f"{name}.jsonl", [rows[0], *cases, rows[-1]])
    (folder / "bin").mkdir()
    for program, text in {"make": MAKE.format(folder=folder), "cc": "#!/bin/sh\n"}.items():
        (folder / "bin" / program).write_text(text)
        (folder / "bin" / program).chmod(0o755)


def stand_in(folder: Path, *names: str) -> Path:
    variables = [["PATH", f"{folder}/bin:$PATH"]]
    return write_site(folder, cc="cc", launcher="local", names=[*names], variables=variables)


#: References, the value being 12.5 µs and its interval 10 to 20 µs: of them the first and the last are violated.
REFERENCES = {
    "bcast_8": [5, -0.1, 0.9, "us"],
    "bcast_16": [10, -0.1, 0.1, "us"],
    "bcast_32": [12, -0.1, 0.1],
    "bcast_64": [30, -0.1, None, "us"],
}


@pytest.mark.process
def test_a_reference_is_violated_only_if_the_interval_excludes_what_it_permits(tmp_path: Path) -> None:
    write_launches(tmp_path)
    (tmp_path / "references.json").write_text(json.dumps({"here:login": REFERENCES}))
    words = ["-S", f"references={tmp_path}/references.json", "--report-file=report.json", "--performance-report"]
    done = reframe(stand_in(tmp_path, "gnu"), "-n", "Blocking", "-r", *words)
    cases = json.loads((tmp_path / "report.json").read_text())["runs"][0]["testcases"]
    (reason,) = [case["fail_reason"] for case in cases if case["name"] == "IsochronBlocking"]
    assert reason.removeprefix("performance error: ").split(": ", 1)[1].split("; ") == [
        "bcast_8=12.5 us [10, 20] in 6 launches, expected 5 (l=4.5, u=9.5)",
        "bcast_64=12.5 us [10, 20] in 6 launches, expected 30 (l=27, u=inf)",
    ]
    assert "bcast_8_rse" in done.stdout
    logged = (tmp_path / "reframe" / "perflogs" / "here" / "IsochronBlocking.log").read_text()
    for name, reference in REFERENCES.items():
        assert f"|{name}=12.5,{reference[2]}|{name}_low=10.0,None|{name}_high=20.0,None|{name}_rse=" in logged


@pytest.mark.process
@pytest.mark.slow
def test_references_of_another_stack_or_of_an_unmeasured_operation_fail(tmp_path: Path) -> None:
    write_launches(tmp_path, verdict="not-supported")
    lines = {"gnu/bcast/8/4x4/packed": REFERENCES["bcast_32"]}
    (tmp_path / "references.json").write_text(json.dumps({"*": lines}))
    site = stand_in(tmp_path, "gnu", "intel")
    done = reframe(site, "-n", "Blocking", "-r", "-S", f"references={tmp_path}/references.json")
    assert "bcast_8: no launch has a time" in done.stdout
    assert "nothing of intel at 4x4 processes on here:login; it has gnu at 4x4" in done.stdout


def test_values_are_those_of_all_launches(tmp_path: Path) -> None:
    write_launches(tmp_path)
    found = measured(sorted((tmp_path / "raw").iterdir()))
    assert found.problems == []
    row = found.results[0]
    assert [each.bytes for each in found.results] == [*SIZES]
    assert (row.operation, row.bytes, row.launches_used, row.reason) == ("bcast", 8, 6, "")
    assert (row.median_us, row.median_low_us, row.median_high_us) == pytest.approx((12.5, 10.0, 20.0))
    assert row.median_confidence == pytest.approx(1 - 2 / 2**6)
    assert row.rse == pytest.approx(stdev(TIMES_US) / mean(TIMES_US) / sqrt(6))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ({"hosts": 2}, "launch-1.jsonl: header.hosts: 2 distinct (node0, node1), but 1 nodes are planned"),
        ({"verdict": "failed-check"}, "launch-1.jsonl: bcast at 8 bytes: wrong data"),
    ],
    ids=["hosts", "data"],
)
def test_wrong_launches_have_no_values(tmp_path: Path, fault: dict[str, Any], reason: str) -> None:
    write_launches(tmp_path, **fault)
    found = measured(sorted((tmp_path / "raw").iterdir()))
    assert found.results == []
    assert any(problem.startswith(reason) for problem in found.problems), found.problems


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    write_launches(tmp_path)
    path = tmp_path / "raw" / "launch-3.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    found = measured(sorted((tmp_path / "raw").iterdir()))
    assert len(found.problems) == 1
    assert str(path) in found.problems[0]


@pytest.mark.process
@pytest.mark.slow
def test_a_refused_launch_fails_in_the_sanity_phase(tmp_path: Path) -> None:
    write_launches(tmp_path, hosts=2)
    done = reframe(stand_in(tmp_path, "gnu"), "-n", "Blocking", "-r")
    assert done.returncode == 1
    assert "Failing phase: sanity" in done.stdout
    assert "2 distinct (node0, node1), but 1 nodes are planned" in done.stdout


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("launches=5", "launches: 5; the interval of a median needs 6 at least"),
        ("references=none.json", "references: none.json: "),
        ("references=bounds.json", "bounds.json: bcast_8: [5, 0.1]; it must be [us, lower, upper]"),
        ("references=names.json", "names.json: bcst_8: no variable is called so; one is bcast_8"),
    ],
    ids=["launches", "no-file", "bounds", "names"],
)
def test_wrong_settings_are_refused(tmp_path: Path, setting: str, message: str) -> None:
    write_launches(tmp_path)
    (tmp_path / "bounds.json").write_text('{"*": {"bcast_8": [5, 0.1]}}')
    (tmp_path / "names.json").write_text('{"*": {"bcst_8": [5, null, 0.1]}}')
    done = reframe(stand_in(tmp_path, "gnu"), "-n", "Blocking", "-r", "-S", setting)
    assert done.returncode == 1
    assert message in done.stdout


@pytest.mark.process
def test_every_group_is_a_check(tmp_path: Path) -> None:
    done = reframe(stand_in(tmp_path, "gnu"), "-l")
    assert done.returncode == 0, done.stdout + done.stderr
    names = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("- ")}
    groups = {each.group for each in contract().operations if not each.hidden}
    assert names == {f"Isochron{group.title().replace('-', '')}" for group in groups}


@pytest.mark.mpi
@pytest.mark.slow
def test_a_site_measures_with_its_own_library(tmp_path: Path) -> None:
    mpi = wheels_stack("mpich-5.0")
    variables = [["PATH", f"{Path(mpi.cc).parent}:$PATH"]]
    site = write_site(tmp_path, cc=mpi.cc, launcher="mpirun", names=["mpich"], variables=variables)
    words = [
        "-S",
        "num_tasks=2",
        "-S",
        "sizes=8,1KiB",
        "-S",
        "executable_opts=--max-valid,20",
        "-n",
        "PointToPoint",
        "-r",
    ]
    done = reframe(site, *words, "--performance-report")
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("ping-pong_8", "ping-pong_8_low", "ping-pong_1024_high", "exchange_1024_rse"):
        assert f" {name} " in done.stdout
