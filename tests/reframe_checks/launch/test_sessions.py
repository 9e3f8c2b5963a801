# SPDX-License-Identifier: BSD-3-Clause
"""Launches that measure in turns: their options, their lines of the job script, and the company that is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from isochron.reframe_checks import call
from isochron.reframe_checks.launch.acceptance import accept
from isochron.reframe_checks.launch.command import block_spec
from isochron.reframe_checks.launch.script import job_lines
from isochron.reframe_checks.launch.segments import block_segments, segment_name
from isochron.schemas.engine.contract import cases
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.plan import Block, Plan
from isochron.schemas.run.state import BlockState
from tests.reframe_checks import fakes
from tests.reframe_checks.conftest import FakeRun, run_block

SESSION = "p2.n2.packed.1"
VERBS = ("describe", "begin_session", "join", "finish_session", "launch")


def in_session(run: FakeRun, number: int = 2) -> Block:
    """The block of a run, its first launches a session, saved in the plan."""
    launches = [
        launch.model_copy(update={"session": SESSION if place < number else "", "solo": place == 0})
        for place, launch in enumerate(run.block.launches)
    ]
    run.block = run.block.model_copy(update={"launches": launches})
    run.plan = run.plan.model_copy(update={"blocks": [run.block]})
    run.plan.save(run.layout.plan)
    return run.block


def session_spec(run: FakeRun, *, without: tuple[str, ...] = ()) -> BlockSpec:
    attempt = run.layout.attempt("b001", 1)
    manifests = {"fake-1": run.manifest}
    block = in_session(run)
    return block_spec(block, run.plan, run.campaign, manifests, run_id="r1", attempt=attempt, without=without)


def test_launches_of_a_session_share_a_segment_and_a_seed(fake_run: FakeRun) -> None:
    first, second, alone = session_spec(fake_run).launches
    words = dict(zip(first.turn[::2], first.turn[1::2], strict=True))
    prefix = block_segments(fake_run.layout.attempts("b001"))
    assert words["--turns"] == f"{prefix}01-{SESSION}" and prefix.startswith(f"{fake_run.layout.root.name}-")
    assert (words["--turn"], second.turn[3]) == ("0/2", "1/2")
    assert words["--turn-last"] == "0"
    assert first.turn[4:8] == second.turn[4:8]
    shared = ["--turn-passes", "2", "--solo-passes", "6"]
    assert [launch.turn[8:12] for launch in (first, second)] == [shared] * 2
    campaign = fake_run.campaign
    rounds = campaign.engine.passes + campaign.replication.solo_rounds
    turns = rounds * len(cases(campaign.operations, campaign.sizes))
    for launch in (first, second):
        assert launch.turn[-2] == "--turn-time"
        assert float(launch.turn[-1]) * turns == pytest.approx(campaign.limits.launch_seconds / 2, rel=0.01)
    assert alone.turn == [] and alone.session == ""
    planned = {launch.name: launch.seconds for launch in Plan.load(fake_run.layout.plan).launches}
    expected = planned[first.name] + planned[second.name]
    assert first.launch_seconds == campaign.limits.launch_seconds + 3 * expected < 2 * campaign.limits.launch_seconds
    assert "--pass-span" in alone.program and "--pass-span" not in first.program


def test_a_launch_whose_company_is_measured_already_is_alone(fake_run: FakeRun) -> None:
    left, _ = session_spec(fake_run, without=(fake_run.names[0],)).launches
    assert (left.name, left.turn, left.session) == (fake_run.names[1], [], "")


def test_all_are_described_before_the_first_is_started(fake_run: FakeRun) -> None:
    lines = job_lines(session_spec(fake_run), {"system": "s"})
    verbs = [line.split()[0] for line in lines[-14:] if line.split()[0] in VERBS]
    assert verbs == ["describe", "describe", "begin_session", "join", "join", "finish_session", "describe", "launch"]


def test_srun_shares_the_cores_and_a_launcher_that_cannot_starts_one_after_another(fake_run: FakeRun) -> None:
    spec = session_spec(fake_run)
    launches = [
        launch.model_copy(update={"launchers": {"srun": ["srun", "-n2"], "lrun": ["lrun", "-n2"]}})
        for launch in spec.launches
    ]
    spec = spec.model_copy(update={"launches": launches})
    joins = [line for line in job_lines(spec, {}, launcher="srun") if line.startswith("join ")]
    assert len(joins) == 2
    for line in joins:
        assert " srun -n2 --overlap " in line and " --turns " in line
    lines = job_lines(spec, {}, launcher="lrun")
    assert not [line for line in lines if line.startswith("join ") or line == "finish_session" or "--turns" in line]
    assert len([line for line in lines if line.startswith("launch ")]) == 3


@pytest.mark.parametrize(("processors", "accepted"), [("01", True), ("10", False)])
def test_launches_in_turns_need_the_same_processors(fake_run: FakeRun, processors: str, accepted: bool) -> None:
    spec = session_spec(fake_run)
    for launch, cpus in zip(spec.launches, ("01", processors, "10"), strict=True):
        facts = {"name": launch.name, "engine_sha256": fake_run.manifest.engine_sha256}
        rows = fakes.records(launch=facts, processes=2, hosts=1, cases=launch.cases)
        rows[0]["bindings"] = [{"host": "node0", "cpus": cpu, "ranks": str(rank)} for rank, cpu in enumerate(cpus)]
        fakes.write_raw(spec.folder / f"{launch.name}.jsonl", rows)
        (spec.folder / f"{launch.name}.exit").write_text("0")
    outcomes = accept(spec, spec.folder, fake_run.layout.launch)
    assert [outcome.accepted for outcome in outcomes] == [accepted, accepted, True]
    if not accepted:
        assert outcomes[0].reason == outcomes[1].reason
        assert "rank 0 of fake-1.p2.n2.packed.b001.l2 had processors 1 of node0" in outcomes[0].reason
        assert "replication.design: random" in outcomes[0].reason


def test_a_launch_that_came_too_late_is_refused(fake_run: FakeRun) -> None:
    """It found no segment, made one, and took all its turns: its rounds are not those of the others."""
    spec = session_spec(fake_run)
    for index, launch in enumerate(spec.launches):
        facts = {"name": launch.name, "engine_sha256": fake_run.manifest.engine_sha256}
        rows = fakes.records(launch=facts, processes=2, hosts=1, cases=launch.cases)
        if launch.session:
            lost = [{"resident": 0, "reason": "not-joined"}] if index else []
            rows[0]["turns"] = {"index": index, "residents": 2, "seed": 1, "rounds": 1, "cases": 1, "limit_ns": 10}
            names = "pass case position t_ns turn_ns waited_ns slept_cpu_ns handover_ns warmup_reps"
            columns = {name: [0] for name in names.split()}
            rows.append({"record": "turns", "operations": ["barrier"], "bytes": [0], **columns, "lost": lost})
        fakes.write_raw(spec.folder / f"{launch.name}.jsonl", rows)
        (spec.folder / f"{launch.name}.exit").write_text("0")
    outcomes = accept(spec, spec.folder, fake_run.layout.launch)
    assert [outcome.accepted for outcome in outcomes] == [True, False, True]
    assert "took its turns without them" in outcomes[1].reason


@pytest.mark.process
def test_a_job_starts_the_launches_of_a_session_together(fake_run: FakeRun) -> None:
    """Each of the two waits until the other has started: one after another they would not end."""
    in_session(fake_run)
    fake_run.mode("meets meets good")
    assert run_block(fake_run.layout.root, "b001") == []
    assert fake_run.published() == sorted(fake_run.names)


@pytest.mark.process
def test_a_session_that_needs_more_memory_than_is_free_is_refused(
    fake_run: FakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its launches are, and the launch after it is measured; with more memory the next call measures the rest."""
    in_session(fake_run)
    with monkeypatch.context() as changes:
        change = "from isochron.reframe_checks.launch import command; command.session_bytes = lambda *_: 2**60"
        reframe = "import sys; from isochron.compat.patched_reframe import main; sys.exit(main())"
        changes.setattr(call, "ENTRY", ("-c", f"{change}; {reframe}"))
        failures = run_block(fake_run.layout.root, "b001")
    assert len(failures) == 2
    assert all(f"the session needs about {2**40} MiB of memory on each node, and " in line for line in failures)
    assert fake_run.published() == [fake_run.names[2]]
    assert run_block(fake_run.layout.root, "b001") == []
    assert fake_run.published() == sorted(fake_run.names)


