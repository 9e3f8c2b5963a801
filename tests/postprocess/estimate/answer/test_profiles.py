# SPDX-License-Identifier: BSD-3-Clause
"""What a stack would make of a program: known times give the known ratio, its interval covers, and doubt is said."""

from __future__ import annotations

import re
from math import isnan, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from isochron.postprocess.__main__ import main
from isochron.postprocess.estimate.answer.profiles import matching_cases, predict
from isochron.postprocess.formatting.numbers import GAP
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE, load_inputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis, TableContext
from isochron.postprocess.subjects.profiles.finding import profiled
from isochron.postprocess.subjects.profiles.section import build
from isochron.postprocess.subjects.profiles.table import make_calls, make_programs
from isochron.schemas.profile.profile import CallClass
from isochron.schemas.profile.uses import MESSAGE, Part
from isochron.schemas.run.next_blocks import Flagged
from tests.postprocess.synthetic import Spec, write_run
from tests.workflows.profiling.files import calls, profile_of

#: µs of the baseline, and factors of the candidate.
TIMES = {("allreduce", 8): 4.0, ("alltoall", 4096): 40.0, ("multi-ping-pong", 64): 1.0}
FACTORS = {("allreduce", 8): 1.5, ("alltoall", 4096): 0.8, ("multi-ping-pong", 64): 1.2}


def rows(seed: int = 1, spread: float = 0.0, blocks: int = 10) -> pd.DataFrame:
    """A launch of each stack in every block; a block has a factor of its own for each stack and case."""
    rng = np.random.default_rng(seed)
    lines = []
    for block in range(blocks):
        probes = rng.lognormal(0, spread)
        for (operation, size), time in TIMES.items():
            for stack, factor in (("old", 1.0), ("new", FACTORS[operation, size])):
                value = time * factor * probes * rng.lognormal(0, spread)
                lines.append((block, 1, stack, operation, size, 2, 2, "packed", value))
    columns = [*ALLOCATION, "stack", *CASE, "median_us"]
    return pd.DataFrame(lines, columns=columns)


def program(waiting: float = 1.0) -> list[CallClass]:
    """Two processes; each kind of calls takes `waiting` times what the campaign says."""
    return [
        calls("allreduce", 8, 2 * 1000, waiting * 2 * 1000 * 4e-6),
        calls("alltoall", 4096, 2 * 50, waiting * 2 * 50 * 40e-6),
        calls("isend", 64, 2 * 1000, waiting * 2 * 500 * 1e-6),
        calls("waitall", 0, 2 * 1000, waiting * 2 * 500 * 1e-6, processes=0),
    ]


#: (4 ms × 1.5 + 2 ms × 0.8 + 1 ms × 1.2) / 7 ms
TRUTH = 8.8 / 7


def test_known_times_give_the_known_ratio() -> None:
    found = predict(rows(), profile_of(*program()), "old", "new", 0.95)
    assert found.reason == "" and found.blocks == 10
    assert found.ratio == pytest.approx(TRUTH) == found.low == found.high
    assert (found.covered, found.explained) == (pytest.approx(1.0), pytest.approx(1.0))


@pytest.mark.heavy
def test_the_interval_covers_as_often_as_it_says() -> None:
    profile = profile_of(*program())
    found = [predict(rows(seed, 0.05), profile, "old", "new", 0.9) for seed in range(100)]
    # The baseline's level is an estimate, too, and shifts the weights a little.
    covered = sum(each.low <= TRUTH <= each.high for each in found)
    assert covered >= 100 * 0.9 - 3 * sqrt(100 * 0.09)
    assert np.median([each.high - each.low for each in found]) < 0.2


def test_what_is_not_explained_may_stay_or_change() -> None:
    found = predict(rows(), profile_of(*program(waiting=1.25)), "old", "new", 0.95)
    change = TRUTH - 1
    assert found.explained == pytest.approx(0.8)
    assert (found.low, found.high) == (pytest.approx(1 + 0.8 * change), pytest.approx(1 + change))
    assert found.ratio == pytest.approx(1 + 0.9 * change)


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (program(waiting=3.0), "account for 33 % of what the calls took: waiting dominates"),
        (program(waiting=0.4), "2.5 times as long as they did: they overlap"),
        (
            [*program(), calls("put", 8, 10, 0.01)],
            "only 58 % of the time in MPI is in calls that the campaign measured",
        ),
        ([*program(), calls("allreduce", 32, 10, 0.01)], "only 58 % of the time"),
        ([*program(), calls("allreduce", 8, 10, 0.01, processes=4)], "only 58 % of the time"),
        ([*program(), calls("ibcast", 8, 10, 1e-6)], "only 93 %"),
    ],
)
def test_what_cannot_be_predicted_is_refused(classes: list[CallClass], said: str) -> None:
    found = predict(rows(), profile_of(*classes), "old", "new", 0.95)
    if said == "only 93 %":  # waits are for that, too: they are left out, and the rest is enough
        assert found.reason == "" and found.covered == pytest.approx(13 / 14, abs=1e-3)
        return
    assert said in found.reason
    assert isnan(found.ratio)


