# SPDX-License-Identifier: BSD-3-Clause
"""`block RUN BLOCK`: run the missing launches of a block by one ReFrame call, and accept them one by one.

Every step can be interrupted at any moment. Accepted files are in `launches/`; all others belong to attempts.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from isochron.common.copies import is_there
from isochron.common.exit_codes import EngineExit
from isochron.common.files import FileError, write_atomically
from isochron.common.sealed import seal
from isochron.reframe_checks.call import Interrupted, Result, lock_folder, run_reframe
from isochron.reframe_checks.launch.acceptance import INTERRUPTED, NOT_STARTED, accept, publish, read_exit
from isochron.reframe_checks.launch.command import block_spec
from isochron.reframe_checks.launch.job_end import Patience, last_line, why_it_ended
from isochron.reframe_checks.launch.segments import remove_segments
from isochron.reframe_checks.make_candle import make_candle
from isochron.reframe_checks.run_folder import find_block, load_campaign, load_manifests, load_npb, load_programs
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.budget import job_hours, within_budget
from isochron.schemas.run.launch_file import damage
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Block, Plan
from isochron.schemas.run.state import BlockState, LaunchOutcome


def run_block(run: Path, name: str, *, again: bool = False) -> list[str]:
    """Complete a block. Returns one line for each launch that was not measured. Raises FileError and OverBudget.

    `again`: an attempt at the same block has just failed. If the engine refused its options, nothing is started,
    because it would refuse them again.
    """
    layout = RunLayout(run.resolve())
    campaign, plan = load_campaign(layout), Plan.load(layout.plan)
    block = find_block(plan, name)
    started = _now()
    with lock_folder(layout.attempts(name)):
        remove_segments(layout.attempts(name))
        recover(layout, block, plan, campaign)
        failures: list[str] = []
        if missing(layout, block):
            number = next_attempt(layout, name)
            refused = _refused(layout, name) if again else []
            if refused:
                return refused
            state = attempt(layout, block, plan, campaign, number)
            failures = _failures(state, layout.attempt(name, number))
        if not missing(layout, block):
            complete(layout, block, started)
            return []
    return failures


def _refused(layout: RunLayout, block: str) -> list[str]:
    """Return the failures of the last attempt, if the engine refused the options of a launch."""
    folder = next(iter(reversed(attempt_folders(layout, block))), None)
    if folder is None or not any(read_exit(path) == EngineExit.USAGE for path in folder.glob("*.exit")):
        return []
    return _failures(BlockState.load(folder / "outcome.json"), folder)


def missing(layout: RunLayout, block: Block) -> list[str]:
    """Return the names of the launches that are not measured."""
    return [launch.name for launch in block.launches if not layout.launch(launch.name).exists()]


def attempt_folders(layout: RunLayout, block: str) -> list[Path]:
    """Return all attempts at a block, oldest first."""
    folders = [path for path in layout.attempts(block).glob("[0-9]*") if path.name.isdigit() and path.is_dir()]
    return sorted(folders, key=lambda path: int(path.name))


def next_attempt(layout: RunLayout, block: str) -> int:
    """Return the number of a new attempt."""
    folders = attempt_folders(layout, block)
    return int(folders[-1].name) + 1 if folders else 1


def recover(layout: RunLayout, block: Block, plan: Plan, campaign: Campaign) -> None:
    """Accept the complete launches of interrupted attempts."""
    for folder in attempt_folders(layout, block.name):
        if is_there(folder / "outcome.json") or not missing(layout, block):
            continue
        spec = _spec(layout, block, plan, campaign, folder)
        outcomes = _accept(spec, folder, layout)
        _save_outcome(folder, block, outcomes, _modified(folder), "interrupted")


def attempt(layout: RunLayout, block: Block, plan: Plan, campaign: Campaign, number: int) -> BlockState:
    """Run all launches that the block lacks in one new attempt."""
    started = _now()
    folder = layout.attempt(block.name, number)
    spec = _spec(layout, block, plan, campaign, folder)
    names = [launch.name for launch in spec.launches]
    with within_budget(layout, plan, block, names, campaign.limits.node_hours):
        folder.mkdir(parents=True)
        for launch in spec.launches:
            for name, content in launch.files.items():
                write_atomically(folder / name, content)
        spec.save(folder / "spec.json")
    logs = layout.logs / "reframe" / f"{block.name}-{number:02d}"
    problem = ended = ""
    try:
        result = run_reframe(
            "block",
            {"Block.spec": str(folder / "spec.json")},
            site=campaign.site,
            folder=logs,
            work=layout.attempts(block.name),
        )
        problem = result.reason
        ended = why_it_ended(result.case, _patience(campaign)) or _failed_before(result)
    except FileError as error:
        problem = ended = str(error)
    except Interrupted:
        remove_segments(layout.attempts(block.name))
        _save_outcome(folder, block, _accept(spec, folder, layout), started, "interrupted")
        raise
    outcomes = _accept(spec, folder, layout)
    if not ended and any(outcome.reason in (INTERRUPTED, NOT_STARTED) for outcome in outcomes):
        ended = last_line(result.case)
    if all(outcome.accepted for outcome in outcomes):
        problem = ended = ""
    return _save_outcome(folder, block, _explained(outcomes, ended), started, ended or problem)


def _patience(campaign: Campaign) -> Patience:
    hours = campaign.limits.queue_hours
    return Patience(campaign.limits.scheduler_seconds, None if hours is None else hours * 3600)


def _failed_before(result: Result) -> str:
    """Return ReFrame's reason if it failed before the launches were judged; later reasons are in the launches."""
    return "" if result.passed or result.case.get("fail_phase") in ("sanity", "performance") else result.reason


