# SPDX-License-Identifier: BSD-3-Clause
"""`build RUN STACK`: provide a stack, take its engine from the cache or build it with ReFrame, write its manifest."""

import os
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from isochron.common.copies import is_there
from isochron.common.files import FileError, copy_file, read_bytes, read_lines, sync_file, sync_folder, write_atomically
from isochron.common.hashing import sha256
from isochron.common.sealed import remove_sealed
from isochron.compat.messages import printed_by_job
from isochron.reframe_checks.call import HERE, Result, lock_folder, run_reframe
from isochron.reframe_checks.make_candle import make_candle
from isochron.reframe_checks.make_programs import PACKAGE, build_programs, make_tools, spack_specs
from isochron.reframe_checks.run_folder import load_campaign
from isochron.reframe_checks.stack import engine_cache
from isochron.reframe_checks.stack.inspection import (
    EngineFacts,
    check_options,
    inspect_candle,
    inspect_engine,
    library_hashes,
)
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.spec import image_of, is_installed_elsewhere, name_of, parse_spec
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import REBUILD, Manifest, StackDeclaration, Toolchain
from isochron.schemas.run.plan import Plan, PlannedLaunch
from isochron.spack_envs import containers, installed, simulated, spack_environment, spack_output, spack_stack, wheels
from isochron.spack_envs.abi import no_abi, with_abi
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.spack_stack import Spack
from isochron.spack_envs.stack_source import spack_for

SOURCES = HERE / "engine"

#: What Spack prints in a call of ReFrame, below the folder of the call.
SPACK_OUTPUT = "stage/**/rfm_build.out"


def build_stack(run: Path, stack: str) -> Manifest:
    """Build a stack's engine, unless the manifest of an earlier call is valid. Raises FileError.

    It is also raised if the engine would refuse a planned launch, a planned tool is missing, or a program cannot be
    built.
    """
    layout = RunLayout(run.resolve())
    campaign = load_campaign(layout)
    with lock_folder(layout.logs / "reframe" / f"build-{stack}"):
        try:
            return _build_all(layout, campaign, stack)
        finally:
            layout.build_step(stack).unlink(missing_ok=True)


def _build_all(layout: RunLayout, campaign: Campaign, stack: str) -> Manifest:
    """Build the engine, and the programs that the stack's launches run besides it."""
    manifest = _earlier(layout, stack) or _build(layout, campaign, stack)
    plan = Plan.load(layout.plan)
    launches = [launch for launch in plan.launches if launch.stack == stack and not launch.tool]
    try:
        measured = [launch for launch in launches if launch.program is None]
        check_options(manifest, layout.engine(stack), campaign, measured)
        make_tools(layout, campaign, plan, manifest, partial(_begin, layout, stack))
    except FileError:
        remove_sealed(layout.manifest(stack))
        raise
    if len(measured) < len(launches):
        _build_programs(layout, campaign, stack, launches)
    return manifest


def _begin(layout: RunLayout, stack: str, step: str, details: str = "") -> None:
    """Write what the build of a stack does from now on, for the progress of the run."""
    text, path = f"{step} {stack}{f' ({details})' if details else ''}\n", layout.build_step(stack)
    if not path.is_file() or read_bytes(path) != text.encode():
        write_atomically(path, text)


def _build(layout: RunLayout, campaign: Campaign, stack: str) -> Manifest:
    folder = layout.logs / "reframe" / f"build-{stack}"
    declaration = load_declaration(campaign.declared(stack))
    spack = spack_for(campaign, declaration)
    if spack is not None:
        if stack in campaign.variants and campaign.variants[stack].abi:
            raise FileError(no_abi(stack))  # before the hours in which Spack builds it
        return build_with_spack(declaration, spack, layout, campaign, name=stack, folder=folder)
    toolchain = _named(_toolchain(campaign, declaration, layout, stack), campaign, stack)
    manifest = build_with(toolchain, layout, campaign, folder=folder)
    _check_abi(manifest, layout, campaign)
    return manifest


def _check_abi(manifest: Manifest, layout: RunLayout, campaign: Campaign) -> None:
    """Raise FileError if the engine of another stack with the ABI of MPI 5 is not the same program."""
    if not manifest.abi:
        return
    others = [name for name, variant in campaign.variants.items() if variant.abi and is_there(layout.manifest(name))]
    for other in map(Manifest.load, map(layout.manifest, others)):
        if other.engine_sha256 != manifest.engine_sha256:
            remove_sealed(layout.manifest(manifest.stack))
            raise FileError(
                f"stack {manifest.stack}: abi: its engine differs from that of {other.stack}, so it is not one program "
                f"that is compared; their mpi_abi.h, or the compilers ({manifest.compiler}, {other.compiler}), differ"
            )


