# SPDX-License-Identifier: BSD-3-Clause
"""The third-party programs of a stack: NPB is built, those of IMB and OSU are inspected, by one ReFrame call each."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isochron.common.files import FileError, copy_file, read_lines, sync_file, sync_folder
from isochron.common.hashing import sha256, tree_sha256
from isochron.common.sealed import remove_sealed
from isochron.compat.messages import printed_by_job
from isochron.reframe_checks.call import HERE, run_reframe
from isochron.reframe_checks.npb.recipe import (
    FACTS,
    LAUNCH_CHECK,
    fortran_wrapper,
    is_source,
    made_for_one_count,
    program_file,
)
from isochron.reframe_checks.stack.inspection import LAUNCH_CHECK_LIBRARY, SOURCE, find_programs
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.programs import SPACK, Npb
from isochron.schemas.input.tools import Tool
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest, Toolchain
from isochron.schemas.run.npb import BuildOrder, BuiltProgram, BuiltPrograms, ProgramToBuild
from isochron.schemas.run.plan import Plan, PlannedLaunch
from isochron.schemas.run.tools import Program, Programs, Request
from isochron.spack_envs import spack_stack
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.stack_source import spack_of

#: The Fortran interface for stacks without one.
KIT = HERE / "npb" / "kit"

#: NPB in Spack.
PACKAGE = "npb"

#: Words of a compiler, make or shell that tell of the first thing that went wrong.
TROUBLE = ("error", "not found", "no such file", "undefined reference")


def spack_specs(campaign: Campaign, launches: list[PlannedLaunch]) -> list[str]:
    """What Spack has to install beside the engine, for these launches of a stack; none where NPB is a folder."""
    planned = [launch for launch in launches if launch.program is not None]
    if campaign.npb is None or campaign.npb.source != SPACK or not planned:
        return []
    runs = [launch.program for launch in planned if launch.program is not None]
    names, classes = sorted({run.kernel.lower() for run in runs}), sorted({run.problem for run in runs})
    counts = ",".join(str(count) for count in sorted({launch.point.processes for launch in planned}))
    return [f"{PACKAGE} implementation=mpi names={','.join(names)} classes={','.join(classes)} nprocs={counts}"]


def build_programs(
    layout: RunLayout,
    campaign: Campaign,
    toolchain: Toolchain,
    launches: list[PlannedLaunch],
    installed: Path | None = None,
) -> BuiltPrograms | None:
    """The programs of a stack's launches, unless those of an earlier call hold; None without any. Raises FileError.

    `installed`: the folder into which Spack has put them.
    """
    npb, stack = campaign.npb, toolchain.declaration.stack
    planned = [launch for launch in launches if launch.program is not None]
    if npb is None or not planned:
        return None
    if installed is None and not is_source(Path(npb.source)):
        raise FileError(_no_source(npb))
    place = installed / "bin" if installed is not None else Path(npb.source)
    each_count = made_for_one_count(place) if installed is None else not any(place.glob("*.x"))
    wanted, digest = _wanted(planned, each_count=each_count), tree_digest(place)
    earlier = _earlier(layout, stack, npb, wanted, digest)
    return earlier or _build(layout, campaign, npb, toolchain, wanted, digest, installed)


def _no_source(npb: Npb) -> str:
    if npb.source == SPACK:
        return (
            "programs.npb.source: spack: the stacks are not from Spack; use --stack-source spack, or give a source tree"
        )
    return f"programs.npb.source: {npb.source} is not an NPB source tree with MPI (sys/make.common, Makefile)"


def _wanted(planned: list[PlannedLaunch], *, each_count: bool) -> list[ProgramToBuild]:
    """Every program once; of an older NPB, once for each number of processes."""
    found = (
        ProgramToBuild(program=launch.program, processes=launch.point.processes if each_count else 0)
        for launch in planned
        if launch.program is not None
    )
    return sorted(dict.fromkeys(found), key=program_file)


def tree_digest(folder: Path) -> str:
    """Hash of the names and contents of a source tree; what a build leaves in one counts too."""
    return tree_sha256(folder, (path for path in folder.rglob("*") if path.is_file()))


def _earlier(
    layout: RunLayout, stack: str, npb: Npb, wanted: list[ProgramToBuild], digest: str
) -> BuiltPrograms | None:
    """What an earlier call has built, if it is what is wanted now and its files are as they were."""
    path = layout.built_npb(stack)
    if not path.is_file():
        return None
    built = BuiltPrograms.load(path)
    whole = all(
        (file := layout.npb(stack) / each.file).is_file() and sha256(file) == each.sha256 for each in built.programs
    )
    has = all(built.file_of(each.program, each.processes) for each in wanted)
    same = built.source_sha256 == digest and (not built.flags or built.flags.startswith(npb.flags))
    return built if whole and has and same and (layout.npb(stack) / built.witness).is_file() else None


def _build(
    layout: RunLayout,
    campaign: Campaign,
    npb: Npb,
    toolchain: Toolchain,
    wanted: list[ProgramToBuild],
    digest: str,
    installed: Path | None,
) -> BuiltPrograms:
    """One ReFrame call; the record of what was built comes last."""
    stack = toolchain.declaration.stack
    folder = layout.logs / "reframe" / f"build-{stack}"
    toolchain.save(folder / "toolchain.json")
    origin = {"source": npb.source} if installed is None else {"installed": str(installed)}
    order = BuildOrder(
        toolchain=str(folder / "toolchain.json"),
        kit=str(KIT),
        witness=str(SOURCE),
        flags=npb.flags,
        wanted=wanted,
        **origin,
    )
    order.save(folder / "npb.json")
    variables = {"BuildNpb.order": str(folder / "npb.json")}
    result = run_reframe("build_npb", variables, site=campaign.site, folder=folder / "npb", work=folder)
    if not result.passed:
        raise FileError(f"stack {stack}: programs.npb: {_first_error(result.case)}{result.reason}")
    output, place = Path(result.case["outputdir"]), layout.npb(stack)
    remove_sealed(layout.built_npb(stack))
    place.mkdir(parents=True, exist_ok=True)
    facts = dict(line.split("=", 1) for line in read_lines(output / FACTS))
    copy_file(output / LAUNCH_CHECK, place / LAUNCH_CHECK)
    programs = []
    for each in wanted:
        name = program_file(each)
        copy_file((installed / "bin" if installed is not None else output) / name, place / name)
        programs.append(
            BuiltProgram(program=each.program, processes=each.processes, file=name, sha256=sha256(place / name))
        )
    sync_folder(place)
    built = BuiltPrograms(
        programs=programs,
        witness=LAUNCH_CHECK,
        source=npb.source,
        source_sha256=digest,
        fortran=facts["fortran"],
        flags=facts["flags"],
        interface="the stack's" if installed is not None or fortran_wrapper(toolchain.cc) else "Isochron's",
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    built.save_sealed(layout.built_npb(stack))
    return built


def _first_error(case: Mapping[str, Any]) -> str:
    """What the compiler or make said first about an error, where there is such a line."""
    lines = printed_by_job(case, "build_stderr")
    return next((f"{line.strip()}: " for line in lines if any(word in line.lower() for word in TROUBLE)), "")


def make_tools(layout: RunLayout, campaign: Campaign, plan: Plan, manifest: Manifest) -> None:
    """The programs of every tool that is planned with the stack. Raises FileError."""
    for tool in campaign.tools:
        planned = [each for each in plan.launches if (each.stack, each.tool) == (manifest.stack, tool.name)]
        operations = list(dict.fromkeys(name for launch in planned for name in launch.operations))
        if operations and not _holds(layout.programs(manifest.stack, tool.name), operations):
            _make(layout, campaign, manifest, tool, operations)


def _holds(record: Path, operations: list[str]) -> bool:
    """Whether what an earlier call has found is still what it was."""
    try:
        known = Programs.load(record)
        files = [known.witness, *known.programs.values()]
        return set(operations) <= set(known.programs) and all(sha256(Path(each.path)) == each.sha256 for each in files)
    except (FileError, OSError):
        return False


def _make(layout: RunLayout, campaign: Campaign, manifest: Manifest, tool: Tool, operations: list[str]) -> None:
    stack = manifest.stack
    source, place = _place(layout, campaign, manifest, tool)
    programs = find_programs(tool.name, operations, place)
    folder = layout.logs / "reframe" / f"build-{stack}" / tool.name
    Request(
        tool=tool.name,
        stack=stack,
        cc=manifest.cc,
        environment=manifest.environment,
        programs=programs,
        libraries=manifest.linked_libraries,
        library_file=load_declaration(campaign.declared(stack)).library_file,
        witness=str(SOURCE),
    ).save(folder / "request.json")
    result = run_reframe(
        "tool", {"Tool.request": str(folder / "request.json")}, site=campaign.site, folder=folder, work=folder.parent
    )
    if not result.passed:
        raise FileError(f"stack {stack}: {result.reason.removeprefix('sanity error: ')}")
    witness = layout.engine(stack).with_name(LAUNCH_CHECK_LIBRARY)
    copy_file(Path(result.case["outputdir"]) / LAUNCH_CHECK_LIBRARY, witness)
    sync_file(witness)
    Programs(
        tool=tool.name,
        stack=stack,
        source=source,
        programs={name: Program(path=path, sha256=sha256(Path(path))) for name, path in programs.items()},
        witness=Program(path=str(witness), sha256=sha256(witness)),
    ).save(layout.programs(stack, tool.name))


def _place(layout: RunLayout, campaign: Campaign, manifest: Manifest, tool: Tool) -> tuple[str, Path]:
    """Where the programs come from, and the file or folder. Raises FileError."""
    if tool.path is not None:
        return "path", Path(tool.path.replace("{stack}", manifest.stack))
    if manifest.stack_source == "spack":
        spack = spack_of(campaign)
        if spack is not None:
            return "spack", spack_stack.installed_tool(spack, layout.spack_environment(manifest.stack), tool.name)
    brought = load_declaration(campaign.declared(manifest.stack)).tools.get(tool.name)
    if brought is None or manifest.stack_source != "wheels":
        raise FileError(
            f"tools: {tool.name}: neither the wheels of {manifest.stack} nor Spack provide its programs; give `path`"
        )
    return "wheel", Path(brought.replace("{prefix}", str(Path(manifest.cc).parent.parent)))
