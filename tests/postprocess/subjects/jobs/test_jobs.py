# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of a run, as its scheduler names them: one, several, and none that is known."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from openpyxl import load_workbook

from isochron.cli.main import main as isochron
from isochron.common.exit_codes import Exit
from isochron.postprocess.__main__ import main
from isochron.postprocess.export import formats
from isochron.postprocess.export.content import Content
from isochron.postprocess.export.data import workbook
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.finding import FINDINGS, Findings
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.answer.table import ANSWERS
from isochron.postprocess.subjects.jobs.table import (
    JOB_NODES,
    make_earlier_jobs,
    make_job_changes,
    make_job_list,
    make_job_ratios,
    make_job_shares,
    make_jobs,
)
from isochron.schemas.run.state import RunState
from isochron.workflows.runs import earlier_runs
from tests.postprocess.conftest import SMALL
from tests.postprocess.in_process import postprocess_in_this_process  # noqa: F401
from tests.postprocess.synthetic import Spec, whole, write_launch, write_run


def named(run: RunInputs, jobs: int, first: int = 7000) -> TableContext:
    """The run with its blocks in so many jobs; 0: no scheduler. `first`: number of the first job."""
    for launch in run.plan.launches:
        facts = {"record": "launch", "host": "node0"}
        if jobs:
            facts["job_id"] = str(first + launch.block % jobs)
        run.layout.provenance(launch.name).write_text(json.dumps(facts) + "\n")
    assert main(["ingest", str(run.layout.root)]) == 0
    return TableContext(run)


@pytest.mark.parametrize(("jobs", "reason"), [(0, "cannot forecast: no job"), (1, "cannot forecast: one job"), (2, "")])
def test_the_jobs_of_a_run_are_those_that_its_launches_name(small: RunInputs, jobs: int, reason: str) -> None:
    context = named(small, jobs)
    times, ratios = make_jobs(context), make_job_ratios(context)
    assert len(times) == len(context.used.drop_duplicates(["stack", "operation", "bytes", "processes"]))
    assert set(times["jobs"]) == {jobs}
    assert set(times["reason"]) == {reason}
    assert times["next_low_us"].notna().all() == (jobs > 1)
    assert set(times["launches"]) == ({0} if jobs == 0 else {4})
    assert set(ratios["jobs"]) == ({jobs} if jobs else set())
    assert len(make_job_shares(context)) == (5 if jobs > 1 else 0)
    if jobs > 1:
        assert (times["next_low_us"] < times["value_us"]).all()
        assert (times["launch_sd"] > 0).all()
        assert ratios["launches"].eq(4).all()


def test_the_list_of_jobs_has_what_nodes_recorded(small: RunInputs) -> None:
    context = named(small, 2)
    node = {"record": "node", "host": "node0", "switch": "core.leaf7.node0", "switch_pattern": "switch.switch.node"}
    for launch in small.plan.launches:
        with small.layout.provenance(launch.name).open("a") as stream:
            stream.write(json.dumps(node | {"load_average": str(launch.block)}) + "\n")
    table = make_job_list(context)
    assert table["job"].tolist() == ["7001", "7000"]
    assert table["load"].tolist() == [1, 2]
    assert set(table["switches"]) == {"core.leaf7"}
    assert table["blocks"].tolist() == ["1,3", "2,4"]
    assert table["small_ratio"].prod() == pytest.approx(1)
    assert (table["small_low"] < table["small_ratio"]).all()
    assert len(make_job_list(named(small, 0))) == 0


