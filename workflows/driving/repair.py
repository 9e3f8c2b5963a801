# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a run's files before it continues: foreign, damaged, lost, outdated, or dated in the future.

Through links, files would be written elsewhere; reading a pipe or a device can block or never end.

Snakemake compares the times of files, and fails if an input is younger than the output that was just made.

The existence of a file proves nothing: a crash of the machine leaves empty files, a full or failing disk truncated
files and flipped bits, and people copy folders.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

from isochron.common.copies import files_in, is_there, sealed_by
from isochron.common.files import FileError, file_system_time
from isochron.common.hashing import sha256
from isochron.common.sealed import heal, remove_sealed
from isochron.schemas.run.launch_file import damage, foreign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.npb import BuiltPrograms
from isochron.schemas.run.outputs import outputs, outputs_problem, record_outputs
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch
from isochron.schemas.run.state import BlockState, RunState
from isochron.schemas.run.store import TABLES
from isochron.spack_envs.wheels import reinstall_lost_files
from isochron.workflows.driving.candles import restore_candles
from isochron.workflows.runs import find_run

#: Folders in which other programs create links, and in which Isochron writes only through these programs.
LINKED_FOLDERS = ("log/reframe", "stacks/*/spack", ".snakemake")


def refuse_links(run: RunLayout) -> None:
    """Raise FileError if something in the run's folder is a symbolic link, a pipe or a device.

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
        elif entry.is_dir() and not any(path.relative_to(root).match(pattern) for pattern in LINKED_FOLDERS):
            yield from _links(path, root)


#: Inputs and outputs of the rules, below the run's folder.
RULE_FILES = ("campaign.yaml", "stacks/*.json", "blocks/*.json", "store/*", "tables/*", "report/*")

#: What the builds do at this moment (`RunLayout.build_step`).
BUILD_STEPS = "log/reframe/*/step"

#: Tolerance in s: a new file may be ahead of the probe by the step of the file system's clock.
STEP_S = 2.0


def settle_times(run: RunLayout) -> list[str]:
    """Set files with a time in the future to the present time. Returns one line if there were any."""
    now = file_system_time(run.root)
    ahead = [path for path in _files(run) if path.stat().st_mtime > now + STEP_S]
    for path in ahead:
        os.utime(path, (now, now))
    return [f"{ahead[0]}: has a time in the future (was a clock set back?); set to now"] if ahead else []


def _files(run: RunLayout) -> Iterator[Path]:
    for pattern in RULE_FILES:
        yield from (path for path in sorted(run.root.glob(pattern)) if path.is_file())


def seal_outputs(run: RunLayout) -> None:
    """Record the hashes of the outputs of a complete or stored run, so that damage is detected."""
    rmtree(run.so_far, ignore_errors=True)
    record_outputs(run)


def outputs_intact(run: RunLayout) -> bool:
    """Return True if all outputs are as they were when they were sealed, or were never sealed."""
    return not outputs_problem(run)


def reported_run(results: Path, name: str) -> RunLayout:
    """Return a run as `find_run` does. Raises FileError unless it has its report, and all its outputs are intact."""
    run = find_run(results, name)
    refuse_unreported(run, name)
    return run


def refuse_unreported(run: RunLayout, name: str) -> None:
    """Raise FileError unless a run has its report, and all its outputs are intact. `name`: as it was asked for."""
    if not run.report.is_file():
        raise FileError(f"{run.root}: has no report ({run.report.name}); call `isochron report {name}` first")
    refuse_links(run)
    problem = outputs_problem(run)
    if problem:
        raise FileError(problem)


def forget_outputs(run: RunLayout, *, measured: bool) -> list[str]:
    """Remove derived files, so that they are regenerated, unless the run is measured and its outputs are intact.

    File times are not used, because clocks are set. Returns one line if something was damaged.
    """
    intact = outputs_intact(run)
    if intact and measured and run.outputs.exists():
        return []
    for name in TABLES:
        run.table(name).unlink(missing_ok=True)
    run.summary.unlink(missing_ok=True)
    run.outputs.unlink(missing_ok=True)
    return [] if intact else ["tables, figures or report damaged; regenerating them"]


def repair(run: RunLayout) -> list[str]:
    """Repair the files of a run; return one line for each repair. The caller holds the run's lock.

    Raises FileError if both the plan and its copy are damaged.
    """
    repairs = heal_files(run)
    plan = Plan.load(run.plan)
    repairs += _forget_blocks(run, plan)
    repairs += [f"{name}: damaged or lost; measuring it again" for name in quarantine(run, plan)]
    repairs += restore_candles(run, plan)
    measured = all(run.launch(launch.name).exists() for launch in plan.launches)
    if not measured:
        repairs += _forget_stacks(run, plan)
        repairs += _renew_stacks(run, plan)
    _remove_partial_files(run)
    _forget_marks(run)
    return [*repairs, *forget_outputs(run, measured=measured), *settle_times(run)]


def heal_files(run: RunLayout) -> list[str]:
    """Restore the sealed files of a run from their copies; return one line for each."""
    sealed = [run.state, run.campaign, run.plan, run.interim, run.rank_order, *files_in(run.root, "stacks/*.json")]
    sealed += files_in(run.root, "stacks/*/npb/programs.json")
    for copies in ("launches/.*.copy", "candles/.*.copy", "attempts/*/*/.*.copy"):
        sealed += sorted(sealed_by(copy) for copy in run.root.glob(copies))
    return [f"{path}: damaged or lost; restored from its copy" for path in sealed if heal(path)]


def damaged(run: RunLayout, plan: Plan) -> list[tuple[Block, PlannedLaunch]]:
    """Return the launches that count as measured, but whose raw file is damaged or of another launch."""
    run_ids = {run.run_id, *([RunState.load(run.state).run_id] if is_there(run.state) else [])}
    return [
        (block, launch)
        for block in plan.blocks
        for launch in block.launches
        if (run.block(block.name).exists() or run.launch(launch.name).exists())
        and (damage(run.launch(launch.name)) or foreign(run.launch(launch.name), launch.name, run_ids))
    ]


def quarantine(run: RunLayout, plan: Plan) -> list[str]:
    """Quarantine damaged raw files and let their blocks run again. Returns the names of the launches.

    A damaged file is kept as `attempts/<block>/<launch>.damaged`, for later inspection.
    """
    launches = damaged(run, plan)
    for block, launch in launches:
        raw = run.launch(launch.name)
        if raw.exists():
            run.attempts(block.name).mkdir(parents=True, exist_ok=True)
            raw.replace(run.attempts(block.name) / f"{launch.name}.damaged")
        run.block(block.name).unlink(missing_ok=True)
    return [launch.name for _, launch in launches]


def _forget_blocks(run: RunLayout, plan: Plan) -> Iterator[str]:
    """Remove unreadable files of blocks, so that these are checked again; their measurements are not lost."""
    for block in plan.blocks:
        path = run.block(block.name)
        if path.exists() and not _is_of(block, path):
            path.unlink()
            yield f"{path}: damaged; checking the block again"


def _forget_stacks(run: RunLayout, plan: Plan) -> Iterator[str]:
    """Remove manifests that are unreadable or whose engine was changed, so that the stacks are rebuilt."""
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
    """Return True if a program of the stack's launches was changed after it was built. Raises FileError."""
    if not any(launch.program for launch in plan.launches if launch.stack == stack):
        return False
    built = BuiltPrograms.load(run.built_npb(stack))
    files = {run.npb(stack) / program.file: program.sha256 for program in built.programs}
    return not all(file.is_file() and sha256(file) == digest for file, digest in files.items())


