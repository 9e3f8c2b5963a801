# SPDX-License-Identifier: BSD-3-Clause
"""The whole path on two real MPI libraries: what a finished run holds, and that it is not measured twice."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

from isochron.schemas.registry import json_schema
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.store import TABLES
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once, copied

#: In one process of pytest-xdist: another one would wait for the campaign to be run.
pytestmark = [pytest.mark.mpi, pytest.mark.xdist_group("the finished campaign")]

ROOT = Path(__file__).parents[2]
LAYOUT = ROOT / "docs" / "output-layout.md"


def test_every_planned_launch_is_in_the_store_once(finished: Place) -> None:
    assert_every_launch_is_stored_once(finished.run)


def test_each_stack_ran_with_its_own_library(finished: Place) -> None:
    manifests = {stack: Manifest.load(finished.run.manifest(stack)) for stack in ("openmpi-5.0", "mpich-5.0")}
    launches = pd.read_parquet(finished.run.table("launches"))
    for stack, words in (("openmpi-5.0", "Open MPI v5.0"), ("mpich-5.0", "MPICH Version:")):
        seen = launches.loc[launches["stack"] == stack]
        assert len(seen) == 3
        assert seen.mpi_library_version.str.contains(words, regex=False).all()
        assert (seen.engine_sha256 == manifests[stack].engine_sha256).all()
        assert (seen.processes == 2).all()
        assert (seen.hosts.str.split(",").str.len() == 1).all()


def test_every_case_was_measured(finished: Place) -> None:
    measurements = pd.read_parquet(finished.run.table("measurements"))
    cases = measurements.groupby(["operation", "bytes"]).size().to_dict()
    assert cases == {("barrier", 0): 6, ("allreduce", 8): 6, ("allreduce", 1024): 6, ("wait-pattern-null", 0): 6}
    runs = pd.read_parquet(finished.run.table("repetitions"))
    assert len(runs) == measurements.reps_made.sum()
    assert runs.valid.sum() == measurements.reps_valid.sum()
    reliable = measurements[measurements.verdict == "ok"]
    assert (reliable.ci_low_us <= reliable.mean_us).all()
    assert (reliable.mean_us <= reliable.ci_high_us).all()


def test_the_store_has_the_promised_columns(finished: Place) -> None:
    for name, columns in TABLES.items():
        table = pd.read_parquet(finished.run.table(name))
        assert list(table.columns) == [column.name for column in columns]


def test_the_run_folder_is_what_the_document_says(finished: Place) -> None:
    """Each file is named by a line of docs/output-layout.md, and each line names a file."""
    patterns = re.findall(r"^\| `([^`]+)` \| (\w+)", LAYOUT.read_text(), re.MULTILINE)
    assert len(patterns) > 15
    files = {str(path.relative_to(finished.run.root)) for path in finished.run.root.rglob("*") if path.is_file()}
    unused, known = [], set()
    for pattern, _ in patterns:
        words = (re.escape(word) if not word.startswith("<") else "[^/]+" for word in re.split(r"(<\w+>)", pattern))
        expression = "".join(words)
        if pattern.split("/")[0] in (".snakemake", "log"):
            expression = re.escape(pattern.split("/")[0]) + "/.+"
        named = {file for file in files if re.fullmatch(expression, file)}
        if not named:
            unused.append(pattern)
        known |= named
    assert not files - known, f"files that {LAYOUT.name} does not name"
    # of simulated runs, of schedulers, of the Spack route, and of options
    elsewhere = (
        "machine/",
        "stacks/<stack>/spack/",
        "stacks/<stack>/wheels.lock",
        "rank-order.txt",
        "interim.json",
        "explanation.json",
        "bisection.json",
        "screening.json",
        "tuning.json",
        "tuning/",
        "advice.json",
        "settings/",
        "reproduce/",
        "attempts/probes-<point>.txt",
        "attempts/<block>/<n>/job",
    )
    unused = [pattern for pattern in unused if not pattern.startswith(elsewhere)]
    assert not unused, f"lines of {LAYOUT.name} without a file"


def test_files_with_a_schema_match_it(finished: Place) -> None:
    run = finished.run
    checked = {
        "plan": [run.plan],
        "state": [run.state],
        "manifest": sorted((run.root / "stacks").glob("*.json")),
        "block": sorted((run.root / "blocks").glob("*.json")),
    }
    for name, paths in checked.items():
        assert paths
        for path in paths:
            jsonschema.validate(json.loads(path.read_text()), json_schema(name))
    lines = [line for path in run.launches.glob("*.jsonl") for line in path.read_text().splitlines()]
    validator = jsonschema.Draft202012Validator(json_schema("record"))
    assert lines
    for line in lines:
        validator.validate(json.loads(line))


def test_a_finished_run_is_not_measured_again(finished: Place) -> None:
    before = {path: path.stat().st_mtime_ns for path in finished.run.root.rglob("*") if path.is_file()}
    again = finished.isochron("run", "mini.yaml")
    assert again.returncode == 0
    assert "nothing to do" in again.stdout
    assert {path: path.stat().st_mtime_ns for path in finished.run.root.rglob("*") if path.is_file()} == before


def test_an_edited_comment_or_title_measures_nothing(finished: Place, tmp_path: Path) -> None:
    place = copied(finished, tmp_path / "here")
    raw = {path: path.stat().st_mtime_ns for path in place.run.launches.iterdir()}
    attempts = sorted((place.run.root / "attempts").rglob("outcome.json"))
    run_id = place.run.run_id
    text = place.campaign.read_text()
    place.campaign.write_text("# a comment\n" + text.replace("Two libraries, quickly", "A better title"))
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stderr
    assert place.run.run_id == run_id
    assert {path: path.stat().st_mtime_ns for path in place.run.launches.iterdir()} == raw
    assert sorted((place.run.root / "attempts").rglob("outcome.json")) == attempts
    assert "A better title" in place.run.report.read_text()


def test_status(finished: Place) -> None:
    rows = json.loads(finished.isochron("status", "--format", "json").stdout)
    assert [(row["campaign"], row["state"], row["launches"], row["planned"]) for row in rows] == [
        ("mini", "complete", 6, 6)
    ]
    blocks = json.loads(finished.isochron("status", "mini", "--format", "json").stdout)
    assert [(block["launches"], block["planned"], block["state"]) for block in blocks] == [(2, 2, "complete")] * 3


def test_the_next_plan_uses_what_was_measured(finished: Place) -> None:
    fresh = json.loads(finished.isochron("plan", "mini.yaml", "--results", "none", "--format", "json").stdout)
    known = json.loads(finished.isochron("plan", "mini.yaml", "--format", "json").stdout)
    assert {row["seconds"] for row in fresh} != {row["seconds"] for row in known}
    assert [row["launch"] for row in fresh] == [row["launch"] for row in known]
