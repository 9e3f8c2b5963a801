# SPDX-License-Identifier: BSD-3-Clause
"""`build RUN STACK`: a stack made ready, the engine built with it by one ReFrame call, and its manifest."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from isochron.ground.files import FileError
from isochron.reframe_checks.call import HERE, Result, run_reframe, working_on
from isochron.reframe_checks.inspection import EngineFacts, inspect_engine, sha256
from isochron.reframe_checks.run_folder import load_campaign
from isochron.schemas.campaign import Campaign
from isochron.schemas.layout import RunLayout
from isochron.schemas.manifest import Manifest, StackDeclaration, Toolchain
from isochron.spack_envs import registry, simulated, spack_lock, spack_route
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.routes import spack_of
from isochron.spack_envs.spack_command import Spack

SOURCES = HERE / "engine"


def build_stack(run: Path, stack: str) -> Manifest:
    """Build a stack's engine, unless the manifest of an earlier call holds. Raises FileError."""
    layout = RunLayout(run.resolve())
    campaign = load_campaign(layout)
    folder = layout.logs / "reframe" / f"build-{stack}"
    with working_on(folder):
        ready = _earlier(layout, stack)
        if ready is not None:
            return ready
        declaration = load_declaration(stack)
        spack = None if declaration.simulator is not None else spack_of(campaign)
        if spack is not None:
            return build_with_spack(declaration, spack, layout, campaign, folder=folder)
        return build_with(_toolchain(campaign, declaration, layout), layout, campaign, folder=folder)


def _earlier(layout: RunLayout, stack: str) -> Manifest | None:
    """The manifest of an earlier call, if its engine is still the one that was built."""
    if not layout.manifest(stack).is_file():
        return None
    manifest = Manifest.load(layout.manifest(stack))
    engine = layout.engine(stack) if layout.engine(stack).is_file() else Path(manifest.engine)
    return manifest if engine.is_file() and sha256(engine) == manifest.engine_sha256 else None


def _toolchain(campaign: Campaign, declaration: StackDeclaration, layout: RunLayout) -> Toolchain:
    if declaration.simulator is not None:
        return simulated.resolve(declaration, campaign.site.machine, layout.machine)
    return registry.resolve(declaration)


def build_with(
    toolchain: Toolchain, layout: RunLayout, campaign: Campaign, *, folder: Path, sources: Path = SOURCES
) -> Manifest:
    """Build, check and put the engine and its manifest into the run's folder, the manifest last."""
    toolchain.save(folder / "toolchain.json")
    variables = {"BuildEngine.toolchain": str(folder / "toolchain.json"), "BuildEngine.sources": str(sources)}
    result = run_reframe("build", variables, site=campaign.site, folder=folder, work=folder)
    return _install(_passed(result, toolchain.declaration.stack), toolchain, layout)


def build_with_spack(
    declaration: StackDeclaration, spack: Spack, layout: RunLayout, campaign: Campaign, *, folder: Path
) -> Manifest:
    """The same where Spack makes the stack and the engine; its lock is kept for the site's next run."""
    stack, environment = declaration.stack, layout.spack_environment(declaration.stack)
    kept = layout.kept_locks(campaign.site.system) / stack
    spack_route.prepare(declaration, campaign.site.spack, sources=SOURCES, environment=environment, kept=kept)
    words = {"stack": stack, "folder": environment, "spack": spack.command, "spack_version": spack.version}
    variables = {f"BuildWithSpack.{name}": str(value) for name, value in words.items()}
    result = run_reframe("build_spack", variables, site=campaign.site, folder=folder, work=folder)
    output = _passed(result, stack)
    manifest = _install(output, Toolchain.load(output / "toolchain.json"), layout)
    spack_lock.keep(environment, kept)
    return manifest


def _passed(result: Result, stack: str) -> Path:
    """The output folder of a build. Raises FileError where it failed."""
    if not result.passed:
        reason = result.reason.removeprefix(f"sanity error: stack {stack}: ")
        raise FileError(f"stack {stack}: {_compiler_error(result.case)}{reason}")
    return Path(result.case["outputdir"])


def _install(output: Path, toolchain: Toolchain, layout: RunLayout) -> Manifest:
    """Put the built engine into the run's folder, check it there, and write the manifest."""
    engine = layout.engine(toolchain.declaration.stack)
    engine.parent.mkdir(parents=True, exist_ok=True)
    fresh = engine.with_name(".isochron-engine.partial")
    shutil.copy2(output / "isochron-engine", fresh)
    facts = inspect_engine(fresh, toolchain)
    fresh.replace(engine)
    manifest = _manifest(toolchain, facts, engine)
    manifest.save(layout.manifest(toolchain.declaration.stack))
    return manifest


def _compiler_error(case: Mapping[str, str]) -> str:
    """What the compiler or make said first about an error, where there is such a line."""
    path = Path(case["stagedir"]) / "rfm_build.err"
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    # Spack marks them: `  >> 12    main.c:3: error: …`
    errors = [
        re.sub(r"^\s*(>> \d+)?\s*", "", line)
        for line in lines
        if ("error" in line.lower() and "ProcessError" not in line) or line.startswith("make: ***")
    ]
    return f"{errors[0]}: " if errors else ""


def _manifest(toolchain: Toolchain, facts: EngineFacts, engine: Path) -> Manifest:
    return Manifest(
        stack=toolchain.declaration.stack,
        mpi_library=toolchain.declaration.mpi_library,
        mpi_version=facts.mpi_version,
        mpi_library_version=facts.mpi_library_version,
        route=toolchain.route,
        cc=toolchain.cc,
        compiler=facts.compiler,
        launcher=toolchain.launcher,
        environment=toolchain.environment,
        engine=str(engine),
        engine_version=facts.engine_version,
        engine_sha256=sha256(engine),
        linked_libraries=facts.linked_libraries,
        library_sha256={path: sha256(Path(path)) for path in facts.linked_libraries},
        provenance=toolchain.provenance,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
