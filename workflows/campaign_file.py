# SPDX-License-Identifier: BSD-3-Clause
"""Reading a campaign file: every error becomes one message with file, key and remedy."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from isochron.common.copies import is_there
from isochron.common.files import FileError, read_text, resolved, suggest
from isochron.common.resources import shipped
from isochron.schemas.input.analysis import Beside
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.programs import SPACK, Programs, load_program_reference, program_reference_path
from isochron.schemas.input.reference import load_reference, reference_path
from isochron.schemas.input.spec import (
    NAME,
    is_installed_elsewhere,
    is_spec,
    parse_spec,
    spack_spec_of,
    with_named_specs,
)
from isochron.schemas.profile.profile import load_profile
from isochron.schemas.run.layout import RunLayout
from isochron.spack_envs import installed
from isochron.spack_envs.declarations import available_stacks, declaration_in, load_declaration
from isochron.spack_envs.families import families
from isochron.workflows.campaign_mistakes import join_mistakes, mistakes_of
from isochron.workflows.machine_file import load_machine
from isochron.workflows.strict_yaml import read_strictly


def with_other_machines(campaign: Campaign, path: Path) -> Campaign:
    """Return the campaign with absolute paths of runs, references and profiles, instead of relative to `path`.

    Raises FileError.
    """
    entries = []
    for number, entry in enumerate(campaign.analysis.compare_with):
        where = f"{path}: analysis.compare_with[{number}]"
        try:
            entries.append(
                _check_reference(entry, path, where) if entry.run is None else _check_run(entry, entry.run, path, where)
            )
        except FileError as error:
            message = str(error)
            raise FileError(message if message.startswith(where) else f"{where}: {message}") from error
    changes = {"compare_with": entries, "profiles": _profiles(campaign.analysis.profiles, path)}
    return campaign.model_copy(update={"analysis": campaign.analysis.model_copy(update=changes)})


def _profiles(names: list[str], path: Path) -> list[str]:
    """Return the absolute paths of profiles that can be read."""
    paths = []
    for number, name in enumerate(names):
        absolute = resolved(path, name, f"{path}: analysis.profiles[{number}]")
        try:
            load_profile(absolute)
        except FileError as error:
            raise FileError(f"{path}: analysis.profiles[{number}]: {error}") from error
        paths.append(str(absolute))
    return paths


def _check_run(entry: Beside, run: str, path: Path, where: str) -> Beside:
    folder = resolved(path, run, f"{where}.run")
    if not is_there(RunLayout(folder).campaign):
        raise FileError(f"{where}.run: {folder} is not a run; give the folder of a run: results/<campaign>/<run-id>")
    other = Campaign.load_yaml(RunLayout(folder).campaign, "give the folder of a run, which contains it")
    _check_names(entry.stacks.values(), other.stacks, f"{where}.stacks")
    return entry.model_copy(update={"run": str(folder)})


def _check_reference(entry: Beside, path: Path, where: str) -> Beside:
    named = reference_path(str(entry.reference))
    is_path = str(entry.reference) != named.stem
    named = resolved(path, str(named), f"{where}.reference") if is_path else named
    reference, _ = load_reference(named)
    _check_names(entry.stacks.values(), list(reference.systems), f"{where}.stacks")
    _check_names([*entry.systems, *entry.systems.values()], list(reference.systems), f"{where}.systems")
    return entry.model_copy(update={"reference": str(named)}) if is_path else entry


def _check_names(names: Iterable[str], names_there: list[str], where: str) -> None:
    for name in names:
        if name not in names_there:
            raise FileError(
                f"{where}: unknown '{name}'{suggest(name, names_there)}; there are {', '.join(names_there)}"
            )


#: Maximum number of digits of a rank, plus one.
LONGEST_RANK = 10


def shipped_campaigns() -> list[str]:
    """Return the names of the campaigns that come with Isochron."""
    return sorted(path.stem for path in shipped("workflows", "campaigns").glob("*.yaml"))


def load_campaign(path: Path) -> Campaign:
    """Read and check a campaign file. Raises FileError with one message, which names every mistake."""
    document = read_strictly(path, "give the path of a campaign file, which is a YAML file")
    if not isinstance(document, dict):
        raise FileError(f"{path}: the whole file must be a mapping of keys to values, beginning with `schema: 1`")
    document = with_named_specs(document)
    _describe_machine(document, path)
    _read_rank_list(document, path)
    campaign, mistakes = None, _unknown_stacks(document)
    try:
        campaign = Campaign.model_validate(document)
    except ValidationError as error:
        mistakes = [*mistakes_of(error), *mistakes]
    if campaign is None or mistakes:
        raise FileError(f"{path}: {join_mistakes(mistakes)}")
    _check_simulation(campaign, path)
    return with_other_machines(_with_absolute_site(campaign, path), path)


def _unknown_stacks(document: dict[str, Any]) -> list[str]:
    """Return a message for each stack that is not declared, whatever other mistakes the file has."""
    listed, variants = document.get("stacks"), document.get("variants")
    variants = variants if isinstance(variants, dict) else {}
    named = {name: "stacks" for name in listed if name not in variants} if isinstance(listed, list) else {}
    for name, variant in variants.items():
        if isinstance(variant, dict) and variant.get("stack") not in variants:
            named.setdefault(variant.get("stack"), f"variants.{name}.stack")
    checked = {name: where for name, where in named.items() if isinstance(name, str)}
    unknown = {name: _unknown(name) for name in checked if re.fullmatch(NAME, name) or is_spec(name)}
    return [f"{checked[name]}: {problem}" for name, problem in unknown.items() if problem]


def _unknown(stack: str) -> str:
    """Return a message if a stack, by name or by spec, is not declared; else an empty text."""
    if is_installed_elsewhere(stack):
        return installed.problem(stack)
    if spack_spec_of(stack):
        return _not_of_spack(stack)
    spec = parse_spec(stack)
    if spec:
        kind, several, word, names = "MPI library", "libraries", spec.library, list(families())
    else:
        kind, several, word, names = "stack", "stacks", stack, available_stacks()
    if word in names:
        return ""
    return f"unknown {kind} '{word}'{suggest(word, names)}; the {several} are {', '.join(names)}"


def _not_of_spack(stack: str) -> str:
    try:
        load_declaration(stack)
    except FileError as error:
        return str(error)
    return ""


def _describe_machine(document: dict[str, Any], path: Path) -> None:
    """Replace the name of a simulated machine by its description, which includes nodes and cores."""
    site = document.get("site")
    if not isinstance(site, dict) or not isinstance(site.get("machine"), str):
        return
    try:
        machine = load_machine(site["machine"], path.parent)
    except FileError as error:
        raise FileError(f"{path}: site.machine: {error}") from error
    of_the_machine = {"nodes": machine.nodes, "cores_per_node": machine.cores}
    document["site"] = {**of_the_machine, **site, "machine": machine.model_dump(by_alias=True)}


def _read_rank_list(document: dict[str, Any], path: Path) -> None:
    """Add the content of the file of ranks, so that the run stores it and the plan's digest covers it."""
    engine = document.get("engine")
    order = engine.get("rank_order") if isinstance(engine, dict) else None
    if not isinstance(order, str) or not order.startswith("list:") or document.get("rank_list"):
        return
    listing = path.parent / order.removeprefix("list:")
    try:
        words = read_text(listing, "give a path relative to the campaign file").split()
    except FileError as error:
        raise FileError(f"{path}: engine.rank_order: {error}") from error
    wrong = next((word for word in words if not (word.isascii() and word.isdigit() and len(word) < LONGEST_RANK)), None)
    if wrong is not None or not words:
        raise FileError(
            f"{path}: engine.rank_order: {listing} must list the ranks 0 to P - 1, each once, separated by blanks"
            + ("" if wrong is None else f" (found {wrong[:LONGEST_RANK]!r})")
        )
    ranks = [int(word) for word in words]
    document["rank_list"] = ranks
    document["engine"] = {**document["engine"], "rank_order": f"list:{RunLayout(path.parent).rank_order.name}"}


