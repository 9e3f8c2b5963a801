# SPDX-License-Identifier: BSD-3-Clause
"""The campaign of a command, by path or name, changed by the options of the command line."""

import argparse
from pathlib import Path

from isochron.common.exit_codes import Exit
from isochron.common.files import FileError, suggest
from isochron.common.terminal import complain
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.site import split_spec
from isochron.schemas.input.spec import with_named_specs
from isochron.spack_envs.stack_source import locks_of, spack_of, without_source
from isochron.workflows.campaign_file import load_campaign, shipped_campaigns
from isochron.workflows.campaign_mistakes import valid_campaign
from isochron.workflows.named_campaign import find_campaign
from isochron.workflows.planning.pairs import site_problem


def add_campaign(verb: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add the argument for a campaign, by path or name."""
    shipped = ", ".join(shipped_campaigns())
    verb.add_argument(
        "campaign",
        nargs="?" if optional else None,
        metavar="CAMPAIGN",
        help=f"campaign file, or the name of a campaign: one that has a run (its newest), or a shipped one: {shipped}",
    )


def add_design(verb: argparse.ArgumentParser) -> None:
    """Add `--stacks`, `--blocks` and `--tools`, which change the design of the campaign.

    A report offers the first two to settle a question.
    """
    verb.add_argument(
        "--stacks",
        metavar="A,B",
        help="use only these stacks (comma-separated): of the campaign, or versions of a library, as in "
        "old=mpich@4.0.3,mpich@4.*",
    )
    verb.add_argument("--blocks", type=int, metavar="N", help="number of blocks (overrides replication.blocks)")
    verb.add_argument(
        "--tools",
        metavar="A,B",
        help="also run these third-party benchmarks in the same blocks: imb, osu, or none",
    )


def load_selected_campaign(arguments: argparse.Namespace) -> Campaign:
    """Read the campaign, and set `arguments.campaign` to the path of its file. Raises FileError."""
    arguments.campaign, note = find_campaign(str(arguments.campaign), arguments.results)
    if note and not arguments.quiet:
        complain(note)
    return with_design(load_campaign(arguments.campaign), arguments)


def with_design(campaign: Campaign, arguments: argparse.Namespace) -> Campaign:
    """Return the campaign with `--stacks`, `--blocks` and `--tools`, if the command has them. Raises FileError."""
    stacks, blocks, tools = (getattr(arguments, name, None) for name in ("stacks", "blocks", "tools"))
    document = campaign.model_dump(mode="json", by_alias=True, exclude_unset=True)  # defaults depend on the design
    document.setdefault("variants", {})
    if stacks is not None:
        document = with_named_specs({**document, "stacks": [listed(word) for word in stacks.split(",")]})
        names = document["stacks"]
        unknown = next((stack for stack in names if stack not in {*campaign.stacks, *document["variants"]}), None)
        if unknown is not None:
            hint = suggest(unknown, campaign.stacks) or f"; it has {', '.join(campaign.stacks)}"
            raise FileError(f"--stacks {stacks}: '{unknown}' is not a stack of the campaign{hint}")
        for tool in document.get("tools", []):
            tool["stacks"] = [stack for stack in tool.get("stacks", []) if stack in names]
        variants = document["variants"]
        document["variants"] = {name: variant for name, variant in variants.items() if name in names}
        question = document.get("question", {})
        for key in ("baseline", "candidate"):
            if question.get(key) not in names:
                question.pop(key, None)
    if blocks is not None:
        document["replication"] = {**document.get("replication", {}), "blocks": blocks}
    if tools is not None:
        document["tools"] = [] if tools == "none" else tools.split(",")
    if stacks is None and blocks is None and tools is None:
        return campaign
    return valid_campaign(document, "--stacks, --blocks, --tools")


def listed(word: str) -> str | dict[str, str]:
    """Return a word of `--stacks` as an entry of `stacks`: `old=mpich@4.0.3` is a spec under a name."""
    name, separator, spec = word.partition("=")
    return {name: spec} if separator and ":" not in name else word


def add_site(verb: argparse.ArgumentParser) -> None:
    """Add `--stack-source` and `--external`, which override the source of the stacks in the campaign file."""
    verb.add_argument(
        "--stack-source",
        choices=("auto", "spack", "wheels"),
        help="source of the stacks: spack, wheels (from PyPI), or auto (Spack if installed, else the wheels)",
    )
    verb.add_argument(
        "--external",
        action="append",
        default=[],
        metavar="SPEC=PREFIX",
        help="for Spack: installed software, as in openmpi@5.0.8=/opt/openmpi (may be repeated)",
    )


def at_this_site(campaign: Campaign, arguments: argparse.Namespace) -> Campaign:
    """Return the campaign with these options. Raises FileError, also if Spack is needed and not installed."""
    spack = campaign.site.spack
    externals = dict(_external(text) for text in arguments.external)
    site = campaign.site.model_copy(
        update={"spack": spack.model_copy(update={"externals": {**spack.externals, **externals}})}
    )
    placed = campaign.model_copy(update={"site": site, "stack_source": arguments.stack_source or campaign.stack_source})
    if placed.stack_source == "spack":
        spack_of(placed)
    missing = without_source(placed)
    if missing:
        raise FileError(f"{arguments.campaign}: {missing}")
    return placed


def complain_about_site(campaign: Campaign) -> Exit:
    """Print why the campaign cannot be measured here, for its stacks or its partition; return the exit code."""
    missing = without_source(campaign) or _unresolved(campaign) or site_problem(campaign)
    if missing:
        complain(f"cannot be measured here: {missing}")
    return Exit.FAILED if missing else Exit.DONE


def _unresolved(campaign: Campaign) -> str:
    """Return why a stack by spec cannot be had here; empty if all can."""
    try:
        locks_of(campaign)
    except FileError as error:
        return str(error)
    return ""


def _external(text: str) -> tuple[str, str]:
    """Split `SPEC=PREFIX` at the start of the path, since a spec may contain =."""
    spec, separator, prefix = text.partition("=/")
    try:
        split_spec(spec)
    except ValueError as error:
        raise FileError(f"--external {text}: {error}") from None
    if not separator:
        raise FileError(f"--external {text}: write SPEC=PREFIX with an absolute path, as in openmpi@5.0.8=/opt/openmpi")
    folder = Path(f"/{prefix}")
    if not folder.is_dir():
        raise FileError(f"--external {text}: {folder} is not a folder; give the one with its bin/ and lib/")
    return spec, str(folder)