def test_what_could_be_anything_is_refused() -> None:
    found = predict(rows(spread=0.5), profile_of(*program()), "old", "new", 0.95)
    assert re.fullmatch(r"the change could be anything from \S+ to \+\S+ %; measure more blocks", found.reason)
    assert isnan(found.ratio)


def test_one_block_is_no_error() -> None:
    found = predict(rows(blocks=1), profile_of(*program()), "old", "new", 0.95)
    assert "measured in one block only" in found.reason and isnan(found.ratio)
    assert "no case in which both stacks" in predict(rows(), profile_of(*program()), "old", "other", 0.95).reason


def test_sizes_between_measured_ones_are_put_between_them() -> None:
    cases = [("bcast", 64, 4, 4, "packed"), ("bcast", 256, 4, 4, "packed"), ("bcast", 128, 4, 2, "packed")]

    def part(size: int, processes: int = 4) -> Part:
        return Part(("bcast",), size, processes, 1.0)

    assert matching_cases(part(64), cases, 4) == [(0, 1.0)]
    assert matching_cases(part(128), cases, 4) == [(0, pytest.approx(0.5)), (1, pytest.approx(0.5))]
    assert matching_cases(part(128), cases, 2) == [(2, 1.0)]
    assert matching_cases(part(40), cases, 4) == [(0, 1.0)]
    assert matching_cases(part(500), cases, 4) == [(1, 1.0)]
    assert matching_cases(part(600), cases, 4) == matching_cases(part(20), cases, 4) == []
    assert matching_cases(part(64, 8), cases, 4) == []
    assert matching_cases(Part(MESSAGE, 64, 4, 1.0), [("ping-pong", 64, 4, 4, "packed")], 4) == [(0, 1.0)]


def test_a_run_says_it_of_every_stack_and_of_what_is_left_out(tmp_path: Path) -> None:
    stacks = ["openmpi-5.0", "mpich-5.0", "intel-mpi-2021"]
    run = write_run(
        tmp_path / "run", Spec(stacks=stacks, operations=["barrier", "bcast"], sizes=[8], processes=[4], launches=6)
    )
    campaign = yaml.safe_load((run / "campaign.yaml").read_text())
    campaign["analysis"]["profiles"] = [str(tmp_path / f"{name}.profile.json") for name in ("solver", "other")]
    (run / "campaign.yaml").write_text(yaml.safe_dump(campaign))
    assert main(["ingest", str(run)]) == 0
    context = TableContext(load_inputs(run))
    ours = context.used[(context.used["stack"] == "openmpi-5.0") & (context.used["operation"] == "bcast")]
    seconds = 1.1e-6 * 400 * float(ours["median_us"].median())
    library = "Open MPI v5.0.11, package: Open MPI build, ident: 5.0.11, 2026"
    profile = profile_of(
        calls("bcast", 8, 400, seconds, processes=4), calls("put", 8, 1, seconds / 20), library=library
    )
    profile.save(tmp_path / "solver.profile.json")
    profile.model_copy(update={"library": "MPI of my own"}).save(tmp_path / "other.profile.json")
    table = make_programs(context).set_index(["profile", "candidate"])
    mpich = table.loc["solver.profile.json", "mpich-5.0"]
    assert (mpich["verdict"], mpich["leads"], mpich["baseline"]) == ("slower", False, "openmpi-5.0")
    assert 1 < mpich["ratio_low"] < mpich["ratio"] < mpich["ratio_high"] < 1.5
    intel = table.loc["solver.profile.json", "intel-mpi-2021"]
    assert (intel["verdict"], intel["leads"]) == ("faster", True)
    unknown = table.loc["other.profile.json", ""]
    assert (
        unknown["verdict"] == "not-predicted" and "did not measure the library that it ran under" in unknown["reason"]
    )
    left = make_calls(context).set_index(["profile", "call"])["reason"]
    assert left["solver.profile.json", "bcast"] == ""
    assert left["solver.profile.json", "put"] == "not an operation of a campaign"
    frames = {"profiles": make_programs(context), "profile-calls": make_calls(context)}
    analysis = Analysis(context.launches, Flagged(points=[], rows=[]), frames)
    view = build(Source(context.inputs, analysis, [], []))
    assert view is not None
    known, strange = view.programs
    first = known.sentences[0].replace(GAP, " ")
    assert re.fullmatch(r"solver's MPI time would change by \+2\S+ % \[\S+; \S+\] with mpich-5.0; 95 % of it .*", first)
    assert known.leader == "The least time in MPI: intel-mpi-2021."
    assert [line.replace(GAP, " ") for line in known.left] == [
        "put of 8 B between 2, 4.8 % of the time in MPI: not an operation of a campaign"
    ]
    assert strange.sentences[0].startswith("What solver would take is not predicted: the campaign did not measure")
    assert [finding.severity for finding in profiled(context.inputs, analysis)] == ["result", "result", "note"]