def _check_simulation(campaign: Campaign, path: Path) -> None:
    """Raise FileError unless all stacks are simulated on a simulated machine, or none without one."""
    simulated = {stack: declaration_in(campaign, stack).simulator is not None for stack in campaign.stacks}
    machine = campaign.site.machine
    for stack, is_simulated in simulated.items():
        if is_simulated and machine is None:
            raise FileError(f"{path}: stacks: '{stack}' is simulated; name a machine in site.machine")
        if machine is not None and not is_simulated:
            raise FileError(
                f"{path}: stacks: '{stack}' cannot run on the simulated machine {machine.name}; use smpi-… stacks, "
                "or `isochron rehearse`, which chooses a simulated stack"
            )


def _with_absolute_site(campaign: Campaign, path: Path) -> Campaign:
    """Return the campaign with absolute paths of the site and of tools, relative to the campaign file before."""
    site = campaign.site
    if site.reframe_config is not None:
        config = _regular_file(site.reframe_config, path, "site.reframe_config", "the path of a ReFrame configuration")
        site = site.model_copy(update={"reframe_config": config})
    spack = site.spack
    externals = {
        spec: _absolute(prefix, path, f"site.spack.externals.{spec}", "the folder that has its bin/ and lib/")
        for spec, prefix in spack.externals.items()
    }
    folders = [
        _absolute(folder, path, "site.spack.config", "a folder of Spack configuration") for folder in spack.config
    ]
    spack = spack.model_copy(update={"externals": externals, "config": folders})
    tools = [
        tool.model_copy(update={"path": tool.path and str(resolved(path, tool.path, f"{path}: tools"))})
        for tool in campaign.tools
    ]
    site = site.model_copy(update={"spack": spack})
    return _with_absolute_source(campaign.model_copy(update={"site": site, "tools": tools}), path)


