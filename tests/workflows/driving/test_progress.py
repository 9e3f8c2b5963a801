# SPDX-License-Identifier: BSD-3-Clause
"""The failures of a run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from isochron.common.terminal import Terminal
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState, LaunchOutcome
from isochron.workflows.driving import run as driver
from isochron.workflows.driving import snakemake
from isochron.workflows.driving.progress import SILENT, list_failures
from isochron.workflows.driving.run import RunOptions, drive
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.workflows.conftest import campaign

FAILED_RULE = """
Error in rule ingest:
    output: store/launches.parquet
WorkflowError:
At least one job did not complete successfully.
"""


@pytest.fixture
def run(tmp_path: Path) -> RunLayout:
    """A run of which nothing is done."""
    mine = campaign()
    made = create_run(tmp_path / "results", mine, make_plan(mine))
    made.logs.mkdir()
    return made


def failures(run: RunLayout) -> list[str]:
    return list_failures(run, Plan.load(run.plan))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("isochron: error: unrecognized arguments: --foo\n", "unrecognized arguments: --foo"),
        ("LockException:\nError: Directory cannot be locked.\n/run\n\nmore", "LockException: Error: Directory cannot"),
        ('SyntaxError in file "/x/Snakefile", line 11:\ninvalid syntax:\nx y\n', "SyntaxError in file"),
        (
            "Traceback (most recent call last):\n  File\nOSError: [Errno 28] No space left on device",
            "OSError: [Errno 28]",
        ),
        (FAILED_RULE, ""),
        ("Building DAG of jobs...\n", ""),
    ],
)
def test_snakemakes_own_error_comes_first(run: RunLayout, text: str, said: str) -> None:
    earlier = f"{snakemake.CALL}1\nMissingRuleException:\nof an earlier call\n"
    snakemake.log_of(run).write_text(f"{earlier}{snakemake.CALL}2\n{text}")
    lines = failures(run)
    assert len(lines) == bool(said)
    assert not said or lines[0].startswith(f"Snakemake: {said}")


def test_a_block_that_was_refused_before_an_attempt(run: RunLayout) -> None:
    block = Plan.load(run.plan).blocks[0].name
    log = run.block_log(block)
    log.write_text("")
    assert failures(run) == []
    log.write_text("stack mpich-5.0: libmpi.so is not the library with which the engine was built\n")
    assert failures(run) == [
        f"block {block}: stack mpich-5.0: libmpi.so is not the library with which the engine was built; see {log}"
    ]


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("stack {stack}: ERROR: no such wheel\n", "ERROR: no such wheel"),
        ("Traceback (most recent call last):\n  File x\nImportError: no module\n", "ImportError: no module"),
        ("", SILENT),
    ],
)
def test_a_stack_that_could_not_be_built(run: RunLayout, log: str, said: str) -> None:
    stack = Plan.load(run.plan).launches[0].stack
    path = run.logs / f"build-{stack}.log"
    path.write_text(log.format(stack=stack))
    assert failures(run) == [f"stack {stack}: {said}; see {path}"]


@pytest.mark.parametrize(
    "log", ["", "Traceback (most recent call last):\nOSError: [Errno 28] No space left on device\n"]
)
def test_a_full_disk_is_not_taken_for_too_little_memory(
    run: RunLayout, log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the cache, here: the compiler was ended, or the log could not be written."""
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    size = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: size._replace(free=4096) if path == cache else size)
    stack = Plan.load(run.plan).launches[0].stack
    path = run.logs / f"build-{stack}.log"
    path.write_text(log)
    full = f"the disk of the cache (XDG_CACHE_HOME) is full, {cache}: No space left on device; make room"
    assert failures(run) == [f"stack {stack}: {full}; see {path}"]
    run.attempt("b001", 1).mkdir(parents=True)
    (run.logs / "block-b001.log").write_text("")
    assert failures(run)[1:] == [f"block b001: {full}; see {run.logs / 'block-b001.log'}"]


