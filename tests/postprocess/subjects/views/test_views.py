# SPDX-License-Identifier: BSD-3-Clause
"""All views in made-up runs, against numbers worked out again from the raw files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.views.bxj_largest import BXJ_LARGEST
from isochron.postprocess.subjects.views.mpiperf_table import MPIPERF_PATTERNS, make_rows
from isochron.postprocess.subjects.views.section import TABLES, VIEWS, build
from isochron.stats.dependence import dependence
from isochron.stats.launches import median_interval
from tests.postprocess.subjects.views import recomputed
from tests.postprocess.subjects.views.made import CONTRAST, SITES, SPEC, VIEW_TABLES, write_sites, write_views
from tests.postprocess.subjects.views.recomputed import RECOMPUTED, check_view, dependent
from tests.postprocess.synthetic import campaign_of
from tests.repository.test_structure import imports

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    return write_views(tmp_path_factory.mktemp("views"))


@pytest.fixture(scope="module")
def two_sites(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    return write_sites(tmp_path_factory.mktemp("sites"))


def test_every_view_is_recomputed() -> None:
    """Each in a made-up run; a column that is not recomputed fails in `check_view`."""
    assert set(RECOMPUTED) == {table.name for table in VIEW_TABLES}
    shown = {table.name for campaign in (campaign_of(SPEC), campaign_of(SITES)) for view in campaign.analysis.views
             for table in VIEWS[view][2]}  # fmt: skip
    assert shown | {"view-two-sites-rotating"} == set(RECOMPUTED)


def test_what_is_recomputed_shares_no_code_with_the_product() -> None:
    for path in Path(recomputed.__file__).parent.glob("*.py"):
        names = {name for name in imports(path) if not name.startswith(recomputed.__name__)}
        assert not {name for name in names if name.startswith(("isochron", "tests"))}, path.name


@pytest.mark.parametrize("name", RECOMPUTED)
def test_a_view_is_what_the_raw_files_say(run: RunInputs, two_sites: RunInputs, name: str) -> None:
    made = [inputs.layout.root for inputs in (run, two_sites) if (inputs.layout.tables / f"{name}.csv").is_file()]
    assert made and all(check_view(folder, name) for folder in made)


@pytest.mark.parametrize("blocks", [[1] * 5, [1, 1, 2, 2, 3, 3], [*range(12)], [number // 3 for number in range(24)]])
def test_intervals_of_dependent_launches_are_recomputed(blocks: list[int]) -> None:
    """In quiet series, with a drift, in regimes, and with an outlier at the end, of three cases together."""
    rng, shown = np.random.default_rng(len(blocks)), 0
    place = np.arange(len(blocks))
    for number in range(40):
        worlds = [
            0 * place, 0.03 * place, 0.5 * (rng.random(len(blocks)) < 0.5), 0.4 * (place == 0),
            0.2 * rng.random(len(blocks))[np.array(blocks)], 0.5 * (place % 5 < 2),
        ]  # fmt: skip
        common = worlds[number % len(worlds)] + rng.normal(0, 0.02, len(blocks))
        logs = common[:, None] + rng.normal(0, 0.01, (len(blocks), 3))
        product = dependence(logs, np.array(blocks), 0.95)
        times = np.exp(logs).T.tolist()
        for case in range(3):
            if product.by_block[case] or product.groups[case] or product.follow[case]:
                low, high = float(np.exp(product.low[case])), float(np.exp(product.high[case]))
                shown += 1
            else:
                plain = median_interval(np.exp(logs[:, case]), 0.95)
                low, high = float(plain.low), float(plain.high)
            assert dependent.interval(times[case], blocks, times, 0.95) == pytest.approx((low, high), rel=1e-12)
    assert shown > 20


def test_a_changed_digit_or_column_is_found(two_sites: RunInputs, tmp_path: Path) -> None:
    """The check itself, on a view with another last digit, and on one with another column."""
    name = "view-two-sites-pairs"
    shutil.copytree(two_sites.layout.root, tmp_path / "run")
    path = tmp_path / "run" / "tables" / f"{name}.csv"
    table = pd.read_csv(path, dtype=str)
    assert check_view(tmp_path / "run", name) == len(table)
    time = table.loc[0, "time_us"]
    table.assign(time_us=[f"{time[:-1]}{(int(time[-1]) + 2) % 10}", *table["time_us"][1:]]).to_csv(path, index=False)
    with pytest.raises(AssertionError, match="time_us"):
        check_view(tmp_path / "run", name)
    table.assign(further="1").to_csv(path, index=False)
    with pytest.raises(AssertionError, match="further"):
        check_view(tmp_path / "run", name)


def test_repetitions_of_pmb_are_capped(run: RunInputs) -> None:
    table = pd.read_csv(run.layout.tables / "view-pmb.csv")
    assert table.loc[table["benchmark"] == "PingPong", "repetitions"].tolist() == [1000, 1000, 10]


def read_view(run: RunInputs, table: Table) -> pd.DataFrame:
    return pd.read_csv(run.layout.tables / table.file)


def by(table: pd.DataFrame, *names: str) -> dict[Any, dict[Any, Any]]:
    """Its rows by some of its columns."""
    return {tuple(row[name] for name in names): row for row in table.to_dict("records")}


def test_two_timers_are_beside_each_other(run: RunInputs) -> None:
    """Both timers measured all patterns, in the scheme of the results and in the contrast."""
    found = read_view(run, MPIPERF_PATTERNS)
    assert set(found["timer"]) == {"clock-gettime", "tsc"} and set(found["scheme"]) == {"window", "barrier"}
    assert (found.groupby("operation").size() == 6).all()  # cold buffers have both timers, too


def test_table_5_names_what_is_left_out(two_sites: RunInputs) -> None:
    """The study's seven operations and all other blocking collectives, each measured or with the reason why not."""
    table = read_view(two_sites, BXJ_LARGEST)
    found = by(table[table["placement"] == "half"], "operation")
    assert len(found) == 17 and list(found)[:7] == [
        (name,) for name in ("reduce", "gather", "alltoall", "bcast", "scatter", "allgather", "allreduce")
    ]
    for name in ("bcast", "alltoall"):
        row = found[name,]
        assert row["measured_us"] > 0 and row["published_us"] > 0 and row["bytes"] == 16384
        assert row["fitted_factor"] == pytest.approx(row["measured_us"] / row["fitted_us"], rel=1e-6)
        assert pd.isna(row["left_out"])
    left_out = {
        "barrier": "it has no message size", "scan": "there is no model of it",
        "gatherv": "wrong data in 3 of 3 launches",
        "gather": "not among the campaign's cases",
        "exscan": "not reliable: 0 ok of 3 launches; 3 too-few-valid (7 valid runs of 400)",
    }  # fmt: skip
    assert {name: found[name,]["left_out"] for name in left_out} == left_out


def test_figures_stand_with_the_views(run: RunInputs) -> None:
    listed = json.loads((run.layout.figures / "figures.json").read_text())["figures"]
    files = {each["file"] for each in listed if each["section"].startswith("views-")}
    assert files == {
        "mpiperf-wait-patterns.svg", "mpiperf-buffers.p3.n3.packed.svg", "mpiperf-rse.mpich-5.0.svg",
        *(f"mpiperf-diagram.mpich-5.0.p3.n3.packed.{number}.svg" for number in (1, 2, 3, 4)),
    }  # fmt: skip
    page = run.layout.report.read_text()
    assert all((run.layout.figures / file).is_file() for file in files)
    assert "As others print it" in page


def test_views_are_there_on_request_only(run: RunInputs) -> None:
    groups = build(Source(run, load_analysis(run.layout, TABLES), [], [])) or []
    shown = {part.file for group in groups for part in group.parts}
    tables = [table for view in SPEC.analysis["views"] for table in VIEWS[view][2]]
    assert shown == {table.file for table in tables} - {"view-pmb-groups.csv"}, "the campaign has no groups"
    assert list(VIEWS) == [*SPEC.analysis["views"], "bxj", "two-sites"]
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
