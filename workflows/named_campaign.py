# SPDX-License-Identifier: BSD-3-Clause
"""The campaign that an argument names: a file, a shipped campaign, or one that was measured."""

from pathlib import Path
from typing import Any, NamedTuple

from isochron.common.copies import is_there
from isochron.common.files import FileError, suggest
from isochron.common.resources import shipped
from isochron.common.sealed import heal
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.workflows.campaign_file import load_campaign, shipped_campaigns

#: Suffixes of campaign files.
SUFFIXES = (".yaml", ".yml")
#: Keys that options of the command line, or the machine, set for one run: campaigns of one name may differ in them.
OF_A_RUN: dict[str, Any] = {
    **dict.fromkeys(("stacks", "variants", "question", "tools", "replication", "stack_source", "hooks"), True),
    **dict.fromkeys(("title", "description"), True),
    "site": {"spack"},
    "engine": {"passes"},
}


class NamedCampaign(NamedTuple):
    """The file of a campaign, and what to tell about the choice; empty if there was none."""

    path: Path
    note: str


def find_campaign(word: str, results: Path) -> NamedCampaign:
    """Return the campaign file at a path, or of a name: `word` itself, shipped, WORD.yaml here, or of the newest run.

    The first of these that exists is used; others with another content are named in the note. Raises FileError.
    """
    path = Path(word)
    if "/" in word or path.suffix in SUFFIXES:
        return NamedCampaign(path, "")
    measured = _measured_file(word, results)
    paths = [path] if path.is_file() else []
    paths += [shipped("workflows", "campaigns", f"{word}.yaml")] if word in shipped_campaigns() else []
    paths += [file for suffix in SUFFIXES if (file := Path(f"{word}{suffix}")).is_file()]
    paths += [measured] if measured is not None else []
    if not paths:
        raise FileError(_unknown(word, results))
    if paths == [measured]:
        return NamedCampaign(paths[0], f"{word} is the campaign of {measured}, which has no hooks")
    return NamedCampaign(paths[0], _describe_others(paths))


def measured_campaigns(results: Path) -> list[str]:
    """Return the names of the campaigns that have a run."""
    names = sorted(folder.name for folder in results.glob("[!.]*") if folder.is_dir())
    return [name for name in names if _measured_file(name, results) is not None]


def _measured_file(name: str, results: Path) -> Path | None:
    """Return the campaign file of the newest run of a campaign; None if it has no run.

    A lost file is restored from its copy; one that differs from its copy is refused when it is read.
    """
    if name in ("", ".", ".."):
        return None
    files = [RunLayout(folder).campaign for folder in run_folders(results, name)]
    newest = next((file for file in reversed(files) if is_there(file)), None)
    if newest is not None and not newest.exists():
        heal(newest)
    return newest


def _describe_others(paths: list[Path]) -> str:
    """Return which of the other campaigns of a name differ from the first, and in which keys; empty if none does."""
    if len(paths) == 1:
        return ""
    used, texts = load_campaign(paths[0]), []
    for path in paths[1:]:
        keys = _differing_keys(used, path)
        if keys:
            texts.append(f"{path} differs in {', '.join(keys)}")
    return f"{paths[0]} is used; to use another file, give its path: {'; '.join(texts)}" if texts else ""


def _differing_keys(campaign: Campaign, path: Path) -> list[str]:
    """Return the keys in which a file differs from a campaign; none if it is not a valid campaign."""
    try:
        other = load_campaign(path)
    except FileError:
        return []
    document, other_document = _comparable(campaign), _comparable(other)
    return [key for key in document if document[key] != other_document[key]]


def _comparable(campaign: Campaign) -> dict[str, Any]:
    return campaign.model_dump(mode="json", by_alias=True, exclude=OF_A_RUN)


def _unknown(word: str, results: Path) -> str:
    names, measured = shipped_campaigns(), measured_campaigns(results)
    runs = f"; campaigns with runs in {results}: {', '.join(measured)}" if measured else ""
    return (
        f"unknown campaign '{word}'{suggest(word, [*names, *measured])}; shipped campaigns: {', '.join(names)}{runs}; "
        "or give the path of a campaign file"
    )
