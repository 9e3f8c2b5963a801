# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a run's files before it continues: foreign, damaged, lost, outdated, or dated in the future.

Links lead what is written elsewhere; pipes and devices have whoever reads them wait, or never end.

Snakemake compares the times of files, and refuses what it makes while an input is younger.

Nothing is trusted because it is there: a crash of the machine leaves empty files, a full or failing disk leaves
halves and changed bits, and people copy folders about.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

from isochron.common.files import FileError, file_system_time, read_text, write_atomically
from isochron.common.hashing import sha256
from isochron.common.sealed import heal, remove_sealed, sealed_by
from isochron.schemas.run.launch_file import damage, foreign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.npb import BuiltPrograms
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch
from isochron.schemas.run.state import BlockState, RunState
from isochron.schemas.run.store import TABLES
from isochron.spack_envs.wheels import keep_whole

#: Folders in which other programs make links of their own, and we write nothing but through them.
OF_OTHERS = ("log/reframe", "stacks/*/spack", ".snakemake")


def refuse_links(run: RunLayout) -> None:
    """Raise FileError where something in the run's folder is a symbolic link, a pipe or a device.

    The folder itself may be a link.
    """
    for path in _links(run.root.resolve(), run.root.resolve()):
        if not path.is_symlink():
            raise FileError(f"{path}: is a pipe, a socket or a device, which a run never contains; remove it")
        raise FileError(
            f"{path}: is a symbolic link, to '{path.readlink()}', which a run never contains: output would be written "
            "elsewhere; check where the run comes from, and remove the link"
        )


def _links(folder: Path, root: Path) -> Iterator[Path]:
    for entry in os.scandir(folder):
        path = Path(entry.path)
        if entry.is_symlink() or not (entry.is_file() or entry.is_dir()):
            yield path
        elif entry.is_dir() and not any(path.relative_to(root).match(pattern) for pattern in OF_OTHERS):
            yield from _links(path, root)


#: What rules read or make, below the run's folder.
OF_RULES = ("campaign.yaml", "stacks/*.json", "blocks/*.json", "store/*", "tables/*", "report/*")

#: A file that was written just now may be ahead of the probe by the step of the file system's clock, in s.
STEP_S = 2.0


def settle_times(run: RunLayout) -> list[str]:
    """Give files from the future the time of now. Returns a line where there were any."""
    now = file_system_time(run.root)
    ahead = [path for path in _files(run) if path.stat().st_mtime > now + STEP_S]
    for path in ahead:
        os.utime(path, (now, now))
    return [f"{ahead[0]}: has a time in the future (was a clock set back?); set to now"] if ahead else []


def _files(run: RunLayout) -> Iterator[Path]:
    for pattern in OF_RULES:
        yield from (path for path in sorted(run.root.glob(pattern)) if path.is_file())


def outputs(run: RunLayout) -> list[Path]:
    """What can be made again."""
    folders = (run.root / "store", run.root / "analysis", run.tables, run.figures, run.report.parent)
    return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())


def seal_outputs(run: RunLayout) -> None:
    """Remember the outputs of a run that has come to its end, or to its store, so that damage to them is seen."""
    rmtree(run.so_far, ignore_errors=True)
    lines = (f"{sha256(path)}  {path.relative_to(run.root)}\n" for path in outputs(run))
    write_atomically(run.outputs, "".join(lines))


def outputs_intact(run: RunLayout) -> bool:
    """Whether all outputs are what they were when they were sealed; also true where that was never done."""
    if not run.outputs.exists():
        return True
    try:
        lines = read_text(run.outputs, "").splitlines()
    except FileError:
        return False
    return bool(lines) and all(_is_as_it_was(run, line) for line in lines)


def forget_outputs(run: RunLayout, *, measured: bool) -> list[str]:
    """Let everything be made again, unless the run is measured and its outputs are those that were sealed.

    The times of the files do not decide: clocks are set. Returns a line where something was damaged.
    """
    whole = outputs_intact(run)
    if whole and measured and run.outputs.exists():
        return []
    for name in TABLES:
        run.table(name).unlink(missing_ok=True)
    run.summary.unlink(missing_ok=True)
    run.outputs.unlink(missing_ok=True)
    return [] if whole else ["tables, figures or report damaged; regenerating them"]


def _is_as_it_was(run: RunLayout, line: str) -> bool:
    digest, _, name = line.partition("  ")
    path = run.root / name
    return bool(name) and path.is_file() and sha256(path) == digest


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