def _renew_stacks(run: RunLayout, plan: Plan) -> Iterator[str]:
    """Reinstall what the cache of stacks has lost; if that fails, the first block reports it."""
    for stack in sorted({launch.stack for launch in plan.launches}):
        if run.manifest(stack).exists():
            with suppress(FileError):
                message = reinstall_lost_files(Manifest.load(run.manifest(stack)), run.wheels_lock(stack))
                if message:
                    yield message


def _remove_partial_files(run: RunLayout) -> None:
    """Remove the partial file that a killed step left: `.<file>.<process>.partial`."""
    for path in outputs(run):
        process = path.name.split(".")[-2:-1]
        if path.name.startswith(".") and path.suffix == ".partial" and not Path("/proc", *process).is_dir():
            path.unlink(missing_ok=True)


def _forget_marks(run: RunLayout) -> None:
    """Remove what killed builds say of themselves, and Snakemake's marks of outputs whose jobs it did not see end.

    For a marked output that is there it would plan that job alone, delete the output, and end without the blocks. What
    is there is complete: outputs are written under another name and renamed.
    """
    rmtree(run.root / ".snakemake" / "incomplete", ignore_errors=True)
    for step in run.root.glob(BUILD_STEPS):
        step.unlink(missing_ok=True)


def _is_of(block: Block, path: Path) -> bool:
    """Return True if the file of a block is that of this block, with all its launches."""
    state = BlockState.load_if_readable(path)
    if state is None:
        return False
    accepted = sorted(launch.name for launch in state.launches if launch.accepted)
    return state.block == block.name and accepted == sorted(launch.name for launch in block.launches)
