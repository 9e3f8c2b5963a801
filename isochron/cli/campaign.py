# SPDX-License-Identifier: BSD-3-Clause
"""The campaign that a verb works on: a file, or one that comes with Isochron; and where a site's stacks come from."""

from __future__ import annotations

import argparse
from pathlib import Path

from pydantic import ValidationError

from isochron.common.files import FileError, suggest
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.spack_site import split_spec
from isochron.spack_envs.stack_source import spack_of, without_source
from isochron.workflows.campaign_file import campaign_path, load_campaign, shipped_campaigns
from isochron.workflows.campaign_mistakes import in_one_message, mistakes_of


def add_campaign(verb: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The campaign, by path or name."""
    shipped = ", ".join(shipped_campaigns())
    verb.add_argument(
        "campaign",
        nargs="?" if optional else None,
        metavar="CAMPAIGN",
        help=f"campaign file, or the name of a campaign that comes with Isochron: {shipped}",
    )


def add_design(verb: argparse.ArgumentParser) -> None:
    """`--stacks`, `--blocks`, `--tools`: a part of the campaign, how often, and what is launched beside the engine.

    A report offers the first two to settle a question.
    """
    verb.add_argument(
        "--stacks", metavar="A,B", help="only these stacks of the campaign, separated by commas, as for a closer look"
    )
    verb.add_argument("--blocks", type=int, metavar="N", help="so many blocks, in place of replication.blocks")
    verb.add_argument(
        "--tools",
        metavar="A,B",
        help="launch these benchmarks of others, imb or osu, in the same blocks; none: no others",
    )


def load_given_campaign(arguments: argparse.Namespace) -> Campaign:
    """Read it; from then on `arguments.campaign` is the path of its file. Raises FileError."""
    arguments.campaign = campaign_path(arguments.campaign)
    return designed(load_campaign(arguments.campaign), arguments)


def designed(campaign: Campaign, arguments: argparse.Namespace) -> Campaign:
    """The campaign with `--stacks`, `--blocks` and `--tools`, where the verb has them. Raises FileError."""
    stacks, blocks, tools = (getattr(arguments, name, None) for name in ("stacks", "blocks", "tools"))
    document = campaign.model_dump(mode="json", by_alias=True)
    if stacks is not None:
        chosen = stacks.split(",")
        unknown = next((stack for stack in chosen if stack not in campaign.stacks), None)
        if unknown is not None:
            hint = suggest(unknown, campaign.stacks) or f"; it has {', '.join(campaign.stacks)}"
            raise FileError(f"--stacks {stacks}: '{unknown}' is not a stack of the campaign{hint}")
        document["stacks"] = chosen
        for tool in document["tools"]:
            tool["stacks"] = [stack for stack in tool["stacks"] if stack in chosen]
        document["variants"] = {name: each for name, each in document["variants"].items() if name in chosen}
        for key in ("baseline", "candidate"):
            if document["question"][key] not in chosen:
                document["question"][key] = None
    if blocks is not None:
        document["replication"]["blocks"] = blocks
    if tools is not None:
        document["tools"] = [] if tools == "none" else tools.split(",")
    if stacks is None and blocks is None and tools is None:
        return campaign
    try:
        return Campaign.model_validate(document)
    except ValidationError as error:
        raise FileError(f"--stacks, --blocks, --tools: {in_one_message(mistakes_of(error))}") from error


def add_site(verb: argparse.ArgumentParser) -> None:
    """`--stack-source` and `--external`: where a site's stacks come from, in place of what the campaign file says."""
    verb.add_argument(
        "--stack-source",
        choices=("auto", "spack", "wheels"),
        help="where the stacks come from: Spack, PyPI wheels (registry), or Spack where it is found (auto)",
    )
    verb.add_argument(
        "--external",
        action="append",
        default=[],
        metavar="SPEC=PREFIX",
        help="for Spack: software that is installed already, as in openmpi@5.0.8=/opt/openmpi (may be repeated)",
    )


def at_this_site(campaign: Campaign, arguments: argparse.Namespace) -> Campaign:
    """The campaign with these options. Raises FileError, also where the Spack that it needs is not there."""
    spack = campaign.site.spack
    given = dict(_external(text) for text in arguments.external)
    site = campaign.site.model_copy(
        update={"spack": spack.model_copy(update={"externals": {**spack.externals, **given}})}
    )
    chosen = campaign.model_copy(update={"site": site, "stack_source": arguments.stack_source or campaign.stack_source})
    if chosen.stack_source == "spack":
        spack_of(chosen)
    missing = without_source(chosen)
    if missing:
        raise FileError(f"{arguments.campaign}: {missing}")
    return chosen


def _external(text: str) -> tuple[str, str]:
    """`SPEC=PREFIX`, cut where the path begins: a spec may have = in it."""
    spec, found, prefix = text.partition("=/")
    try:
        split_spec(spec)
    except ValueError as error:
        raise FileError(f"--external {text}: {error}") from None
    if not found:
        raise FileError(f"--external {text}: write SPEC=PREFIX with an absolute path, as in openmpi@5.0.8=/opt/openmpi")
    folder = Path(f"/{prefix}")
    if not folder.is_dir():
        raise FileError(f"--external {text}: {folder} is not a folder; give the one with its bin/ and lib/")
    return spec, str(folder)
