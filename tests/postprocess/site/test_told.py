# SPDX-License-Identifier: BSD-3-Clause
"""Between two runs the site lists the keys of the campaign that decide about the measurement, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.common.copies import copy_of
from isochron.common.files import FileError
from isochron.postprocess.site.differences import LONGEST, changed_keys, flat_keys
from isochron.postprocess.site.discovery import Run, in_words
from isochron.postprocess.site.runs import disjoint_results
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.workflows.conftest import campaign


def night(results: Path, **changes: object) -> Run:
    """A run of the small campaign with changes."""
    layout = create_run(results, campaign(**changes), make_plan(campaign(**changes)))
    return Run(layout, RunState.load(layout.state), "")


def test_keys_that_measure_are_listed_with_both_values(tmp_path: Path) -> None:
    before = night(tmp_path, sizes=[8], question={"baseline": "mpich-5.0"})
    after = night(tmp_path, sizes=[8, 64], title="another", engine={"trim": 0.1}, limits={"retries": 3})
    listed = {each.name: (each.before, each.after) for each in changed_keys(before.layout, after.layout)}
    assert listed == {"sizes": ("8", "8, 64"), "engine.trim": ("0.25", "0.1")}


def test_a_key_that_one_run_lacks_has_a_dash(tmp_path: Path) -> None:
    before, after = night(tmp_path), night(tmp_path, contrasts={"cold": {"buffers": "cold"}})
    assert [(each.name, each.before, each.after) for each in changed_keys(before.layout, after.layout)] == [
        ("contrasts.cold.buffers", "–", "cold")
    ]


def test_of_a_damaged_file_nothing_is_listed(tmp_path: Path) -> None:
    before, after = night(tmp_path), night(tmp_path, sizes=[8])
    copy_of(after.layout.campaign).unlink()
    after.layout.campaign.write_text("schema: [")
    assert changed_keys(before.layout, after.layout) == []


@pytest.mark.parametrize(("value", "text"), [([1, 2], "1, 2"), ("x" * 500, "x" * (LONGEST - 1) + "…"), (0, "0")])
def test_values_are_short_texts(value: object, text: str) -> None:
    assert flat_keys({"a": {"b": value}, "c": None, "d": {}}) == {"a.b": text}


@pytest.mark.parametrize("relative", [True, False])
def test_no_path_of_this_machine_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, relative: bool) -> None:
    monkeypatch.chdir(tmp_path)
    layout = RunLayout((Path() if relative else tmp_path) / "results" / "nightly" / "r1")
    for path in (layout.plan.absolute(), layout.plan, layout.plan.resolve()):
        assert in_words(FileError(f"{path}: is damaged"), layout) == "plan.json: is damaged"
    kept = layout.root.absolute().parent.parent / "certificate.json"
    assert in_words(FileError(f"{kept}: is damaged"), layout) == "certificate.json: is damaged"


def test_results_of_two_runs_go_by_what_both_allow_at_least() -> None:
    """Not by the ratio, which is largest where the interval is widest."""
    before = {("mpich", "4", "bcast", size): (10.0, 9.9, 10.1) for size in (8, 64, 512)}
    wide, narrow, faster = (60.0, 11.0, 300.0), (15.0, 14.9, 15.1), (4.0, 3.9, 4.1)
    values = dict(zip(before, (wide, narrow, faster), strict=True))
    assert [each.ratio for each in disjoint_results(values, before)] == ["0.400×", "1.50×", "6.00×"]