@pytest.mark.heavy
@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_the_page_forecasts_from_several_jobs_and_says_of_one_that_it_cannot(small: RunInputs, jobs: int) -> None:
    named(small, jobs)
    for verb in ("analyse", "render"):
        assert main([verb, str(small.layout.root)]) == 0
    page = small.layout.report.read_text()
    assert ('<section id="jobs"' in page) == (jobs == 2)
    assert ("Intervals hold in this job; for another, cannot forecast: one job." in page) == (jobs == 1)
    assert page.count('<span class="interval">another job [') == (12 if jobs == 2 else 0)
    assert ('<path class="another"' in page) == (jobs == 2)
    assert ("cannot forecast, all was measured in one job" in page) == (jobs == 1)
    _exports_state_the_forecast(small, jobs)
    said = small.layout.in_words.read_text()
    (finding,) = [each for each in Findings.load(small.layout.tables / FINDINGS).findings if each.kind == "jobs"] or [
        None
    ]
    answers = pd.read_csv(small.layout.tables / ANSWERS.file)
    assert set(answers["jobs"]) == {jobs}
    assert said.count("cannot forecast: one job") == (len(answers) if jobs == 1 else 0)
    assert said.count("In another job on this machine, the ratio on the whole lies in") == (
        len(answers) if jobs == 2 else 0
    )
    assert (finding is None) == (jobs == 0)
    data = json.loads(page.split('id="explorer-data">')[1].split("</script>")[0])
    assert {len(row) for row in data["rows"].values()} == {14 if jobs == 2 else 12}
    assert {len(row) for row in data["pairs"].values()} == {6 if jobs == 2 else 4}
    if jobs == 2:
        assert (answers["job_low"] < answers["effect_ratio"]).all()
        assert (answers["job_high"] > answers["effect_ratio"]).all()
        assert finding is not None and finding.numbers["jobs"] == 2
        assert finding.text.startswith("From 2 jobs: in another one there are with 90 %, in the median of rows, ")
        assert "This run was measured in 2 jobs (allocations)." in page
        assert "Every job: when and where it ran" in page
        assert "Cannot name a slow node: all 2 jobs ran on the same nodes." in page
        assert page.count("</span>launches of a job</span> ") >= 2, "a bar for each operation"


@pytest.mark.heavy
def test_the_page_of_three_jobs_draws_the_forecasts_of_all_questions(tmp_path: Path) -> None:
    """Five stacks: the question asks from the older to the newer one, and the comparison is the other way round."""
    run = load_inputs(write_run(tmp_path / "run", Spec(operations=["bcast"], processes=[4], launches=3, probes=False)))
    named(run, 3)
    for verb in ("analyse", "render"):
        assert main([verb, str(run.layout.root)]) == 0
    answers, ratios, comparison = (
        pd.read_csv(run.layout.tables / f"{name}.csv") for name in (ANSWERS.name, "job-ratios", "comparison")
    )
    asked = set(zip(ratios["baseline"], ratios["candidate"], strict=True))
    assert not asked & set(zip(comparison["baseline"], comparison["candidate"], strict=True))
    assert len(answers) == len(asked) == 2 and set(answers["jobs"]) == {3}
    page = run.layout.report.read_text()
    assert page.count("In another job on this machine, the ratio on the whole lies in") >= 2
    assert page.count('<path class="another"') == page.count("; another job: [") >= len(ratios)
    rows = list(load_workbook(BytesIO(workbook(Content(run))))["comparison"].iter_rows(values_only=True))
    lines = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert sum(bool(line["another_job_low"]) for line in lines) == len(ratios)


def archived(home: Path, runs: int, spread: float = 0.1) -> list[RunInputs]:
    """Runs of one campaign, each in a job of its own, which vary by this standard deviation; the last one is newest."""
    rng = np.random.default_rng(44)
    found = []
    for number in range(runs):
        cases = [(stack, "bcast", size) for stack in SMALL.stacks for size in SMALL.sizes]
        factors = {case: float(np.exp(spread * rng.normal())) for case in cases}
        spec = replace(SMALL, operations=["bcast"], launch_spread=0.01, planted=factors, probes=False, seed=number)
        run = load_inputs(write_run(home / "synthetic" / f"202605{number + 1:02d}T080000Z-0001", spec))
        named(run, 1, first=100 + number)
        RunState.load(run.layout.state).model_copy(update={"state": "complete"}).save(run.layout.state)
        found.append(run)
    return found


