# SPDX-License-Identifier: BSD-3-Clause
"""The campaign that a verb works on: a file, or one that comes with Isochron."""

from __future__ import annotations

import argparse

from isochron.schemas.input.campaign import Campaign
from isochron.workflows.campaign_file import campaign_path, load_campaign, shipped_campaigns


def add_campaign(verb: argparse.ArgumentParser) -> None:
    """The campaign, by path or name."""
    shipped = ", ".join(shipped_campaigns())
    verb.add_argument(
        "campaign",
        metavar="CAMPAIGN",
        help=f"campaign file, or the name of a campaign that comes with Isochron: {shipped}",
    )


def given_campaign(arguments: argparse.Namespace) -> Campaign:
    """Read it; from then on `arguments.campaign` is the path of its file. Raises FileError."""
    arguments.campaign = campaign_path(arguments.campaign)
    return load_campaign(arguments.campaign)