def _build_programs(layout: RunLayout, campaign: Campaign, stack: str, launches: list[PlannedLaunch]) -> None:
    """Build or inspect the programs that a real stack's launches run besides the engine."""
    declaration = load_declaration(campaign.declared(stack))
    spack = spack_for(campaign, declaration)
    installed, environment = None, layout.spack_environment(stack)
    if spack is None:
        toolchain = _toolchain(campaign, declaration, layout, stack)
    else:
        toolchain = spack_stack.resolve(declaration, spack, environment)
        if spack_specs(campaign, launches):
            installed = spack_stack.installed(spack, environment, PACKAGE)
    tell = partial(_begin, layout, stack)
    build_programs(layout, campaign, _named(toolchain, campaign, stack), launches, installed, tell)


def _named(toolchain: Toolchain, campaign: Campaign, stack: str) -> Toolchain:
    """Return the toolchain under the stack's name in the campaign."""
    variant = campaign.variants.get(stack)
    if variant is None:
        return toolchain
    varied = toolchain.under(stack, variant.environment)
    return with_abi(varied) if variant.abi else varied


def _earlier(layout: RunLayout, stack: str) -> Manifest | None:
    """Return the manifest of an earlier call, if its engine is unchanged."""
    if not is_there(layout.manifest(stack)):
        return None
    manifest = Manifest.load(layout.manifest(stack))
    engine = layout.engine(stack) if layout.engine(stack).is_file() else Path(manifest.engine)
    return manifest if engine.is_file() and sha256(engine) == manifest.engine_sha256 else None


def _toolchain(campaign: Campaign, declaration: StackDeclaration, layout: RunLayout, stack: str) -> Toolchain:
    """Return the toolchain of a simulated or installed stack, or of wheels; for a version, of those in the plan."""
    if declaration.simulator is not None:
        return simulated.resolve(declaration, campaign.site.machine, layout.machine)
    if image_of(declaration.stack) is not None:
        return containers.resolve(declaration, layout.root)
    if is_installed_elsewhere(declaration.stack):
        return installed.resolve(declaration)
    tell = partial(_begin, layout, stack)
    if parse_spec(declaration.stack) is None:
        return wheels.resolve(declaration, tell=tell)
    locks = Plan.load(layout.plan).locks
    if declaration.stack not in locks:
        raise FileError(f"{layout.plan}: locks: has no {declaration.stack}; start a new run with --new")
    lock = layout.wheels_lock(stack)
    write_atomically(lock, locks[declaration.stack])
    return wheels.resolve(declaration, lock=lock, tell=tell)


def build_with(
    toolchain: Toolchain, layout: RunLayout, campaign: Campaign, *, folder: Path, sources: Path = SOURCES
) -> Manifest:
    """Take the engine from the cache or build it, check it, and put it into the run's folder, the manifest last.

    With a ReFrame configuration of the site the engine is always built, because the effect of its modules on the
    compiler is unknown.
    """
    toolchain.save(folder / "toolchain.json")
    cacheable = campaign.site.reframe_config is None
    with engine_cache.held(engine_cache.key_parts(toolchain, sources) if cacheable else None) as entry:
        manifest = None if entry is None or os.environ.get(REBUILD) else _from_cache(entry, toolchain, layout)
        if manifest is not None:
            return manifest
        _begin(layout, toolchain.declaration.stack, "compiling the engine for")
        variables = {"BuildEngine.toolchain": str(folder / "toolchain.json"), "BuildEngine.sources": str(sources)}
        result = run_reframe("build", variables, site=campaign.site, folder=folder, work=folder)
        engine = _passed(result, toolchain.declaration.stack) / engine_cache.ENGINE
        manifest = _install(engine, toolchain, layout, key=entry.key if entry else "")
        if entry is not None:
            entry.store(engine, manifest.library_sha256, manifest.built_at)
        return manifest


def _from_cache(entry: engine_cache.Entry, toolchain: Toolchain, layout: RunLayout) -> Manifest | None:
    """Return the manifest of a cached engine that passes the inspection and has the libraries of its build."""
    stored = entry.load()
    if stored is None:
        return None
    try:
        return _install(entry.engine, toolchain, layout, key=entry.key, stored=stored)
    except FileError:
        return None