@pytest.mark.heavy
def test_one_job_has_a_forecast_by_the_spread_of_earlier_runs(tmp_path: Path) -> None:
    *before, run = archived(tmp_path, 13)
    folders = [str(each.layout.root) for each in before]
    assert main(["report", str(run.layout.root), "--before", *folders]) == 0
    times, ratios = (pd.read_csv(run.layout.tables / f"{name}.csv") for name in ("jobs", "job-ratios"))
    for table, ends, sd in ((times, ("next_low_us", "next_high_us"), 0.1), (ratios, ("next_low", "next_high"), 0.14)):
        assert set(table["rule"]) == {"earlier"} and set(table["jobs"]) == {1}
        assert set(table["earlier_runs"]) == {12}
        assert (table["freedom"] >= 11).all()
        half = np.log(table[ends[1]] / table[ends[0]]) / 2
        assert half.to_numpy() == pytest.approx(1.7 * np.sqrt(2) * sd, rel=0.4)
    page, said = run.layout.report.read_text(), run.layout.in_words.read_text()
    assert "cannot forecast" not in page and "cannot forecast" not in said
    assert "(from this job, and the spread between jobs of 12 earlier runs)" in page
    assert "(from 1 job, and the spread between jobs of 12 earlier runs)" in said
    answers = pd.read_csv(run.layout.tables / ANSWERS.file)
    assert set(answers["jobs"]) == {1} and set(answers["job_earlier_runs"]) == {12}
    assert (answers["job_low"] < answers["effect_ratio"]).all()
    (finding,) = [each for each in Findings.load(run.layout.tables / FINDINGS).findings if each.kind == "jobs"]
    assert finding.text.startswith(
        "From 1 job, and the spread between jobs of 12 earlier runs: in another one there are"
    )
    assert "if the machine has changed since, that does not hold" in finding.text
    assert finding.numbers["earlier_runs"] == 12
    assert main(["report", str(run.layout.root)]) == 0
    assert "cannot forecast: one job" in run.layout.report.read_text(), "without the option nothing rests on them"


@pytest.mark.heavy
def test_a_run_whose_jobs_differ_by_more_than_earlier_ones_is_without_them(tmp_path: Path) -> None:
    """Two jobs of which one takes three times as long; those of earlier runs differ by 2 %."""
    *before, run = archived(tmp_path, 9, spread=0.02)
    planted = {(stack, "bcast", size): 3.0 for stack in SMALL.stacks for size in SMALL.sizes}
    slow = replace(SMALL, operations=["bcast"], planted=planted, probes=False)
    for number, launch in enumerate(run.plan.launches):
        if launch.block % 2:
            write_launch(run.layout, launch, slow, number)
    named(run, 2)
    folders = [str(each.layout.root) for each in before]
    assert main(["analyse", str(run.layout.root), "--before", *folders]) == 0
    times, ratios = (pd.read_csv(run.layout.tables / f"{name}.csv") for name in ("jobs", "job-ratios"))
    assert set(times["rule"]) == {"wider"} and set(times["earlier_runs"]) == {0} and set(times["freedom"]) == {1}
    assert set(ratios["rule"]) == {"earlier"}
    (finding,) = [each for each in Findings.load(run.layout.tables / FINDINGS).findings if each.kind == "jobs"]
    assert f"In {len(times)} rows of {len(times)} the jobs of this run differ by more" in finding.text


@pytest.mark.heavy
def test_other_systems_and_the_jobs_of_the_run_are_no_earlier_jobs(tmp_path: Path) -> None:
    *before, run = archived(tmp_path, 4)
    named(before[0], 1, first=103)
    for launch in before[1].plan.launches:
        path = before[1].layout.launch(launch.name)
        lines = path.read_text().replace('"lab"', '"other"').splitlines()[:-1]
        path.write_bytes(whole([json.loads(line) for line in lines]))
    assert main(["ingest", str(before[1].layout.root)]) == 0
    earlier = TableContext(replace(run, earlier=tuple(each.layout for each in before))).get(make_earlier_jobs)
    assert earlier is not None
    assert set(earlier.launches["job"]) == {"102"}
    assert TableContext(replace(run, earlier=(before[0].layout,))).get(make_earlier_jobs) is None


