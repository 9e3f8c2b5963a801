# SPDX-License-Identifier: BSD-3-Clause
"""What of a run has been damaged or lost since it was written: put back, or made or measured again.

Nothing is trusted because it is there: a crash of the machine leaves empty files, a full or failing disk leaves
halves and changed bits, and people copy folders about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from isochron.ground.files import FileError, read_text, write_atomically
from isochron.ground.sealed import copy_of, heal, remove_sealed
from isochron.schemas.run.launch_file import damage
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch
from isochron.schemas.run.state import BlockState
from isochron.schemas.run.store import TABLES
from isochron.spack_envs.registry import keep_whole


def repair(run: RunLayout) -> list[str]:
    """Put right what can be; returns a line for each thing that was wrong. Whoever calls holds the run's lock.

    Raises FileError where the plan is damaged and its copy too.
    """
    said = heal_files(run)
    plan = Plan.load(run.plan)
    said += _forget_blocks(run, plan)
    said += [f"{name}: damaged or lost; it is measured again" for name in set_aside(run, plan)]
    if any(not run.launch(launch.name).exists() for launch in plan.launches):
        said += _forget_stacks(run, plan)
        said += _renew_stacks(run, plan)
    _remove_halves(run)
    return said + _forget_outputs(run)


def heal_files(run: RunLayout) -> list[str]:
    """Restore the sealed files of a run from their copies; one of a stack that is not there was taken away."""
    of_run = [run.state, run.campaign, run.plan, run.rank_order]
    of_stacks = [path for path in (run.root / "stacks").glob("*.json") if copy_of(path).exists()]
    return [f"{path}: was damaged or lost; restored from its copy" for path in [*of_run, *of_stacks] if heal(path)]


def damaged(run: RunLayout, plan: Plan) -> list[tuple[Block, PlannedLaunch]]:
    """Launches that count as measured, but whose raw file is not (any more) what the engine wrote."""
    return [
        (block, launch)
        for block in plan.blocks
        for launch in block.launches
        if (run.block(block.name).exists() or run.launch(launch.name).exists()) and damage(run.launch(launch.name))
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
        if path.exists() and not _is_readable(BlockState, path):
            path.unlink()
            yield f"{path}: was damaged; the block is looked at again"


def _forget_stacks(run: RunLayout, plan: Plan) -> Iterator[str]:
    """A stack whose manifest cannot be read, or whose engine is not the one that was built, is built again."""
    for stack in sorted({launch.stack for launch in plan.launches}):
        path = run.manifest(stack)
        if not path.exists():
            continue
        try:
            built, engine = Manifest.load(path).engine_sha256, run.engine(stack)
            wrong = engine.exists() and _sha256(engine) != built
        except FileError:
            wrong = True
        if wrong:
            remove_sealed(path)
            yield f"stack {stack}: its manifest or engine was damaged; it is built again"


def _renew_stacks(run: RunLayout, plan: Plan) -> Iterator[str]:
    """Install again what the cache of stacks has lost; where that fails, the first block says why."""
    for stack in sorted({launch.stack for launch in plan.launches}):
        if run.manifest(stack).exists():
            with suppress(FileError):
                said = keep_whole(Manifest.load(run.manifest(stack)))
                if said:
                    yield said


def _is_readable(model: type[BlockState], path: Path) -> bool:
    try:
        model.load(path)
    except FileError:
        return False
    return True


def _remove_halves(run: RunLayout) -> None:
    """Remove what a killed step has left of the file that it wrote: `.<file>.<process>.partial`."""
    for path in outputs(run):
        process = path.name.split(".")[-2:-1]
        if path.name.startswith(".") and path.suffix == ".partial" and not Path("/proc", *process).is_dir():
            path.unlink(missing_ok=True)


def outputs(run: RunLayout) -> list[Path]:
    """What has been made of the raw files, and can be made again."""
    folders = (run.root / "store", run.root / "analysis", run.tables, run.figures, run.report.parent)
    return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())


def seal_outputs(run: RunLayout) -> None:
    """Remember the outputs of a complete run, so that damage to them is seen."""
    lines = (f"{_sha256(path)}  {path.relative_to(run.root)}\n" for path in outputs(run))
    write_atomically(run.outputs, "".join(lines))


def outputs_are_whole(run: RunLayout) -> bool:
    """Whether all outputs are what they were when the run was complete; also true where that was never remembered."""
    if not run.outputs.exists():
        return True
    try:
        lines = read_text(run.outputs, "").splitlines()
    except FileError:
        return False
    return bool(lines) and all(_is_as_it_was(run, line) for line in lines)


def _is_as_it_was(run: RunLayout, line: str) -> bool:
    digest, _, name = line.partition("  ")
    path = run.root / name
    return bool(name) and path.is_file() and _sha256(path) == digest


def _forget_outputs(run: RunLayout) -> list[str]:
    if outputs_are_whole(run):
        return []
    for name in TABLES:
        run.table(name).unlink(missing_ok=True)
    run.outputs.unlink()
    return ["tables, figures or report were damaged; they are made again"]


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