@pytest.mark.process
def test_one_of_a_session_fails_one_hangs_and_the_other_completes(tmp_path: Path) -> None:
    """The time limit is that of all three together; the next call measures the rest."""
    for seconds in (1, 20):  # the longer limit where a busy machine needs it, in a new run
        fake_run = FakeRun(tmp_path / str(seconds))
        in_session(fake_run, 3)
        limited = fake_run.campaign.model_dump(mode="json", by_alias=True) | {"limits": {"launch_seconds": seconds}}
        fake_run.layout.campaign.write_text(json.dumps(limited))
        fake_run.mode("fails hangs meets")
        failed, hung, *others = sorted(run_block(fake_run.layout.root, "b001"), key=lambda line: "124" in line)
        if fake_run.published() and "124" not in failed:
            break
    assert "the network is gone" in failed
    assert "exit code 124 (not finished within limits.launch_seconds)" in hung
    assert len(fake_run.published()) == 1 and others == []
    spec = BlockSpec.load(fake_run.layout.attempt("b001", 1) / "spec.json")
    expected = sum(launch.seconds for launch in Plan.load(fake_run.layout.plan).launches[:3])
    limit = min(4 * seconds, seconds + 3 * expected)  # 4: with the candle
    assert [launch.launch_seconds for launch in spec.launches] == [limit] * 3
    fake_run.mode("good")
    assert run_block(fake_run.layout.root, "b001") == []
    assert fake_run.published() == sorted(fake_run.names)
    state = BlockState.load(fake_run.layout.block("b001"))
    assert state.state == "complete"


