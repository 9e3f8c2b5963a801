# SPDX-License-Identifier: BSD-3-Clause
"""What `publish` takes over many campaigns: at first, again, and with a run more; and how large the site is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bench.archived import name, write_campaigns
from tests.bench.test_archive import step
from tests.postprocess.site.walk import wrong_links
from tests.postprocess.synthetic import STACKS, Spec

pytestmark = pytest.mark.bench

CAMPAIGNS = int(os.environ.get("ISOCHRON_BENCH_CAMPAIGNS", "100"))
RUNS = int(os.environ.get("ISOCHRON_BENCH_RUNS", "40"))
#: 210 rows of results: five stacks, 21 cases, two points.
SPEC = Spec(stacks=list(STACKS), launches=10, runs=3)
#: What a browser loads for the first page, before another one is opened.
FIRST = ("index.html", "style.css")


def megabytes(paths: list[Path]) -> float:
    return sum(path.stat().st_size for path in paths) / 1e6


def test_publish(tmp_path: Path) -> None:
    results, site = tmp_path / "results", tmp_path / "site"
    write_campaigns(results, SPEC, CAMPAIGNS, RUNS)
    newest = results / "night-000" / name(RUNS - 1)
    newest.rename(tmp_path / newest.name)
    words = ("publish", str(site), str(results))
    print(f"\n{CAMPAIGNS} campaigns of {RUNS} runs | s | processor s | MiB")
    assert f"{CAMPAIGNS} made" in step("publish", *words)
    assert f"0 made, {CAMPAIGNS} as before" in step("publish again", *words)
    (tmp_path / newest.name).rename(newest)
    assert f"1 made, {CAMPAIGNS - 1} as before" in step("publish with a run more", *words)
    files = [path for path in site.rglob("*") if path.is_file()]
    pages = [path for path in files if path.suffix == ".html"]
    print("MB: " + ", ".join([
        f"first page with its styles {megabytes([site / each for each in FIRST]):.2f}",
        f"largest page {max(megabytes([path]) for path in pages):.2f}",
        f"largest script of a run {max(megabytes([path]) for path in files if path.suffix == '.js'):.3f}",
        f"all {len(files)} files {megabytes(files):.0f}",
    ]))  # fmt: skip
    assert megabytes([site / each for each in FIRST]) < 5
    moved = site.rename(tmp_path / "moved")
    assert wrong_links(moved) == []