@pytest.mark.heavy
def test_the_archive_of_a_report_is_a_folder_of_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = archived(tmp_path, 2)
    assert [each.run_id for each in earlier_runs(tmp_path, second.layout)] == [first.layout.run_id]
    assert isochron(["report", str(first.layout.root), "--archive", str(tmp_path)]) == Exit.USAGE
    assert "has no complete run that is older than 20260501T080000Z-0001" in capsys.readouterr().err
    both = [str(each.layout.root) for each in (first, second)]
    assert isochron(["report", *both, "--archive", str(tmp_path)]) == Exit.USAGE
    assert "--archive: only valid with one run" in capsys.readouterr().err


def _exports_state_the_forecast(run: RunInputs, jobs: int) -> None:
    """Tables for a paper and the workbook have the interval of another job beside that of these."""
    text = formats.exported("latex", [run]).decode()
    cells = {line.split(" & ")[3] for line in text.splitlines() if line.count(" & ") == 5} - {"Another job"}
    assert cells == ({"--"} if jobs == 0 else {"cannot forecast: one job"}) or (
        jobs == 2 and all(cell.startswith("[") for cell in cells)
    )
    rows = list(load_workbook(BytesIO(workbook(Content(run))))["comparison"].iter_rows(values_only=True))
    lines = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert len(lines) == len(pd.read_csv(run.layout.tables / "comparison.csv"))
    assert ("another_job_low" in lines[0]) == (jobs > 0)
    known = [line for line in lines if line.get("another_job_low")]
    assert all(line["another_job_low"] < line["ratio"] < line["another_job_high"] for line in known)
    assert bool(known) == (jobs == 2)
    assert any(line.get("another_job_reason") == "cannot forecast: one job" for line in lines) == (jobs == 1)


@pytest.mark.heavy
def test_a_stack_that_changed_between_jobs_is_a_finding(tmp_path: Path) -> None:
    """In the second job one of five stacks takes twice the time, and all take half as long again."""
    spec = Spec(operations=["bcast"], processes=[4], launches=6, launch_spread=0.01)
    run = load_inputs(write_run(tmp_path / "run", spec))
    assert named(run, 2).get(make_job_changes).empty
    factors = dict.fromkeys(spec.stacks, 1.5) | {"mpich-5.0": 3.0}
    planted = {(stack, "bcast", size): factor for stack, factor in factors.items() for size in spec.sizes}
    changed = replace(spec, planted=planted)
    for number, launch in enumerate(run.plan.launches):
        if launch.block % 2:
            write_launch(run.layout, launch, changed, number)
    (line,) = named(run, 2).get(make_job_changes).to_dict("records")
    assert (line["stack"], line["longer_in"], line["shorter_in"]) == ("mpich-5.0", "7001", "7000")
    assert line["ratio"] == pytest.approx(2, rel=0.1)
    assert main(["analyse", str(run.layout.root)]) == 0
    found = Findings.load(run.layout.tables / FINDINGS).findings
    (finding,) = [each for each in found if each.kind == "changed-configuration"]
    assert finding.severity == "warning"
    assert finding.text.startswith("The configuration of mpich-5.0 was not the same in all jobs")
    assert len(finding.details) == 1 and finding.details[0].endswith("in job 7001, against job 7000")