def test_the_segment_is_named_after_the_place_of_the_run_block_and_attempt(fake_run: FakeRun) -> None:
    """Two attempts never meet in one segment, nor do copies of a run, and the name is one of a file."""
    block = in_session(fake_run)
    names = {
        block_spec(
            block, fake_run.plan, fake_run.campaign, {"fake-1": fake_run.manifest}, run_id="r", attempt=Path(folder)
        )
        .launches[0]
        .turn[1]
        for folder in ("/r/a/b001/01", "/r/a/b001/02", "/r/a/b002/01", "/copy/r/a/b001/01")
    }
    assert len(names) == 4
    assert not any("/" in name for name in names)


def test_a_standard_candle_takes_the_last_turn_of_each_session(fake_run: FakeRun) -> None:
    """It is started as the first launch is, with the same cases, and is no launch that a block waits for."""
    spec = block_spec(
        in_session(fake_run), fake_run.plan, fake_run.campaign, {"fake-1": fake_run.manifest}, run_id="r1",
        attempt=fake_run.layout.attempt("b001", 1), candle=Path("/x/isochron-candle"),
    )  # fmt: skip
    (candle,) = spec.candles
    first, second, _ = spec.launches
    assert (first.turn[3], second.turn[3], candle.turn[3]) == ("0/3", "1/3", "2/3")
    assert first.turn[4:8] == candle.turn[4:8] and first.turn[1] == candle.turn[1]
    assert candle.program[:5] == ["/x/isochron-candle", "--operations", "barrier,allreduce", "--sizes", "8,64"]
    assert candle.launchers == first.launchers and len(spec.launches) == 3
    lines = job_lines(spec, {})
    joined = [line.split()[1] for line in lines if line.startswith("join ")]
    assert joined == [first.name, second.name, candle.name]


@pytest.mark.parametrize("name", ["r" * 200, "run+1=2", "x" * 60])
def test_whatever_a_run_or_a_session_is_called_the_engine_takes_the_name_of_the_segment(name: str) -> None:
    """At most 100 letters, digits, '.', '_' and '-' (turn_spec.c); and no two of them are one."""
    names = {
        segment_name(Path(f"/results/c/{run}/attempts/b001/01"), session)
        for run in (name, f"{name}2")
        for session in (f"p16.n4.{name}.1", f"p16.n4.{name}.2")
    }
    assert len(names) == 4
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,100}", each) for each in names)
    assert all(each.startswith(block_segments(Path(f"/results/c/{run}/attempts/b001"))) for run in (name, f"{name}2")
               for each in [segment_name(Path(f"/results/c/{run}/attempts/b001/01"), "s")])  # fmt: skip