def _with_absolute_source(campaign: Campaign, path: Path) -> Campaign:
    """Return the campaign with absolute paths of NPB's source tree and reference files. Raises FileError."""
    if campaign.npb is None:
        return campaign
    npb = campaign.npb.model_copy(
        update={"compare_with": [_check_program_reference(word, path) for word in campaign.npb.compare_with]}
    )
    if npb.source == SPACK:
        return campaign.model_copy(update={"programs": Programs(npb=npb)})
    remedy = "the folder of an NPB 3.x MPI source tree, as NPB3.4-MPI"
    source = Path(_absolute(npb.source, path, "programs.npb.source", remedy))
    if not ((source / "sys" / "make.common").is_file() and (source / "Makefile").is_file()):
        raise FileError(f"{path}: programs.npb.source: {source} has no sys/make.common and Makefile; give {remedy}")
    programs = Programs(npb=npb.model_copy(update={"source": str(source)}))
    return campaign.model_copy(update={"programs": programs})


def _check_program_reference(word: str, path: Path) -> str:
    """Return the name of a shipped reference of NPB, or the absolute path of another one. Raises FileError."""
    named = program_reference_path(word)
    is_path = word != named.stem
    named = resolved(path, str(named), f"{path}: programs.npb.compare_with") if is_path else named
    try:
        load_program_reference(named)
    except FileError as error:
        raise FileError(f"{path}: programs.npb.compare_with: {error}") from error
    return str(named) if is_path else word


def _absolute(text: str, path: Path, key: str, remedy: str) -> str:
    absolute = resolved(path, text, f"{path}: {key}")
    if not absolute.exists():
        raise FileError(f"{path}: {key}: {absolute} does not exist; give {remedy}")
    return str(absolute)


def _regular_file(text: str, path: Path, key: str, remedy: str) -> str:
    absolute = Path(_absolute(text, path, key, remedy))
    if not absolute.is_file():
        raise FileError(f"{path}: {key}: {absolute} is not a regular file; give {remedy}")
    if not absolute.stat().st_size:
        raise FileError(f"{path}: {key}: {absolute} is empty; give {remedy}")
    return str(absolute)
