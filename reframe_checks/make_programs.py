# SPDX-License-Identifier: BSD-3-Clause
"""The third-party programs of a stack: NPB is built, those of IMB and OSU are inspected, by one ReFrame call each."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isochron.common.copies import is_there
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
from isochron.spack_envs.stack_source import spack_for
from isochron.spack_envs.tell import Tell, silent

#: The Fortran interface for stacks without one.
KIT = HERE / "npb" / "kit"

#: NPB in Spack.
PACKAGE = "npb"

#: Words in errors of a compiler, make or shell.
TROUBLE = ("error", "not found", "no such file", "undefined reference")


def spack_specs(campaign: Campaign, launches: list[PlannedLaunch]) -> list[str]:
    """Return the specs of NPB that Spack must install for these launches of a stack; none if NPB is a folder."""
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
    tell: Tell = silent,
) -> BuiltPrograms | None:
    """Build the programs of a stack's launches, unless already built; None if there are none. Raises FileError.

    `installed`: the folder into which Spack installed them.
    """
    npb, stack = campaign.npb, toolchain.declaration.stack
    planned = [launch for launch in launches if launch.program is not None]
    if npb is None or not planned:
        return None
    if installed is None and not is_source(Path(npb.source)):
        raise FileError(_no_source(npb))
    place = installed / "bin" if installed is not None else Path(npb.source)
    each_count = made_for_one_count(place) if installed is None else not any(place.glob("*.x"))
    required, digest = _programs_to_build(planned, each_count=each_count), tree_digest(place)
    earlier = _earlier(layout, stack, npb, required, digest)
    if earlier is not None:
        return earlier
    tell("compiling programs with", f"{len(required)} of NPB")
    return _build(layout, campaign, npb, toolchain, required, digest, installed)


def _no_source(npb: Npb) -> str:
    if npb.source == SPACK:
        return (
            "programs.npb.source: spack: the stacks are not from Spack; use --stack-source spack, or give a source tree"
        )
    return f"programs.npb.source: {npb.source} is not an NPB source tree with MPI (sys/make.common, Makefile)"


def _programs_to_build(planned: list[PlannedLaunch], *, each_count: bool) -> list[ProgramToBuild]:
    """Return every program once; for an older NPB, once per number of processes."""
    programs = (
        ProgramToBuild(program=launch.program, processes=launch.point.processes if each_count else 0)
        for launch in planned
        if launch.program is not None
    )
    return sorted(dict.fromkeys(programs), key=program_file)


def tree_digest(folder: Path) -> str:
    """Return the hash of the names and contents of a source tree, including files that a build left in it."""
    return tree_sha256(folder, (path for path in folder.rglob("*") if path.is_file()))


def _earlier(
    layout: RunLayout, stack: str, npb: Npb, required: list[ProgramToBuild], digest: str
) -> BuiltPrograms | None:
    """Return the programs that an earlier call built, if they are the required ones and unchanged."""
    path = layout.built_npb(stack)
    if not is_there(path):
        return None
    built = BuiltPrograms.load(path)
    intact = all(
        (file := layout.npb(stack) / program.file).is_file() and sha256(file) == program.sha256
        for program in built.programs
    )
    has = all(built.file_of(program.program, program.processes) for program in required)
    same = built.source_sha256 == digest and (not built.flags or built.flags.startswith(npb.flags))
    return built if intact and has and same and (layout.npb(stack) / built.witness).is_file() else None


def _build(
    layout: RunLayout,
    campaign: Campaign,
    npb: Npb,
    toolchain: Toolchain,
    required: list[ProgramToBuild],
    digest: str,
    installed: Path | None,
) -> BuiltPrograms:
    """Build programs by one ReFrame call; their record is written last."""
    stack = toolchain.declaration.stack
    folder = layout.logs / "reframe" / f"build-{stack}"
    toolchain.save(folder / "toolchain.json")
    origin = {"source": npb.source} if installed is None else {"installed": str(installed)}
    order = BuildOrder(
        toolchain=str(folder / "toolchain.json"),
        kit=str(KIT),
        witness=str(SOURCE),
        flags=npb.flags,
        wanted=required,
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
    for program in required:
        name = program_file(program)
        copy_file((installed / "bin" if installed is not None else output) / name, place / name)
        programs.append(
            BuiltProgram(program=program.program, processes=program.processes, file=name, sha256=sha256(place / name))
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
    """Return the first error of compiler or make; empty if there is none."""
    lines = printed_by_job(case, "build_stderr")
    return next((f"{line.strip()}: " for line in lines if any(word in line.lower() for word in TROUBLE)), "")


def make_tools(layout: RunLayout, campaign: Campaign, plan: Plan, manifest: Manifest, tell: Tell = silent) -> None:
    """Inspect the programs of every tool that is planned with the stack. Raises FileError."""
    for tool in campaign.tools:
        planned = [entry for entry in plan.launches if (entry.stack, entry.tool) == (manifest.stack, tool.name)]
        operations = list(dict.fromkeys(name for launch in planned for name in launch.operations))
        if operations and not _is_valid(layout.programs(manifest.stack, tool.name), operations):
            tell("inspecting programs of", f"{len(operations)} of {tool.name.upper()}")
            _make(layout, campaign, manifest, tool, operations)


def _is_valid(record: Path, operations: list[str]) -> bool:
    """Return True if the programs of an earlier call are the required ones and unchanged."""
    try:
        recorded = Programs.load(record)
        files = [recorded.witness, *recorded.programs.values()]
        return set(operations) <= set(recorded.programs) and all(
            sha256(Path(program.path)) == program.sha256 for program in files
        )
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
    """Return the source of the programs, and their file or folder. Raises FileError."""
    if tool.path is not None:
        return "path", Path(tool.path.replace("{stack}", manifest.stack))
    if manifest.stack_source == "spack":
        spack = spack_for(campaign, load_declaration(campaign.declared(manifest.stack)))
        if spack is not None:
            return "spack", spack_stack.installed_tool(spack, layout.spack_environment(manifest.stack), tool.name)
    shipped_folder = load_declaration(campaign.declared(manifest.stack)).tools.get(tool.name)
    if shipped_folder is None or manifest.stack_source != "wheels":
        raise FileError(
            f"tools: {tool.name}: neither the wheels of {manifest.stack} nor Spack provide its programs; give `path`"
        )
    return "wheel", Path(shipped_folder.replace("{prefix}", str(Path(manifest.cc).parent.parent)))
