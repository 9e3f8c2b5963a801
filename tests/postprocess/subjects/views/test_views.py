# SPDX-License-Identifier: BSD-3-Clause
"""All views in a made-up run of three processes, against numbers worked out again from the raw files."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median

import pandas as pd
import pytest

from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.views.bxj_largest import BXJ_LARGEST
from isochron.postprocess.subjects.views.mpiperf_table import MPIPERF_BUFFERS, MPIPERF_PATTERNS, make_rows
from isochron.postprocess.subjects.views.section import TABLES, VIEWS, build
from tests.postprocess.subjects.views.made import COLD, CONTRAST, SPEC, write_views
from tests.postprocess.subjects.views.recomputed import CHECKS, by, launches, view

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    return write_views(tmp_path_factory.mktemp("views"))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_view_is_what_the_raw_files_say(run: RunInputs, check: Callable[[RunInputs], None]) -> None:
    check(run)


def test_repetitions_of_pmb_are_capped(run: RunInputs) -> None:
    table = pd.read_csv(run.layout.tables / "view-pmb.csv")
    assert table.loc[table["benchmark"] == "PingPong", "repetitions"].tolist() == [1000, 1000, 10]


def test_two_timers_are_beside_each_other(run: RunInputs) -> None:
    """Both timers measured all patterns, in the scheme of the results and in the contrast."""
    found = view(run, MPIPERF_PATTERNS)
    assert set(found["timer"]) == {"clock-gettime", "tsc"} and set(found["scheme"]) == {"window", "barrier"}
    assert (found.groupby("operation").size() == 6).all()  # cold buffers have both timers, too


def test_warm_and_cold_buffers_side_by_side(run: RunInputs) -> None:
    found = by(view(run, MPIPERF_BUFFERS), "operation", "bytes", "timer")
    for timer in ("clock-gettime", "tsc"):
        times: dict[bool, list[float]] = {True: [], False: []}
        for _, header, rows in launches(run):
            own = next(row for row in rows if (row["operation"], row["bytes"]) == ("ping-pong", 1024))
            if own["timer"] == timer and own["scheme"] == "window":
                times[int(header["launch"]["block"]) in COLD].append(own["median_ns"] / 2e3)
        row = found["ping-pong", 1024, timer]
        assert (row["warm_us"], row["cold_us"]) == pytest.approx((median(times[False]), median(times[True])))
        assert row["ratio"] == pytest.approx(median(times[True]) / median(times[False]))
        assert row["first_use_us"] == 450  # half of there and back


def test_table_5_names_what_is_left_out(run: RunInputs) -> None:
    """The study's seven operations and all other blocking collectives, each measured or with the reason why not."""
    found = by(view(run, BXJ_LARGEST), "operation")
    assert len(found) == 17 and list(found)[:7] == [
        (name,) for name in ("reduce", "gather", "alltoall", "bcast", "scatter", "allgather", "allreduce")
    ]
    for name in ("bcast", "alltoall"):
        row = found[name,]
        assert row["measured_us"] > 0 and row["published_us"] > 0 and row["bytes"] == 2**22
        assert row["fitted_factor"] == pytest.approx(row["measured_us"] / row["fitted_us"], rel=1e-6)
        assert pd.isna(row["left_out"])
    assert found["barrier",]["left_out"] == "it has no message size"
    for name in ("reduce", "scan"):
        assert found[name,]["left_out"] == "not among the campaign's cases"


def test_figures_stand_with_the_views(run: RunInputs) -> None:
    listed = json.loads((run.layout.figures / "figures.json").read_text())["figures"]
    files = {each["file"] for each in listed if each["section"].startswith("views-")}
    assert files == {
        "mpiperf-wait-patterns.svg", "mpiperf-buffers.p3.n3.packed.svg", "mpiperf-rse.svg",
        *(f"mpiperf-diagram.mpich-5.0.p3.n3.packed.{number}.svg" for number in (1, 2, 3, 4)),
        "bxj-messages.mpich-5.0.3.packed.svg",
    }  # fmt: skip
    page = run.layout.report.read_text()
    assert all((run.layout.figures / file).is_file() for file in files)
    assert "As others print it" in page


def test_views_are_there_on_request_only(run: RunInputs) -> None:
    groups = build(Source(run, load_analysis(run.layout, TABLES), [], [])) or []
    shown = {part.file for group in groups for part in group.parts}
    tables = [table for view in SPEC.analysis["views"] for table in VIEWS[view][2]]
    assert shown == {table.file for table in tables} - {"view-pmb-groups.csv"}, "the campaign has no groups"
    assert list(VIEWS) == [*SPEC.analysis["views"], "two-sites"]
    without = run.campaign.model_copy(update={"analysis": run.campaign.analysis.model_copy(update={"views": []})})
    assert not any(table.files(without) for table in TABLES)


def test_a_contrast_in_other_options_is_another_measurement(run: RunInputs) -> None:
    """Launches of the contrast count where they differ in scheme, timer or buffers alone."""
    context = TableContext(run)
    contrast = context.launches["block"].isin(CONTRAST)
    changed = [
        json.dumps({**json.loads(text), "arrival": "ascending"}) if other else text
        for text, other in zip(context.launches["options"], contrast, strict=True)
    ]
    assert set(make_rows(context)["scheme"]) == {"window", "barrier"}
    other = TableContext(run)
    other.launches["options"] = changed
    assert set(make_rows(other)["scheme"]) == {"window"}
