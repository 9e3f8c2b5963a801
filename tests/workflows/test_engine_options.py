# SPDX-License-Identifier: BSD-3-Clause
"""A campaign that the engine would refuse is refused where it is planned, with the key and what would be right."""

from __future__ import annotations

from typing import Any

import pytest

from isochron.cli.main import main
from isochron.schemas.engine.contract import contract
from isochron.schemas.engine.options import EngineOptions
from tests.workflows.conftest import CampaignFile

#: Options that once passed here and were refused by the engine, in the allocation; the key and words of the remedy.
DRIFTED: dict[str, tuple[dict[str, Any], str, str]] = {
    "alignment": ({"alignment": 100}, "engine.alignment", "give a power of two"),
    "min_valid": ({"min_valid": 50, "max_valid": 10}, "engine.min_valid", "lower it or raise those"),
    "time_budget": ({"time_budget": 5}, "engine.time_budget", "only valid with engine.stop time"),
    "batch": ({"batch": 50000}, "engine.batch", "give a whole number from 1 to 10000"),
    "trim": ({"trim": 0.495}, "engine.trim", "give a number from 0 to 0.49"),
    "arrival": (
        {"arrival": "ascending", "arrival_spread_us": 20000},
        "engine.arrival",
        "exceeds half of engine.max_slot_us 20000; raise that",
    ),
    "datatype": ({"datatype": "vector:0:0:0"}, "engine.datatype", "give auto|byte|int"),
}

#: Further ones, of each kind of rule.
OTHERS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a late process": ({"arrival": "one-late:10001"}, "engine.arrival", "exceeds half"),
    "arrivals in a loop": (
        {"scheme": "loop", "arrival": "ascending"},
        "engine.scheme loop",
        "a loop has no start times",
    ),
    "overlap in a loop": ({"scheme": "loop", "overlap": True}, "engine.scheme loop", "engine.overlap"),
    "rotating without a root": ({"scheme": "rotating-root"}, "engine.scheme", "barrier has no root"),
    "stride": ({"datatype": "vector:2:8:4"}, "engine.datatype", "STRIDE must be at least 8"),
    "extent": ({"datatype": "vector:4096:1:8192"}, "engine.datatype", "must be at most 16777216"),
    "pieces": ({"datatype": "indexed:4@4,4@0"}, "engine.datatype", "ascending order"),
    "elements": ({"datatype": "double", "sizes": [4]}, "sizes", "not a multiple"),
    "bytes of a reduction": ({"datatype": "byte", "operations": ["reduce"]}, "engine.datatype", "cannot be reduced"),
    "groups": ({"group_size": 3}, "engine.group_size", "exceeds the 2 processes"),
    "too large": ({"sizes": ["1GiB"], "operations": ["allgather"]}, "sizes", "engine.large_counts"),
    "a seed": ({"rank_order": "random:-1"}, "engine.rank_order", "random:SEED"),
    "slot": ({"max_slot_us": 0}, "engine.max_slot_us", "from 1 to 1000000000"),
}


def split(changes: dict[str, Any]) -> dict[str, Any]:
    """Options of the engine under `engine`, keys of the campaign beside it."""
    of_campaign = {key: value for key, value in changes.items() if key in ("sizes", "operations")}
    return {**of_campaign, "engine": {key: value for key, value in changes.items() if key not in of_campaign}}


@pytest.mark.parametrize(("changes", "key", "words"), {**DRIFTED, **OTHERS}.values(), ids={**DRIFTED, **OTHERS}.keys())
def test_what_the_engine_refuses_is_refused_by_the_plan(
    campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str], changes: dict[str, Any], key: str, words: str
) -> None:
    path = campaign_file(**split(changes), processes=[2], processes_per_node=[2])
    assert main(["plan", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"isochron: {path}: ")
    assert key in said
    assert words in said
    assert said.count("\n") == 1


def test_every_option_of_a_campaign_is_one_of_the_engines() -> None:
    for name in EngineOptions.model_fields:
        assert contract().option(name).kind in ("integer", "real", "choice", "text", "flag")


def test_a_contrast_is_asked_too(campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str]) -> None:
    path = campaign_file(contrasts={"loop": {"scheme": "loop"}}, engine={"arrival": "ascending"})
    assert main(["plan", str(path)]) == 2
    assert "engine.scheme loop: a loop has no start times" in capsys.readouterr().err