@pytest.mark.heavy
@pytest.mark.usefixtures("postprocess_in_this_process")
def test_a_slow_node_is_a_finding_and_a_line_of_the_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty jobs of 2 of 5 nodes; those with `bad` take 1.3 times as long."""
    spec = Spec(stacks=["mpich-5.0"], operations=["bcast"], processes=[4], processes_per_node=[2], launches=20,
                launch_spread=0.01)  # fmt: skip
    home = tmp_path / "synthetic"
    run = load_inputs(write_run(home / "20260504T080000Z-0001", spec))
    nodes, pairs = ["bad", "n1", "n2", "n3", "n4"], list(combinations(range(5), 2))
    for number, launch in enumerate(run.plan.launches):
        pair = pairs[launch.block % len(pairs)]
        planted = {("mpich-5.0", "bcast", size): 1.3 for size in spec.sizes} if 0 in pair else {}
        path = write_launch(run.layout, launch, replace(spec, planted=planted), number)
        text = path.read_text()
        for place, node in enumerate(pair):
            text = text.replace(f'"node{place}"', f'"{nodes[node]}"')
        path.write_bytes(whole([json.loads(line) for line in text.splitlines()[:-1]]))
    context = named(run, 20)
    table = context.get(JOB_NODES.make)
    assert table["host"].iloc[0] == "bad" and table["verdict"].iloc[0] == "slow"
    assert main(["analyse", str(run.layout.root)]) == 0
    found = Findings.load(run.layout.tables / FINDINGS).findings
    (finding,) = [each for each in found if each.kind == "slow-nodes"]
    assert finding.text.startswith("Jobs with node bad take 1.3")
    assert finding.severity == "warning" and finding.numbers["slow_nodes"] == 1
    RunState.load(run.layout.state).model_copy(update={"state": "complete"}).save(run.layout.state)
    capsys.readouterr()
    isochron(["history", "synthetic", "--results", str(tmp_path)])
    (line,) = [text for text in capsys.readouterr().out.splitlines() if text.startswith("node, not a stack: ")]
    assert finding.text.startswith(line.removeprefix("node, not a stack: "))


@pytest.mark.heavy
@pytest.mark.parametrize("jobs", [3, 6])
@pytest.mark.parametrize("changed", [False, True])
def test_a_slow_job_is_a_finding_and_no_library_is_blamed(tmp_path: Path, jobs: int, changed: bool) -> None:
    """The first job takes 1.5 times as long with all stacks to 16 KiB, or with one of them alone."""
    spec = Spec(operations=["bcast"], processes=[4], launches=6, launch_spread=0.01, probes=False)
    run = load_inputs(write_run(tmp_path / "run", spec))
    slow = ["mpich-5.0"] if changed else spec.stacks
    planted = {(stack, "bcast", size): 1.5 for stack in slow for size in spec.sizes if changed or size <= 2**14}
    for number, launch in enumerate(run.plan.launches):
        if launch.block % jobs == 0:
            write_launch(run.layout, launch, replace(spec, planted=planted), number)
    context = named(run, jobs)
    table = context.get(make_job_list).set_index("job")
    assert table["small_verdict"].to_dict() == {
        str(7000 + job): "slow" if job == 0 and not changed else "" for job in range(jobs)
    }
    assert set(table["large_verdict"]) == {""}
    assert main(["analyse", str(run.layout.root)]) == 0
    findings = Findings.load(run.layout.tables / FINDINGS).findings
    named_jobs = [each for each in findings if each.kind == "slow-job"]
    assert any(each.kind == "changed-configuration" for each in findings) == changed
    if changed:
        assert not named_jobs
        return
    assert not any(each.kind == "groups" for each in findings), "two groups of launches are the job's, and no stack's"
    (finding,) = named_jobs
    assert finding.severity == "warning" and finding.numbers["jobs"] == 1
    assert finding.numbers["largest_ratio"] == pytest.approx(1.5, rel=0.05)
    assert finding.text.startswith("Slow job (all stacks), not a library: in job 7000 all stacks take 1")
    assert "in messages of up to 16 KiB" in finding.text and "of runs name one" in finding.text
    assert ("do not show what is usual between jobs" in finding.text) == (jobs == 3)