def outcome(run: RunLayout, number: int, reason: str) -> None:
    """An attempt at the first block that has ended."""
    launch = LaunchOutcome(name="a-launch", accepted=False, reason=reason)
    BlockState(
        block="b001", state="failed", attempt=number, started_at="", ended_at="", launches=[launch], reason=""
    ).save(run.attempt("b001", number) / "outcome.json")


def test_a_block_says_what_its_last_call_said_not_what_an_earlier_one_did(run: RunLayout) -> None:
    outcome(run, 1, "exit code 5")
    log = run.logs / "block-b001.log"
    log.write_text("")
    assert failures(run) == ["block b001: a-launch: exit code 5"]
    log.write_text("stack x: libmpi.so is not the library with which the engine was built\n")
    assert failures(run) == [
        f"block b001: stack x: libmpi.so is not the library with which the engine was built; see {log}"
    ]
    log.write_text("")
    run.attempt("b001", 2).mkdir()
    assert failures(run) == [f"block b001: {SILENT}; see {log}"]
    log.write_text("Traceback (most recent call last):\n  File\nMemoryError\n")
    assert failures(run) == [f"block b001: MemoryError; see {log}"]


def test_a_step_says_why_it_failed_and_nothing_where_it_did_not(run: RunLayout) -> None:
    log = run.logs / "analyse.log"
    log.write_text("analyse: 4 rows, 1 findings, 2 figures\n")
    assert failures(run) == []
    log.write_text("postprocess analyse: too little memory\n")
    assert failures(run) == [f"analyse: too little memory; see {log}"]
    log.write_text("")
    assert failures(run) == [f"analyse: {SILENT}; see {log}"]


@pytest.mark.process
@pytest.mark.parametrize(
    ("script", "extra", "said"),
    [
        ("kill -9 $$", [], "Snakemake was ended by SIGKILL"),
        ("echo 'isochron: error: unrecognized arguments: --fo'; exit 2", ["--fo"], "Snakemake: unrecognized arguments"),
        ("exit 0", ["--dry-run"], "Snakemake did only what `-- --dry-run` requested"),
        ("exit 1", [], "launches are missing"),
        (": > log/build-{stack}.log; exit 1", [], "stack {stack}: ended without a message"),
    ],
)
def test_it_is_never_snakemakes_exit_code(
    run: RunLayout, script: str, extra: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = Plan.load(run.plan).launches[0].stack
    command = ["bash", "-c", script.replace("{stack}", stack)]
    monkeypatch.setattr(snakemake, "command", lambda *_: command)
    monkeypatch.setattr(driver, "POLL_S", 0.01)
    outcome = drive(run, campaign(), RunOptions(extra), Terminal(), quiet=True)
    assert outcome.state.state == "failed"
    assert said.replace("{stack}", stack) in outcome.problems[0]
    assert outcome.state.reason == outcome.problems[0]
    assert not any("ended with code" in problem for problem in outcome.problems)


@pytest.mark.process
def test_a_hopeless_run_is_stopped(run: RunLayout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snakemake, "command", lambda *_: ["sleep", "600"])
    monkeypatch.setattr(driver, "POLL_S", 0.01)
    answers = iter([False, True])
    options = RunOptions(is_hopeless=lambda now: now == run and next(answers, True))
    assert drive(run, campaign(), options, Terminal(), quiet=True).state.state == "failed"
    assert next(answers, None) is None


@pytest.mark.process
def test_a_stage_is_printed_once(
    run: RunLayout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The display of the post-processing continues that of Snakemake."""
    monkeypatch.setattr(snakemake, "command", lambda *_: ["true"])
    monkeypatch.setattr(driver, "POLL_S", 0.01)
    monkeypatch.setattr(driver, "measured_launches", lambda _: len(Plan.load(run.plan).launches))
    monkeypatch.setattr(driver, "make_report", lambda *_, **_options: iter([("ingest", ""), ("ingest", "no")]))
    drive(run, campaign(), RunOptions([]), Terminal(), quiet=False)
    assert capsys.readouterr().out.count("building stacks") == 1