def build_with_spack(
    declaration: StackDeclaration, spack: Spack, layout: RunLayout, campaign: Campaign, *, name: str, folder: Path
) -> Manifest:
    """Let Spack build the stack and the engine; its lock is saved for the site's next run."""
    stack, environment = declaration.stack, layout.spack_environment(name)
    saved_locks = layout.kept_locks(campaign.site.system) / name_of(stack)
    tools = [tool.name for tool in campaign.tools if tool.path is None and name in (tool.stacks or campaign.stacks)]
    further = spack_specs(campaign, [launch for launch in Plan.load(layout.plan).launches if launch.stack == name])
    site, folders = campaign.site.spack, {"environment": environment, "saved": saved_locks}
    spack_stack.prepare(declaration, site, sources=SOURCES, **folders, tools=tools, further=further)
    values = {"stack": stack, "folder": environment, "spack": spack.command, "spack_version": spack.version}
    variables = {f"BuildWithSpack.{variable}": str(value) for variable, value in values.items()}

    for old in folder.glob(SPACK_OUTPUT):
        old.unlink()

    def tell_step() -> None:
        printed = [line for path in folder.glob(SPACK_OUTPUT) for line in read_lines(path)]
        _begin(layout, name, "building with Spack", spack_output.step(printed))

    result = run_reframe("build_spack", variables, site=campaign.site, folder=folder, work=folder, meanwhile=tell_step)
    output = _passed(result, stack, name)
    toolchain = _named(Toolchain.load(output / "toolchain.json"), campaign, name)
    manifest = _install(output / engine_cache.ENGINE, toolchain, layout)
    spack_environment.keep(environment, saved_locks)
    return manifest


def _passed(result: Result, stack: str, name: str = "") -> Path:
    """Return the output folder of a build. Raises FileError if it failed. `name`: of the stack in the campaign."""
    if not result.passed:
        reason = result.reason.removeprefix(f"sanity error: stack {stack}: ")
        raise FileError(f"stack {name or stack}: {_compiler_error(result.case)}{reason}")
    return Path(result.case["outputdir"])


def _install(
    built: Path, toolchain: Toolchain, layout: RunLayout, *, key: str = "", stored: engine_cache.Stored | None = None
) -> Manifest:
    """Put an engine into the run's folder, check it there, and write the manifest. Raises FileError."""
    stack = toolchain.declaration.stack
    engine = layout.engine(stack)
    engine.parent.mkdir(parents=True, exist_ok=True)
    fresh = engine.with_name(".isochron-engine.partial")
    copy_file(built, fresh)
    sync_file(fresh)
    facts = inspect_engine(fresh, toolchain)
    libraries = library_hashes(facts.linked_libraries, toolchain)
    if stored is not None and stored.library_sha256 != libraries:
        raise FileError(f"stack {stack}: the MPI library differs from that with which the stored engine was built")
    if toolchain.container is not None:
        _put_candle(engine, toolchain)
    fresh.replace(engine)
    manifest = _manifest(toolchain, facts, engine, libraries).model_copy(
        update={"engine_key": key, "built_at": stored.built_at if stored else engine_cache.now()}
    )
    sync_folder(engine.parent)
    manifest.save_sealed(layout.manifest(stack))
    return manifest


def _put_candle(engine: Path, toolchain: Toolchain) -> None:
    """Put the candle beside the engine of a stack in an image, where it is visible inside. Raises FileError."""
    candle = make_candle()
    visible = engine.with_name(candle.name)
    copy_file(candle, visible)
    sync_file(visible)
    inspect_candle(visible, toolchain)


def _compiler_error(case: Mapping[str, str]) -> str:
    """Return what Spack could not fetch, the command that was not found, else the first error of compiler or make.

    Empty if there is none of these.
    """
    lines = printed_by_job(case, "build_stderr")
    address = spack_output.not_fetched(lines)
    if address:
        return f"{address}: "
    absent = next(filter(None, (re.search(r"(\S+): command not found$", line) for line in lines)), None)
    if absent:
        return f"the command {absent[1]} is not on PATH; install it, or add its folder to PATH: "
    errors = spack_output.errors(lines) or [
        line.strip() for line in lines if "error" in line.lower() or line.startswith("make: ***")
    ]
    return f"{errors[0]}: " if errors else ""


def _manifest(toolchain: Toolchain, facts: EngineFacts, engine: Path, libraries: dict[str, str]) -> Manifest:
    environment = toolchain.environment
    return Manifest(
        stack=toolchain.declaration.stack,
        mpi_library=toolchain.declaration.mpi_library,
        mpi_version=facts.mpi_version,
        mpi_library_version=facts.mpi_library_version,
        stack_source=toolchain.stack_source,
        cc=toolchain.cc,
        compiler=facts.compiler,
        launcher=toolchain.launcher,
        environment=environment.model_copy(update={"set": {**environment.set, **toolchain.variables}}),
        container=toolchain.container,
        engine=str(engine),
        engine_version=facts.engine_version,
        engine_sha256=sha256(engine),
        linked_libraries=facts.linked_libraries,
        library_sha256=libraries,
        provenance=toolchain.provenance,
        built_at=engine_cache.now(),
        variant_of=toolchain.variant_of,
        abi=toolchain.abi is not None,
        transport=toolchain.declaration.transport,
    )
