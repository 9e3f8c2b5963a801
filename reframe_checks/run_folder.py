# SPDX-License-Identifier: BSD-3-Clause
"""Reading campaign, plan, manifests and programs from the run's folder."""

from pathlib import Path

from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.reframe_checks.launch.tools import Built
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.npb import BuiltPrograms
from isochron.schemas.run.plan import Block, Plan
from isochron.schemas.run.tools import Programs
from isochron.spack_envs import wheels


def load_campaign(layout: RunLayout) -> Campaign:
    """Read the run's campaign, with paths of files in the run's folder. Raises FileError."""
    campaign = Campaign.load_yaml(layout.campaign, "`isochron plan` writes it")
    if not campaign.rank_list:
        return campaign
    engine = campaign.engine.model_copy(update={"rank_order": f"list:{layout.rank_order}"})
    return campaign.model_copy(update={"engine": engine})


def find_block(plan: Plan, name: str) -> Block:
    """Return a block of the plan by its name. Raises FileError."""
    for block in plan.blocks:
        if block.name == name:
            return block
    names = ", ".join(block.name for block in plan.blocks)
    raise FileError(f"unknown block '{name}'; the plan has {names}")


def load_manifests(layout: RunLayout, block: Block) -> dict[str, Manifest]:
    """Return the manifests of all stacks in a block. Raises FileError, also if an MPI library has changed."""
    stacks = sorted({launch.stack for launch in block.launches})
    return {stack: _load_manifest(layout, stack) for stack in stacks}


def load_npb(layout: RunLayout, block: Block) -> dict[str, Built]:
    """Return the NPB programs for the launches of a block, by stack. Raises FileError."""
    stacks = sorted({launch.stack for launch in block.launches if launch.program is not None})
    return {stack: Built(BuiltPrograms.load(layout.built_npb(stack)), layout.npb(stack)) for stack in stacks}


def _load_manifest(layout: RunLayout, stack: str) -> Manifest:
    """Read a manifest, with the engine in this folder: the run may have been moved since it was built.

    Files that the stack's folder has lost since then are reinstalled.
    """
    manifest = Manifest.load(layout.manifest(stack))
    message = wheels.reinstall_lost_files(manifest, layout.wheels_lock(stack))
    if message:
        print(message)
    if manifest.container is not None:  # the job checks its digest and its libraries, before each launch
        return _moved(manifest, layout, stack)
    for path, built in manifest.library_sha256.items():
        if not Path(path).is_file() or sha256(Path(path)) != built:
            raise FileError(
                f"stack {stack}: {path} is not the library with which the engine was built; restore that one, "
                f"or start a new run with --new"
            )
    engine = layout.engine(stack)
    return manifest.model_copy(update={"engine": str(engine)}) if engine.is_file() else manifest


def _moved(manifest: Manifest, layout: RunLayout, stack: str) -> Manifest:
    """Return the manifest of a stack in an image, which sees the folder of the run where it is now."""
    engine, container = layout.engine(stack), manifest.container
    if container is None or not engine.is_file():
        return manifest
    before, now = str(Path(manifest.engine).parents[2]), str(engine.parents[2])
    words = {
        "enter": [word.replace(before, now) for word in container.enter],
        "enter_rank": [word.replace(before, now) for word in container.enter_rank],
    }
    return manifest.model_copy(update={"engine": str(engine), "container": container.model_copy(update=words)})


def load_programs(layout: RunLayout, block: Block) -> dict[tuple[str, str], Programs]:
    """Return the programs of third-party benchmarks in a block, by stack and tool. Raises FileError."""
    needed = {(launch.stack, launch.tool) for launch in block.launches if launch.tool}
    return {(stack, tool): Programs.load(layout.programs(stack, tool)) for stack, tool in sorted(needed)}
