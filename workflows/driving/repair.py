# SPDX-License-Identifier: BSD-3-Clause
"""What of a run has been damaged or lost since it was written: put back, or made or measured again.

Nothing is trusted because it is there: a crash of the machine leaves empty files, a full or failing disk leaves
halves and changed bits, and people copy folders about.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.common.sealed import heal, remove_sealed, sealed_by
from isochron.schemas.run.launch_file import damage, foreign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch
from isochron.schemas.run.programs.npb import BuiltPrograms
from isochron.schemas.run.state import BlockState, RunState
from isochron.spack_envs.wheels import keep_whole
from isochron.workflows.driving.outputs import forget_outputs, outputs
from isochron.workflows.driving.times import settle_times


def repair(run: RunLayout) -> list[str]:
    """Put right what can be; returns a line for each thing that was wrong. Whoever calls holds the run's lock.

    Raises FileError where the plan is damaged and its copy too.
    """
    said = heal_files(run)
    plan = Plan.load(run.plan)
    said += _forget_blocks(run, plan)
    said += [f"{name}: damaged or lost; measuring it again" for name in set_aside(run, plan)]
    measured = all(run.launch(launch.name).exists() for launch in plan.launches)
    if not measured:
        said += _forget_stacks(run, plan)
        said += _renew_stacks(run, plan)
    _remove_halves(run)
    return [*said, *forget_outputs(run, measured=measured), *settle_times(run)]


def heal_files(run: RunLayout) -> list[str]:
    """Restore the sealed files of a run from their copies; a manifest that is not there was taken away."""
    sealed = [run.state, run.campaign, run.plan, run.looks, run.rank_order, *(run.root / "stacks").glob("*.json")]
    sealed += (run.root / "stacks").glob("*/npb/programs.json")
    for copies in ("launches/.*.copy", "attempts/*/*/.*.copy"):
        sealed += sorted(sealed_by(copy) for copy in run.root.glob(copies))
    return [f"{path}: damaged or lost; restored from its copy" for path in sealed if heal(path)]


def damaged(run: RunLayout, plan: Plan) -> list[tuple[Block, PlannedLaunch]]:
    """Launches that count as measured, but whose raw file is not (any more) what the engine wrote for them."""
    run_ids = {run.run_id, *([RunState.load(run.state).run_id] if run.state.exists() else [])}
    return [
        (block, launch)
        for block in plan.blocks
        for launch in block.launches
        if (run.block(block.name).exists() or run.launch(launch.name).exists())
        and (damage(run.launch(launch.name)) or foreign(run.launch(launch.name), launch.name, run_ids))
    ]


def set_aside(run: RunLayout, plan: Plan) -> list[str]:
    """Move such files to the attempts of their block and let the block run again. Returns the launches' names.

    The damaged bytes are kept as `attempts/<block>/<launch>.damaged`, for whoever wants to know what happened.
    """
    found = damaged(run, plan)
    for block, launch in found:
        raw = run.launch(launch.name)
        if raw.exists():
            run.attempts(block.name).mkdir(parents=True, exist_ok=True)
            raw.replace(run.attempts(block.name) / f"{launch.name}.damaged")
        run.block(block.name).unlink(missing_ok=True)
    return [launch.name for _, launch in found]


def _forget_blocks(run: RunLayout, plan: Plan) -> Iterator[str]:
    """A block whose file cannot be read is looked at again; what it has measured is not lost by that."""
    for block in plan.blocks:
        path = run.block(block.name)
        if path.exists() and not _is_of(block, path):
            path.unlink()
            yield f"{path}: damaged; checking the block again"


def _forget_stacks(run: RunLayout, plan: Plan) -> Iterator[str]:
    """A stack whose manifest cannot be read, or whose engine is not the one that was built, is built again."""
    for stack in sorted({launch.stack for launch in plan.launches}):
        path = run.manifest(stack)
        if not path.exists():
            continue
        try:
            built, engine = Manifest.load(path).engine_sha256, run.engine(stack)
            wrong = (engine.exists() and sha256(engine) != built) or _programs_are_wrong(run, plan, stack)
        except FileError:
            wrong = True
        if wrong:
            remove_sealed(path)
            yield f"stack {stack}: manifest or engine damaged; rebuilding it"


def _programs_are_wrong(run: RunLayout, plan: Plan, stack: str) -> bool:
    """Whether a program that the stack's launches run is not the one that was built. Raises FileError."""
    if not any(launch.program for launch in plan.launches if launch.stack == stack):
        return False
    built = BuiltPrograms.load(run.built_npb(stack))
    files = {run.npb(stack) / each.file: each.sha256 for each in built.programs}
    return not all(file.is_file() and sha256(file) == known for file, known in files.items())


def _renew_stacks(run: RunLayout, plan: Plan) -> Iterator[str]:
    """Install again what the cache of stacks has lost; where that fails, the first block says why."""
    for stack in sorted({launch.stack for launch in plan.launches}):
        if run.manifest(stack).exists():
            with suppress(FileError):
                said = keep_whole(Manifest.load(run.manifest(stack)))
                if said:
                    yield said


def _remove_halves(run: RunLayout) -> None:
    """Remove what a killed step has left of the file that it wrote: `.<file>.<process>.partial`."""
    for path in outputs(run):
        process = path.name.split(".")[-2:-1]
        if path.name.startswith(".") and path.suffix == ".partial" and not Path("/proc", *process).is_dir():
            path.unlink(missing_ok=True)


def _is_of(block: Block, path: Path) -> bool:
    """Whether a block's file says of this block that it is complete."""
    try:
        state = BlockState.load(path)
    except FileError:
        return False
    accepted = sorted(launch.name for launch in state.launches if launch.accepted)
    return state.block == block.name and accepted == sorted(launch.name for launch in block.launches)
