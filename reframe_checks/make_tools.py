# SPDX-License-Identifier: BSD-3-Clause
"""After a stack is built: the programs of the campaign's tools for it, looked at by one ReFrame call each."""

from __future__ import annotations

from pathlib import Path

from isochron.common.files import FileError, copy_file, sync_file
from isochron.common.hashing import sha256
from isochron.reframe_checks.call import run_reframe
from isochron.reframe_checks.stack.programs import SOURCE, WITNESS, find_programs
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.launches.tools import Tool
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.programs.programs import Program, Programs, Request
from isochron.spack_envs import spack_stack
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.stack_source import spack_of


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
    witness = layout.engine(stack).with_name(WITNESS)
    copy_file(Path(result.case["outputdir"]) / WITNESS, witness)
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
