# SPDX-License-Identifier: BSD-3-Clause
"""No campaign that the model accepts is refused by the engine: thousands of made-up ones, asked by --check-options."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.reframe_checks.launch.command import engine_options
from isochron.schemas.engine.contract import OPERATIONS, Option, contract
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import PlannedLaunch
from tests.engine.support import Mpi
from tests.workflows.conftest import SMALL

#: Made-up campaigns of `make test`, and of each night.
CAMPAIGNS = (200, pytest.param(2000, marks=pytest.mark.slow))

DATATYPES = ("auto", "byte", "int", "float", "double", "vector:2:4:8", "vector:1:1:1", "vector:0:1:1", "vector:4:8:4",
             "vector:4096:1:4096", "vector:4097:1:4096", "indexed:4@0,4@8", "indexed:4@4,4@0", "indexed:1@16777216",
             "indexed:" + ",".join(f"1@{i}" for i in range(33)), "complex", "vector:2:4", "")  # fmt: skip
ARRIVALS = ("none", "ascending", "descending", "random:7", "random:-1", "one-late:5", "one-late:20000", "one-late:1e9",
            "late")  # fmt: skip
ORDERS = ("identity", "reverse", "random:3", "random:99999999999999999999", "list:", "shuffle")
GROUPS = ("all", "node", "halves", "strided:2", "strided:3", "size:2", "active:4", "active:0", "size:", "thirds")
#: Operations with a datatype of their own, right and wrong.
TYPED = ("bcast@vector-8", "ping-pong@indexed", "alltoallw@vector-512", "gatherv@vector-32", "reduce@indexed")
SIZES = (0, 1, 3, 4, 8, 12, 1024, 65537, 1 << 20, 1 << 30, (1 << 31) - 1)


def number(option: Option, chance: random.Random) -> float:
    """At a limit, just beyond it, or between."""
    low, high = float(option.low or 0), float(option.high or 0)
    value = chance.choice(
        [low, high, low - 1, high + 1, (low * high) ** 0.5 if low > 0 else high / 3, low + 1, 64, 100]
    )
    return int(value) if option.kind == "integer" else value


def engine(chance: random.Random) -> dict[str, Any]:
    """Some of the engine's options with values that are right, nearly right or wrong."""
    texts = {"datatype": DATATYPES, "arrival": ARRIVALS, "rank_order": ORDERS, "groups": GROUPS}
    chosen: dict[str, Any] = {}
    for name in chance.sample(sorted(EngineOptions.model_fields), chance.choice([1, 2, 2, 3, 4])):
        option = contract().option(name)
        if name in texts:
            chosen[name] = chance.choice(texts[name])
        elif option.kind == "choice":
            chosen[name] = chance.choice([*option.choices, *option.choices, "else"])
        elif option.kind == "flag":
            chosen[name] = True
        else:
            chosen[name] = number(option, chance)
    return chosen


def ranged(chance: random.Random) -> str:
    """A range of sizes that is right, nearly right or wrong."""
    low, high = (chance.choice(["0", "1", "4", "8B", "1KiB", "64 KiB", "1MiB"]) for _ in range(2))
    return f"{low}:{high}:{chance.choice(['x2', 'x10', 'x1', '+8', '+1KiB', '+0', '+1', '2', 'x', ''])}"


def contrasts(chance: random.Random) -> dict[str, Any]:
    """None, one or two further ways to measure, with options as above."""
    return {f"way-{number}": engine(chance) for number in range(chance.choice([0, 0, 1, 2]))}


def document(chance: random.Random) -> dict[str, Any]:
    """A campaign with such options."""
    processes = chance.choice([[2], [3], [2, 16], [1024], [4, 8192]])
    return {
        **SMALL,
        "operations": chance.sample((*OPERATIONS, *TYPED), chance.choice([1, 1, 2, 5])),
        "sizes": [ranged(chance)] if chance.random() < 0.2 else chance.sample(SIZES, chance.choice([1, 1, 2])),
        "contrasts": contrasts(chance),
        "processes": processes,
        "processes_per_node": [chance.choice([1, 2])],
        "engine": {name: value for name, value in engine(chance).items() if name != "groups"},
    }


def accepted(document: dict[str, Any]) -> Campaign | None:
    try:
        return Campaign.model_validate(document)
    except ValidationError:
        return None


def refused(engine: Path, mpi: Mpi, words: list[str]) -> str:
    """What the engine says against the options; empty where it takes them."""
    command = [engine, "--check-options", *words]
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stdout + done.stderr == "")
    return done.stderr.strip()


def launches(campaign: Campaign) -> list[list[str]]:
    """What the engine is told of the results and of each contrast."""
    made = {"stack": "s", "point": {"processes": 2, "processes_per_node": 2, "placement": "packed"}, "seconds": 1.0}
    found = [engine_options(campaign)]
    for name in campaign.all_contrasts:
        own = {**made, "name": name, "block": 1, "launch": 1, "contrast": name, "sizes": campaign.sizes}
        operations = campaign.operations_of(name)
        if operations:
            found.append(engine_options(campaign, PlannedLaunch.model_validate(own | {"operations": operations})))
    return found


@pytest.mark.mpi
@pytest.mark.parametrize("campaigns", CAMPAIGNS)
def test_no_accepted_campaign_is_refused_by_the_engine(engine: Path, mpi: Mpi, campaigns: int) -> None:
    """On one of its process counts; many campaigns of either kind are made, so that this means something."""
    chance, seen = random.Random(campaigns), Counter[str]()
    wrong = []
    for _ in range(campaigns):
        made = document(chance)
        campaign = accepted(made)
        seen["accepted" if campaign else "refused"] += 1
        if campaign is None:
            continue
        processes = chance.choice(campaign.processes)
        for words in launches(campaign):
            seen["launches"] += 1
            said = refused(engine, mpi, [*words, "--expect-ranks", str(processes)])
            if said:
                wrong.append(f"{said}: {processes} {made}")
    assert not wrong, "\n".join(wrong[:20])
    assert min(seen["accepted"], seen["refused"]) > campaigns / 8
    assert seen["launches"] > 1.1 * seen["accepted"]


@pytest.mark.mpi
def test_what_the_model_refuses_for_its_options_the_engine_refuses(engine: Path, mpi: Mpi) -> None:
    """The model is not stricter than the engine, but where a displacement may be too far (it takes an upper bound)."""
    chance = random.Random(2)
    wrong = []
    for _ in range(100):
        made = {**document(chance), "operations": ["allreduce", "bcast"], "processes": [4]}
        if accepted(made) is not None:
            continue
        del made["contrasts"]
        sizes = made["sizes"][0] if isinstance(made["sizes"][0], str) else ",".join(map(str, made["sizes"]))
        if accepted(made) is not None:
            continue
        words = ["--operations", "allreduce,bcast", "--sizes", sizes, "--expect-ranks", "4"]
        options = {**{name: field.default for name, field in EngineOptions.model_fields.items()}, **made["engine"]}
        for name, value in options.items():
            if value is not None and value is not False:
                words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        if not refused(engine, mpi, words):
            wrong.append(str(made["engine"]))
    assert not wrong, "\n".join(wrong)