def _explained(outcomes: list[LaunchOutcome], ended: str) -> list[LaunchOutcome]:
    """Add the reason for the end of the job to launches that were interrupted or not started."""
    return [
        outcome.model_copy(update={"reason": f"{outcome.reason}: {ended}"})
        if ended and outcome.reason in (INTERRUPTED, NOT_STARTED)
        else outcome
        for outcome in outcomes
    ]


def _failures(state: BlockState, folder: Path) -> list[str]:
    """Return one line per failed launch: name, reason, file; a single line if none ran."""
    if not any(folder.glob("*.exit")):
        return [f"{state.block}: {state.reason or 'the job ended before its first launch'}"]
    return [
        f"{launch.name}: {launch.reason}: {folder / launch.name}.err"
        for launch in state.launches
        if not launch.accepted
    ]


def complete(layout: RunLayout, block: Block, started: str) -> None:
    """Write the state of a block that has all its launches."""
    state = BlockState(
        block=block.name,
        state="complete",
        attempt=next_attempt(layout, block.name) - 1,
        started_at=started,
        ended_at=_now(),
        launches=[LaunchOutcome(name=launch.name, accepted=True) for launch in block.launches],
    )
    state.save(layout.block(block.name))


def _spec(layout: RunLayout, block: Block, plan: Plan, campaign: Campaign, folder: Path) -> BlockSpec:
    measured = {launch.name for launch in block.launches} - set(missing(layout, block))
    return block_spec(
        block,
        plan,
        campaign,
        load_manifests(layout, block),
        run_id=layout.run_id,
        attempt=folder,
        without=measured,
        programs=load_programs(layout, block),
        npb=load_npb(layout, block),
        candle=make_candle() if any(launch.session for launch in block.launches) else None,
    )


def _accept(spec: BlockSpec, folder: Path, layout: RunLayout) -> list[LaunchOutcome]:
    """Judge the launches of an attempt, and publish those that are accepted, and the candles of their sessions."""
    outcomes = accept(spec, folder, layout.launch)
    accepted = {launch.session for launch, outcome in zip(spec.launches, outcomes, strict=True) if outcome.accepted}
    for candle in spec.candles:
        raw = folder / f"{candle.name}.jsonl"
        if candle.session in accepted and raw.is_file() and not damage(raw):
            publish(raw, layout.candle(candle.name))
            seal(layout.candle(candle.name))
    return outcomes


def _save_outcome(folder: Path, block: Block, launches: list[LaunchOutcome], started: str, reason: str) -> BlockState:
    state = BlockState(
        block=block.name,
        state="complete" if all(launch.accepted for launch in launches) else "failed",
        attempt=int(folder.name),
        started_at=started,
        ended_at=_now(),
        launches=launches,
        reason=reason,
        node_hours=round(job_hours(folder, block.nodes), 6),
    )
    if (folder / "timers.txt").is_file():
        seal(folder / "timers.txt")
    state.save_sealed(folder / "outcome.json")
    return state


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _modified(folder: Path) -> str:
    return datetime.fromtimestamp(folder.stat().st_mtime, UTC).isoformat(timespec="seconds")
