# SPDX-License-Identifier: BSD-3-Clause
"""A finished run as `isochron run` leaves it, from known distributions: every kind of stored file, few launches."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from isochron.common.sealed import seal
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.outputs import record_outputs
from isochron.schemas.run.plan import Block, Plan
from isochron.schemas.run.state import BlockState, LaunchOutcome, RunState
from tests.engine.candle.test_file import CASE, HEADER, write
from tests.postprocess.ingest.test_damaged_inputs import TIMERS
from tests.postprocess.ingest.test_launch_file import records
from tests.postprocess.ingest.test_turns_record import COLUMNS, PLAN, TURNS
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, whole, write_run

SPEC = Spec(stacks=["openmpi-5.0", "mpich-5.0"], operations=["barrier"], sizes=[8], processes=[4], launches=6, runs=12,
            probes=False)  # fmt: skip


def finished_run(folder: Path, seed: int, *steps: str) -> RunLayout:
    """Write it: a candle in each block, provenance, attempts, every copy and hash, and what these steps make of it."""
    run = RunLayout(write_run(folder, replace(SPEC, seed=seed)))
    plan = Plan.load(run.plan)
    blocks = [_in_turns(run, block) for block in plan.blocks]
    plan.model_copy(update={"blocks": blocks}).save(run.plan)
    for block in blocks:
        _measured(run, block)
    RunState.load(run.state).model_copy(update={"state": "complete"}).save(run.state)
    for path in (run.state, run.campaign, run.plan, *map(run.manifest, SPEC.stacks)):
        seal(path)
    report(run.root, steps=steps)
    run.logs.mkdir(exist_ok=True)
    record_outputs(run)
    return run


def _in_turns(run: RunLayout, block: Block) -> Block:
    """Let the launches of a block measure in turns, two rounds each."""
    for launch in block.launches:
        path = run.launch(launch.name)
        header, *others = records(path)
        (row,) = (each for each in others if each["record"] == "measurement")
        header |= {"turns": PLAN, "options": {**header["options"], "turns": block.name}}
        row["pass_reps"] = [SPEC.runs // 2, SPEC.runs - SPEC.runs // 2]
        turns = {**TURNS, **COLUMNS, "operations": [row["operation"]], "bytes": [row["bytes"]], "lost": []}
        path.write_bytes(whole([header, *others, turns]))
    launches = [launch.model_copy(update={"session": block.name}) for launch in block.launches]
    return block.model_copy(update={"launches": launches})


def _measured(run: RunLayout, block: Block) -> None:
    """Write what the attempt at a block leaves beside its raw files."""
    attempt = run.attempt(block.name, 1)
    attempt.mkdir(parents=True)
    (attempt / "timers.txt").write_text(TIMERS)
    for launch in block.launches:
        raw, facts = run.launch(launch.name), run.provenance(launch.name)
        facts.write_text('{"record": "node", "host": "node0", "kernel": "6.1"}\n')
        os.link(raw, attempt / raw.name)
        os.link(facts, attempt / facts.name)
        seal(facts)
    name = f"{block.name}.01.{block.name}.candle"
    header = {**HEADER, "launch": {"name": name, "session": block.name}, "turns": {**HEADER["turns"], "cases": 1}}
    raw = write(attempt / f"{name}.jsonl", [header, {**CASE, "operation": "barrier", "bytes": 0, "kernel": "barrier"}])
    run.candles.mkdir(exist_ok=True)
    os.link(raw, run.candle(name))
    accepted = [LaunchOutcome(name=launch.name, accepted=True) for launch in block.launches]
    state = BlockState(block=block.name, state="complete", attempt=1, started_at="", ended_at="", launches=accepted)
    state.save(attempt / "outcome.json")
    run.block(block.name).parent.mkdir(exist_ok=True)
    state.save(run.block(block.name))
    for path in (run.candle(name), attempt / "timers.txt", attempt / "outcome.json"):
        seal(path)
